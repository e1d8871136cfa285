/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What every file of the protocol may report of a QP: a changed state, an
 * asynchronous event, a fault. uroce_qp.c applies the fault later.
 */
#include "uroce/roce/uroce_engine.h"

void uroce_qp_tell(const struct uroce_qp *qp)
{
	if (qp->engine->on_qp)
		qp->engine->on_qp(qp->engine->arg, qp);
}

void uroce_qp_event(struct uroce_qp *qp, enum ibv_event_type event)
{
	struct uroce_engine *engine = qp->engine;

	qp->events |= UINT32_C(1) << event;
	if (qp->in_events)
		return;
	qp->in_events = true;
	qp->next_event = engine->qp_events;
	engine->qp_events = qp;
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
	if (list_empty(&qp->unsent))
		list_add_tail(&qp->engine->unsent, &qp->unsent);
}
