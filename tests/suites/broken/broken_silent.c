/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A provider module that does not register. */
#include "broken_provider.h"

extern const char broken_silent[];
__attribute__((visibility("default"))) const char broken_silent[] = "nothing";
