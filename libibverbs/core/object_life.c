/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Initializes the fields of CQs, SRQs and QPs that do not come from the
 * device, and waits for the acknowledgment of events before an object is
 * freed. For a work queue there is only the wait: the application's inline
 * function sets the fields. Providers call this file, and foreign/ does for
 * those of other releases.
 */
#include "core/object_life.h"

#include <provider/objects.h>
#include <pthread.h>
#include <stdbool.h>

#include "util/cancel.h"

void verbs_init_cq(struct ibv_cq *cq, struct ibv_context *ctx,
		   struct ibv_comp_channel *channel, void *cq_context)
{
	cq->context = ctx;
	cq->channel = channel;
	cq->cq_context = cq_context;
	cq->comp_events_completed = 0;
	cq->async_events_completed = 0;
	(void)pthread_mutex_init(&cq->mutex, NULL); /* cannot fail on Linux */
	(void)pthread_cond_init(&cq->cond, NULL);
}

void verbs_fini_cq(struct ibv_cq *cq)
{
	(void)pthread_cond_destroy(&cq->cond);
	(void)pthread_mutex_destroy(&cq->mutex);
}

void verbs_prepare_srq(struct ibv_srq *srq, struct ibv_context *ctx,
		       const struct ibv_srq_init_attr_ex *attr)
{
	srq->context = ctx;
	srq->srq_context = attr->srq_context;
	srq->pd = attr->comp_mask & IBV_SRQ_INIT_ATTR_PD ? attr->pd : NULL;
	srq->events_completed = 0;
	(void)pthread_mutex_init(&srq->mutex, NULL);
	(void)pthread_cond_init(&srq->cond, NULL);
}

void verbs_init_srq(struct verbs_srq *vsrq, struct ibv_context *ctx,
		    const struct ibv_srq_init_attr_ex *attr)
{
	uint32_t mask = attr->comp_mask;

	verbs_prepare_srq(&vsrq->srq, ctx, attr);
	vsrq->srq_type = mask & IBV_SRQ_INIT_ATTR_TYPE ? attr->srq_type
						       : IBV_SRQT_BASIC;
	vsrq->cq = mask & IBV_SRQ_INIT_ATTR_CQ ? attr->cq : NULL;
	vsrq->xrcd = NULL;
	if (mask & IBV_SRQ_INIT_ATTR_XRCD)
		vsrq->xrcd =
			verbs_container_of(attr->xrcd, struct verbs_xrcd, xrcd);
}

void verbs_fini_srq(struct ibv_srq *srq)
{
	(void)pthread_cond_destroy(&srq->cond);
	(void)pthread_mutex_destroy(&srq->mutex);
}

void verbs_prepare_qp(struct ibv_qp *qp, struct ibv_context *ctx,
		      const struct ibv_qp_init_attr_ex *attr)
{
	qp->context = ctx;
	qp->qp_context = attr->qp_context;
	qp->pd = attr->comp_mask & IBV_QP_INIT_ATTR_PD ? attr->pd : NULL;
	qp->send_cq = attr->send_cq;
	qp->recv_cq = attr->recv_cq;
	qp->srq = attr->srq;
	qp->qp_type = attr->qp_type;
	qp->state = IBV_QPS_RESET;
	qp->events_completed = 0;
	(void)pthread_mutex_init(&qp->mutex, NULL);
	(void)pthread_cond_init(&qp->cond, NULL);
}

void verbs_init_qp(struct verbs_qp *vqp, struct ibv_context *ctx,
		   const struct ibv_qp_init_attr_ex *attr)
{
	verbs_prepare_qp(&vqp->qp, ctx, attr);
	vqp->comp_mask = 0;
	if (attr->comp_mask & IBV_QP_INIT_ATTR_XRCD) {
		vqp->comp_mask |= VERBS_QP_MASK_XRCD;
		vqp->xrcd =
			verbs_container_of(attr->xrcd, struct verbs_xrcd, xrcd);
	}
}

void verbs_fini_qp(struct ibv_qp *qp)
{
	(void)pthread_cond_destroy(&qp->cond);
	(void)pthread_mutex_destroy(&qp->mutex);
}

/* The counters wrap like those of the kernel, so the difference is compared. */
static bool event_count_is_behind(uint32_t completed, uint32_t raised)
{
	return (int32_t)(raised - completed) > 0;
}

/* A thread that was cancelled while it waits would keep the mutex. */
void verbs_wait_cq_acked(struct ibv_cq *cq,
			 const struct verbs_event_count *raised)
{
	int state;

	/* No event was read, so no thread is acknowledging one. */
	if (!raised->comp_events && !raised->async_events)
		return;
	state = cancel_disable();
	(void)pthread_mutex_lock(&cq->mutex);
	while (event_count_is_behind(cq->comp_events_completed,
				     raised->comp_events) ||
	       event_count_is_behind(cq->async_events_completed,
				     raised->async_events))
		(void)pthread_cond_wait(&cq->cond, &cq->mutex);
	(void)pthread_mutex_unlock(&cq->mutex);
	cancel_restore(state);
}

static void object_wait_acked(pthread_mutex_t *mutex, pthread_cond_t *cond,
			      const uint32_t *completed, uint32_t raised)
{
	int state;

	if (!raised) /* no event was read */
		return;
	state = cancel_disable();
	(void)pthread_mutex_lock(mutex);
	while (event_count_is_behind(*completed, raised))
		(void)pthread_cond_wait(cond, mutex);
	(void)pthread_mutex_unlock(mutex);
	cancel_restore(state);
}

void verbs_wait_srq_acked(struct ibv_srq *srq,
			  const struct verbs_event_count *raised)
{
	object_wait_acked(&srq->mutex, &srq->cond, &srq->events_completed,
			  raised->async_events);
}

void verbs_wait_qp_acked(struct ibv_qp *qp,
			 const struct verbs_event_count *raised)
{
	object_wait_acked(&qp->mutex, &qp->cond, &qp->events_completed,
			  raised->async_events);
}

void verbs_wait_wq_acked(struct ibv_wq *wq,
			 const struct verbs_event_count *raised)
{
	object_wait_acked(&wq->mutex, &wq->cond, &wq->events_completed,
			  raised->async_events);
}
