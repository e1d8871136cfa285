/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A provider module that claims every device, with an empty range of versions.
 */
#include "broken_provider.h"

static const struct match_entry table[] = {
	{ .kind = MATCH_DRIVER_ID, .u.driver_id = 1 },
	{ .kind = MATCH_MODALIAS, .u.modalias = "rdma_device:*" },
	{},
};

static const struct device_ops ops = {
	.name = "broken_versions",
	.min_abi = 7,
	.max_abi = 3,
	.match_table = table,
	.alloc_context = no_context,
	.alloc_device = new_device,
	.uninit_device = free_device,
};

static __attribute__((constructor)) void enter(void)
{
	register_me(&ops);
}
