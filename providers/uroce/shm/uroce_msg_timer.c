/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Deadlines of the requester, and of a failed QP: the end of an RNR wait, and
 * the time at which the oldest message is sent again, or fails
 * (IBTA 9.7.6.1.3). Posts and polls do not read the clock: they only add the QP
 * to a list, and the next full pass sets the deadline. So deadlines are late,
 * but never early.
 *
 * A deadline is not changed when messages complete. It is looked at when the
 * first one of all has passed, and set anew if the QP has made progress.
 */
#include "uroce/qp/uroce_cause.h"
#include "uroce/qp/uroce_sq.h"
#include "uroce/shm/uroce_msg_state.h"

static uint64_t msg_deadline_ns(const struct uroce_msg_qp *mqp, uint64_t now)
{
	const struct uroce_qp *qp = mqp->qp;
	uint64_t timeout_ns = uroce_sq_timeout_ns(qp->timeout);

	if (mqp->req.not_ready)
		return now + uroce_sq_rnr_ns(mqp->req.rnr_timer);
	if (timeout_ns == UROCE_NEVER)
		return UROCE_NEVER;
	return now + timeout_ns;
}

/* Whether the oldest message waits for the peer. */
static bool msg_awaits_peer(const struct uroce_msg_qp *mqp)
{
	const struct uroce_qp *qp = mqp->qp;
	const struct uroce_send_wqe *wqe = uroce_ring_front(&qp->sq);

	return (qp->state == IBV_QPS_RTS || qp->state == IBV_QPS_SQD) &&
	       !uroce_qp_is_stopped(qp) && wqe && wqe->begun;
}

static void msg_set_deadline(struct uroce_msg *msg, struct uroce_msg_qp *mqp)
{
	list_del(&mqp->timer);
	mqp->req.has_moved = false;
	mqp->req.at_ns = msg_deadline_ns(mqp, msg->now);
	if (mqp->req.at_ns != UROCE_NEVER)
		list_add_tail(&msg->timed, &mqp->timer);
}

/*
 * IBTA 9.7.6.1.1: retry, or fail. A peer that has dropped the messages, since
 * its QP was not in RTR yet, needs them again.
 */
static void msg_time_out(struct uroce_msg *msg, struct uroce_msg_qp *mqp)
{
	struct uroce_qp *qp = mqp->qp;

	uroce_core_count(qp->core, UROCE_C_TIMEOUTS, 1);
	if (mqp->req.retry_left) {
		mqp->req.retry_left--;
		if (qp->cur != qp->sq.tail)
			uroce_msg_go_back(mqp, 0);
		msg_set_deadline(msg, mqp);
		return;
	}
	list_del(&mqp->timer);
	uroce_core_count(qp->core, UROCE_C_RETRY_EXCEEDED, 1);
	uroce_cause_note(qp, UROCE_CAUSE_TIMEOUT, mqp->req.una_msn,
			 qp->retry_cnt);
	uroce_qp_fault(qp, UROCE_FAULT_SQ, IBV_WC_RETRY_EXC_ERR);
}

void uroce_msg_set_timer(struct uroce_qp *qp, uint64_t at_ns)
{
	struct uroce_msg_qp *mqp = qp->msg;

	list_del(&mqp->timer);
	mqp->req.at_ns = at_ns;
	list_add_tail(&mqp->msg->timed, &mqp->timer);
	if (at_ns < mqp->msg->next_ns)
		mqp->msg->next_ns = at_ns;
}

/* The QP has failed, and the peer was copying out of its memory. */
static void msg_check_quiet(struct uroce_msg *msg, struct uroce_msg_qp *mqp)
{
	if (msg->now < mqp->req.at_ns)
		return;
	list_del(&mqp->timer);
	uroce_qp_check_quiet(mqp->qp, msg->now);
}

static void msg_check_deadline(struct uroce_msg *msg, struct uroce_msg_qp *mqp)
{
	struct uroce_msg_requester *req = &mqp->req;

	if (mqp->qp->quiesce.accesses) {
		msg_check_quiet(msg, mqp);
	} else if (req->not_ready) {
		if (msg->now < req->at_ns)
			return;
		req->not_ready = false;
		uroce_msg_wake(mqp);
		msg_set_deadline(msg, mqp);
	} else if (!msg_awaits_peer(mqp)) {
		list_del(&mqp->timer);
	} else if (req->has_moved) {
		req->retry_left = mqp->qp->retry_cnt;
		msg_set_deadline(msg, mqp);
	} else if (msg->now >= req->at_ns) {
		msg_time_out(msg, mqp);
	}
}

void uroce_msg_expire(struct uroce_msg *msg)
{
	struct list_node *pos, *tmp;

	while (!list_empty(&msg->untimed)) {
		struct uroce_msg_qp *mqp = list_entry(
			msg->untimed.next, struct uroce_msg_qp, timer);

		msg_set_deadline(msg, mqp);
		if (mqp->req.at_ns < msg->next_ns)
			msg->next_ns = mqp->req.at_ns;
	}
	if (msg->now < msg->next_ns)
		return;
	list_for_each_safe (pos, tmp, &msg->timed)
		msg_check_deadline(msg,
				   list_entry(pos, struct uroce_msg_qp, timer));
	msg->next_ns = UROCE_NEVER;
	list_for_each (pos, &msg->timed) {
		const struct uroce_msg_qp *mqp =
			list_entry(pos, struct uroce_msg_qp, timer);

		if (mqp->req.at_ns < msg->next_ns)
			msg->next_ns = mqp->req.at_ns;
	}
}
