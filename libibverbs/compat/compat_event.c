/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Events for programs of libibverbs 1.0. The object of an event must be the
 * program's shadow. The context pointer of the real object leads to the
 * shadow, and the shadow has the program's context pointer.
 */
#include "compat/compat_shadow.h"

#include "core/event_object.h"

int compat_ibv_get_async_event(struct ibv_context_1_0 *context,
			       struct ibv_async_event *event)
{
	int ret = ibv_get_async_event(compat_real_context(context), event);

	if (ret)
		return ret;
	switch (verbs_event_object(event->event_type)) {
	case EVENT_OF_CQ:
		event->element.cq = event->element.cq->cq_context;
		break;
	case EVENT_OF_QP:
		event->element.qp = event->element.qp->qp_context;
		break;
	case EVENT_OF_SRQ:
		event->element.srq = event->element.srq->srq_context;
		break;
	case EVENT_OF_DEVICE:
	case EVENT_OF_WQ: /* unknown to 1.0 */
		break;
	}
	return 0;
}

/*
 * The program may acknowledge a copy and read its event afterwards, so the
 * event is not modified.
 */
void compat_ibv_ack_async_event(struct ibv_async_event *event)
{
	const void *shadow = event->element.cq;
	struct ibv_async_event real = *event;

	switch (verbs_event_object(event->event_type)) {
	case EVENT_OF_CQ:
		real.element.cq = compat_real_cq(shadow);
		break;
	case EVENT_OF_QP:
		real.element.qp = compat_real_qp(shadow);
		break;
	case EVENT_OF_SRQ:
		real.element.srq = compat_real_srq(shadow);
		break;
	case EVENT_OF_DEVICE:
	case EVENT_OF_WQ: /* unknown to 1.0 */
		return;
	}
	ibv_ack_async_event(&real);
}

int compat_ibv_get_cq_event(struct ibv_comp_channel *channel,
			    struct ibv_cq_1_0 **cq, void **cq_context)
{
	struct ibv_cq *real;
	void *shadow;
	int ret = ibv_get_cq_event(channel, &real, &shadow);

	if (ret)
		return ret;
	*cq = shadow;
	*cq_context = (*cq)->cq_context;
	return 0;
}

void compat_ibv_ack_cq_events(struct ibv_cq_1_0 *cq, unsigned int nevents)
{
	ibv_ack_cq_events(cq->real_cq, nevents);
}

COMPAT_EXPORT(ibv_get_async_event)
COMPAT_EXPORT(ibv_ack_async_event)
COMPAT_EXPORT(ibv_get_cq_event)
COMPAT_EXPORT(ibv_ack_cq_events)
