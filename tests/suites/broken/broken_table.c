/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A provider module with neither a match table nor a match function. */
#include "broken_provider.h"

static const struct device_ops ops = {
	.name = "broken_table",
	.max_abi = 1000,
	.alloc_context = no_context,
	.alloc_device = new_device,
	.uninit_device = free_device,
};

static __attribute__((constructor)) void enter(void)
{
	register_me(&ops);
}
