/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A provider module that needs a function which no library defines. */
#include "broken_provider.h"

void verbs_function_that_nobody_has(void);

static const struct match_entry table[] = {
	{ .kind = MATCH_MODALIAS, .u.modalias = "*" },
	{},
};

static const struct device_ops ops = {
	.name = "broken_symbol",
	.max_abi = 1000,
	.match_table = table,
	.alloc_context = no_context,
	.alloc_device = new_device,
	.uninit_device = free_device,
};

static __attribute__((constructor)) void enter(void)
{
	verbs_function_that_nobody_has();
	register_me(&ops);
}
