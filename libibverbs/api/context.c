/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ibv_open_device(3) and ibv_close_device(3). */
#include <infiniband/verbs.h>

#include "api/abi_tables.h"
#include "api/api_err.h"
#include "core/core_context.h"

struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	struct ibv_context *ctx;
	int ret;

	if (!device)
		return api_ret_null(-EINVAL);

	ret = verbs_core_open(verbs_device_of(device), &ctx);
	if (ret)
		return api_ret_null(ret);
	verbs_fill_abi_tables(ctx);
	return ctx;
}

int ibv_close_device(struct ibv_context *context)
{
	verbs_core_close(context);
	return 0;
}
