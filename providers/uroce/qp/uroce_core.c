/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The lists of objects with events for the worker. */
#include "uroce/qp/uroce_core.h"

#include "uroce/qp/uroce_qp.h"

void uroce_core_cq_event(struct uroce_core *core, struct uroce_cq *cq)
{
	if (cq->in_events)
		return;
	cq->in_events = true;
	cq->next_event = core->cq_events;
	core->cq_events = cq;
}

void uroce_core_rq_event(struct uroce_core *core, struct uroce_rq *rq)
{
	if (rq->in_events)
		return;
	rq->in_events = true;
	rq->next_event = core->rq_events;
	core->rq_events = rq;
}

struct uroce_cq *uroce_core_take_cq(struct uroce_core *core)
{
	struct uroce_cq *cq = core->cq_events;

	if (!cq)
		return NULL;
	core->cq_events = cq->next_event;
	cq->in_events = false;
	return cq;
}

struct uroce_rq *uroce_core_take_rq(struct uroce_core *core)
{
	struct uroce_rq *rq = core->rq_events;

	if (!rq)
		return NULL;
	core->rq_events = rq->next_event;
	rq->in_events = false;
	return rq;
}

struct uroce_qp *uroce_core_take_qp(struct uroce_core *core)
{
	struct uroce_qp *qp = core->qp_events;

	if (!qp)
		return NULL;
	core->qp_events = qp->next_event;
	qp->in_events = false;
	return qp;
}

void uroce_core_forget_cq(struct uroce_core *core, struct uroce_cq *cq)
{
	struct uroce_cq **link = &core->cq_events;

	while (*link && *link != cq)
		link = &(*link)->next_event;
	if (*link)
		*link = cq->next_event;
	cq->in_events = false;
}

void uroce_core_forget_rq(struct uroce_core *core, struct uroce_rq *rq)
{
	struct uroce_rq **link = &core->rq_events;

	while (*link && *link != rq)
		link = &(*link)->next_event;
	if (*link)
		*link = rq->next_event;
	rq->in_events = false;
}

void uroce_core_forget_qp(struct uroce_core *core, struct uroce_qp *qp)
{
	struct uroce_qp **link = &core->qp_events;

	while (*link && *link != qp)
		link = &(*link)->next_event;
	if (*link)
		*link = qp->next_event;
}
