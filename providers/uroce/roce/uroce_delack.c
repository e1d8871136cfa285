/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Deferred and delayed ACKs of all QPs:
 *
 *   NONE --defer_acks()--> DEFERRED --post, event--> LAST --start()--> DELAYED
 *    ^                        |                        |                  |
 *    '----- next pass --------'---- no more requests --'--- flush, timer -'
 *
 * DELAYED also ends with a new message, and all states with the next packet of
 * the responder, which covers the ACK.
 */
#include "uroce/roce/uroce_delack.h"

/*
 * An ACK is delayed for at most DELACK_MAX_MESSAGES messages and
 * DELACK_HOLD_NS, which is longer than a peer on a fast network needs to send
 * the next message. A peer that waits for the ACK loses DELACK_HOLD_NS, but
 * rarely: the next QUICKACK_FIRST ACKs are then sent without delay, and twice
 * as many after each further loss.
 */
#define DELACK_MAX_MESSAGES 3
#define DELACK_HOLD_NS	    UINT64_C(30000)
#define QUICKACK_FIRST	    32
#define QUICKACK_MAX	    65536

void uroce_delack_init(struct uroce_qp *qp)
{
	uroce_delack_end(qp);
	qp->roce->resp.delack.nr_quickacks = 0;
	qp->roce->resp.delack.backoff = 0;
}

/* Whether the QP has to send an ACK that is not delayed, and nothing else. */
static bool owes_ack_only(const struct uroce_qp *qp)
{
	return qp->roce->resp.reply == UROCE_REPLY_ACK &&
	       !uroce_delack_is_delayed(qp) && !qp->roce->resp.nr_pending &&
	       !uroce_ring_has(&qp->sq, qp->cur);
}

/* Whether the application has not yet polled all received messages. */
static bool has_unseen(const struct uroce_qp *qp)
{
	return uroce_ring_used(&qp->recv_cq->ring);
}

/* Whether the next poll is likely to receive the rest of a message. */
static bool has_incomplete(const struct uroce_qp *qp)
{
	return !qp->roce->channel &&
	       qp->roce->resp.message != UROCE_MESSAGE_NONE;
}

static bool may_defer(const struct uroce_qp *qp, bool again)
{
	return owes_ack_only(qp) && (has_unseen(qp) || has_incomplete(qp)) &&
	       (again || !qp->roce->resp.delack.deferred_before);
}

static void defer_ack(struct uroce_qp *qp)
{
	qp->roce->resp.delack.state = UROCE_DELACK_DEFERRED;
	qp->roce->resp.delack.deferred_before = true;
	qp->roce->engine->nr_deferred++;
}

/* Whether only active QPs have something to send. */
static bool is_all_active(struct uroce_engine *engine)
{
	if (uroce_engine_has_kicks(engine))
		uroce_engine_take_kicks(engine);
	return list_empty(&engine->unsent) && list_empty(&engine->core.faulted);
}

bool uroce_engine_defer_acks(struct uroce_engine *engine, bool again)
{
	struct list_node *pos;

	if (!is_all_active(engine) || list_empty(&engine->active))
		return false;
	list_for_each (pos, &engine->active)
		if (!may_defer(list_entry(pos, struct uroce_roce, active)->qp,
			       again))
			return false;
	list_for_each (pos, &engine->active)
		defer_ack(list_entry(pos, struct uroce_roce, active)->qp);
	return true;
}

bool uroce_engine_defer_only_ack(struct uroce_engine *engine)
{
	struct list_node *first;
	struct uroce_qp *qp;

	if (!is_all_active(engine))
		return false;
	first = engine->active.next;
	if (first == &engine->active || first->next != &engine->active)
		return false;
	qp = list_entry(first, struct uroce_roce, active)->qp;
	if (!owes_ack_only(qp))
		return false;
	defer_ack(qp);
	return true;
}

void uroce_engine_flush_deferred(struct uroce_engine *engine)
{
	struct list_node *pos;

	if (!engine->nr_deferred)
		return;
	while (!list_empty(&engine->parked))
		uroce_delack_unpark(list_entry(engine->parked.next,
					       struct uroce_roce, active)
					    ->qp);
	list_for_each (pos, &engine->active) {
		struct uroce_qp *qp =
			list_entry(pos, struct uroce_roce, active)->qp;

		if (qp->roce->resp.delack.state == UROCE_DELACK_DEFERRED)
			qp->roce->resp.delack.state = UROCE_DELACK_NONE;
	}
	engine->nr_deferred = 0;
}

bool uroce_delack_start(struct uroce_qp *qp, uint64_t now)
{
	struct uroce_delack *delack = &qp->roce->resp.delack;

	delack->state = UROCE_DELACK_NONE;
	if (!delack->request_sent || qp->roce->channel || !owes_ack_only(qp))
		return false;
	if (delack->nr_quickacks) {
		delack->nr_quickacks--;
		return false;
	}
	if (delack->nr_messages >= DELACK_MAX_MESSAGES) {
		delack->backoff = 0;
		return false;
	}
	delack->state = UROCE_DELACK_DELAYED;
	delack->deferred_before = false;
	delack->nr_messages++;
	qp->roce->delack_ns = now + DELACK_HOLD_NS;
	list_add_tail(&qp->roce->engine->delayed_acks, &qp->roce->delayed);
	return true;
}

/* Sends the ACK for which the peer has waited, and the next ones at once. */
static void flush_delayed(struct uroce_qp *qp)
{
	struct uroce_delack *delack = &qp->roce->resp.delack;
	uint32_t more = delack->backoff ? 2 * delack->backoff : QUICKACK_FIRST;

	list_del(&qp->roce->delayed);
	delack->state = UROCE_DELACK_NONE;
	delack->backoff = more < QUICKACK_MAX ? more : QUICKACK_MAX;
	delack->nr_quickacks = delack->backoff;
	uroce_engine_activate(qp->roce->engine, qp);
}

void uroce_engine_flush_delayed(struct uroce_engine *engine, uint64_t until_ns)
{
	while (!list_empty(&engine->delayed_acks)) {
		struct uroce_qp *qp = list_entry(engine->delayed_acks.next,
						 struct uroce_roce, delayed)
					      ->qp;

		if (qp->roce->delack_ns > until_ns)
			return;
		flush_delayed(qp);
	}
}
