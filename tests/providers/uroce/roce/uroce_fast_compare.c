/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The reference is the ordinary path through shm/ and the engine; every other
 * path is compared with it.
 */
#include "uroce_fast_compare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "uroce/roce/uroce_fast.h"
#include "uroce/wire/uroce_wire.h"

#define PAD_BITS 0x30

struct pair *fast_compare_new(bool shared)
{
	struct pair_options o = pair_defaults();

	o.bound = true;
	o.shared = shared;
	o.rnr_retry = 2;
	return pair_new(&o);
}

bool fast_compare_receive(struct pair *pair, unsigned int at,
			  const struct uroce_eager_entry *eager,
			  bool may_be_fast)
{
	struct pair_side *side = &pair->side[at];
	struct uroce_packet packet;
	uint8_t header[UROCE_EAGER_HEADER];

	if (may_be_fast &&
	    uroce_fast_receive(&side->engine, &side->channel, eager, pair->now))
		return true;
	/* as in shm/; a malformed packet ends here */
	memcpy(header, eager->header, sizeof(header));
	header[1] &= (uint8_t)~PAD_BITS;
	if (uroce_wire_decode(header, eager->header_len, &packet) ||
	    packet.payload_len ||
	    (eager->payload_len && !(packet.traits & UROCE_T_PAYLOAD)))
		return false;
	packet.channel = &side->channel;
	packet.payload = eager->payload;
	packet.payload_len = eager->payload_len;
	packet.carries_ack = eager->ack & UROCE_EAGER_ACK;
	packet.carried_psn = eager->ack & UROCE_PSN_MASK;
	uroce_engine_receive(&side->engine, &packet, pair->now);
	return false;
}

static void assert_same_cq(struct uroce_cq *a, struct uroce_cq *b)
{
	struct uroce_cqe one, other;

	while (pair_poll(a, &one)) {
		assert_true(pair_poll(b, &other));
		assert_int_equal(one.wr_id, other.wr_id);
		assert_int_equal(one.status, other.status);
		assert_int_equal(one.opcode, other.opcode);
		assert_int_equal(one.byte_len, other.byte_len);
		assert_int_equal(one.imm, other.imm);
		assert_int_equal(one.wc_flags, other.wc_flags);
		assert_int_equal(one.qpn, other.qpn);
	}
	assert_false(pair_poll(b, &other));
}

static void assert_same_requester(const struct uroce_qp *a,
				  const struct uroce_qp *b)
{
	const struct uroce_requester *one = &a->roce->req;
	const struct uroce_requester *other = &b->roce->req;

	assert_int_equal(one->una_psn, other->una_psn);
	assert_int_equal(one->next_psn, other->next_psn);
	assert_int_equal(one->sent_psn, other->sent_psn);
	assert_int_equal(one->new_psn, other->new_psn);
	assert_int_equal(a->cur, b->cur);
	assert_int_equal(a->sq.tail, b->sq.tail);
	assert_int_equal(a->sq.head, b->sq.head);
	/* outstanding responses, and room for more */
	assert_int_equal(one->rd_first, other->rd_first);
	assert_int_equal(one->rd_last, other->rd_last);
	assert_int_equal(one->cwnd.packets, other->cwnd.packets);
	assert_int_equal(one->cwnd.acked, other->cwnd.acked);
	assert_int_equal(one->recovering, other->recovering);
	assert_int_equal(one->retry_left, other->retry_left);
	assert_int_equal(one->rnr_left, other->rnr_left);
	assert_true(one->ack_ns == other->ack_ns);
	assert_true(one->resume_ns == other->resume_ns);
}

void assert_same_side(struct pair_side *a, struct pair_side *b)
{
	assert_memory_equal(&a->engine.core.counters, &b->engine.core.counters,
			    sizeof(a->engine.core.counters));
	assert_same_cq(&a->send_cq, &b->send_cq);
	assert_same_cq(&a->recv_cq, &b->recv_cq);
	assert_memory_equal(a->memory, b->memory, 8192);
	assert_int_equal(a->qp->state, b->qp->state);
	assert_int_equal(a->qp->events, b->qp->events);
	assert_int_equal(a->qp->roce->resp.epsn, b->qp->roce->resp.epsn);
	assert_int_equal(a->qp->roce->resp.msn, b->qp->roce->resp.msn);
	assert_int_equal(a->qp->roce->resp.reply, b->qp->roce->resp.reply);
	assert_int_equal(a->qp->roce->resp.nak_sent,
			 b->qp->roce->resp.nak_sent);
	assert_int_equal(a->qp->roce->resp.nr_pending,
			 b->qp->roce->resp.nr_pending);
	assert_same_requester(a->qp, b->qp);
	assert_int_equal(a->rq.limit_event, b->rq.limit_event);
	assert_int_equal(a->send_cq.wake, b->send_cq.wake);
	assert_int_equal(a->recv_cq.wake, b->recv_cq.wake);
	assert_int_equal(!a->engine.core.cq_events, !b->engine.core.cq_events);
	assert_int_equal(uroce_ring_used(&a->rq.ring),
			 uroce_ring_used(&b->rq.ring));
}

void assert_same(struct pair *a, struct pair *b)
{
	for (int i = 0; i < 2; i++)
		assert_same_side(&a->side[i], &b->side[i]);
}
