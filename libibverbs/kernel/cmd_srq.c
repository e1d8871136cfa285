/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared receive queues. Called by kernel-backed providers through
 * <provider/kernel.h>, calls submit.c.
 */
#include <errno.h>
#include <provider/kernel.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>

#include "kernel/cmd_destroy.h"
#include "kernel/submit.h"

static enum ibv_srq_type cmd_srq_type(const struct ibv_srq_init_attr_ex *attr)
{
	return attr->comp_mask & IBV_SRQ_INIT_ATTR_TYPE ? attr->srq_type
							: IBV_SRQT_BASIC;
}

/* Checks the required attributes of each type, see ibv_create_srq_ex(3). */
static int cmd_srq_check_attr(const struct ibv_srq_init_attr_ex *attr)
{
	const uint32_t known = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
			       IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ |
			       IBV_SRQ_INIT_ATTR_TM;
	uint32_t needed = IBV_SRQ_INIT_ATTR_PD;

	if (attr->comp_mask & ~known)
		return -EOPNOTSUPP;

	switch (cmd_srq_type(attr)) {
	case IBV_SRQT_BASIC:
		break;
	case IBV_SRQT_XRC:
		needed |= IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ;
		break;
	case IBV_SRQT_TM:
		needed |= IBV_SRQ_INIT_ATTR_CQ | IBV_SRQ_INIT_ATTR_TM;
		break;
	default:
		return -EINVAL;
	}
	if ((attr->comp_mask & needed) != needed)
		return -EINVAL;
	if (cmd_srq_type(attr) == IBV_SRQT_TM && !attr->tm_cap.max_num_tags)
		return -EINVAL;
	return 0;
}

static uint32_t cmd_srq_xrcd_handle(const struct ibv_srq_init_attr_ex *attr)
{
	return verbs_container_of(attr->xrcd, struct verbs_xrcd, xrcd)->handle;
}

static int cmd_srq_create_ioctl(struct ibv_context *ctx, struct verbs_srq *vsrq,
				const struct ibv_srq_init_attr_ex *attr,
				const struct verbs_udata *udata,
				struct ib_uverbs_create_srq_resp *ret_resp)
{
	enum ibv_srq_type type = cmd_srq_type(attr);
	struct cmd cmd;

	cmd_init(&cmd, KERNEL_CAP_CREATE_SRQ);
	/* Attributes of every SRQ first: those have constant offsets. */
	cmd_out_obj(&cmd, UVERBS_ATTR_CREATE_SRQ_HANDLE, &ret_resp->srq_handle);
	cmd_in_obj(&cmd, UVERBS_ATTR_CREATE_SRQ_PD_HANDLE, attr->pd->handle);
	cmd_in_u64(&cmd, UVERBS_ATTR_CREATE_SRQ_TYPE, type);
	cmd_in_u64(&cmd, UVERBS_ATTR_CREATE_SRQ_USER_HANDLE,
		   cmd_addr(&vsrq->srq));
	cmd_in_u32(&cmd, UVERBS_ATTR_CREATE_SRQ_MAX_WR, attr->attr.max_wr);
	cmd_in_u32(&cmd, UVERBS_ATTR_CREATE_SRQ_MAX_SGE, attr->attr.max_sge);
	cmd_in_u32(&cmd, UVERBS_ATTR_CREATE_SRQ_LIMIT, attr->attr.srq_limit);
	cmd_out_ptr(&cmd, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_WR, &ret_resp->max_wr,
		    sizeof(ret_resp->max_wr));
	cmd_out_ptr(&cmd, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_SGE,
		    &ret_resp->max_sge, sizeof(ret_resp->max_sge));
	cmd_in_async_fd(&cmd, UVERBS_ATTR_CREATE_SRQ_EVENT_FD, ctx);
	if (type != IBV_SRQT_BASIC)
		cmd_in_obj(&cmd, UVERBS_ATTR_CREATE_SRQ_CQ_HANDLE,
			   attr->cq->handle);
	if (type == IBV_SRQT_TM)
		cmd_in_u32(&cmd, UVERBS_ATTR_CREATE_SRQ_MAX_NUM_TAGS,
			   attr->tm_cap.max_num_tags);
	if (type == IBV_SRQT_XRC) {
		cmd_in_obj(&cmd, UVERBS_ATTR_CREATE_SRQ_XRCD_HANDLE,
			   cmd_srq_xrcd_handle(attr));
		cmd_out_ptr(&cmd, UVERBS_ATTR_CREATE_SRQ_RESP_SRQ_NUM,
			    &ret_resp->srqn, sizeof(ret_resp->srqn));
	}
	cmd_udata(&cmd, udata);
	return submit_ioctl(ctx, &cmd);
}

