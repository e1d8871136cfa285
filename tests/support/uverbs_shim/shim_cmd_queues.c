/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Write commands of completion queues, shared receive queues, queue pairs, work
 * queues, indirection tables and flows. Nothing is ever transferred, so queues
 * stay empty and no events are reported.
 */
#include <errno.h>
#include <rdma/ib_user_verbs.h>
#include <string.h>

#include "shim.h"

#define QPT_XRC_TARGET	    10
#define QP_ATTR_STATE	    1u
#define MAX_INDIRECTION_LOG 6

/* ------------------------------------------------------------------------ */
/* Completion queues                                                         */
/* ------------------------------------------------------------------------ */

static int make_cq(struct shim_call *call)
{
	struct ib_uverbs_create_cq_resp *resp = call->out;
	int ret = shim_make(call, SHIM_CQ);

	if (ret)
		return ret;
	resp->cq_handle = call->object->handle;
	resp->cqe = call->object->depth;
	return 0;
}

static int create_cq(struct shim_call *call)
{
	struct ib_uverbs_create_cq ask;

	memcpy(&ask, call->in, sizeof(ask));
	call->ask = (struct shim_ask){
		.has_user_handle = ask.user_handle != 0,
		.depth = ask.cqe,
		.vector = ask.comp_vector,
		.has_channel = ask.comp_channel >= 0,
	};
	return make_cq(call);
}

static int create_cq_ex(struct shim_call *call)
{
	struct ib_uverbs_ex_create_cq_resp *resp = call->out;
	struct ib_uverbs_ex_create_cq ask;

	memcpy(&ask, call->in, sizeof(ask));
	if (ask.comp_mask || ask.reserved)
		return -EINVAL;
	call->ask = (struct shim_ask){
		.has_user_handle = ask.user_handle != 0,
		.depth = ask.cqe,
		.vector = ask.comp_vector,
		.has_channel = ask.comp_channel >= 0,
		.flags = ask.flags,
	};
	resp->response_length = sizeof(*resp);
	return make_cq(call);
}

static int resize_cq(struct shim_call *call)
{
	struct ib_uverbs_resize_cq_resp *resp = call->out;
	struct ib_uverbs_resize_cq ask;

	memcpy(&ask, call->in, sizeof(ask));
	call->object = shim_find(call->file, SHIM_CQ, ask.cq_handle);
	shim_note_object(call, "handle", ask.cq_handle);
	shim_note(call, " depth=%u", ask.cqe);
	if (!call->object)
		return -EINVAL;
	resp->cqe = ask.cqe;
	return shim_answer(call);
}

static int modify_cq(struct shim_call *call)
{
	struct ib_uverbs_ex_modify_cq ask;

	memcpy(&ask, call->in, sizeof(ask));
	shim_note_object(call, "handle", ask.cq_handle);
	shim_note(call, " mask=%#x count=%u period=%u", ask.attr_mask,
		  ask.attr.cq_count, ask.attr.cq_period);
	return shim_find(call->file, SHIM_CQ, ask.cq_handle) ? 0 : -EINVAL;
}

static int poll_cq(struct shim_call *call)
{
	struct ib_uverbs_poll_cq ask;

	memcpy(&ask, call->in, sizeof(ask)); /* the answer's zeroes: none */
	shim_note_object(call, "handle", ask.cq_handle);
	return shim_find(call->file, SHIM_CQ, ask.cq_handle) ? 0 : -EINVAL;
}

static int req_notify_cq(struct shim_call *call)
{
	struct ib_uverbs_req_notify_cq ask;

	memcpy(&ask, call->in, sizeof(ask));
	shim_note_object(call, "handle", ask.cq_handle);
	shim_note(call, " solicited=%u", ask.solicited_only);
	return shim_find(call->file, SHIM_CQ, ask.cq_handle) ? 0 : -EINVAL;
}

/* The three requests are alike, and the answers' zeroes mean: no events. */
static uint32_t handle_behind_response(const struct shim_call *call)
{
	struct ib_uverbs_destroy_cq ask;

	memcpy(&ask, call->in, sizeof(ask));
	return ask.cq_handle;
}

static int destroy_cq(struct shim_call *call)
{
	return shim_destroy(call, SHIM_CQ, handle_behind_response(call));
}

static int destroy_srq(struct shim_call *call)
{
	return shim_destroy(call, SHIM_SRQ, handle_behind_response(call));
}

static int destroy_qp(struct shim_call *call)
{
	return shim_destroy(call, SHIM_QP, handle_behind_response(call));
}

