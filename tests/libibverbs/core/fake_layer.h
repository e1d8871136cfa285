/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Replaces core/layer_module.c: the test sets the hooks that are "loaded". */
#ifndef CORE_TEST_FAKE_LAYER_H
#define CORE_TEST_FAKE_LAYER_H

#include "core/layer_hooks.h"

/* NULL: there is no module. */
extern const struct verbs_layer_hooks *fake_layer_hooks;
/* Calls of verbs_layer_module_load(). */
extern unsigned int fake_layer_nr_loads;

#endif
