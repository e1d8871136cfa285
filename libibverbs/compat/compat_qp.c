/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Queue pairs of libibverbs 1.0, and their multicast groups. */
#include <string.h>

#include "api/api_err.h"
#include "compat/compat_shadow.h"

/* struct ibv_qp_attr of 1.0 ended here. */
#define QP_ATTR_SIZE offsetof(struct ibv_qp_attr, rate_limit)

struct ibv_qp_1_0 *
compat_ibv_create_qp(struct ibv_pd_1_0 *pd,
		     struct ibv_qp_init_attr_1_0 *qp_init_attr)
{
	struct ibv_qp_init_attr attr = {};
	struct ibv_qp_1_0 *qp;

	if (!pd || !qp_init_attr)
		return api_ret_null(-EINVAL);
	qp = calloc(1, sizeof(*qp));
	if (!qp)
		return api_ret_null(-ENOMEM);

	qp->context = pd->context;
	qp->qp_context = qp_init_attr->qp_context;
	qp->pd = pd;
	qp->send_cq = qp_init_attr->send_cq;
	qp->recv_cq = qp_init_attr->recv_cq;
	qp->srq = qp_init_attr->srq;
	attr.qp_context = qp;
	attr.send_cq = compat_real_cq(qp->send_cq);
	attr.recv_cq = compat_real_cq(qp->recv_cq);
	attr.srq = compat_real_srq(qp->srq);
	attr.cap = qp_init_attr->cap;
	attr.qp_type = qp_init_attr->qp_type;
	attr.sq_sig_all = qp_init_attr->sq_sig_all;
	qp->real_qp = ibv_create_qp(pd->real_pd, &attr);
	if (!qp->real_qp)
		return compat_shadow_drop(qp);

	qp->handle = qp->real_qp->handle;
	qp->qp_num = qp->real_qp->qp_num;
	qp->state = qp->real_qp->state;
	qp->qp_type = qp->real_qp->qp_type;
	qp_init_attr->cap = attr.cap;
	return qp;
}

int compat_ibv_modify_qp(struct ibv_qp_1_0 *qp, struct ibv_qp_attr *attr,
			 int attr_mask)
{
	struct ibv_qp_attr own = {};
	int ret;

	if (!qp || !attr)
		return api_ret_errno(-EINVAL);
	memcpy(&own, attr, QP_ATTR_SIZE);
	ret = ibv_modify_qp(qp->real_qp, &own, attr_mask);
	if (ret == 0)
		qp->state = qp->real_qp->state;
	return ret;
}

int compat_ibv_query_qp(struct ibv_qp_1_0 *qp, struct ibv_qp_attr *attr,
			int attr_mask, struct ibv_qp_init_attr_1_0 *init_attr)
{
	struct ibv_qp_init_attr own_init = {};
	struct ibv_qp_attr own = {};
	int ret;

	if (!qp || !attr || !init_attr)
		return api_ret_errno(-EINVAL);
	ret = ibv_query_qp(qp->real_qp, &own, attr_mask, &own_init);
	if (ret)
		return ret;

	qp->state = qp->real_qp->state;
	memcpy(attr, &own, QP_ATTR_SIZE);
	*init_attr = (struct ibv_qp_init_attr_1_0){
		.qp_context = qp->qp_context,
		.send_cq = qp->send_cq,
		.recv_cq = qp->recv_cq,
		.srq = qp->srq,
		.cap = own_init.cap,
		.qp_type = own_init.qp_type,
		.sq_sig_all = own_init.sq_sig_all,
	};
	return 0;
}

int compat_ibv_destroy_qp(struct ibv_qp_1_0 *qp)
{
	int ret = ibv_destroy_qp(compat_real_qp(qp));

	if (ret == 0)
		free(qp);
	return ret;
}

int compat_ibv_attach_mcast(struct ibv_qp_1_0 *qp, union ibv_gid *gid,
			    uint16_t lid)
{
	return ibv_attach_mcast(compat_real_qp(qp), gid, lid);
}

int compat_ibv_detach_mcast(struct ibv_qp_1_0 *qp, union ibv_gid *gid,
			    uint16_t lid)
{
	return ibv_detach_mcast(compat_real_qp(qp), gid, lid);
}

COMPAT_EXPORT(ibv_create_qp)
COMPAT_EXPORT(ibv_modify_qp)
COMPAT_EXPORT(ibv_query_qp)
COMPAT_EXPORT(ibv_destroy_qp)
COMPAT_EXPORT(ibv_attach_mcast)
COMPAT_EXPORT(ibv_detach_mcast)