/* ------------------------------------------------------------------------ */
/* Shared receive queues                                                     */
/* ------------------------------------------------------------------------ */

static int make_srq(struct shim_call *call)
{
	struct ib_uverbs_create_srq_resp *resp = call->out;
	int ret = shim_make(call, SHIM_SRQ);

	if (ret)
		return ret;
	resp->srq_handle = call->object->handle;
	resp->max_wr = call->object->depth;
	resp->max_sge = call->object->sge;
	resp->srqn = call->object->number;
	return 0;
}

static int create_srq(struct shim_call *call)
{
	struct ib_uverbs_create_srq ask;

	memcpy(&ask, call->in, sizeof(ask));
	call->ask = (struct shim_ask){
		.has_user_handle = ask.user_handle != 0,
		.pd = ask.pd_handle,
		.depth = ask.max_wr,
		.sge = ask.max_sge,
		.limit = ask.srq_limit,
	};
	return make_srq(call);
}

static int create_xsrq(struct shim_call *call)
{
	struct ib_uverbs_create_xsrq ask;
	bool has_cq;

	memcpy(&ask, call->in, sizeof(ask));
	has_cq = ask.srq_type == IB_UVERBS_SRQT_XRC ||
		 ask.srq_type == IB_UVERBS_SRQT_TM;
	call->ask = (struct shim_ask){
		.has_user_handle = ask.user_handle != 0,
		.type = ask.srq_type,
		.pd = ask.pd_handle,
		.depth = ask.max_wr,
		.sge = ask.max_sge,
		.limit = ask.srq_limit,
		.tags = ask.max_num_tags,
		.xrcd = ask.srq_type == IB_UVERBS_SRQT_XRC ? ask.xrcd_handle
							   : 0,
		.cq = has_cq ? ask.cq_handle : 0,
	};
	return make_srq(call);
}

static int modify_srq(struct shim_call *call)
{
	struct shim_object *srq;
	struct ib_uverbs_modify_srq ask;

	memcpy(&ask, call->in, sizeof(ask));
	srq = shim_find(call->file, SHIM_SRQ, ask.srq_handle);
	shim_note_object(call, "handle", ask.srq_handle);
	shim_note(call, " mask=%#x depth=%u limit=%u", ask.attr_mask,
		  ask.max_wr, ask.srq_limit);
	if (!srq)
		return -EINVAL;
	if (ask.attr_mask & 2)
		srq->limit = ask.srq_limit;
	return 0;
}

static int query_srq(struct shim_call *call)
{
	struct ib_uverbs_query_srq_resp *resp = call->out;
	const struct shim_object *srq;
	struct ib_uverbs_query_srq ask;

	memcpy(&ask, call->in, sizeof(ask));
	srq = shim_find(call->file, SHIM_SRQ, ask.srq_handle);
	shim_note_object(call, "handle", ask.srq_handle);
	if (!srq)
		return -EINVAL;
	resp->max_wr = srq->depth;
	resp->max_sge = srq->sge;
	resp->srq_limit = srq->limit;
	return 0;
}

/* ------------------------------------------------------------------------ */
/* Queue pairs                                                               */
/* ------------------------------------------------------------------------ */

/* What both requests begin with; the extended one has no response address. */
static struct shim_ask qp_ask(const struct ib_uverbs_ex_create_qp *ask)
{
	bool is_target = ask->qp_type == QPT_XRC_TARGET;

	return (struct shim_ask){
		.has_user_handle = ask->user_handle != 0,
		.pd = is_target ? 0 : ask->pd_handle,
		.xrcd = is_target ? ask->pd_handle : 0,
		.cq = is_target ? 0 : ask->send_cq_handle,
		.recv_cq = is_target ? 0 : ask->recv_cq_handle,
		.srq = ask->is_srq ? ask->srq_handle : 0,
		.type = ask->qp_type,
		.sig_all = ask->sq_sig_all,
		.cap = {
			.max_send_wr = ask->max_send_wr,
			.max_recv_wr = ask->max_recv_wr,
			.max_send_sge = ask->max_send_sge,
			.max_recv_sge = ask->max_recv_sge,
			.max_inline_data = ask->max_inline_data,
		},
	};
}

static int make_qp(struct shim_call *call)
{
	struct ib_uverbs_create_qp_resp *resp = call->out;
	int ret = shim_make(call, SHIM_QP);

	if (ret)
		return ret;
	*resp = (struct ib_uverbs_create_qp_resp){
		.qp_handle = call->object->handle,
		.qpn = call->object->number,
		.max_send_wr = call->object->cap.max_send_wr,
		.max_recv_wr = call->object->cap.max_recv_wr,
		.max_send_sge = call->object->cap.max_send_sge,
		.max_recv_sge = call->object->cap.max_recv_sge,
		.max_inline_data = call->object->cap.max_inline_data,
	};
	return 0;
}

