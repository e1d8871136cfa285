/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A provider module that registers itself twice. */
#include "broken_provider.h"

static const struct match_entry table[] = {
	{ .kind = MATCH_PCI, .vendor = 0x1, .device = 0x2 },
	{},
};

static const struct device_ops ops = {
	.name = "broken_twice",
	.max_abi = 1,
	.match_table = table,
	.alloc_context = no_context,
	.alloc_device = new_device,
	.uninit_device = free_device,
};

static __attribute__((constructor)) void enter(void)
{
	register_me(&ops);
	register_me(&ops);
}
