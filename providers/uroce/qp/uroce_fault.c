/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What roce/ may report of a QP: a changed state, an asynchronous event,
 * a fault. uroce_qp.c applies the fault later.
 */
#include "uroce/qp/uroce_qp.h"

void uroce_qp_tell(const struct uroce_qp *qp)
{
	if (qp->core->on_qp)
		qp->core->on_qp(qp->core->arg, qp);
}

void uroce_qp_event(struct uroce_qp *qp, enum ibv_event_type event)
{
	struct uroce_core *core = qp->core;

	qp->events |= UINT32_C(1) << event;
	if (qp->in_events)
		return;
	qp->in_events = true;
	qp->next_event = core->qp_events;
	core->qp_events = qp;
}

void uroce_qp_fault(struct uroce_qp *qp, enum uroce_fault_side side,
		    enum ibv_wc_status status)
{
	if (uroce_qp_is_stopped(qp) || qp->state == IBV_QPS_ERR)
		return;
	qp->fault = (struct uroce_fault){
		.side = (uint8_t)side,
		.status = (uint8_t)status,
	};
	list_add_tail(&qp->core->faulted, &qp->faulted);
}
