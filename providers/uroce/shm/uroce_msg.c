/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Passes of the transport of messages: receive from all pairs, resume QPs that
 * waited for room, send for the QPs that are ready, acknowledge.
 *
 * An acknowledgement travels with the next request to that QP. Without a
 * request it is sent at the end of the pass, or, if this pass has executed
 * exactly one message of the QP, at the beginning of the next pass: the
 * application is likely to respond to a single message.
 */
#include "uroce/shm/uroce_msg_state.h"

/* Entries of one pair in a pass, and bytes after which no more are taken. */
#define MAX_ENTRIES 64
#define MAX_BYTES   (1024 * 1024)
/* Without room: delay until the next look. */
#define NO_ROOM_NS UINT64_C(50000)

static void msg_pass_count(struct uroce_msg *msg, enum uroce_counter counter)
{
	uroce_core_count(msg->config.core, counter, 1);
}

/* -- sending -- */

static void msg_send(struct uroce_msg_qp *mqp)
{
	struct uroce_qp *qp = mqp->qp;

	list_del(&mqp->ready);
	mqp->req.partial = false;
	if (uroce_msg_send_responses(mqp))
		uroce_msg_send_requests(mqp);
	/* WQEs that were posted after the failure */
	if ((qp->state == IBV_QPS_ERR || qp->state == IBV_QPS_SQE) &&
	    !uroce_qp_is_stopped(qp))
		uroce_qp_flush(qp);
	uroce_msg_publish(mqp->pair);
}

/* Once in a pass: a part of a request takes as long as many messages. */
static void msg_resume_partial(struct uroce_msg *msg)
{
	while (!list_empty(&msg->partial)) {
		struct list_node *node = msg->partial.next;

		list_del(node);
		list_add_tail(&msg->ready, node);
	}
}

static void msg_send_ready(struct uroce_msg *msg)
{
	while (!list_empty(&msg->ready))
		msg_send(list_entry(msg->ready.next, struct uroce_msg_qp,
				    ready));
}

/* Sends acknowledgements: all, or only those that are not to be deferred. */
static void msg_send_acks(struct uroce_msg *msg, bool all)
{
	struct list_node *pos, *tmp;

	list_for_each_safe (pos, tmp, &msg->owing) {
		struct uroce_msg_qp *mqp =
			list_entry(pos, struct uroce_msg_qp, owing);

		if (!all && mqp->resp.pass == msg->pass &&
		    mqp->resp.nr_messages == 1)
			continue;
		uroce_msg_send_ack(mqp);
		uroce_msg_publish(mqp->pair);
	}
}

static void msg_resume_blocked(struct uroce_msg_pair *pair)
{
	if (list_empty(&pair->blocked) || !uroce_msg_ring_has_room(&pair->out))
		return;
	pair->stuck = false;
	while (!list_empty(&pair->blocked)) {
		struct list_node *node = pair->blocked.next;

		list_del(node);
		list_add_tail(&pair->msg->ready, node);
	}
}

/* -- receiving -- */

/* Whether the state of the QP accepts the entry (IBTA 10.3.1). */
static bool msg_state_takes(const struct uroce_qp *qp, bool response)
{
	if (uroce_qp_is_stopped(qp))
		return false;
	switch (qp->state) {
	case IBV_QPS_RTR:
	case IBV_QPS_SQE:
		return !response;
	case IBV_QPS_RTS:
	case IBV_QPS_SQD:
		return true;
	default:
		return false;
	}
}

/* The QP of an entry, if it is bound to the pair; or NULL. */
static struct uroce_msg_qp *msg_find_qp(struct uroce_msg_pair *pair,
					uint32_t qpn)
{
	struct uroce_msg *msg = pair->msg;
	struct uroce_qp *qp = msg->last;

	if (!qp || qp->qpn != qpn) {
		qp = msg->config.find_qp(msg->config.arg, qpn);
		if (!qp) {
			msg_pass_count(msg, UROCE_C_NO_QP);
			return NULL;
		}
	}
	if (!qp->msg || qp->msg->pair != pair) {
		msg_pass_count(msg, UROCE_C_BAD_SOURCE);
		return NULL;
	}
	msg->last = qp;
	return qp->msg;
}

static void msg_deliver(struct uroce_msg_pair *pair,
			const struct uroce_msg_received *in)
{
	struct uroce_msg_qp *mqp = msg_find_qp(pair, in->entry.qpn);
	bool response = uroce_msg_is_response(&in->entry);

	if (!mqp)
		return;
	if ((mqp->qp->type == IBV_QPT_UC) !=
	    ((in->entry.flags & UROCE_MSG_UC) != 0)) {
		msg_pass_count(pair->msg, UROCE_C_BAD_TRANSPORT);
		return;
	}
	if ((in->entry.flags & UROCE_MSG_ACK) && msg_state_takes(mqp->qp, true))
		uroce_msg_acknowledge(mqp, in->entry.ack_msn);
	if (!msg_state_takes(mqp->qp, response))
		msg_pass_count(pair->msg, UROCE_C_BAD_STATE);
	else if (response)
		uroce_msg_receive_response(mqp, in);
	else
		uroce_msg_receive_request(mqp, in);
	/* only an application posts requests */
	if (!response) {
		pair->was_active = true;
		pair->active_pass = pair->msg->full_pass;
	}
}

