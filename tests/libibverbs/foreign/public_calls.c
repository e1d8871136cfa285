/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Public functions that foreign/ calls, for tests that are linked without api/:
 * no more than the way down.
 */
#include <errno.h>
#include <infiniband/verbs.h>

#include "core/core_context.h"

struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	struct verbs_device *dev = verbs_device_of(device);
	struct ibv_context *ctx;
	int ret = dev ? verbs_core_open(dev, &ctx) : -ENODEV;

	if (ret) {
		errno = -ret;
		return NULL;
	}
	return ctx;
}

const char *ibv_wr_opcode_str(enum ibv_wr_opcode opcode)
{
	return opcode == IBV_WR_SEND ? "send" : "another";
}
