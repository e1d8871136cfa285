/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Queue pairs: create, open, destroy, and the send doorbell. Called by
 * kernel-backed providers through <provider/kernel.h>, calls submit.c.
 * cmd_qp_attr.c modifies and queries existing QPs.
 */
#include <errno.h>
#include <provider/kernel.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <stdbool.h>

#include "kernel/cmd_destroy.h"
#include "kernel/kernel_state.h"
#include "kernel/submit.h"

#define CREATE_FLAGS                                                     \
	(IBV_QP_CREATE_BLOCK_SELF_MCAST_LB | IBV_QP_CREATE_SCATTER_FCS | \
	 IBV_QP_CREATE_CVLAN_STRIPPING | IBV_QP_CREATE_SOURCE_QPN |      \
	 IBV_QP_CREATE_PCI_WRITE_END_PADDING)

/*
 * Validated input of the ioctl method and of the write commands. Members that
 * the QP type does not have (the receive queue of XRC_SEND, for example) are 0
 * or NULL.
 */
struct qp_request {
	uint64_t user_handle;
	enum ibv_qp_type type;
	const struct ibv_pd *pd;       /* all types except XRC_RECV */
	const struct verbs_xrcd *xrcd; /* type XRC_RECV */
	const struct ibv_cq *send_cq, *recv_cq;
	const struct ibv_srq *srq;
	const struct ibv_rwq_ind_table *ind_table;
	struct ib_uverbs_qp_cap cap;
	uint32_t create_flags; /* IBV_QP_CREATE_* */
	uint32_t source_qpn;
	bool sq_sig_all;
};

struct qp_create_result {
	uint32_t handle, qp_num;
	struct ib_uverbs_qp_cap cap;
};

static bool cmd_qp_attr_has(const struct ibv_qp_init_attr_ex *attr,
			    uint32_t bit)
{
	return attr->comp_mask & bit;
}

static int cmd_qp_check_queues(const struct ibv_qp_init_attr_ex *attr)
{
	bool rss = cmd_qp_attr_has(attr, IBV_QP_INIT_ATTR_IND_TABLE);

	switch (attr->qp_type) {
	case IBV_QPT_RC:
	case IBV_QPT_UC:
	case IBV_QPT_UD:
	case IBV_QPT_RAW_PACKET:
	case IBV_QPT_XRC_SEND:
	case IBV_QPT_DRIVER:
		if (!cmd_qp_attr_has(attr, IBV_QP_INIT_ATTR_PD))
			return -EINVAL;
		break;
	case IBV_QPT_XRC_RECV:
		return cmd_qp_attr_has(attr, IBV_QP_INIT_ATTR_XRCD) ? 0
								    : -EINVAL;
	default:
		return -EINVAL;
	}
	/* With an indirection table, only its work queues receive. */
	if (rss && (attr->cap.max_recv_wr || attr->cap.max_recv_sge ||
		    attr->recv_cq || attr->srq))
		return -EINVAL;
	return 0;
}

static int cmd_qp_check_attr(const struct ibv_qp_init_attr_ex *attr)
{
	const uint32_t known =
		IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_XRCD |
		IBV_QP_INIT_ATTR_CREATE_FLAGS |
		IBV_QP_INIT_ATTR_MAX_TSO_HEADER | IBV_QP_INIT_ATTR_IND_TABLE |
		IBV_QP_INIT_ATTR_RX_HASH | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;

	if (attr->comp_mask & ~known)
		return -EINVAL;
	if (cmd_qp_attr_has(attr, IBV_QP_INIT_ATTR_CREATE_FLAGS) &&
	    (attr->create_flags & ~(uint32_t)CREATE_FLAGS))
		return -EINVAL;
	return cmd_qp_check_queues(attr);
}

