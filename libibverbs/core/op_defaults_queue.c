/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Default ops of queues: they use members of the object, or return "not
 * supported" in the convention of each op. core/op_table.c merges them.
 */
#include "core/op_defaults.h"

#include <errno.h>
#include <stddef.h>

static int op_default_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr,
				struct ibv_ah **ret_ah)
{
	return -EOPNOTSUPP;
}

static int op_default_destroy_ah(struct ibv_ah *ah)
{
	return -EOPNOTSUPP;
}

static int op_default_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid,
				   uint16_t lid)
{
	return -EOPNOTSUPP;
}

static int op_default_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid,
				   uint16_t lid)
{
	return -EOPNOTSUPP;
}

static int op_default_create_cq(struct ibv_context *ctx,
				const struct ibv_cq_init_attr_ex *attr,
				bool extended, struct verbs_cq **ret_vcq)
{
	return -EOPNOTSUPP;
}

static int op_default_resize_cq(struct ibv_cq *cq, int cqe)
{
	return -EOPNOTSUPP;
}

static int op_default_modify_cq(struct ibv_cq *cq,
				struct ibv_modify_cq_attr *attr)
{
	return -EOPNOTSUPP;
}

static int op_default_destroy_cq(struct ibv_cq *cq)
{
	return -EOPNOTSUPP;
}

static int op_default_create_srq(struct ibv_context *ctx,
				 struct ibv_srq_init_attr_ex *attr,
				 struct verbs_srq **ret_vsrq)
{
	return -EOPNOTSUPP;
}

static int op_default_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr,
				 int attr_mask)
{
	return -EOPNOTSUPP;
}

static int op_default_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr)
{
	return -EOPNOTSUPP;
}

static int op_default_get_srq_num(struct ibv_srq *srq, uint32_t *ret_srq_num)
{
	const struct verbs_srq *vsrq =
		verbs_container_of(srq, struct verbs_srq, srq);

	if (vsrq->srq_type != IBV_SRQT_XRC)
		return -EINVAL;
	*ret_srq_num = vsrq->srq_num;
	return 0;
}

static int op_default_destroy_srq(struct ibv_srq *srq)
{
	return -EOPNOTSUPP;
}

static int op_default_create_qp(struct ibv_context *ctx,
				struct ibv_qp_init_attr_ex *attr,
				struct verbs_qp **ret_vqp)
{
	return -EOPNOTSUPP;
}

static int op_default_open_qp(struct ibv_context *ctx,
			      struct ibv_qp_open_attr *attr,
			      struct verbs_qp **ret_vqp)
{
	return -EOPNOTSUPP;
}

static int op_default_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr,
				int attr_mask)
{
	return -EOPNOTSUPP;
}

static int op_default_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr,
			       int attr_mask,
			       struct ibv_qp_init_attr *init_attr)
{
	return -EOPNOTSUPP;
}

static int op_default_destroy_qp(struct ibv_qp *qp)
{
	return -EOPNOTSUPP;
}

static int op_default_modify_qp_rate_limit(struct ibv_qp *qp,
					   struct ibv_qp_rate_limit_attr *attr)
{
	return -EOPNOTSUPP;
}

static int op_default_set_ece(struct ibv_qp *qp, struct ibv_ece *ece)
{
	return -EOPNOTSUPP;
}

static int op_default_query_ece(struct ibv_qp *qp, struct ibv_ece *ece)
{
	return -EOPNOTSUPP;
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
	.create_ah = op_default_create_ah,
	.destroy_ah = op_default_destroy_ah,
	.attach_mcast = op_default_attach_mcast,
	.detach_mcast = op_default_detach_mcast,
	.create_cq = op_default_create_cq,
	.resize_cq = op_default_resize_cq,
	.modify_cq = op_default_modify_cq,
	.destroy_cq = op_default_destroy_cq,
	.create_srq = op_default_create_srq,
	.modify_srq = op_default_modify_srq,
	.query_srq = op_default_query_srq,
	.get_srq_num = op_default_get_srq_num,
	.destroy_srq = op_default_destroy_srq,
	.create_qp = op_default_create_qp,
	.open_qp = op_default_open_qp,
	.modify_qp = op_default_modify_qp,
	.query_qp = op_default_query_qp,
	.destroy_qp = op_default_destroy_qp,
	.modify_qp_rate_limit = op_default_modify_qp_rate_limit,
	.set_ece = op_default_set_ece,
	.query_ece = op_default_query_ece,
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
