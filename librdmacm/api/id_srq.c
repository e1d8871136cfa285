/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared receive queues of ids, but those of XRC: the library does not make the
 * XRC domain and the CQ that such a queue needs.
 */
#include "api/api_err.h"

#include <errno.h>
#include <rdma/rdma_verbs.h>

static int id_srq_check(const struct rdma_cm_id *id, const struct ibv_pd *pd)
{
	return id->srq || !pd || pd->context != id->verbs ? -EINVAL : 0;
}

static int id_srq_set(struct rdma_cm_id *id, struct ibv_pd *pd,
		      struct ibv_srq *srq)
{
	if (!srq)
		return -errno;
	id->srq = srq;
	if (!id->pd)
		id->pd = pd;
	return 0;
}

int rdma_create_srq(struct rdma_cm_id *id, struct ibv_pd *pd,
		    struct ibv_srq_init_attr *attr)
{
	int ret;

	if (!pd)
		pd = id->pd;
	ret = id_srq_check(id, pd);
	if (ret)
		return api_ret_minus1(ret);
	if (id->qp_type == IBV_QPT_XRC_RECV)
		return api_ret_minus1(-EOPNOTSUPP);
	return api_ret_minus1(id_srq_set(id, pd, ibv_create_srq(pd, attr)));
}

static int id_srq_new(struct rdma_cm_id *id, struct ibv_srq_init_attr_ex *attr)
{
	int ret;

	if (!(attr->comp_mask & IBV_SRQ_INIT_ATTR_TYPE))
		return -EINVAL;
	if (!(attr->comp_mask & IBV_SRQ_INIT_ATTR_PD) || !attr->pd) {
		attr->pd = id->pd;
		attr->comp_mask |= IBV_SRQ_INIT_ATTR_PD;
	}
	ret = id_srq_check(id, attr->pd);
	if (ret)
		return ret;
	if (attr->srq_type == IBV_SRQT_XRC)
		return -EOPNOTSUPP;
	return id_srq_set(id, attr->pd, ibv_create_srq_ex(id->verbs, attr));
}

int rdma_create_srq_ex(struct rdma_cm_id *id, struct ibv_srq_init_attr_ex *attr)
{
	return api_ret_minus1(id_srq_new(id, attr));
}

void rdma_destroy_srq(struct rdma_cm_id *id)
{
	(void)ibv_destroy_srq(id->srq);
	id->srq = NULL;
}
