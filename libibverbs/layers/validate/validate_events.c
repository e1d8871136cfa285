/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Completion events and asynchronous events. */
#include <pthread.h>

#include "layers/validate/validate.h"
#include "layers/validate/validate_report.h"

static int validate_req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
	struct explain_text text = {};

	if (__builtin_expect(!cq->channel, 0)) {
		explain_add(&text,
			    "ibv_req_notify_cq(CQ of %s): the completion queue "
			    "has no channel, so no event is generated; create "
			    "it with a channel",
			    cq->context->device->name);
		validate_report(AV_CQ_006, cq->context, &text);
	} else {
		validate_arming(cq, solicited_only != 0);
	}
	return validate_below(cq->context)->req_notify_cq(cq, solicited_only);
}

static void validate_cq_event(struct ibv_cq *cq)
{
	struct layers_record *record = layers_record_find(cq);

	if (record) {
		atomic_fetch_add(&record->cq.nr_events, 1);
		validate_event_taken(record);
	}
	validate_below(cq->context)->cq_event(cq);
}

/* The CQ was observed since its creation, so all events were counted. */
void validate_acks(struct ibv_cq *cq)
{
	const struct layers_record *record = layers_record_find(cq);
	struct explain_text text = {};
	uint32_t nr_events, nr_acks;

	if (!record)
		return;
	nr_events = VALIDATE_LOAD(record->cq.nr_events);
	(void)pthread_mutex_lock(&cq->mutex);
	nr_acks = cq->comp_events_completed;
	(void)pthread_mutex_unlock(&cq->mutex);
	if ((int32_t)(nr_acks - nr_events) <= 0)
		return;
	explain_add(&text,
		    "ibv_destroy_cq(%s): %u events were acknowledged, but "
		    "ibv_get_cq_event() returned %u; other libraries wait for "
		    "ever",
		    cq->context->device->name, nr_acks, nr_events);
	validate_report(AV_EV_003, cq->context, &text);
}

static void validate_async_event(struct ibv_context *ctx,
				 struct ibv_async_event *event)
{
	struct explain_text text = {};

	if (event->event_type == IBV_EVENT_CQ_ERR) {
		explain_add(&text,
			    "ibv_get_async_event(%s): a completion queue with "
			    "%d entries overran, so its completions and queue "
			    "pairs are lost; make it as large as the queues "
			    "that use it",
			    ctx->device->name, event->element.cq->cqe);
		validate_report(AV_CQ_003, ctx, &text);
	}
	validate_below(ctx)->async_event(ctx, event);
}

void validate_replace_event_ops(struct verbs_context_ops *table)
{
	LAYERS_REPLACE(table, validate, req_notify_cq);
	LAYERS_REPLACE(table, validate, cq_event);
	LAYERS_REPLACE(table, validate, async_event);
}