static void cmd_qp_request_set_queues(struct qp_request *req,
				      const struct ibv_qp_init_attr_ex *attr)
{
	if (req->type == IBV_QPT_XRC_RECV) {
		req->xrcd =
			verbs_container_of(attr->xrcd, struct verbs_xrcd, xrcd);
		return;
	}
	req->pd = attr->pd;
	if (cmd_qp_attr_has(attr, IBV_QP_INIT_ATTR_IND_TABLE)) {
		req->ind_table = attr->rwq_ind_tbl;
		req->send_cq = attr->cap.max_send_wr ? attr->send_cq : NULL;
		return;
	}
	req->send_cq = attr->send_cq;
	if (req->type != IBV_QPT_XRC_SEND) {
		req->recv_cq = attr->recv_cq;
		req->srq = attr->srq;
	}
}

static void cmd_qp_request_init(struct qp_request *req, const struct ibv_qp *qp,
				const struct ibv_qp_init_attr_ex *attr)
{
	/* gcc clears the whole struct first unless each member has a value. */
	*req = (struct qp_request){
		.user_handle = cmd_addr(qp),
		.type = attr->qp_type,
		.pd = NULL,
		.xrcd = NULL,
		.send_cq = NULL,
		.recv_cq = NULL,
		.srq = NULL,
		.ind_table = NULL,
		.cap = {
			.max_send_wr = attr->cap.max_send_wr,
			.max_recv_wr = attr->cap.max_recv_wr,
			.max_send_sge = attr->cap.max_send_sge,
			.max_recv_sge = attr->cap.max_recv_sge,
			.max_inline_data = attr->cap.max_inline_data,
		},
		.create_flags = 0,
		.source_qpn = 0,
		.sq_sig_all = attr->sq_sig_all,
	};
	if (attr->qp_type == IBV_QPT_XRC_SEND) {
		req->cap.max_recv_wr = 0;
		req->cap.max_recv_sge = 0;
	}
	cmd_qp_request_set_queues(req, attr);
	if (cmd_qp_attr_has(attr, IBV_QP_INIT_ATTR_CREATE_FLAGS)) {
		req->create_flags = attr->create_flags;
		if (attr->create_flags & IBV_QP_CREATE_SOURCE_QPN)
			req->source_qpn = attr->source_qpn;
	}
}

/* The ioctl method has separate attributes for two of the flags. */
static void cmd_qp_add_flags(struct cmd *cmd, const struct qp_request *req)
{
	uint32_t flags = req->create_flags &
			 ~(uint32_t)IBV_QP_CREATE_SOURCE_QPN;

	if (req->sq_sig_all)
		flags |= IB_UVERBS_QP_CREATE_SQ_SIG_ALL;
	if (flags)
		cmd_in_u32(cmd, UVERBS_ATTR_CREATE_QP_FLAGS, flags);
	if (req->create_flags & IBV_QP_CREATE_SOURCE_QPN)
		cmd_in_u32(cmd, UVERBS_ATTR_CREATE_QP_SOURCE_QPN,
			   req->source_qpn);
}

static void cmd_qp_add_queues(struct cmd *cmd, const struct qp_request *req)
{
	if (req->xrcd)
		cmd_in_obj(cmd, UVERBS_ATTR_CREATE_QP_XRCD_HANDLE,
			   req->xrcd->handle);
	if (req->pd)
		cmd_in_obj(cmd, UVERBS_ATTR_CREATE_QP_PD_HANDLE,
			   req->pd->handle);
	if (req->send_cq)
		cmd_in_obj(cmd, UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE,
			   req->send_cq->handle);
	if (req->recv_cq)
		cmd_in_obj(cmd, UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE,
			   req->recv_cq->handle);
	if (req->srq)
		cmd_in_obj(cmd, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE,
			   req->srq->handle);
	if (req->ind_table)
		cmd_in_obj(cmd, UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE,
			   (uint32_t)req->ind_table->ind_tbl_handle);
}

static int cmd_qp_create_ioctl(struct ibv_context *ctx,
			       const struct qp_request *req,
			       const struct verbs_udata *udata,
			       struct qp_create_result *result)
{
	struct cmd cmd;

