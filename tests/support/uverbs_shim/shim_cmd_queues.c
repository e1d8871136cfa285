/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Write commands on completion queues, shared receive queues, queue pairs, work
 * queues, indirection tables and flows. The shim transfers no data, so queues
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
	struct ib_uverbs_create_cq request;

	memcpy(&request, call->in, sizeof(request));
	call->request = (struct shim_request){
		.has_user_handle = request.user_handle != 0,
		.depth = request.cqe,
		.vector = request.comp_vector,
		.has_channel = request.comp_channel >= 0,
	};
	return make_cq(call);
}

static int create_cq_ex(struct shim_call *call)
{
	struct ib_uverbs_ex_create_cq_resp *resp = call->out;
	struct ib_uverbs_ex_create_cq request;

	memcpy(&request, call->in, sizeof(request));
	if (request.comp_mask || request.reserved)
		return -EINVAL;
	call->request = (struct shim_request){
		.has_user_handle = request.user_handle != 0,
		.depth = request.cqe,
		.vector = request.comp_vector,
		.has_channel = request.comp_channel >= 0,
		.flags = request.flags,
	};
	resp->response_length = sizeof(*resp);
	return make_cq(call);
}

static int resize_cq(struct shim_call *call)
{
	struct ib_uverbs_resize_cq_resp *resp = call->out;
	struct ib_uverbs_resize_cq request;

	memcpy(&request, call->in, sizeof(request));
	call->object = shim_find(call->file, SHIM_CQ, request.cq_handle);
	shim_note_object(call, "handle", request.cq_handle);
	shim_note(call, " depth=%u", request.cqe);
	if (!call->object)
		return -EINVAL;
	resp->cqe = request.cqe;
	return shim_fill_response(call);
}

static int modify_cq(struct shim_call *call)
{
	struct ib_uverbs_ex_modify_cq request;

	memcpy(&request, call->in, sizeof(request));
	shim_note_object(call, "handle", request.cq_handle);
	shim_note(call, " mask=%#x count=%u period=%u", request.attr_mask,
		  request.attr.cq_count, request.attr.cq_period);
	return shim_find(call->file, SHIM_CQ, request.cq_handle) ? 0 : -EINVAL;
}

static int poll_cq(struct shim_call *call)
{
	struct ib_uverbs_poll_cq request;

	memcpy(&request, call->in,
	       sizeof(request)); /* the zeroed response means no completions */
	shim_note_object(call, "handle", request.cq_handle);
	return shim_find(call->file, SHIM_CQ, request.cq_handle) ? 0 : -EINVAL;
}

static int req_notify_cq(struct shim_call *call)
{
	struct ib_uverbs_req_notify_cq request;

	memcpy(&request, call->in, sizeof(request));
	shim_note_object(call, "handle", request.cq_handle);
	shim_note(call, " solicited=%u", request.solicited_only);
	return shim_find(call->file, SHIM_CQ, request.cq_handle) ? 0 : -EINVAL;
}

/*
 * The requests of the three commands have the same layout, and the zeroed
 * responses mean no events.
 */
static uint32_t handle_behind_response(const struct shim_call *call)
{
	struct ib_uverbs_destroy_cq request;

	memcpy(&request, call->in, sizeof(request));
	return request.cq_handle;
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
	struct ib_uverbs_create_srq request;

	memcpy(&request, call->in, sizeof(request));
	call->request = (struct shim_request){
		.has_user_handle = request.user_handle != 0,
		.pd = request.pd_handle,
		.depth = request.max_wr,
		.sge = request.max_sge,
		.limit = request.srq_limit,
	};
	return make_srq(call);
}

static int create_xsrq(struct shim_call *call)
{
	struct ib_uverbs_create_xsrq request;
	bool has_cq;

	memcpy(&request, call->in, sizeof(request));
	has_cq = request.srq_type == IB_UVERBS_SRQT_XRC ||
		 request.srq_type == IB_UVERBS_SRQT_TM;
	call->request = (struct shim_request){
		.has_user_handle = request.user_handle != 0,
		.type = request.srq_type,
		.pd = request.pd_handle,
		.depth = request.max_wr,
		.sge = request.max_sge,
		.limit = request.srq_limit,
		.tags = request.max_num_tags,
		.xrcd = request.srq_type == IB_UVERBS_SRQT_XRC
				? request.xrcd_handle
				: 0,
		.cq = has_cq ? request.cq_handle : 0,
	};
	return make_srq(call);
}

