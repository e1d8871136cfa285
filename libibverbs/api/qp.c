/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Queue pairs: ibv_create_qp(3), ibv_modify_qp(3), ibv_query_qp(3), and through
 * the table of a context ibv_create_qp_ex(3) and ibv_open_qp(3).
 */
#include <infiniband/verbs.h>

#include "api/abi_tables.h"
#include "api/api_err.h"
#include "core/core_context.h"

static struct verbs_qp *to_vqp(struct ibv_qp *qp)
{
	return verbs_container_of(qp, struct verbs_qp, qp);
}

/* Which completion queues a type cannot do without. */
static bool has_needed_cqs(const struct ibv_qp_init_attr_ex *attr)
{
	switch (attr->qp_type) {
	case IBV_QPT_XRC_RECV:
		return true;
	case IBV_QPT_XRC_SEND:
		return attr->send_cq;
	case IBV_QPT_RC:
	case IBV_QPT_UC:
	case IBV_QPT_UD:
		return attr->send_cq && attr->recv_cq;
	default:
		/* RSS and driver types: the provider knows. */
		return true;
	}
}

struct ibv_qp *verbs_api_create_qp_ex(struct ibv_context *ctx,
				      struct ibv_qp_init_attr_ex *attr)
{
	struct verbs_qp *vqp;
	int ret;

	if (!has_needed_cqs(attr))
		return api_ret_null(-EINVAL);
	ret = verbs_ops(ctx)->create_qp(ctx, attr, &vqp);
	return ret ? api_ret_null(ret) : &vqp->qp;
}

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd,
			     struct ibv_qp_init_attr *qp_init_attr)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_context = qp_init_attr->qp_context,
		.send_cq = qp_init_attr->send_cq,
		.recv_cq = qp_init_attr->recv_cq,
		.srq = qp_init_attr->srq,
		.cap = qp_init_attr->cap,
		.qp_type = qp_init_attr->qp_type,
		.sq_sig_all = qp_init_attr->sq_sig_all,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = pd,
	};
	struct ibv_qp *qp = verbs_api_create_qp_ex(pd->context, &attr);

	if (qp)
		qp_init_attr->cap = attr.cap;
	return qp;
}

struct ibv_qp *verbs_api_open_qp(struct ibv_context *ctx,
				 struct ibv_qp_open_attr *attr)
{
	struct verbs_qp *vqp;
	int ret = verbs_ops(ctx)->open_qp(ctx, attr, &vqp);

	return ret ? api_ret_null(ret) : &vqp->qp;
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask)
{
	int ret = verbs_ops(qp->context)->modify_qp(qp, attr, attr_mask);

	if (ret == 0 && (attr_mask & IBV_QP_STATE))
		qp->state = attr->qp_state;
	return api_ret_errno(ret);
}

int ibv_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask,
		 struct ibv_qp_init_attr *init_attr)
{
	int ret = verbs_ops(qp->context)
			  ->query_qp(qp, attr, attr_mask, init_attr);

	if (ret == 0 && (attr_mask & IBV_QP_STATE))
		qp->state = attr->qp_state;
	return api_ret_errno(ret);
}

int ibv_destroy_qp(struct ibv_qp *qp)
{
	return api_ret_errno(verbs_ops(qp->context)->destroy_qp(qp));
}

struct ibv_qp_ex *ibv_qp_to_qp_ex(struct ibv_qp *qp)
{
	struct verbs_qp *vqp = to_vqp(qp);

	return vqp->comp_mask & VERBS_QP_MASK_EX ? &vqp->qp_ex : NULL;
}

int ibv_set_ece(struct ibv_qp *qp, struct ibv_ece *ece)
{
	if (!ece->vendor_id)
		return api_ret_errno(-EOPNOTSUPP);
	return api_ret_errno(verbs_ops(qp->context)->set_ece(qp, ece));
}

int ibv_query_ece(struct ibv_qp *qp, struct ibv_ece *ece)
{
	return api_ret_errno(verbs_ops(qp->context)->query_ece(qp, ece));
}
