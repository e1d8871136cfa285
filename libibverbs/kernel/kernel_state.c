/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The setting that all contexts share: see kernel/kernel_state.h. Written by
 * core/, read by the destroy commands.
 */
#include "kernel/kernel_state.h"

bool verbs_allow_disassociate_destroy;
