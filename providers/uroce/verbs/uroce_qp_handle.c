/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Handles of XRC targets: ibv_open_qp(3). The handles of a QP, which creation
 * and each opening return, have equal rights: each can change its state and
 * gets its events, and the QP exists until the last handle is destroyed.
 */
#include <errno.h>

#include "uroce/qp/uroce_xrc.h"
#include "uroce/verbs/uroce_verbs.h"

/* With uroce_instance_lock(). Return: 0, or -EINVAL as the kernel. */
static int qp_handle_join_locked(struct uroce_verbs_qp *qp, uint32_t qpn)
{
	const struct uroce_xrcd *xrcd = to_uroce_xrcd(&qp->vqp.xrcd->xrcd);
	struct uroce_verbs_qp *owner;

	qp->worker = uroce_instance_first_worker(qp->ctx->instance);
	qp->qp = uroce_xrc_find_target(
		&uroce_worker_engine(qp->worker)->core.xrc, xrcd->domain, qpn);
	if (!qp->qp)
		return -EINVAL;
	owner = qp->qp->owner;
	list_add_tail(&owner->handles, &qp->handles);
	list_add_tail(&qp->ctx->qps, &qp->entry);
	return 0;
}

int uroce_open_qp(struct ibv_context *ibctx, struct ibv_qp_open_attr *attr,
		  struct verbs_qp **ret_vqp)
{
	struct uroce_context *ctx = to_uroce_context(ibctx);
	const struct ibv_qp_init_attr_ex init = {
		.qp_context = attr->comp_mask & IBV_QP_OPEN_ATTR_CONTEXT
				      ? attr->qp_context
				      : NULL,
		.qp_type = attr->qp_type,
		.comp_mask = IBV_QP_INIT_ATTR_XRCD,
		.xrcd = attr->xrcd,
	};
	const struct ibv_qp_cap cap = {};
	struct uroce_verbs_qp *qp;
	int ret;

	if (attr->qp_type != IBV_QPT_XRC_RECV)
		return -EINVAL;
	ret = uroce_check_xrcd(attr->xrcd);
	if (ret == 0)
		ret = uroce_qp_object_new(ibctx, &init, &cap, &qp);
	if (ret)
		return ret;
	uroce_instance_lock(ctx->instance);
	ret = qp_handle_join_locked(qp, attr->qp_num);
	uroce_instance_unlock(ctx->instance);
	if (ret) {
		uroce_qp_object_free(qp);
		return ret;
	}
	uroce_qp_object_identify(qp);
	qp->vqp.qp.state = IBV_QPS_UNKNOWN; /* as the kernel's devices */
	uroce_use(&to_uroce_xrcd(attr->xrcd)->users);
	*ret_vqp = &qp->vqp;
	return 0;
}

void uroce_qp_handle_close_locked(struct uroce_verbs_qp *qp,
				  uint64_t quarantine_ns)
{
	if (list_empty(&qp->handles)) {
		uroce_engine_free_qp(qp->qp->roce->engine, qp->qp,
				     uroce_worker_now(), quarantine_ns);
		return;
	}
	qp->qp->owner =
		list_entry(qp->handles.next, struct uroce_verbs_qp, handles);
	list_del(&qp->handles);
}
