/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Completion queues. Called by kernel-backed providers through
 * <provider/kernel.h>, calls submit.c.
 */
#include <errno.h>
#include <limits.h>
#include <provider/kernel.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <stdbool.h>

#include "kernel/cmd_destroy.h"
#include "kernel/submit.h"
#include "kernel/uapi_newer.h"

static int cmd_cq_clamp_cqe(uint32_t cqe)
{
	return cqe > INT_MAX ? INT_MAX : (int)cqe;
}

static uint32_t cmd_cq_flags_to_kernel(const struct ibv_cq_init_attr_ex *attr)
{
	uint32_t flags = 0;

	if (attr->wc_flags & (IBV_WC_EX_WITH_COMPLETION_TIMESTAMP |
			      IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK))
		flags |= IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION;
	if ((attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS) &&
	    (attr->flags & IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN))
		flags |= IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN;
	return flags;
}

/* Attributes of both methods; the driver's attributes follow them. */
static void cmd_cq_build_create(struct cmd *cmd, const struct ibv_context *ctx,
				const struct ibv_cq *cq,
				const struct ibv_cq_init_attr_ex *attr,
				struct ib_uverbs_create_cq_resp *ret_resp)
{
	uint32_t flags = cmd_cq_flags_to_kernel(attr);

	/* Attributes of every CQ first: those have constant offsets. */
	cmd_out_obj(cmd, UVERBS_ATTR_CREATE_CQ_HANDLE, &ret_resp->cq_handle);
	cmd_in_u32(cmd, UVERBS_ATTR_CREATE_CQ_CQE, attr->cqe);
	cmd_in_u64(cmd, UVERBS_ATTR_CREATE_CQ_USER_HANDLE, cmd_addr(cq));
	cmd_in_u32(cmd, UVERBS_ATTR_CREATE_CQ_COMP_VECTOR, attr->comp_vector);
	cmd_out_ptr(cmd, UVERBS_ATTR_CREATE_CQ_RESP_CQE, &ret_resp->cqe,
		    sizeof(ret_resp->cqe));
	if (attr->channel)
		cmd_in_fd(cmd, UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL,
			  attr->channel->fd);
	cmd_in_async_fd(cmd, UVERBS_ATTR_CREATE_CQ_EVENT_FD, ctx);
	if (flags)
		cmd_in_u32(cmd, UVERBS_ATTR_CREATE_CQ_FLAGS, flags);
}

static int cmd_cq_create_ioctl(struct ibv_context *ctx, struct ibv_cq *cq,
			       const struct ibv_cq_init_attr_ex *attr,
			       const struct verbs_udata *udata,
			       struct ib_uverbs_create_cq_resp *ret_resp)
{
	struct cmd cmd;

	cmd_init(&cmd, KERNEL_CAP_CREATE_CQ);
	cmd_cq_build_create(&cmd, ctx, cq, attr, ret_resp);
	cmd_udata(&cmd, udata);
	return submit_ioctl(ctx, &cmd);
}

static int cmd_cq_create_buf_ioctl(struct ibv_context *ctx, struct ibv_cq *cq,
				   const struct ibv_cq_init_attr_ex *attr,
				   const struct verbs_cq_buf *buf,
				   const struct verbs_udata *udata,
				   struct ib_uverbs_create_cq_resp *ret_resp)
{
	struct cmd cmd;

	cmd_init(&cmd, KERNEL_CAP_CREATE_CQ_BUF);
	cmd_cq_build_create(&cmd, ctx, cq, attr, ret_resp);
	if (buf->fd == -1) {
		cmd_in_u64(&cmd, VERBS_UAPI_UVERBS_ATTR_CREATE_CQ_BUFFER_VA,
			   cmd_addr(buf->addr));
	} else {
		cmd_in_fd(&cmd, VERBS_UAPI_UVERBS_ATTR_CREATE_CQ_BUFFER_FD,
			  buf->fd);
		cmd_in_u64(&cmd, VERBS_UAPI_UVERBS_ATTR_CREATE_CQ_BUFFER_OFFSET,
			   buf->fd_offset);
	}
	cmd_in_u64(&cmd, VERBS_UAPI_UVERBS_ATTR_CREATE_CQ_BUFFER_LENGTH,
		   buf->length);
	cmd_udata(&cmd, udata);
	return submit_ioctl_only(ctx, &cmd);
}

