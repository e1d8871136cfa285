/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The lists of the engine: QPs that were kicked, QPs with packets to send, and
 * objects with events for the worker.
 */
#include "uroce/roce/uroce_engine.h"

#include "uroce/roce/uroce_delack.h"

void uroce_engine_kick(struct uroce_engine *engine, struct uroce_qp *qp)
{
	struct uroce_qp *first;

	if (__atomic_exchange_n(&qp->kicked, 1, __ATOMIC_SEQ_CST))
		return; /* already in the list */
	first = __atomic_load_n(&engine->kicks, __ATOMIC_RELAXED);
	do {
		qp->next_kick = first;
		/* pairs with the exchange in uroce_engine_take_kicks() */
	} while (!__atomic_compare_exchange_n(&engine->kicks, &first, qp, true,
					      __ATOMIC_SEQ_CST,
					      __ATOMIC_RELAXED));
}

void uroce_engine_take_kicks(struct uroce_engine *engine)
{
	struct uroce_qp *qp, *next;

	if (!uroce_engine_has_kicks(engine))
		return;
	qp = __atomic_exchange_n(&engine->kicks, NULL, __ATOMIC_SEQ_CST);
	for (; qp; qp = next) {
		next = qp->next_kick;
		/* from here on another kick links the QP again */
		__atomic_store_n(&qp->kicked, 0, __ATOMIC_SEQ_CST);
		uroce_engine_activate(engine, qp);
	}
}

void uroce_engine_activate(struct uroce_engine *engine, struct uroce_qp *qp)
{
	uroce_delack_has_posted(qp);
	if (list_empty(&qp->active) && qp->state != IBV_QPS_RESET)
		list_add_tail(&engine->active, &qp->active);
}

void uroce_engine_cq_event(struct uroce_engine *engine, struct uroce_cq *cq)
{
	if (cq->in_events)
		return;
	cq->in_events = true;
	cq->next_event = engine->cq_events;
	engine->cq_events = cq;
}

void uroce_engine_rq_event(struct uroce_engine *engine, struct uroce_rq *rq)
{
	if (rq->in_events)
		return;
	rq->in_events = true;
	rq->next_event = engine->rq_events;
	engine->rq_events = rq;
}

struct uroce_cq *uroce_engine_take_cq(struct uroce_engine *engine)
{
	struct uroce_cq *cq = engine->cq_events;

	if (!cq)
		return NULL;
	engine->cq_events = cq->next_event;
	cq->in_events = false;
	return cq;
}

struct uroce_rq *uroce_engine_take_rq(struct uroce_engine *engine)
{
	struct uroce_rq *rq = engine->rq_events;

	if (!rq)
		return NULL;
	engine->rq_events = rq->next_event;
	rq->in_events = false;
	return rq;
}

struct uroce_qp *uroce_engine_take_qp(struct uroce_engine *engine)
{
	struct uroce_qp *qp = engine->qp_events;

	if (!qp)
		return NULL;
	engine->qp_events = qp->next_event;
	qp->in_events = false;
	return qp;
}

void uroce_engine_forget_cq(struct uroce_engine *engine, struct uroce_cq *cq)
{
	struct uroce_cq **link = &engine->cq_events;

	while (*link && *link != cq)
		link = &(*link)->next_event;
	if (*link)
		*link = cq->next_event;
	cq->in_events = false;
}

void uroce_engine_forget_rq(struct uroce_engine *engine, struct uroce_rq *rq)
{
	struct uroce_rq **link = &engine->rq_events;

	while (*link && *link != rq)
		link = &(*link)->next_event;
	if (*link)
		*link = rq->next_event;
	rq->in_events = false;
}
