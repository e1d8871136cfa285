/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared receive queues: ibv_create_srq(3), and through the table of a context
 * ibv_create_srq_ex(3), ibv_get_srq_num(3) and ibv_post_srq_ops(3).
 */
#include <infiniband/verbs.h>

#include "api/abi_tables.h"
#include "api/api_check.h"
#include "api/api_err.h"

#define SRQ_INIT_ATTR_KNOWN ((uint32_t)IBV_SRQ_INIT_ATTR_RESERVED - 1)

#define SRQ_ATTR_KNOWN ((int)(IBV_SRQ_MAX_WR | IBV_SRQ_LIMIT))

/* The program's function, for layers. */
static const char create_srq_name[] = "ibv_create_srq";

/* Whether the objects that the type needs besides a PD are present. */
static bool srq_attr_has_needed_objects(const struct ibv_context *ctx,
					const struct ibv_srq_init_attr_ex *attr)
{
	enum ibv_srq_type type = attr->comp_mask & IBV_SRQ_INIT_ATTR_TYPE
					 ? attr->srq_type
					 : IBV_SRQT_BASIC;
	bool has_cq = (attr->comp_mask & IBV_SRQ_INIT_ATTR_CQ) &&
		      API_ACCEPTS(create_srq_name, ctx, attr->cq);
	bool has_xrcd = (attr->comp_mask & IBV_SRQ_INIT_ATTR_XRCD) &&
			API_ACCEPTS(create_srq_name, ctx, attr->xrcd);

	switch (type) {
	case IBV_SRQT_BASIC:
		return true;
	case IBV_SRQT_XRC:
		return has_cq && has_xrcd;
	case IBV_SRQT_TM:
		return has_cq && (attr->comp_mask & IBV_SRQ_INIT_ATTR_TM) &&
		       attr->tm_cap.max_num_tags;
	default:
		return false;
	}
}

static int srq_check_attr(const struct ibv_context *ctx,
			  const struct ibv_srq_init_attr_ex *attr)
{
	if (!attr)
		return -EINVAL;
	if (attr->comp_mask & ~SRQ_INIT_ATTR_KNOWN)
		return -EOPNOTSUPP;
	if (!(attr->comp_mask & IBV_SRQ_INIT_ATTR_PD) ||
	    !API_ACCEPTS(create_srq_name, ctx, attr->pd) ||
	    !srq_attr_has_needed_objects(ctx, attr))
		return -EINVAL;
	return 0;
}

struct ibv_srq *verbs_api_create_srq_ex(struct ibv_context *ctx,
					struct ibv_srq_init_attr_ex *attr)
{
	struct verbs_srq *vsrq;
	int ret = srq_check_attr(ctx, attr);

	if (ret == 0)
		ret = VERBS_CALL_OP(ctx, create_srq, ctx, attr, &vsrq);
	return ret ? api_ret_null(ret) : &vsrq->srq;
}

struct ibv_srq *ibv_create_srq(struct ibv_pd *pd,
			       struct ibv_srq_init_attr *srq_init_attr)
{
	struct ibv_srq_init_attr_ex attr = {
		.comp_mask = IBV_SRQ_INIT_ATTR_PD,
		.pd = pd,
	};
	struct ibv_srq *srq;

	if (!API_EXISTS(pd) || !srq_init_attr)
		return api_ret_null(-EINVAL);
	attr.srq_context = srq_init_attr->srq_context;
	attr.attr = srq_init_attr->attr;
	srq = verbs_api_create_srq_ex(pd->context, &attr);
	if (srq)
		srq_init_attr->attr = attr.attr;
	return srq;
}

int ibv_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *srq_attr,
		   int srq_attr_mask)
{
	if (!API_EXISTS(srq) || !srq_attr || (srq_attr_mask & ~SRQ_ATTR_KNOWN))
		return api_ret_errno(-EINVAL);
	return api_ret_errno(VERBS_CALL_OP(srq->context, modify_srq, srq,
					   srq_attr, srq_attr_mask));
}

int ibv_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *srq_attr)
{
	if (!API_EXISTS(srq) || !srq_attr)
		return api_ret_errno(-EINVAL);
	return api_ret_errno(
		VERBS_CALL_OP(srq->context, query_srq, srq, srq_attr));
}

int ibv_destroy_srq(struct ibv_srq *srq)
{
	if (!API_EXISTS(srq))
		return api_ret_errno(-EINVAL);
	return api_ret_errno(VERBS_CALL_OP(srq->context, destroy_srq, srq));
}

int verbs_api_get_srq_num(struct ibv_srq *srq, uint32_t *srq_num)
{
	if (!API_EXISTS(srq) || !srq_num)
		return api_ret_errno(-EINVAL);
	return api_ret_errno(
		verbs_ops(srq->context)->get_srq_num(srq, srq_num));
}

/* A data path function whose slot only the library fills. */
int verbs_api_post_srq_ops(struct ibv_srq *srq, struct ibv_ops_wr *op,
			   struct ibv_ops_wr **bad_op)
{
	return verbs_ops(srq->context)->post_srq_ops(srq, op, bad_op);
}