static SUBMIT_SLOW_PATH int
cmd_cq_create_write(struct ibv_context *ctx, struct ibv_cq *cq,
		    const struct ibv_cq_init_attr_ex *attr,
		    const struct verbs_udata *udata,
		    struct ib_uverbs_create_cq_resp *ret_resp)
{
	const struct ib_uverbs_create_cq in = {
		.user_handle = cmd_addr(cq),
		.cqe = attr->cqe,
		.comp_vector = attr->comp_vector,
		.comp_channel = attr->channel ? attr->channel->fd : -1,
	};
	const struct write_cmd req = {
		.command = IB_USER_VERBS_CMD_CREATE_CQ,
		WRITE_IN(in),
		WRITE_OUT(*ret_resp),
		.udata = udata,
	};

	return submit_write(ctx, &req);
}

/* Write command with flags. */
static SUBMIT_SLOW_PATH int
cmd_cq_create_write_ex(struct ibv_context *ctx, struct ibv_cq *cq,
		       const struct ibv_cq_init_attr_ex *attr,
		       const struct verbs_udata *udata,
		       struct ib_uverbs_create_cq_resp *ret_resp)
{
	const struct ib_uverbs_ex_create_cq in = {
		.user_handle = cmd_addr(cq),
		.cqe = attr->cqe,
		.comp_vector = attr->comp_vector,
		.comp_channel = attr->channel ? attr->channel->fd : -1,
		.flags = cmd_cq_flags_to_kernel(attr),
	};
	struct ib_uverbs_ex_create_cq_resp out = {};
	const struct write_cmd req = {
		.command = IB_USER_VERBS_EX_CMD_CREATE_CQ |
			   IB_USER_VERBS_CMD_FLAG_EXTENDED,
		WRITE_IN(in),
		WRITE_OUT(out),
		.udata = udata,
	};
	int ret = submit_write_ex(ctx, &req);

	*ret_resp = out.base;
	return ret;
}

static bool cmd_cq_attr_is_supported(const struct ibv_cq_init_attr_ex *attr)
{
	const uint32_t known = IBV_CQ_INIT_ATTR_MASK_FLAGS |
			       IBV_CQ_INIT_ATTR_MASK_PD;

	return !(attr->comp_mask & ~known);
}

int verbs_cmd_create_cq(struct ibv_context *ctx, struct ibv_cq *cq,
			const struct ibv_cq_init_attr_ex *attr,
			const struct verbs_udata *udata)
{
	struct ib_uverbs_create_cq_resp resp = {};
	int ret;

	if (!cmd_cq_attr_is_supported(attr))
		return -EOPNOTSUPP;

	ret = cmd_cq_create_ioctl(ctx, cq, attr, udata, &resp);
	if (ret == SUBMIT_NOT_OFFERED && cmd_cq_flags_to_kernel(attr))
		ret = cmd_cq_create_write_ex(ctx, cq, attr, udata, &resp);
	else if (ret == SUBMIT_NOT_OFFERED)
		ret = cmd_cq_create_write(ctx, cq, attr, udata, &resp);
	if (ret)
		return ret;
	cq->handle = resp.cq_handle;
	cq->cqe = cmd_cq_clamp_cqe(resp.cqe);
	return 0;
}

