/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A provider module with a match table entry without a pattern. */
#include "broken_provider.h"

static const struct match_entry table[] = {
	{ .kind = MATCH_MODALIAS },
	{ .kind = 99 },
	{},
};

static const struct device_ops ops = {
	.name = "broken_pattern",
	.max_abi = 1000,
	.match_table = table,
	.alloc_context = no_context,
	.alloc_device = new_device,
	.uninit_device = free_device,
};

static __attribute__((constructor)) void enter(void)
{
	register_me(&ops);
}
