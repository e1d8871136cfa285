/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A provider module that claims mlx5 devices but returns no device for them. */
#include "broken_provider.h"

static const struct match_entry table[] = {
	{ .kind = MATCH_DRIVER_ID, .u.driver_id = 1 },
	{ .kind = MATCH_MODALIAS, .u.modalias = "rdma_device:*Nmlx5*" },
	{},
};

static void *refuse(void *sysfs_device)
{
	(void)sysfs_device;
	return NULL;
}

static const struct device_ops ops = {
	.name = "broken_refuses",
	.max_abi = 1000,
	.match_table = table,
	.alloc_context = no_context,
	.alloc_device = refuse,
};

static __attribute__((constructor)) void enter(void)
{
	register_me(&ops);
}