int verbs_cmd_create_cq_buf(struct ibv_context *ctx, struct ibv_cq *cq,
			    const struct ibv_cq_init_attr_ex *attr,
			    const struct verbs_cq_buf *buf,
			    const struct verbs_udata *udata)
{
	struct ib_uverbs_create_cq_resp resp = {};
	int ret;

	if (!cmd_cq_attr_is_supported(attr))
		return -EOPNOTSUPP;
	if (buf->fd < -1)
		return -EBADF;
	if (buf->fd == -1 ? !buf->addr : buf->addr != NULL)
		return -EINVAL;

	ret = cmd_cq_create_buf_ioctl(ctx, cq, attr, buf, udata, &resp);
	if (ret)
		return ret;
	cq->handle = resp.cq_handle;
	cq->cqe = cmd_cq_clamp_cqe(resp.cqe);
	return 0;
}

int verbs_cmd_resize_cq(struct ibv_cq *cq, int cqe,
			const struct verbs_udata *udata)
{
	const struct ib_uverbs_resize_cq in = {
		.cq_handle = cq->handle,
		.cqe = (uint32_t)cqe,
	};
	struct ib_uverbs_resize_cq_resp out = {};
	const struct write_cmd req = {
		.command = IB_USER_VERBS_CMD_RESIZE_CQ,
		WRITE_IN(in),
		WRITE_OUT(out),
		.udata = udata,
	};
	int ret = submit_write(cq->context, &req);

	if (!ret)
		cq->cqe = cmd_cq_clamp_cqe(out.cqe);
	return ret;
}

int verbs_cmd_modify_cq(struct ibv_cq *cq,
			const struct ibv_modify_cq_attr *attr)
{
	struct ib_uverbs_ex_modify_cq in = {
		.cq_handle = cq->handle,
		.attr_mask = attr->attr_mask,
	};
	const struct write_cmd req = {
		.command = IB_USER_VERBS_EX_CMD_MODIFY_CQ |
			   IB_USER_VERBS_CMD_FLAG_EXTENDED,
		WRITE_IN(in),
	};

	if (attr->attr_mask & ~(uint32_t)IBV_CQ_ATTR_MODERATE)
		return -EINVAL;
	if (attr->attr_mask & IBV_CQ_ATTR_MODERATE) {
		in.attr.cq_count = attr->moderate.cq_count;
		in.attr.cq_period = attr->moderate.cq_period;
	}
	return submit_write_ex(cq->context, &req);
}

int verbs_cmd_req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
	const struct ib_uverbs_req_notify_cq in = {
		.cq_handle = cq->handle,
		.solicited_only = !!solicited_only,
	};
	const struct write_cmd req = {
		.command = IB_USER_VERBS_CMD_REQ_NOTIFY_CQ,
		WRITE_IN(in),
	};

	return submit_write(cq->context, &req);
}

int verbs_cmd_destroy_cq(struct ibv_cq *cq,
			 struct verbs_event_count *ret_raised)
{
	static const struct destroy_cmd destroy = {
		.cap = KERNEL_CAP_DESTROY_CQ,
		.handle_attr = UVERBS_ATTR_DESTROY_CQ_HANDLE,
		.resp_attr = UVERBS_ATTR_DESTROY_CQ_RESP,
		.write_command = IB_USER_VERBS_CMD_DESTROY_CQ,
	};
	struct ib_uverbs_destroy_cq_resp resp = {};
	int ret = cmd_destroy_with_resp(cq->context, &destroy, cq->handle,
					&resp, sizeof(resp));

	if (cmd_destroy_device_gone(ret)) {
		resp.comp_events_reported = cmd_destroy_acked_events(
			&cq->mutex, &cq->comp_events_completed);
		resp.async_events_reported = cmd_destroy_acked_events(
			&cq->mutex, &cq->async_events_completed);
		ret = 0;
	}
	if (ret)
		return ret;
	*ret_raised = (struct verbs_event_count){
		.comp_events = resp.comp_events_reported,
		.async_events = resp.async_events_reported,
	};
	return 0;
}