static int modify_srq(struct shim_call *call)
{
	struct shim_object *srq;
	struct ib_uverbs_modify_srq request;

	memcpy(&request, call->in, sizeof(request));
	srq = shim_find(call->file, SHIM_SRQ, request.srq_handle);
	shim_note_object(call, "handle", request.srq_handle);
	shim_note(call, " mask=%#x depth=%u limit=%u", request.attr_mask,
		  request.max_wr, request.srq_limit);
	if (!srq)
		return -EINVAL;
	if (request.attr_mask & 2)
		srq->limit = request.srq_limit;
	return 0;
}

static int query_srq(struct shim_call *call)
{
	struct ib_uverbs_query_srq_resp *resp = call->out;
	const struct shim_object *srq;
	struct ib_uverbs_query_srq request;

	memcpy(&request, call->in, sizeof(request));
	srq = shim_find(call->file, SHIM_SRQ, request.srq_handle);
	shim_note_object(call, "handle", request.srq_handle);
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

/*
 * Parses the common beginning of both requests; the extended one has no
 * response address.
 */
static struct shim_request
qp_request(const struct ib_uverbs_ex_create_qp *request)
{
	bool is_target = request->qp_type == QPT_XRC_TARGET;

	return (struct shim_request){
		.has_user_handle = request->user_handle != 0,
		.pd = is_target ? 0 : request->pd_handle,
		.xrcd = is_target ? request->pd_handle : 0,
		.cq = is_target ? 0 : request->send_cq_handle,
		.recv_cq = is_target ? 0 : request->recv_cq_handle,
		.srq = request->is_srq ? request->srq_handle : 0,
		.type = request->qp_type,
		.sig_all = request->sq_sig_all,
		.cap = {
			.max_send_wr = request->max_send_wr,
			.max_recv_wr = request->max_recv_wr,
			.max_send_sge = request->max_send_sge,
			.max_recv_sge = request->max_recv_sge,
			.max_inline_data = request->max_inline_data,
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
	struct ib_uverbs_ex_create_qp request = {};

	memcpy(&request, (const char *)call->in + response_len,
	       sizeof(struct ib_uverbs_create_qp) - response_len);
	call->request = qp_request(&request);
	return make_qp(call);
}

static int create_qp_ex(struct shim_call *call)
{
	struct ib_uverbs_ex_create_qp_resp *resp = call->out;
	struct ib_uverbs_ex_create_qp request;

	memcpy(&request, call->in, sizeof(request));
	call->request = qp_request(&request);
	call->request.flags = request.create_flags;
	call->request.source_qpn = request.source_qpn;
	if (request.comp_mask & IB_UVERBS_CREATE_QP_MASK_IND_TABLE)
		call->request.ind_table = request.rwq_ind_tbl_handle;
	resp->response_length = sizeof(*resp);
	return make_qp(call);
}

static int open_qp(struct shim_call *call)
{
	struct ib_uverbs_create_qp_resp *resp = call->out;
	struct ib_uverbs_open_qp request;
	int ret;

	memcpy(&request, call->in, sizeof(request));
	call->request.xrcd = request.pd_handle;
	call->request.type = request.qp_type;
	call->request.source_qpn = request.qpn;
	ret = shim_make(call, SHIM_QP);
	if (ret)
		return ret;
	resp->qp_handle = call->object->handle;
	resp->qpn = request.qpn;
	return 0;
}

static int query_qp(struct shim_call *call)
{
	struct ib_uverbs_query_qp_resp *resp = call->out;
	const struct shim_object *qp;
	struct ib_uverbs_query_qp request;

	memcpy(&request, call->in, sizeof(request));
	qp = shim_find(call->file, SHIM_QP, request.qp_handle);
	shim_note_object(call, "handle", request.qp_handle);
	shim_note(call, " mask=%#x", request.attr_mask);
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
	struct ib_uverbs_modify_qp request;

	memcpy(&request, call->in, sizeof(request));
	qp = shim_find(call->file, SHIM_QP, request.qp_handle);
	shim_note_object(call, "handle", request.qp_handle);
	shim_note(call, " mask=%#x", request.attr_mask);
	if (!qp)
		return -EINVAL;
	if (request.attr_mask & QP_ATTR_STATE) {
		shim_note(call, " state=%u", request.qp_state);
		qp->qp_state = request.qp_state;
	}
	call->object = qp;
	return shim_fill_response(call);
}

/*
 * The three requests have the same beginning. No work request is posted, since
 * none completes.
 */
static int post(struct shim_call *call)
{
	struct ib_uverbs_post_recv request;

	memcpy(&request, call->in, sizeof(request));
	shim_note_object(call, "handle", request.qp_handle);
	shim_note(call, " wrs=%u sges=%u", request.wr_count, request.sge_count);
	return 0;
}

/* ------------------------------------------------------------------------ */
/* Work queues, tables, flows                                                */
/* ------------------------------------------------------------------------ */

static int create_wq(struct shim_call *call)
{
	struct ib_uverbs_ex_create_wq_resp *resp = call->out;
	struct ib_uverbs_ex_create_wq request;
	int ret;

	memcpy(&request, call->in, sizeof(request));
	call->request = (struct shim_request){
		.has_user_handle = request.user_handle != 0,
		.type = request.wq_type,
		.pd = request.pd_handle,
		.cq = request.cq_handle,
		.depth = request.max_wr,
		.sge = request.max_sge,
		.flags = request.create_flags,
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
	struct ib_uverbs_ex_modify_wq request;

	memcpy(&request, call->in, sizeof(request));
	shim_note_object(call, "handle", request.wq_handle);
	shim_note(call, " mask=%#x state=%u", request.attr_mask,
		  request.wq_state);
	return shim_find(call->file, SHIM_WQ, request.wq_handle) ? 0 : -EINVAL;
}

static int create_ind_table(struct shim_call *call)
{
	struct ib_uverbs_ex_create_rwq_ind_table_resp *resp = call->out;
	struct ib_uverbs_ex_create_rwq_ind_table request;
	int ret;

	memcpy(&request, call->in, sizeof(request));
	if (request.log_ind_tbl_size > MAX_INDIRECTION_LOG ||
	    call->in_len <
		    sizeof(request) + ((size_t)4 << request.log_ind_tbl_size))
		return -EINVAL;
	for (size_t i = 0; i < (size_t)1 << request.log_ind_tbl_size; i++) {
		uint32_t wq;

		memcpy(&wq, (const char *)call->in + sizeof(request) + i * 4,
		       4);
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
	struct ib_uverbs_create_flow request;
	int ret;

	memcpy(&request, call->in, sizeof(request));
	call->request.qp = request.qp_handle;
	shim_note_bytes(call, "flow", &request.flow_attr,
			sizeof(request.flow_attr));
	ret = shim_make(call, SHIM_FLOW);
	if (!ret)
		resp->flow_handle = call->object->handle;
	return ret;
}

/*
 * Return: the handle of a request that consists of an empty mask and a handle.
 */
static uint32_t handle_behind_mask(const struct shim_call *call)
{
	struct ib_uverbs_destroy_flow request;

	memcpy(&request, call->in, sizeof(request));
	return request.flow_handle;
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

#define COMMAND(n, request, resp, function)                               \
	{                                                                 \
		.number = IB_USER_VERBS_CMD_##n, .name = #n,              \
		.in_len = (request), .out_len = (resp), .run = (function) \
	}
/* The extended command does the same as the plain one of its name. */
#define EXTENDED(n, request, resp, function)                        \
	{                                                           \
		.number = IB_USER_VERBS_EX_CMD_##n | SHIM_EXTENDED, \
		.name = #n, .in_len = (request), .out_len = (resp), \
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