static int create_qp(struct shim_call *call)
{
	const size_t response_len = sizeof(uint64_t);
	struct ib_uverbs_ex_create_qp ask = {};

	memcpy(&ask, (const char *)call->in + response_len,
	       sizeof(struct ib_uverbs_create_qp) - response_len);
	call->ask = qp_ask(&ask);
	return make_qp(call);
}

static int create_qp_ex(struct shim_call *call)
{
	struct ib_uverbs_ex_create_qp_resp *resp = call->out;
	struct ib_uverbs_ex_create_qp ask;

	memcpy(&ask, call->in, sizeof(ask));
	call->ask = qp_ask(&ask);
	call->ask.flags = ask.create_flags;
	call->ask.source_qpn = ask.source_qpn;
	if (ask.comp_mask & IB_UVERBS_CREATE_QP_MASK_IND_TABLE)
		call->ask.ind_table = ask.rwq_ind_tbl_handle;
	resp->response_length = sizeof(*resp);
	return make_qp(call);
}

static int open_qp(struct shim_call *call)
{
	struct ib_uverbs_create_qp_resp *resp = call->out;
	struct ib_uverbs_open_qp ask;
	int ret;

	memcpy(&ask, call->in, sizeof(ask));
	call->ask.xrcd = ask.pd_handle;
	call->ask.type = ask.qp_type;
	call->ask.source_qpn = ask.qpn;
	ret = shim_make(call, SHIM_QP);
	if (ret)
		return ret;
	resp->qp_handle = call->object->handle;
	resp->qpn = ask.qpn;
	return 0;
}

static int query_qp(struct shim_call *call)
{
	struct ib_uverbs_query_qp_resp *resp = call->out;
	const struct shim_object *qp;
	struct ib_uverbs_query_qp ask;

	memcpy(&ask, call->in, sizeof(ask));
	qp = shim_find(call->file, SHIM_QP, ask.qp_handle);
	shim_note_object(call, "handle", ask.qp_handle);
	shim_note(call, " mask=%#x", ask.attr_mask);
	if (!qp)
		return -EINVAL;
	*resp = (struct ib_uverbs_query_qp_resp){
		.max_send_wr = qp->cap.max_send_wr,
		.max_recv_wr = qp->cap.max_recv_wr,
		.max_send_sge = qp->cap.max_send_sge,
		.max_recv_sge = qp->cap.max_recv_sge,
		.max_inline_data = qp->cap.max_inline_data,
		.qp_state = (uint8_t)qp->qp_state,
		.cur_qp_state = (uint8_t)qp->qp_state,
		.path_mtu = 3,
		.port_num = 1,
	};
	return 0;
}

static int modify_qp(struct shim_call *call)
{
	struct shim_object *qp;
	struct ib_uverbs_modify_qp ask;

	memcpy(&ask, call->in, sizeof(ask));
	qp = shim_find(call->file, SHIM_QP, ask.qp_handle);
	shim_note_object(call, "handle", ask.qp_handle);
	shim_note(call, " mask=%#x", ask.attr_mask);
	if (!qp)
		return -EINVAL;
	if (ask.attr_mask & QP_ATTR_STATE) {
		shim_note(call, " state=%u", ask.qp_state);
		qp->qp_state = ask.qp_state;
	}
	call->object = qp;
	return shim_answer(call);
}

/* All three begin alike; nothing is posted, as nothing ever completes. */
static int post(struct shim_call *call)
{
	struct ib_uverbs_post_recv ask;

	memcpy(&ask, call->in, sizeof(ask));
	shim_note_object(call, "handle", ask.qp_handle);
	shim_note(call, " wrs=%u sges=%u", ask.wr_count, ask.sge_count);
	return 0;
}

/* ------------------------------------------------------------------------ */
/* Work queues, tables, flows                                                */
/* ------------------------------------------------------------------------ */

