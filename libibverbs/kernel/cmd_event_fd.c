/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Event descriptors: the one for asynchronous events of a context, and those of
 * completion channels. Called by core/ as the default for kernel devices, and
 * by kernel-backed providers; calls submit.c. Other files read the events.
 */
#include <errno.h>
#include <limits.h>
#include <provider/kernel.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>

#include "kernel/submit.h"

/*
 * The write command GET_CONTEXT returned the descriptor in its response. If the
 * ioctl method GET_CONTEXT created the context instead, the kernel also has
 * ASYNC_EVENT_ALLOC, which came with the same release.
 */
int verbs_cmd_alloc_async_fd(struct ibv_context *ctx, int *ret_fd)
{
	struct cmd cmd;

	if (ctx->async_fd != -1) {
		*ret_fd = ctx->async_fd;
		return 0;
	}
	cmd_init(&cmd, KERNEL_CAP_ALLOC_ASYNC_FD);
	cmd_out_fd(&cmd, UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE, ret_fd);
	return submit_ioctl_only(ctx, &cmd);
}

int verbs_cmd_create_comp_channel(struct ibv_context *ctx, int *ret_fd)
{
	const struct ib_uverbs_create_comp_channel in = {};
	struct ib_uverbs_create_comp_channel_resp out = {};
	const struct write_cmd req = {
		.command = IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL,
		WRITE_IN(in),
		WRITE_OUT(out),
	};
	int ret = submit_write(ctx, &req);

	if (ret)
		return ret;
	if (out.fd > INT_MAX)
		return -EPROTO;
	*ret_fd = (int)out.fd;
	return 0;
}