static SUBMIT_SLOW_PATH int
cmd_srq_create_write(struct ibv_context *ctx, struct verbs_srq *vsrq,
		     const struct ibv_srq_init_attr_ex *attr,
		     const struct verbs_udata *udata,
		     struct ib_uverbs_create_srq_resp *ret_resp)
{
	const struct ib_uverbs_create_srq in = {
		.user_handle = cmd_addr(&vsrq->srq),
		.pd_handle = attr->pd->handle,
		.max_wr = attr->attr.max_wr,
		.max_sge = attr->attr.max_sge,
		.srq_limit = attr->attr.srq_limit,
	};
	const struct write_cmd req = {
		.command = IB_USER_VERBS_CMD_CREATE_SRQ,
		WRITE_IN(in),
		WRITE_OUT(*ret_resp),
		.udata = udata,
	};

	return submit_write(ctx, &req);
}

static SUBMIT_SLOW_PATH int
cmd_srq_create_xsrq_write(struct ibv_context *ctx, struct verbs_srq *vsrq,
			  const struct ibv_srq_init_attr_ex *attr,
			  const struct verbs_udata *udata,
			  struct ib_uverbs_create_srq_resp *ret_resp)
{
	struct ib_uverbs_create_xsrq in = {
		.user_handle = cmd_addr(&vsrq->srq),
		.srq_type = cmd_srq_type(attr),
		.pd_handle = attr->pd->handle,
		.max_wr = attr->attr.max_wr,
		.max_sge = attr->attr.max_sge,
		.srq_limit = attr->attr.srq_limit,
		.cq_handle = attr->cq->handle,
	};
	const struct write_cmd req = {
		.command = IB_USER_VERBS_CMD_CREATE_XSRQ,
		WRITE_IN(in),
		WRITE_OUT(*ret_resp),
		.udata = udata,
	};

	if (cmd_srq_type(attr) == IBV_SRQT_XRC)
		in.xrcd_handle = cmd_srq_xrcd_handle(attr);
	else
		in.max_num_tags = attr->tm_cap.max_num_tags;
	return submit_write(ctx, &req);
}

int verbs_cmd_create_srq(struct ibv_context *ctx, struct verbs_srq *vsrq,
			 struct ibv_srq_init_attr_ex *attr,
			 const struct verbs_udata *udata)
{
	struct ib_uverbs_create_srq_resp resp = {};
	int ret = cmd_srq_check_attr(attr);

	if (ret)
		return ret;
	ret = cmd_srq_create_ioctl(ctx, vsrq, attr, udata, &resp);
	if (ret == SUBMIT_NOT_OFFERED) {
		if (cmd_srq_type(attr) == IBV_SRQT_BASIC)
			ret = cmd_srq_create_write(ctx, vsrq, attr, udata,
						   &resp);
		else
			ret = cmd_srq_create_xsrq_write(ctx, vsrq, attr, udata,
							&resp);
	}
	if (ret)
		return ret;
	vsrq->srq.handle = resp.srq_handle;
	if (cmd_srq_type(attr) == IBV_SRQT_XRC)
		vsrq->srq_num = resp.srqn;
	attr->attr.max_wr = resp.max_wr;
	attr->attr.max_sge = resp.max_sge;
	return 0;
}

int verbs_cmd_modify_srq(struct ibv_srq *srq, const struct ibv_srq_attr *attr,
			 int attr_mask, const struct verbs_udata *udata)
{
	const struct ib_uverbs_modify_srq in = {
		.srq_handle = srq->handle,
		.attr_mask = (uint32_t)attr_mask,
		.max_wr = attr->max_wr,
		.srq_limit = attr->srq_limit,
	};
	const struct write_cmd req = {
		.command = IB_USER_VERBS_CMD_MODIFY_SRQ,
		WRITE_IN(in),
		.udata = udata,
	};

	return submit_write(srq->context, &req);
}

int verbs_cmd_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *ret_attr)
{
	const struct ib_uverbs_query_srq in = { .srq_handle = srq->handle };
	struct ib_uverbs_query_srq_resp out = {};
	const struct write_cmd req = {
		.command = IB_USER_VERBS_CMD_QUERY_SRQ,
		WRITE_IN(in),
		WRITE_OUT(out),
	};
	int ret = submit_write(srq->context, &req);

	if (ret)
		return ret;
	ret_attr->max_wr = out.max_wr;
	ret_attr->max_sge = out.max_sge;
	ret_attr->srq_limit = out.srq_limit;
	return 0;
}

int verbs_cmd_destroy_srq(struct ibv_srq *srq,
			  struct verbs_event_count *ret_raised)
{
	static const struct destroy_cmd destroy = {
		.cap = KERNEL_CAP_DESTROY_SRQ,
		.handle_attr = UVERBS_ATTR_DESTROY_SRQ_HANDLE,
		.resp_attr = UVERBS_ATTR_DESTROY_SRQ_RESP,
		.write_command = IB_USER_VERBS_CMD_DESTROY_SRQ,
	};
	struct ib_uverbs_destroy_srq_resp resp = {};
	int ret = cmd_destroy_with_resp(srq->context, &destroy, srq->handle,
					&resp, sizeof(resp));

	return cmd_destroy_count_events(ret, resp.events_reported, &srq->mutex,
					&srq->events_completed, ret_raised);
}
