/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared receive queues: ibv_create_srq(3), and through the table of a context
 * ibv_create_srq_ex(3) and ibv_get_srq_num(3).
 */
#include <infiniband/verbs.h>

#include "api/abi_tables.h"
#include "api/api_err.h"
#include "core/core_context.h"

#define SRQ_INIT_ATTR_KNOWN ((uint32_t)IBV_SRQ_INIT_ATTR_RESERVED - 1)

struct ibv_srq *verbs_api_create_srq_ex(struct ibv_context *ctx,
					struct ibv_srq_init_attr_ex *attr)
{
	struct verbs_srq *vsrq;
	int ret;

	if (attr->comp_mask & ~SRQ_INIT_ATTR_KNOWN)
		return api_ret_null(-EOPNOTSUPP);
	if (!(attr->comp_mask & IBV_SRQ_INIT_ATTR_PD) || !attr->pd)
		return api_ret_null(-EINVAL);

	ret = verbs_ops(ctx)->create_srq(ctx, attr, &vsrq);
	return ret ? api_ret_null(ret) : &vsrq->srq;
}

struct ibv_srq *ibv_create_srq(struct ibv_pd *pd,
			       struct ibv_srq_init_attr *srq_init_attr)
{
	struct ibv_srq_init_attr_ex attr = {
		.srq_context = srq_init_attr->srq_context,
		.attr = srq_init_attr->attr,
		.comp_mask = IBV_SRQ_INIT_ATTR_PD,
		.pd = pd,
	};
	struct ibv_srq *srq = verbs_api_create_srq_ex(pd->context, &attr);

	if (srq)
		srq_init_attr->attr = attr.attr;
	return srq;
}

int ibv_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *srq_attr,
		   int srq_attr_mask)
{
	return api_ret_errno(
		verbs_ops(srq->context)
			->modify_srq(srq, srq_attr, srq_attr_mask));
}

int ibv_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *srq_attr)
{
	return api_ret_errno(verbs_ops(srq->context)->query_srq(srq, srq_attr));
}

int ibv_destroy_srq(struct ibv_srq *srq)
{
	return api_ret_errno(verbs_ops(srq->context)->destroy_srq(srq));
}

int verbs_api_get_srq_num(struct ibv_srq *srq, uint32_t *srq_num)
{
	const struct verbs_srq *vsrq =
		verbs_container_of(srq, struct verbs_srq, srq);

	if (vsrq->srq_type != IBV_SRQT_XRC)
		return api_ret_errno(-EINVAL);
	*srq_num = vsrq->srq_num;
	return 0;
}