	cmd_init(&cmd, KERNEL_CAP_CREATE_QP);
	/* Attributes of every QP first: those have constant offsets. */
	cmd_out_obj(&cmd, UVERBS_ATTR_CREATE_QP_HANDLE, &result->handle);
	cmd_in_u64(&cmd, UVERBS_ATTR_CREATE_QP_USER_HANDLE, req->user_handle);
	cmd_in_ptr(&cmd, UVERBS_ATTR_CREATE_QP_CAP, &req->cap,
		   sizeof(req->cap));
	cmd_in_u64(&cmd, UVERBS_ATTR_CREATE_QP_TYPE, req->type);
	cmd_out_ptr(&cmd, UVERBS_ATTR_CREATE_QP_RESP_CAP, &result->cap,
		    sizeof(result->cap));
	cmd_out_ptr(&cmd, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, &result->qp_num,
		    sizeof(result->qp_num));
	cmd_qp_add_queues(&cmd, req);
	cmd_qp_add_flags(&cmd, req);
	cmd_in_async_fd(&cmd, UVERBS_ATTR_CREATE_QP_EVENT_FD, ctx);
	cmd_udata(&cmd, udata);
	return submit_ioctl(ctx, &cmd);
}

static void cmd_qp_copy_resp(struct qp_create_result *result,
			     const struct ib_uverbs_create_qp_resp *resp)
{
	result->handle = resp->qp_handle;
	result->qp_num = resp->qpn;
	result->cap = (struct ib_uverbs_qp_cap){
		.max_send_wr = resp->max_send_wr,
		.max_recv_wr = resp->max_recv_wr,
		.max_send_sge = resp->max_send_sge,
		.max_recv_sge = resp->max_recv_sge,
		.max_inline_data = resp->max_inline_data,
	};
}

/* The write commands have one field for the PD and the XRC domain. */
static uint32_t cmd_qp_domain_handle(const struct qp_request *req)
{
	return req->xrcd ? req->xrcd->handle : req->pd->handle;
}

static SUBMIT_SLOW_PATH int cmd_qp_create_write(struct ibv_context *ctx,
						const struct qp_request *qp,
						const struct verbs_udata *udata,
						struct qp_create_result *result)
{
	const struct ib_uverbs_create_qp in = {
		.user_handle = qp->user_handle,
		.pd_handle = cmd_qp_domain_handle(qp),
		.send_cq_handle = qp->send_cq ? qp->send_cq->handle : 0,
		.recv_cq_handle = qp->recv_cq ? qp->recv_cq->handle : 0,
		.srq_handle = qp->srq ? qp->srq->handle : 0,
		.max_send_wr = qp->cap.max_send_wr,
		.max_recv_wr = qp->cap.max_recv_wr,
		.max_send_sge = qp->cap.max_send_sge,
		.max_recv_sge = qp->cap.max_recv_sge,
		.max_inline_data = qp->cap.max_inline_data,
		.sq_sig_all = qp->sq_sig_all,
		.qp_type = (uint8_t)qp->type,
		.is_srq = qp->srq != NULL,
	};
	struct ib_uverbs_create_qp_resp out = {};
	const struct write_cmd req = {
		.command = IB_USER_VERBS_CMD_CREATE_QP,
		WRITE_IN(in),
		WRITE_OUT(out),
		.udata = udata,
	};
	int ret = submit_write(ctx, &req);

	if (!ret)
		cmd_qp_copy_resp(result, &out);
	return ret;
}

