/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The objects of QPs: their memory and members, without QPs of the engine. */
#include <errno.h>
#include <stdlib.h>

#include "uroce/verbs/uroce_send.h"

int uroce_qp_object_new(struct ibv_context *ibctx,
			const struct ibv_qp_init_attr_ex *attr,
			const struct ibv_qp_cap *cap,
			struct uroce_verbs_qp **ret_qp)
{
	const struct uroce_pd *pd = attr->pd ? to_uroce_pd(attr->pd) : NULL;
	struct uroce_verbs_qp *qp = uroce_object_new(sizeof(*qp));
	int ret;

	if (!qp)
		return -ENOMEM;
	ret = uroce_rq_init(&qp->recv.rq, cap->max_recv_wr, cap->max_recv_sge,
			    pd ? pd->number : 0, false);
	if (ret) {
		free(qp);
		return ret;
	}
	uroce_spin_init(&qp->sq_lock, pd && pd->td);
	uroce_spin_init(&qp->recv.lock, pd && pd->td);
	qp->ctx = to_uroce_context(ibctx);
	qp->srq = attr->srq ? to_uroce_srq(attr->srq) : NULL;
	qp->max_send_sge = cap->max_send_sge;
	qp->max_inline = cap->max_inline_data;
	qp->op_trait = (uint8_t)uroce_op_trait_of(attr->qp_type);
	qp->sig_all = attr->sq_sig_all;
	list_init(&qp->handles);
	verbs_init_qp(&qp->vqp, ibctx, attr);
	*ret_qp = qp;
	return 0;
}

void uroce_qp_object_free(struct uroce_verbs_qp *qp)
{
	verbs_fini_qp(&qp->vqp.qp);
	uroce_rq_fini(&qp->recv.rq);
	free(qp);
}

void uroce_qp_object_identify(struct uroce_verbs_qp *qp)
{
	qp->vqp.qp.qp_num = qp->qp->qpn;
	qp->vqp.qp.handle = qp->qp->qpn;
	qp->identity =
		(struct uroce_identity){ qp->vqp.qp.context, qp->qp->qpn };
}