static int create_wq(struct shim_call *call)
{
	struct ib_uverbs_ex_create_wq_resp *resp = call->out;
	struct ib_uverbs_ex_create_wq ask;
	int ret;

	memcpy(&ask, call->in, sizeof(ask));
	call->ask = (struct shim_ask){
		.has_user_handle = ask.user_handle != 0,
		.type = ask.wq_type,
		.pd = ask.pd_handle,
		.cq = ask.cq_handle,
		.depth = ask.max_wr,
		.sge = ask.max_sge,
		.flags = ask.create_flags,
	};
	ret = shim_make(call, SHIM_WQ);
	if (ret)
		return ret;
	*resp = (struct ib_uverbs_ex_create_wq_resp){
		.response_length = sizeof(*resp),
		.wq_handle = call->object->handle,
		.max_wr = call->object->depth,
		.max_sge = call->object->sge,
		.wqn = call->object->number,
	};
	return 0;
}

static int modify_wq(struct shim_call *call)
{
	struct ib_uverbs_ex_modify_wq ask;

	memcpy(&ask, call->in, sizeof(ask));
	shim_note_object(call, "handle", ask.wq_handle);
	shim_note(call, " mask=%#x state=%u", ask.attr_mask, ask.wq_state);
	return shim_find(call->file, SHIM_WQ, ask.wq_handle) ? 0 : -EINVAL;
}

static int create_ind_table(struct shim_call *call)
{
	struct ib_uverbs_ex_create_rwq_ind_table_resp *resp = call->out;
	struct ib_uverbs_ex_create_rwq_ind_table ask;
	int ret;

	memcpy(&ask, call->in, sizeof(ask));
	if (ask.log_ind_tbl_size > MAX_INDIRECTION_LOG ||
	    call->in_len < sizeof(ask) + ((size_t)4 << ask.log_ind_tbl_size))
		return -EINVAL;
	for (size_t i = 0; i < (size_t)1 << ask.log_ind_tbl_size; i++) {
		uint32_t wq;

		memcpy(&wq, (const char *)call->in + sizeof(ask) + i * 4, 4);
		shim_note_object(call, "wq", wq);
		if (!shim_find(call->file, SHIM_WQ, wq))
			return -EINVAL;
	}
	ret = shim_make(call, SHIM_IND_TABLE);
	if (ret)
		return ret;
	resp->response_length = sizeof(*resp);
	resp->ind_tbl_handle = call->object->handle;
	resp->ind_tbl_num = call->object->number;
	return 0;
}

static int create_flow(struct shim_call *call)
{
	struct ib_uverbs_create_flow_resp *resp = call->out;
	struct ib_uverbs_create_flow ask;
	int ret;

	memcpy(&ask, call->in, sizeof(ask));
	call->ask.qp = ask.qp_handle;
	shim_note_bytes(call, "flow", &ask.flow_attr, sizeof(ask.flow_attr));
	ret = shim_make(call, SHIM_FLOW);
	if (!ret)
		resp->flow_handle = call->object->handle;
	return ret;
}

/* Requests that are an empty mask and a handle. */
static uint32_t handle_behind_mask(const struct shim_call *call)
{
	struct ib_uverbs_destroy_flow ask;

	memcpy(&ask, call->in, sizeof(ask));
	return ask.flow_handle;
}

static int destroy_wq(struct shim_call *call)
{
	struct ib_uverbs_ex_destroy_wq_resp *resp = call->out;

	resp->response_length = sizeof(*resp);
	return shim_destroy(call, SHIM_WQ, handle_behind_mask(call));
}

static int destroy_ind_table(struct shim_call *call)
{
	return shim_destroy(call, SHIM_IND_TABLE, handle_behind_mask(call));
}

static int destroy_flow(struct shim_call *call)
{
	return shim_destroy(call, SHIM_FLOW, handle_behind_mask(call));
}

#define COMMAND(n, ask, resp, function)                                       \
	{                                                                     \
		.number = IB_USER_VERBS_CMD_##n, .name = #n, .in_len = (ask), \
		.out_len = (resp), .run = (function)                          \
	}
/* An extended one does what the plain one of its name does. */
#define EXTENDED(n, ask, resp, function)                            \
	{                                                           \
		.number = IB_USER_VERBS_EX_CMD_##n | SHIM_EXTENDED, \
		.name = #n, .in_len = (ask), .out_len = (resp),     \
		.run = (function)                                   \
	}

