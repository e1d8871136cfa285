/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Events for programs of libibverbs 1.0. The object of an event must be the
 * program's shadow. The context pointer of the real object leads to the
 * shadow, and the shadow has the program's context pointer.
 */
#include "compat/compat_shadow.h"

enum subject {
	ABOUT_NO_OBJECT, /* port, device, or unknown to 1.0 */
	ABOUT_CQ,
	ABOUT_QP,
	ABOUT_SRQ,
};

static enum subject compat_event_subject(enum ibv_event_type type)
{
	switch (type) {
	case IBV_EVENT_CQ_ERR:
		return ABOUT_CQ;
	case IBV_EVENT_QP_FATAL:
	case IBV_EVENT_QP_REQ_ERR:
	case IBV_EVENT_QP_ACCESS_ERR:
	case IBV_EVENT_COMM_EST:
	case IBV_EVENT_SQ_DRAINED:
	case IBV_EVENT_PATH_MIG:
	case IBV_EVENT_PATH_MIG_ERR:
	case IBV_EVENT_QP_LAST_WQE_REACHED:
		return ABOUT_QP;
	case IBV_EVENT_SRQ_ERR:
	case IBV_EVENT_SRQ_LIMIT_REACHED:
		return ABOUT_SRQ;
	default:
		return ABOUT_NO_OBJECT;
	}
}

int compat_ibv_get_async_event(struct ibv_context_1_0 *context,
			       struct ibv_async_event *event)
{
	int ret = ibv_get_async_event(compat_real_context(context), event);

	if (ret)
		return ret;
	switch (compat_event_subject(event->event_type)) {
	case ABOUT_CQ:
		event->element.cq = event->element.cq->cq_context;
		break;
	case ABOUT_QP:
		event->element.qp = event->element.qp->qp_context;
		break;
	case ABOUT_SRQ:
		event->element.srq = event->element.srq->srq_context;
		break;
	case ABOUT_NO_OBJECT:
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

	switch (compat_event_subject(event->event_type)) {
	case ABOUT_CQ:
		real.element.cq = compat_real_cq(shadow);
		break;
	case ABOUT_QP:
		real.element.qp = compat_real_qp(shadow);
		break;
	case ABOUT_SRQ:
		real.element.srq = compat_real_srq(shadow);
		break;
	case ABOUT_NO_OBJECT:
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
