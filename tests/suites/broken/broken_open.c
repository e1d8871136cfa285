/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A provider module that claims mlx5 devices but fails to open them. */
#include "broken_provider.h"

static const struct match_entry table[] = {
	{ .kind = MATCH_DRIVER_ID, .u.driver_id = 1 },
	{ .kind = MATCH_MODALIAS, .u.modalias = "rdma_device:*Nmlx5*" },
	{},
};

static const struct device_ops ops = {
	.name = "broken_open",
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
