/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared receive queues of libibverbs 1.0. */
#include "api/api_err.h"
#include "compat/compat_shadow.h"

struct ibv_srq_1_0 *
compat_ibv_create_srq(struct ibv_pd_1_0 *pd,
		      struct ibv_srq_init_attr *srq_init_attr)
{
	struct ibv_srq_init_attr attr;
	struct ibv_srq_1_0 *srq;

	if (!pd || !srq_init_attr)
		return api_ret_null(-EINVAL);
	srq = calloc(1, sizeof(*srq));
	if (!srq)
		return api_ret_null(-ENOMEM);

	srq->context = pd->context;
	srq->srq_context = srq_init_attr->srq_context;
	srq->pd = pd;
	attr = *srq_init_attr;
	attr.srq_context = srq;
	srq->real_srq = ibv_create_srq(pd->real_pd, &attr);
	if (!srq->real_srq)
		return compat_shadow_drop(srq);
	srq->handle = srq->real_srq->handle;
	srq_init_attr->attr = attr.attr;
	return srq;
}

int compat_ibv_modify_srq(struct ibv_srq_1_0 *srq,
			  struct ibv_srq_attr *srq_attr, int srq_attr_mask)
{
	return ibv_modify_srq(compat_real_srq(srq), srq_attr, srq_attr_mask);
}

int compat_ibv_query_srq(struct ibv_srq_1_0 *srq, struct ibv_srq_attr *srq_attr)
{
	return ibv_query_srq(compat_real_srq(srq), srq_attr);
}

int compat_ibv_destroy_srq(struct ibv_srq_1_0 *srq)
{
	int ret = ibv_destroy_srq(compat_real_srq(srq));

	if (ret == 0)
		free(srq);
	return ret;
}

COMPAT_EXPORT(ibv_create_srq)
COMPAT_EXPORT(ibv_modify_srq)
COMPAT_EXPORT(ibv_query_srq)
COMPAT_EXPORT(ibv_destroy_srq)
