/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Binds QPs to channels, and handles a full channel and a dead peer.
 * uroce_engine.c takes no packets from a QP whose channel is full.
 */
#include "uroce/roce/uroce_channel.h"

#include "uroce/qp/uroce_cause.h"
#include "uroce/roce/uroce_engine.h"
#include "uroce/roce/uroce_retry.h"

_Static_assert(UROCE_CHANNEL_MTU <= UROCE_MAX_PART, "null regions are long");

void uroce_channel_bind(struct uroce_channel *channel, struct uroce_qp *qp)
{
	qp->roce->channel = channel;
	list_add_tail(&channel->qps, &qp->roce->bound);
}

void uroce_channel_unbind(struct uroce_qp *qp)
{
	qp->roce->channel = NULL;
	list_del(&qp->roce->bound);
}

/* A stopped peer never makes room, so the acknowledge timer counts retries. */
void uroce_channel_await_room(struct uroce_qp *qp, uint64_t now)
{
	list_del(&qp->roce->active);
	list_add_tail(&qp->roce->channel->waiting, &qp->roce->active);
	if (qp->type == IBV_QPT_RC && uroce_ring_has(&qp->sq, qp->cur) &&
	    qp->roce->req.resume_ns == UROCE_NEVER)
		uroce_retry_start(qp, now);
}

/* Stop the acknowledge timer of a QP without outstanding packets. */
static void stop_awaiting_room(struct uroce_qp *qp)
{
	if (qp->roce->req.una_psn == qp->roce->req.sent_psn)
		qp->roce->req.ack_ns = UROCE_NEVER;
}

void uroce_channel_resume(struct uroce_engine *engine,
			  struct uroce_channel *channel)
{
	channel->full = false;
	channel->stuck = false;
	while (!list_empty(&channel->waiting)) {
		struct uroce_qp *qp = list_entry(channel->waiting.next,
						 struct uroce_roce, active)
					      ->qp;

		list_del(&qp->roce->active);
		stop_awaiting_room(qp);
		uroce_engine_activate(engine, qp);
	}
}

static void fail_what_waits_for_ever(struct uroce_qp *qp)
{
	const struct uroce_send_wqe *wqe = uroce_ring_front(&qp->sq);

	if (qp->type != IBV_QPT_RC || qp->timeout ||
	    (qp->state != IBV_QPS_RTS && qp->state != IBV_QPS_SQD) || !wqe ||
	    !wqe->begun || wqe->status != IBV_WC_SUCCESS)
		return;
	uroce_core_count(qp->core, UROCE_C_RETRY_EXCEEDED, 1);
	uroce_cause_note(qp, UROCE_CAUSE_PEER_PROCESS, 0, 0);
	uroce_qp_fault(qp, UROCE_FAULT_SQ, IBV_WC_RETRY_EXC_ERR);
}

void uroce_channel_fail(struct uroce_engine *engine,
			struct uroce_channel *channel)
{
	struct list_node *pos;

	channel->failed = true;
	uroce_channel_resume(engine, channel);
	list_for_each (pos, &channel->qps)
		fail_what_waits_for_ever(
			list_entry(pos, struct uroce_roce, bound)->qp);
}