/* Extended write command: has flags and indirection tables. */
static SUBMIT_SLOW_PATH int
cmd_qp_create_write_ex(struct ibv_context *ctx, const struct qp_request *qp,
		       const struct verbs_udata *udata,
		       struct qp_create_result *result)
{
	struct ib_uverbs_ex_create_qp in = {
		.user_handle = qp->user_handle,
		.pd_handle = cmd_qp_domain_handle(qp),
		.send_cq_handle = qp->send_cq ? qp->send_cq->handle : 0,
		.recv_cq_handle = qp->recv_cq ? qp->recv_cq->handle : 0,
		.srq_handle = qp->srq ? qp->srq->handle : 0,
		.max_send_wr = qp->cap.max_send_wr,
		.max_recv_wr = qp->cap.max_recv_wr,
		.max_send_sge = qp->cap.max_send_sge,
		.max_recv_sge = qp->cap.max_recv_sge,
		.max_inline_data = qp->cap.max_inline_data,
		.sq_sig_all = qp->sq_sig_all,
		.qp_type = (uint8_t)qp->type,
		.is_srq = qp->srq != NULL,
		.create_flags = qp->create_flags,
		.source_qpn = qp->source_qpn,
	};
	struct ib_uverbs_ex_create_qp_resp out = {};
	const struct write_cmd req = {
		.command = IB_USER_VERBS_EX_CMD_CREATE_QP |
			   IB_USER_VERBS_CMD_FLAG_EXTENDED,
		WRITE_IN(in),
		WRITE_OUT(out),
		.udata = udata,
	};
	int ret;

	if (qp->ind_table) {
		in.comp_mask = IB_UVERBS_CREATE_QP_MASK_IND_TABLE;
		in.rwq_ind_tbl_handle = (uint32_t)qp->ind_table->ind_tbl_handle;
	}
	ret = submit_write_ex(ctx, &req);
	if (!ret)
		cmd_qp_copy_resp(result, &out.base);
	return ret;
}

static void cmd_qp_copy_cap(struct ibv_qp_cap *cap,
			    const struct ib_uverbs_qp_cap *from)
{
	cap->max_send_wr = from->max_send_wr;
	cap->max_recv_wr = from->max_recv_wr;
	cap->max_send_sge = from->max_send_sge;
	cap->max_recv_sge = from->max_recv_sge;
	cap->max_inline_data = from->max_inline_data;
}

int verbs_cmd_create_qp(struct ibv_context *ctx, struct ibv_qp *qp,
			struct ibv_qp_init_attr_ex *attr,
			const struct verbs_udata *udata)
{
	struct qp_create_result result = {};
	struct qp_request req;
	int ret = cmd_qp_check_attr(attr);

	if (ret)
		return ret;
	cmd_qp_request_init(&req, qp, attr);
	ret = cmd_qp_create_ioctl(ctx, &req, udata, &result);
	if (ret == SUBMIT_NOT_OFFERED) {
		if (req.create_flags || req.ind_table)
			ret = cmd_qp_create_write_ex(ctx, &req, udata, &result);
		else
			ret = cmd_qp_create_write(ctx, &req, udata, &result);
	}
	if (ret)
		return ret;
	qp->handle = result.handle;
	qp->qp_num = result.qp_num;
	cmd_qp_copy_cap(&attr->cap, &result.cap);
	return 0;
}

int verbs_cmd_open_qp(struct ibv_context *ctx, struct ibv_qp *qp,
		      const struct ibv_qp_open_attr *attr,
		      const struct verbs_udata *udata)
{
	const uint32_t needed = IBV_QP_OPEN_ATTR_NUM | IBV_QP_OPEN_ATTR_XRCD |
				IBV_QP_OPEN_ATTR_TYPE;
	const uint32_t known = needed | IBV_QP_OPEN_ATTR_CONTEXT;
	struct ib_uverbs_open_qp in = { .user_handle = cmd_addr(qp) };
	struct ib_uverbs_create_qp_resp out = {};
	const struct write_cmd req = {
		.command = IB_USER_VERBS_CMD_OPEN_QP,
		WRITE_IN(in),
		WRITE_OUT(out),
		.udata = udata,
	};
	const struct verbs_xrcd *xrcd;
	int ret;

	if (attr->comp_mask & ~known)
		return -EOPNOTSUPP;
	if ((attr->comp_mask & needed) != needed)
		return -EINVAL;

	xrcd = verbs_container_of(attr->xrcd, struct verbs_xrcd, xrcd);
	in.pd_handle = xrcd->handle;
	in.qpn = attr->qp_num;
	in.qp_type = (uint8_t)attr->qp_type;
	ret = submit_write(ctx, &req);
	if (ret)
		return ret;
	qp->handle = out.qp_handle;
	qp->qp_num = attr->qp_num;
	qp->state = IBV_QPS_UNKNOWN;
	return 0;
}

