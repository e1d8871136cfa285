/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* XRC and ECE of the devices of api_net.h */
#include "librdmacm/api/api_net.h"

#include <errno.h>
#include <stdlib.h>

static struct ibv_xrcd *net_open_xrcd(struct ibv_context *context,
				      struct ibv_xrcd_init_attr *attr)
{
	struct ibv_xrcd *xrcd = api_net.has_xrc ? calloc(1, sizeof(*xrcd))
						: NULL;

	if (xrcd)
		xrcd->context = context;
	else
		errno = EOPNOTSUPP;
	return xrcd;
}

static struct ibv_srq *net_create_srq_ex(struct ibv_context *context,
					 struct ibv_srq_init_attr_ex *attr)
{
	struct ibv_srq *srq = calloc(1, sizeof(*srq));

	if (srq) {
		srq->context = context;
		srq->srq_context = attr->cq; /* for tests */
	}
	return srq;
}

static struct ibv_qp *net_create_qp_ex(struct ibv_context *context,
				       struct ibv_qp_init_attr_ex *attr)
{
	struct ibv_qp *qp =
		ibv_create_qp(attr->pd, (struct ibv_qp_init_attr *)attr);

	if (qp)
		((struct api_net_qp *)(void *)qp)->xrcd = attr->xrcd;
	return qp;
}

void api_net_set_ops(struct verbs_context *verbs)
{
	verbs->sz = sizeof(*verbs);
	verbs->context.abi_compat = __VERBS_ABI_IS_EXTENDED;
	verbs->open_xrcd = net_open_xrcd;
	verbs->create_srq_ex = net_create_srq_ex;
	verbs->create_qp_ex = net_create_qp_ex;
}

int ibv_query_ece(struct ibv_qp *qp, struct ibv_ece *ece)
{
	const struct api_net_qp *net_qp = (struct api_net_qp *)(void *)qp;

	if (!api_net.ece.vendor_id)
		return EOPNOTSUPP;
	*ece = net_qp->ece.vendor_id ? net_qp->ece : api_net.ece;
	return 0;
}

int ibv_set_ece(struct ibv_qp *qp, struct ibv_ece *ece)
{
	struct api_net_qp *net_qp = (struct api_net_qp *)(void *)qp;

	if (ece->vendor_id != api_net.ece.vendor_id || ece->comp_mask)
		return EINVAL;
	net_qp->ece = *ece;
	net_qp->ece.options &= api_net.ece.options;
	return 0;
}
