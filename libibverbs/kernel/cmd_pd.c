/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Protection domains. Called by kernel-backed providers through
 * <provider/kernel.h>, calls submit.c.
 */
#include <provider/kernel.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>

#include "kernel/cmd_destroy.h"
#include "kernel/submit.h"

int verbs_cmd_alloc_pd(struct ibv_context *ctx, struct ibv_pd *pd,
		       const struct verbs_udata *udata)
{
	const struct ib_uverbs_alloc_pd in = {};
	struct ib_uverbs_alloc_pd_resp out = {};
	const struct write_cmd req = {
		.command = IB_USER_VERBS_CMD_ALLOC_PD,
		WRITE_IN(in),
		WRITE_OUT(out),
		.udata = udata,
	};
	int ret = submit_write(ctx, &req);

	if (ret)
		return ret;
	pd->context = ctx;
	pd->handle = out.pd_handle;
	return 0;
}

int verbs_cmd_dealloc_pd(struct ibv_pd *pd)
{
	static const struct destroy_cmd destroy = {
		.cap = KERNEL_CAP_DEALLOC_PD,
		.handle_attr = UVERBS_ATTR_DESTROY_PD_HANDLE,
		.write_command = IB_USER_VERBS_CMD_DEALLOC_PD,
	};

	return cmd_destroy_by_handle(pd->context, &destroy, pd->handle);
}