int verbs_cmd_destroy_qp(struct ibv_qp *qp,
			 struct verbs_event_count *ret_raised)
{
	static const struct destroy_cmd destroy = {
		.cap = KERNEL_CAP_DESTROY_QP,
		.handle_attr = UVERBS_ATTR_DESTROY_QP_HANDLE,
		.resp_attr = UVERBS_ATTR_DESTROY_QP_RESP,
		.write_command = IB_USER_VERBS_CMD_DESTROY_QP,
	};
	struct ib_uverbs_destroy_qp_resp resp = {};
	int ret = cmd_destroy_with_resp(qp->context, &destroy, qp->handle,
					&resp, sizeof(resp));

	return cmd_destroy_count_events(ret, resp.events_reported, &qp->mutex,
					&qp->events_completed, ret_raised);
}

/*
 * The command carries no work request, but the kernel refuses a wqe_size that
 * is too small for one.
 */
#define DOORBELL_WQE_SIZE sizeof(struct ib_uverbs_send_wr)

static int cmd_qp_doorbell_write(const struct ibv_qp *qp)
{
	struct ib_uverbs_post_send_resp resp;
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_post_send post;
	} req = {
		.hdr.command = IB_USER_VERBS_CMD_POST_SEND,
		.hdr.in_words = sizeof(req) / sizeof(uint32_t),
		.hdr.out_words = sizeof(resp) / sizeof(uint32_t),
		.post.response = cmd_addr(&resp),
		.post.qp_handle = qp->handle,
		.post.wqe_size = DOORBELL_WQE_SIZE,
	};

	return submit_write_raw(qp->context, &req, sizeof(req));
}

static int cmd_qp_doorbell_invoke_write(const struct ibv_qp *qp)
{
	const struct ib_uverbs_post_send in = {
		.qp_handle = qp->handle,
		.wqe_size = DOORBELL_WQE_SIZE,
	};
	struct ib_uverbs_post_send_resp out = {};
	const struct write_cmd req = {
		.command = IB_USER_VERBS_CMD_POST_SEND,
		WRITE_IN(in),
		WRITE_OUT(out),
	};

	return submit_invoke_write(qp->context, &req);
}

/* @ret_write: result of write(2) */
static SUBMIT_SLOW_PATH int cmd_qp_doorbell_fallback(const struct ibv_qp *qp,
						     int ret_write)
{
	int ret = cmd_qp_doorbell_invoke_write(qp);

	if (ret == SUBMIT_NOT_OFFERED)
		return ret_write;
	if (!ret && ret_write == -EACCES)
		(void)kernel_cap_learn(verbs_kernel_state(qp->context),
				       KERNEL_CAP_WRITE, EACCES);
	return ret;
}

/*
 * write(2) is tried first, because its path through the kernel is shorter. The
 * kernel refuses it if the credentials of the process have changed since it
 * opened the descriptor (fork() is enough for that). If the ioctl then
 * succeeds, later calls use the ioctl only.
 */
int verbs_cmd_ring_send_doorbell(struct ibv_qp *qp)
{
	int ret = -EOPNOTSUPP;

	if (kernel_cap_write_offered(verbs_kernel_state(qp->context))) {
		ret = cmd_qp_doorbell_write(qp);
		if (ret != -EACCES)
			return ret;
	}
	return cmd_qp_doorbell_fallback(qp, ret);
}
