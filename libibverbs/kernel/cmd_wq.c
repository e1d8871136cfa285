/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Work queues, the receive queues of QPs with an indirection table. Called by
 * kernel-backed providers through <provider/kernel.h>, calls submit.c.
 */
#include <errno.h>
#include <provider/kernel.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>

#include "kernel/cmd_destroy.h"
#include "kernel/submit.h"

#define EXTENDED IB_USER_VERBS_CMD_FLAG_EXTENDED

struct wq_create_result {
	uint32_t handle, wq_num, max_wr, max_sge;
};

static uint32_t cmd_wq_create_flags(const struct ibv_wq_init_attr *attr)
{
	return attr->comp_mask & IBV_WQ_INIT_ATTR_FLAGS ? attr->create_flags
							: 0;
}

static int cmd_wq_create_ioctl(struct ibv_context *ctx, const struct ibv_wq *wq,
			       const struct ibv_wq_init_attr *attr,
			       const struct verbs_udata *udata,
			       struct wq_create_result *result)
{
	struct cmd cmd;

	cmd_init(&cmd, KERNEL_CAP_CREATE_WQ);
	cmd_out_obj(&cmd, UVERBS_ATTR_CREATE_WQ_HANDLE, &result->handle);
	cmd_in_obj(&cmd, UVERBS_ATTR_CREATE_WQ_PD_HANDLE, attr->pd->handle);
	cmd_in_obj(&cmd, UVERBS_ATTR_CREATE_WQ_CQ_HANDLE, attr->cq->handle);
	cmd_in_u64(&cmd, UVERBS_ATTR_CREATE_WQ_USER_HANDLE, cmd_addr(wq));
	cmd_in_u64(&cmd, UVERBS_ATTR_CREATE_WQ_TYPE, attr->wq_type);
	cmd_in_async_fd(&cmd, UVERBS_ATTR_CREATE_WQ_EVENT_FD, ctx);
	cmd_in_u32(&cmd, UVERBS_ATTR_CREATE_WQ_MAX_WR, attr->max_wr);
	cmd_in_u32(&cmd, UVERBS_ATTR_CREATE_WQ_MAX_SGE, attr->max_sge);
	cmd_in_u32(&cmd, UVERBS_ATTR_CREATE_WQ_FLAGS,
		   cmd_wq_create_flags(attr));
	cmd_out_ptr(&cmd, UVERBS_ATTR_CREATE_WQ_RESP_MAX_WR, &result->max_wr,
		    sizeof(result->max_wr));
	cmd_out_ptr(&cmd, UVERBS_ATTR_CREATE_WQ_RESP_MAX_SGE, &result->max_sge,
		    sizeof(result->max_sge));
	cmd_out_ptr(&cmd, UVERBS_ATTR_CREATE_WQ_RESP_WQ_NUM, &result->wq_num,
		    sizeof(result->wq_num));
	cmd_udata(&cmd, udata);
	return submit_ioctl(ctx, &cmd);
}

static int cmd_wq_create_write(struct ibv_context *ctx, const struct ibv_wq *wq,
			       const struct ibv_wq_init_attr *attr,
			       const struct verbs_udata *udata,
			       struct wq_create_result *result)
{
	const struct ib_uverbs_ex_create_wq in = {
		.wq_type = attr->wq_type,
		.user_handle = cmd_addr(wq),
		.pd_handle = attr->pd->handle,
		.cq_handle = attr->cq->handle,
		.max_wr = attr->max_wr,
		.max_sge = attr->max_sge,
		.create_flags = cmd_wq_create_flags(attr),
	};
	struct ib_uverbs_ex_create_wq_resp out = {};
	const struct write_cmd req = {
		.command = IB_USER_VERBS_EX_CMD_CREATE_WQ | EXTENDED,
		WRITE_IN(in),
		WRITE_OUT(out),
		.udata = udata,
	};
	int ret = submit_write_ex(ctx, &req);

	if (ret)
		return ret;
	if (out.response_length < sizeof(out))
		return -EINVAL;
	*result = (struct wq_create_result){
		.handle = out.wq_handle,
		.wq_num = out.wqn,
		.max_wr = out.max_wr,
		.max_sge = out.max_sge,
	};
	return 0;
}

