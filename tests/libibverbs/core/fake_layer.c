/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* See libibverbs/core/fake_layer.h. */
#include "libibverbs/core/fake_layer.h"

#include "core/layer_load.h"

const struct verbs_layer_hooks *fake_layer_hooks;
unsigned int fake_layer_nr_loads;

const struct verbs_layer_hooks *verbs_layer_module_load(const char **ret_reason)
{
	fake_layer_nr_loads++;
	*ret_reason = "the test has no module";
	return fake_layer_hooks;
}