const struct shim_command shim_queue_commands[] = {
	COMMAND(CREATE_CQ, sizeof(struct ib_uverbs_create_cq),
		sizeof(struct ib_uverbs_create_cq_resp), create_cq),
	EXTENDED(CREATE_CQ, sizeof(struct ib_uverbs_ex_create_cq),
		 sizeof(struct ib_uverbs_ex_create_cq_resp), create_cq_ex),
	COMMAND(RESIZE_CQ, sizeof(struct ib_uverbs_resize_cq),
		sizeof(struct ib_uverbs_resize_cq_resp), resize_cq),
	EXTENDED(MODIFY_CQ, sizeof(struct ib_uverbs_ex_modify_cq), 0,
		 modify_cq),
	COMMAND(DESTROY_CQ, sizeof(struct ib_uverbs_destroy_cq),
		sizeof(struct ib_uverbs_destroy_cq_resp), destroy_cq),
	COMMAND(POLL_CQ, sizeof(struct ib_uverbs_poll_cq),
		sizeof(struct ib_uverbs_poll_cq_resp), poll_cq),
	COMMAND(REQ_NOTIFY_CQ, sizeof(struct ib_uverbs_req_notify_cq), 0,
		req_notify_cq),
	COMMAND(CREATE_SRQ, sizeof(struct ib_uverbs_create_srq),
		sizeof(struct ib_uverbs_create_srq_resp), create_srq),
	COMMAND(CREATE_XSRQ, sizeof(struct ib_uverbs_create_xsrq),
		sizeof(struct ib_uverbs_create_srq_resp), create_xsrq),
	COMMAND(MODIFY_SRQ, sizeof(struct ib_uverbs_modify_srq), 0, modify_srq),
	COMMAND(QUERY_SRQ, sizeof(struct ib_uverbs_query_srq),
		sizeof(struct ib_uverbs_query_srq_resp), query_srq),
	COMMAND(DESTROY_SRQ, sizeof(struct ib_uverbs_destroy_srq),
		sizeof(struct ib_uverbs_destroy_srq_resp), destroy_srq),
	COMMAND(CREATE_QP, sizeof(struct ib_uverbs_create_qp),
		sizeof(struct ib_uverbs_create_qp_resp), create_qp),
	EXTENDED(CREATE_QP, sizeof(struct ib_uverbs_ex_create_qp),
		 sizeof(struct ib_uverbs_ex_create_qp_resp), create_qp_ex),
	COMMAND(OPEN_QP, sizeof(struct ib_uverbs_open_qp),
		sizeof(struct ib_uverbs_create_qp_resp), open_qp),
	COMMAND(QUERY_QP, sizeof(struct ib_uverbs_query_qp),
		sizeof(struct ib_uverbs_query_qp_resp), query_qp),
	COMMAND(MODIFY_QP, sizeof(struct ib_uverbs_modify_qp), 0, modify_qp),
	EXTENDED(MODIFY_QP, sizeof(struct ib_uverbs_ex_modify_qp),
		 sizeof(struct ib_uverbs_ex_modify_qp_resp), modify_qp),
	COMMAND(DESTROY_QP, sizeof(struct ib_uverbs_destroy_qp),
		sizeof(struct ib_uverbs_destroy_qp_resp), destroy_qp),
	COMMAND(POST_SEND, sizeof(struct ib_uverbs_post_send),
		sizeof(struct ib_uverbs_post_send_resp), post),
	COMMAND(POST_RECV, sizeof(struct ib_uverbs_post_recv),
		sizeof(struct ib_uverbs_post_recv_resp), post),
	COMMAND(POST_SRQ_RECV, sizeof(struct ib_uverbs_post_srq_recv),
		sizeof(struct ib_uverbs_post_srq_recv_resp), post),
	EXTENDED(CREATE_WQ, sizeof(struct ib_uverbs_ex_create_wq),
		 sizeof(struct ib_uverbs_ex_create_wq_resp), create_wq),
	EXTENDED(MODIFY_WQ, sizeof(struct ib_uverbs_ex_modify_wq), 0,
		 modify_wq),
	EXTENDED(DESTROY_WQ, sizeof(struct ib_uverbs_ex_destroy_wq),
		 sizeof(struct ib_uverbs_ex_destroy_wq_resp), destroy_wq),
	EXTENDED(CREATE_RWQ_IND_TBL,
		 sizeof(struct ib_uverbs_ex_create_rwq_ind_table),
		 sizeof(struct ib_uverbs_ex_create_rwq_ind_table_resp),
		 create_ind_table),
	EXTENDED(DESTROY_RWQ_IND_TBL,
		 sizeof(struct ib_uverbs_ex_destroy_rwq_ind_table), 0,
		 destroy_ind_table),
	EXTENDED(CREATE_FLOW, sizeof(struct ib_uverbs_create_flow),
		 sizeof(struct ib_uverbs_create_flow_resp), create_flow),
	EXTENDED(DESTROY_FLOW, sizeof(struct ib_uverbs_destroy_flow), 0,
		 destroy_flow),
	{},
};
