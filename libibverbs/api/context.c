/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ibv_open_device(3), ibv_import_device(3) and ibv_close_device(3). */
#include <infiniband/verbs.h>

#include "api/abi_tables.h"
#include "api/api_err.h"
#include "core/core_context.h"
#include "core/library_init.h"

struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	struct verbs_device *dev = device ? verbs_device_of(device) : NULL;
	struct ibv_context *ctx;
	int ret;

	if (!dev)
		return api_ret_null(-EINVAL);
	ret = verbs_core_open(dev, &ctx);
	if (ret)
		return api_ret_null(ret);
	verbs_fill_abi_tables(ctx);
	return ctx;
}

/* The context owns the descriptor, which may come from another process. */
struct ibv_context *ibv_import_device(int cmd_fd)
{
	struct ibv_context *ctx;
	int ret;

	verbs_library_init();
	ret = verbs_core_import(cmd_fd, &ctx);
	if (ret)
		return api_ret_null(ret);
	verbs_fill_abi_tables(ctx);
	return ctx;
}

int ibv_close_device(struct ibv_context *context)
{
	if (!context)
		return api_ret_minus1(-EINVAL);
	verbs_core_close(context);
	return 0;
}
