/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Default ops of queues: they use members of the object. Those of the data path
 * return "not supported", because inline functions call them without a check.
 * core/op_table.c merges them.
 */
#include "core/op_defaults.h"

#include <errno.h>
#include <stddef.h>

static int op_default_get_srq_num(struct ibv_srq *srq, uint32_t *ret_srq_num)
{
	const struct verbs_srq *vsrq =
		verbs_container_of(srq, struct verbs_srq, srq);

	if (vsrq->srq_type != IBV_SRQT_XRC)
		return -EINVAL;
	*ret_srq_num = vsrq->srq_num;
	return 0;
}

/* No guarantee about the order. */
static int op_default_query_qp_data_in_order(struct ibv_qp *qp,
					     enum ibv_wr_opcode op,
					     uint32_t flags)
{
	return 0;
}

static struct ibv_qp_ex *op_default_qp_to_ex(struct ibv_qp *qp)
{
	struct verbs_qp *vqp = verbs_container_of(qp, struct verbs_qp, qp);

	return vqp->comp_mask & VERBS_QP_MASK_EX ? &vqp->qp_ex : NULL;
}

static int op_default_poll_cq(struct ibv_cq *cq, int num_entries,
			      struct ibv_wc *wc)
{
	return -EOPNOTSUPP; /* a positive value is a count */
}

static int op_default_req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
	return EOPNOTSUPP;
}

static int op_default_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
				struct ibv_send_wr **bad_wr)
{
	*bad_wr = wr;
	return EOPNOTSUPP;
}

static int op_default_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr,
				struct ibv_recv_wr **bad_wr)
{
	*bad_wr = wr;
	return EOPNOTSUPP;
}

static int op_default_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr,
				    struct ibv_recv_wr **bad_wr)
{
	*bad_wr = wr;
	return EOPNOTSUPP;
}

static int op_default_post_srq_ops(struct ibv_srq *srq, struct ibv_ops_wr *op,
				   struct ibv_ops_wr **bad_op)
{
	*bad_op = op;
	return EOPNOTSUPP;
}

static int op_default_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw,
			      struct ibv_mw_bind *bind)
{
	return EOPNOTSUPP;
}

const struct verbs_context_ops verbs_queue_defaults = {
	.get_srq_num = op_default_get_srq_num,
	.query_qp_data_in_order = op_default_query_qp_data_in_order,
	.qp_to_ex = op_default_qp_to_ex,
	.poll_cq = op_default_poll_cq,
	.req_notify_cq = op_default_req_notify_cq,
	.post_send = op_default_post_send,
	.post_recv = op_default_post_recv,
	.post_srq_recv = op_default_post_srq_recv,
	.post_srq_ops = op_default_post_srq_ops,
	.bind_mw = op_default_bind_mw,
};
