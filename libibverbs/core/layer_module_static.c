/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Replaces core/layer_module.c in a static build, which loads no modules. */
#include <stddef.h>

#include "core/layer_load.h"

const struct verbs_layer_hooks *verbs_layer_module_load(const char **ret_reason)
{
	*ret_reason = "the program is linked to the static library";
	return NULL;
}