static unsigned int msg_receive(struct uroce_msg_pair *pair)
{
	struct uroce_msg *msg = pair->msg;
	struct uroce_msg_received in;
	unsigned int nr = 0;
	uint32_t bytes = 0;
	int ret = 0;

	if (pair->broken)
		return 0;
	while (nr < MAX_ENTRIES && bytes < MAX_BYTES &&
	       (ret = uroce_msg_ring_take(&pair->in, &in)) > 0) {
		nr++;
		msg->counters.rx_messages++;
		bytes += in.bytes;
		msg->counters.rx_bytes += in.entry.bytes;
		msg_pass_count(msg, UROCE_C_RX_PACKETS);
		uroce_core_count(msg->config.core, UROCE_C_RX_BYTES,
				 in.entry.bytes);
		msg_deliver(pair, &in);
		uroce_msg_ring_done(&pair->in);
	}
	if (ret < 0 || pair->out.broken)
		pair->broken = true;
	return nr;
}

unsigned int uroce_msg_poll(struct uroce_transport_base *transport)
{
	struct uroce_msg *msg = uroce_msg_of(transport);
	unsigned int nr = 0;
	struct list_node *pos;

	if (!list_empty(&msg->owing))
		msg_send_acks(msg, true);
	msg->pass++;
	msg_resume_partial(msg);
	list_for_each (pos, &msg->pairs) {
		struct uroce_msg_pair *pair =
			list_entry(pos, struct uroce_msg_pair, node);

		nr += msg_receive(pair);
		msg_resume_blocked(pair);
	}
	msg_send_ready(msg);
	if (!list_empty(&msg->owing))
		msg_send_acks(msg, false);
	return nr;
}

unsigned int uroce_msg_progress(struct uroce_transport_base *transport,
				uint64_t now, bool receive)
{
	struct uroce_msg *msg = uroce_msg_of(transport);
	unsigned int nr = 0;
	struct list_node *pos;

	msg->now = now;
	msg->full_pass++;
	if (receive)
		nr = uroce_msg_poll(transport);
	else
		msg_resume_partial(msg);
	uroce_msg_expire(msg);
	list_for_each (pos, &msg->pairs)
		msg_resume_blocked(
			list_entry(pos, struct uroce_msg_pair, node));
	msg_send_ready(msg);
	return nr;
}

/* -- for the worker -- */

void uroce_msg_post(struct uroce_qp *qp)
{
	msg_send(qp->msg);
}

bool uroce_msg_owes(const struct uroce_qp *qp)
{
	const struct uroce_msg_qp *mqp = qp->msg;

	return !mqp->pair->failed && !mqp->pair->stuck &&
	       (!list_empty(&mqp->owing) || mqp->resp.nr_owed ||
		mqp->resp.syndrome);
}

bool uroce_msg_flush(struct uroce_transport_base *transport)
{
	struct uroce_msg *msg = uroce_msg_of(transport);

	msg_send_ready(msg);
	msg_send_acks(msg, true);
	return list_empty(&msg->owing);
}

/* Room of the ring is not announced, and UC gets no acknowledgements. */
static bool msg_waits_for_room(const struct uroce_msg_pair *pair)
{
	struct list_node *pos;

	list_for_each (pos, &pair->blocked) {
		const struct uroce_msg_qp *mqp =
			list_entry(pos, struct uroce_msg_qp, ready);

		if (mqp->qp->type == IBV_QPT_UC || uroce_msg_owes(mqp->qp))
			return true;
	}
	return false;
}

uint64_t uroce_msg_deadline(const struct uroce_transport_base *transport)
{
	const struct uroce_msg *msg =
		list_entry(transport, const struct uroce_msg, transport);
	uint64_t at_ns = msg->next_ns;
	struct list_node *pos;

	if (!list_empty(&msg->untimed) || !list_empty(&msg->ready) ||
	    !list_empty(&msg->partial))
		return 0;
	list_for_each (pos, &msg->owing) {
		const struct uroce_msg_qp *mqp =
			list_entry(pos, struct uroce_msg_qp, owing);

		if (list_empty(&mqp->pair->blocked))
			return 0;
	}
	list_for_each (pos, &msg->pairs)
		if (msg_waits_for_room(
			    list_entry(pos, struct uroce_msg_pair, node)) &&
		    at_ns > msg->now + NO_ROOM_NS)
			at_ns = msg->now + NO_ROOM_NS;
	return at_ns;
}

bool uroce_msg_arm(struct uroce_transport_base *transport, bool on)
{
	struct uroce_msg *msg = uroce_msg_of(transport);
	struct list_node *pos;
	bool found = false;

	list_for_each (pos, &msg->pairs) {
		struct uroce_msg_pair *pair =
			list_entry(pos, struct uroce_msg_pair, node);

		if (!pair->broken && uroce_msg_ring_arm(&pair->in, on))
			found = true;
	}
	return found;
}