int verbs_cmd_create_wq(struct ibv_context *ctx, struct ibv_wq *wq,
			struct ibv_wq_init_attr *attr,
			const struct verbs_udata *udata)
{
	struct wq_create_result result = {};
	int ret;

	if (attr->comp_mask >= IBV_WQ_INIT_ATTR_RESERVED)
		return -EINVAL;
	if (cmd_wq_create_flags(attr) >= IBV_WQ_FLAGS_RESERVED)
		return -EOPNOTSUPP;

	ret = cmd_wq_create_ioctl(ctx, wq, attr, udata, &result);
	if (ret == SUBMIT_NOT_OFFERED)
		ret = cmd_wq_create_write(ctx, wq, attr, udata, &result);
	if (ret)
		return ret;
	wq->handle = result.handle;
	wq->wq_num = result.wq_num;
	attr->max_wr = result.max_wr;
	attr->max_sge = result.max_sge;
	return 0;
}

int verbs_cmd_modify_wq(struct ibv_wq *wq, const struct ibv_wq_attr *attr,
			const struct verbs_udata *udata)
{
	struct ib_uverbs_ex_modify_wq in = {
		.attr_mask = attr->attr_mask,
		.wq_handle = wq->handle,
	};
	const struct write_cmd req = {
		.command = IB_USER_VERBS_EX_CMD_MODIFY_WQ | EXTENDED,
		WRITE_IN(in),
		.udata = udata,
	};
	int ret;

	if (attr->attr_mask >= IBV_WQ_ATTR_RESERVED)
		return -EINVAL;
	if (attr->attr_mask & IBV_WQ_ATTR_FLAGS) {
		if (attr->flags_mask >= IBV_WQ_FLAGS_RESERVED)
			return -EOPNOTSUPP;
		in.flags = attr->flags;
		in.flags_mask = attr->flags_mask;
	}
	if (attr->attr_mask & IBV_WQ_ATTR_STATE)
		in.wq_state = attr->wq_state;
	if (attr->attr_mask & IBV_WQ_ATTR_CURR_STATE)
		in.curr_wq_state = attr->curr_wq_state;

	ret = submit_write_ex(wq->context, &req);
	if (ret)
		return ret;
	if (attr->attr_mask & IBV_WQ_ATTR_STATE)
		wq->state = attr->wq_state;
	return 0;
}

static int cmd_wq_destroy_ioctl(struct ibv_wq *wq, uint32_t *ret_events)
{
	struct cmd cmd;

	cmd_init(&cmd, KERNEL_CAP_DESTROY_WQ);
	cmd_in_obj(&cmd, UVERBS_ATTR_DESTROY_WQ_HANDLE, wq->handle);
	cmd_out_ptr(&cmd, UVERBS_ATTR_DESTROY_WQ_RESP, ret_events,
		    sizeof(*ret_events));
	return submit_ioctl(wq->context, &cmd);
}

static int cmd_wq_destroy_write(struct ibv_wq *wq, uint32_t *ret_events)
{
	const struct ib_uverbs_ex_destroy_wq in = { .wq_handle = wq->handle };
	struct ib_uverbs_ex_destroy_wq_resp out = {};
	const struct write_cmd req = {
		.command = IB_USER_VERBS_EX_CMD_DESTROY_WQ | EXTENDED,
		WRITE_IN(in),
		WRITE_OUT(out),
	};
	int ret = submit_write_ex(wq->context, &req);

	if (ret)
		return ret;
	*ret_events = out.events_reported;
	return 0;
}

int verbs_cmd_destroy_wq(struct ibv_wq *wq,
			 struct verbs_event_count *ret_raised)
{
	uint32_t events = 0;
	int ret = cmd_wq_destroy_ioctl(wq, &events);

	if (ret == SUBMIT_NOT_OFFERED)
		ret = cmd_wq_destroy_write(wq, &events);
	return cmd_destroy_count_events(ret, events, &wq->mutex,
					&wq->events_completed, ret_raised);
}
