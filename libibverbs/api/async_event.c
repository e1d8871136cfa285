/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Asynchronous events: ibv_get_async_event(3). */
#include <infiniband/verbs.h>
#include <pthread.h>
#include <rdma/ib_user_verbs.h>
#include <stdbool.h>

#include "api/abi_tables.h"
#include "api/api_err.h"
#include "core/core_context.h"
#include "core/event_object.h"

/*
 * The kernel returns the pointer that was passed when the object was created.
 */
static void
async_event_from_kernel(const struct ib_uverbs_async_event_desc *kernel,
			struct ibv_async_event *event)
{
	uintptr_t element = (uintptr_t)kernel->element;

	*event = (struct ibv_async_event){
		.event_type = (enum ibv_event_type)kernel->event_type,
	};
	switch (verbs_event_object(event->event_type)) {
	case EVENT_OF_CQ:
		event->element.cq = (struct ibv_cq *)element;
		break;
	case EVENT_OF_QP:
		event->element.qp = (struct ibv_qp *)element;
		break;
	case EVENT_OF_SRQ:
		event->element.srq = (struct ibv_srq *)element;
		break;
	case EVENT_OF_WQ:
		event->element.wq = (struct ibv_wq *)element;
		break;
	case EVENT_OF_DEVICE:
		event->element.port_num = (int)element;
		break;
	}
}

int ibv_get_async_event(struct ibv_context *context,
			struct ibv_async_event *event)
{
	struct ib_uverbs_async_event_desc kernel;
	int ret;

	if (!context || !event)
		return api_ret_minus1(
			-EINVAL); /* the event stays in the queue */
	ret = verbs_ops(context)->get_async_event(context, &kernel);
	if (ret)
		return api_ret_minus1(ret);

	async_event_from_kernel(&kernel, event);
	verbs_ops(context)->async_event(context, event);
	return 0;
}

/*
 * For programs that read the descriptor themselves: called through
 * ibv_context_ops.
 */
void verbs_api_async_event(struct ibv_context *ctx,
			   struct ibv_async_event *event)
{
	verbs_ops(ctx)->async_event(ctx, event);
}

static void async_event_ack_object(pthread_mutex_t *mutex, pthread_cond_t *cond,
				   uint32_t *completed)
{
	(void)pthread_mutex_lock(mutex);
	(*completed)++;
	(void)pthread_cond_signal(cond);
	(void)pthread_mutex_unlock(mutex);
}

/* After an error the caller's event may have no object. */
static bool async_event_has_object(const struct ibv_async_event *event)
{
	return event &&
	       verbs_event_object(event->event_type) != EVENT_OF_DEVICE &&
	       event->element.cq;
}

void ibv_ack_async_event(struct ibv_async_event *event)
{
	struct ibv_srq *srq;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_wq *wq;

	if (!async_event_has_object(event))
		return;
	switch (verbs_event_object(event->event_type)) {
	case EVENT_OF_CQ:
		cq = event->element.cq;
		async_event_ack_object(&cq->mutex, &cq->cond,
				       &cq->async_events_completed);
		break;
	case EVENT_OF_QP:
		qp = event->element.qp;
		async_event_ack_object(&qp->mutex, &qp->cond,
				       &qp->events_completed);
		break;
	case EVENT_OF_SRQ:
		srq = event->element.srq;
		async_event_ack_object(&srq->mutex, &srq->cond,
				       &srq->events_completed);
		break;
	case EVENT_OF_WQ:
		wq = event->element.wq;
		async_event_ack_object(&wq->mutex, &wq->cond,
				       &wq->events_completed);
		break;
	case EVENT_OF_DEVICE:
		break;
	}
}
