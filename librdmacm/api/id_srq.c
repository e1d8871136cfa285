/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared receive queues of ids. A queue of XRC also needs an XRC domain, which
 * is that of the device, and a CQ, which belongs to the id.
 */
#include "api/id_qp.h"

#include "api/api_err.h"
#include "api/device_table.h"

#include <errno.h>
#include <rdma/rdma_verbs.h>

/* Adds what the application has left out. */
static int srq_attr_complete(struct rdma_cm_id *id,
			     struct ibv_srq_init_attr_ex *attr)
{
	if (!(attr->comp_mask & IBV_SRQ_INIT_ATTR_PD) || !attr->pd) {
		attr->comp_mask |= IBV_SRQ_INIT_ATTR_PD;
		attr->pd = id->pd;
	}
	if (id->srq || !attr->pd || attr->pd->context != id->verbs)
		return -EINVAL;
	return 0;
}

static int srq_attr_complete_xrc(struct rdma_cm_id *id,
				 struct ibv_srq_init_attr_ex *attr)
{
	int ret = 0;

	if (!(attr->comp_mask & IBV_SRQ_INIT_ATTR_XRCD) || !attr->xrcd) {
		attr->comp_mask |= IBV_SRQ_INIT_ATTR_XRCD;
		ret = device_xrcd(own_id_of(id)->device, &attr->xrcd);
	}
	if (ret || ((attr->comp_mask & IBV_SRQ_INIT_ATTR_CQ) && attr->cq))
		return ret;
	if (!id->recv_cq)
		ret = id_recv_cq_new(id, attr->attr.max_wr);
	attr->comp_mask |= IBV_SRQ_INIT_ATTR_CQ;
	attr->cq = id->recv_cq;
	return ret;
}

static int id_srq_new(struct rdma_cm_id *id, struct ibv_srq_init_attr_ex *attr)
{
	int ret = srq_attr_complete(id, attr);

	if (!ret && attr->srq_type == IBV_SRQT_XRC)
		ret = srq_attr_complete_xrc(id, attr);
	if (ret)
		return ret;
	id->srq = ibv_create_srq_ex(id->verbs, attr);
	if (!id->srq) {
		ret = -errno;
		if (attr->srq_type == IBV_SRQT_XRC && !id->qp)
			id_cqs_free(id);
		return ret;
	}
	if (!id->pd)
		id->pd = attr->pd;
	return 0;
}

int rdma_create_srq_ex(struct rdma_cm_id *id, struct ibv_srq_init_attr_ex *attr)
{
	if (!(attr->comp_mask & IBV_SRQ_INIT_ATTR_TYPE))
		return api_ret_minus1(-EINVAL);
	return api_ret_minus1(id_srq_new(id, attr));
}

int rdma_create_srq(struct rdma_cm_id *id, struct ibv_pd *pd,
		    struct ibv_srq_init_attr *attr)
{
	struct ibv_srq_init_attr_ex attr_ex = {
		.srq_context = attr->srq_context,
		.attr = attr->attr,
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD,
		.srq_type = id->qp_type == IBV_QPT_XRC_RECV ? IBV_SRQT_XRC
							    : IBV_SRQT_BASIC,
		.pd = pd,
	};
	int ret = id_srq_new(id, &attr_ex);

	if (!ret)
		attr->attr = attr_ex.attr;
	return api_ret_minus1(ret);
}

void rdma_destroy_srq(struct rdma_cm_id *id)
{
	if (!id->srq)
		return;
	(void)ibv_destroy_srq(id->srq);
	id->srq = NULL;
	if (!id->qp)
		id_cqs_free(id);
}
