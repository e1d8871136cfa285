/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's context of a uverbs descriptor. Kernel-backed providers call
 * this as the first command; calls submit.c.
 */
#include <errno.h>
#include <limits.h>
#include <provider/kernel.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>

#include "kernel/kernel_state.h"
#include "kernel/submit.h"

struct context_resp {
	uint32_t num_comp_vectors;
	uint64_t core_support;
	int async_fd; /* -1: not part of the response */
};

static int cmd_context_get_ioctl(struct ibv_context *ctx,
				 const struct verbs_udata *udata,
				 struct context_resp *resp)
{
	struct cmd cmd;

	cmd_init(&cmd, KERNEL_CAP_GET_CONTEXT);
	cmd_out_ptr(&cmd, UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS,
		    &resp->num_comp_vectors, sizeof(resp->num_comp_vectors));
	cmd_out_ptr(&cmd, UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT,
		    &resp->core_support, sizeof(resp->core_support));
	cmd_udata(&cmd, udata);
	return submit_ioctl(ctx, &cmd);
}

static SUBMIT_SLOW_PATH int
cmd_context_get_write(struct ibv_context *ctx, const struct verbs_udata *udata,
		      struct context_resp *resp)
{
	const struct ib_uverbs_get_context in = {};
	struct ib_uverbs_get_context_resp out = {};
	const struct write_cmd req = {
		.command = IB_USER_VERBS_CMD_GET_CONTEXT,
		WRITE_IN(in),
		WRITE_OUT(out),
		.udata = udata,
	};
	int ret = submit_write(ctx, &req);

	if (ret)
		return ret;
	if (out.async_fd > INT_MAX)
		return -EPROTO;
	resp->async_fd = (int)out.async_fd;
	resp->num_comp_vectors = out.num_comp_vectors;
	return 0;
}

/* For a descriptor whose context another process created. */
static int cmd_context_query_ioctl(struct ibv_context *ctx,
				   const struct verbs_udata *udata,
				   struct context_resp *resp)
{
	struct cmd cmd;

	cmd_init(&cmd, KERNEL_CAP_QUERY_CONTEXT);
	cmd_out_ptr(&cmd, UVERBS_ATTR_QUERY_CONTEXT_NUM_COMP_VECTORS,
		    &resp->num_comp_vectors, sizeof(resp->num_comp_vectors));
	cmd_out_ptr(&cmd, UVERBS_ATTR_QUERY_CONTEXT_CORE_SUPPORT,
		    &resp->core_support, sizeof(resp->core_support));
	cmd_driver_attrs(&cmd, udata);
	return submit_ioctl_only(ctx, &cmd);
}

static void cmd_context_apply_resp(struct ibv_context *ctx,
				   const struct context_resp *resp)
{
	verbs_kernel_state(ctx)->core_support = resp->core_support;
	/* Applications loop up to this number; an invalid one becomes 1. */
	ctx->num_comp_vectors = resp->num_comp_vectors > INT_MAX
					? 1
					: (int)resp->num_comp_vectors;
	if (resp->async_fd != -1)
		ctx->async_fd = resp->async_fd; /* closed with the context */
}

int verbs_cmd_get_context(struct ibv_context *ctx,
			  const struct verbs_udata *udata)
{
	struct context_resp resp = { .async_fd = -1 };
	int ret;

	if (verbs_kernel_state(ctx)->imported)
		return verbs_cmd_query_context(ctx, udata);
	ret = cmd_context_get_ioctl(ctx, udata, &resp);
	if (ret == SUBMIT_NOT_OFFERED)
		ret = cmd_context_get_write(ctx, udata, &resp);
	if (!ret)
		cmd_context_apply_resp(ctx, &resp);
	return ret;
}

int verbs_cmd_query_context(struct ibv_context *ctx,
			    const struct verbs_udata *udata)
{
	struct context_resp resp = { .async_fd = -1 };
	int ret = cmd_context_query_ioctl(ctx, udata, &resp);

	if (!ret)
		cmd_context_apply_resp(ctx, &resp);
	return ret;
}
