/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The fast path of QPs with a channel compared with the ordinary path. Two
 * pairs of QPs in the same state get the same bytes; one pair may use the fast
 * path. Completions, counters, memory and the packets sent afterwards must be
 * equal, for good, damaged and hostile bytes and for any state.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "uroce/roce/uroce_fast.h"
#include "uroce/wire/uroce_wire.h"
#include "uroce_expect.h"
#include "uroce_fast_compare.h"

#define NR_OPS (sizeof(opcodes) / sizeof(opcodes[0]))

static const enum ibv_wr_opcode opcodes[] = {
	IBV_WR_SEND,
	IBV_WR_SEND_WITH_IMM,
	IBV_WR_RDMA_WRITE,
	IBV_WR_ATOMIC_FETCH_AND_ADD,
	IBV_WR_ATOMIC_CMP_AND_SWP,
};

/* Changes both pairs before the packet arrives. */
typedef void arrange_fn(struct pair *pair);

static uint64_t nr_fast, nr_ordinary;

static void receive_packet(struct pair *pair,
			   const struct uroce_eager_entry *eager,
			   bool may_be_fast)
{
	bool fast = fast_compare_receive(pair, 1, eager, may_be_fast);

	nr_fast += fast;
	nr_ordinary += may_be_fast && !fast;
}

static void post_one(struct pair *pair, unsigned int side,
		     enum ibv_wr_opcode opcode, uint32_t length)
{
	const struct uroce_send_wqe wqe = {
		.wr_id = 77,
		.opcode = (uint8_t)opcode,
		.flags = IBV_SEND_SIGNALED,
		.nr_sge = 1,
		.imm = 0x11223344,
		.remote = { .va = PAIR_IOVA + 4096,
			    .rkey = pair->side[!side].key,
			    .compare_add = 5,
			    .swap = 6 },
	};
	const struct ibv_sge sge = pair_sge(pair, side, 64, length);

	if (opcode == IBV_WR_SEND || opcode == IBV_WR_SEND_WITH_IMM) {
		struct uroce_send_wqe send = wqe;

		send.remote.va = 0;
		pair_post(pair, side, &send, &sge);
	} else {
		pair_post(pair, side, &wqe, &sge);
	}
}

/* Drops all packets that @side has to send now. */
static void lose_all(struct pair *pair, unsigned int side)
{
	struct uroce_engine *engine = &pair->side[side].engine;
	struct uroce_out out;

	while (uroce_engine_next(engine, pair->now, &out))
		continue;
	uroce_engine_sent(engine, pair->now);
}

/*
 * Side 1 has an outstanding request, so that there is something to acknowledge.
 */
static void arrange_usual(struct pair *pair)
{
	for (uint64_t i = 0; i < 2; i++) {
		const struct ibv_sge sge = pair_sge(pair, 1, 1024, 100);

		pair_post_recv(pair, 1, i, &sge, 1);
	}
	post_one(pair, 1, IBV_WR_RDMA_WRITE, 10);
	lose_all(pair, 1);
}

/* Returns the bytes of a request of side 0, which is in flight from now on. */
static struct uroce_eager_entry request_of(struct pair *pair,
					   enum ibv_wr_opcode opcode)
{
	struct uroce_eager_entry eager = {}; /* zeroes the payload as well */

	memset(pair->side[0].memory, 0x5a, 128);
	post_one(pair, 0, opcode, 8);
	assert_true(uroce_fast_next(pair->side[0].qp, pair->now, &eager));
	return eager;
}

struct change {
	uint32_t byte; /* header byte that @bits change */
	uint8_t bits;
	uint32_t ack;
	uint32_t header_len, payload_len; /* UINT32_MAX: unchanged */
};

static const struct change no_change = { 0, 0, 0, UINT32_MAX, UINT32_MAX };

static void apply_change(struct uroce_eager_entry *eager,
			 const struct change *change)
{
	static const uint8_t plenty[UROCE_CHANNEL_MTU + 1];

	eager->header[change->byte] ^= change->bits;
	eager->ack = change->ack;
	if (change->header_len != UINT32_MAX)
		eager->header_len = change->header_len;
	if (change->payload_len != UINT32_MAX) {
		eager->payload_len = change->payload_len;
		eager->payload = plenty;
	}
}

/* Delivers the packet and everything that follows; both pairs stay equal. */
static void compare_pairs(arrange_fn *arrange, enum ibv_wr_opcode opcode,
			  const struct change *change, bool shared)
{
	struct pair *pairs[2];

	for (int i = 0; i < 2; i++) {
		struct uroce_eager_entry eager;

		pairs[i] = fast_compare_new(shared);
		arrange_usual(pairs[i]);
		eager = request_of(pairs[i], opcode);
		if (arrange)
			arrange(pairs[i]);
		apply_change(&eager, change);
		receive_packet(pairs[i], &eager, i == 0);
	}
	assert_same_side(&pairs[0]->side[1], &pairs[1]->side[1]);
	for (int i = 0; i < 2; i++)
		pair_run(pairs[i]);
	assert_same(pairs[0], pairs[1]);
	for (int i = 0; i < 2; i++)
		pair_free(pairs[i]);
}

static void fast_receive_accepts_valid_packets(void **state)
{
	for (size_t op = 0; op < NR_OPS; op++) {
		nr_fast = 0;
		compare_pairs(NULL, opcodes[op], &no_change, false);
		compare_pairs(NULL, opcodes[op], &no_change, true);
		assert_int_equal(nr_fast, 2);
	}
}

/* Bytes behind the headers are ignored. */
static uint32_t header_len(enum ibv_wr_opcode opcode)
{
	struct pair *pair = fast_compare_new(false);
	uint32_t len = request_of(pair, opcode).header_len;

	pair_free(pair);
	return len;
}

static void fast_receive_damaged_header_matches_ordinary_path(void **state)
{
	nr_fast = nr_ordinary = 0;
	for (size_t op = 0; op < NR_OPS; op++)
		for (uint32_t byte = header_len(opcodes[op]); byte-- > 0;) {
			struct change change = no_change;

			/*
			 * another bit in each byte, because creating pairs is
			 * slow
			 */
			change.byte = byte;
			change.bits = (uint8_t)(1 << (byte + op) % 8);
			compare_pairs(NULL, opcodes[op], &change, false);
		}
	assert_true(nr_fast > 0 && nr_ordinary > 0);
}

static void fast_receive_any_length_matches_ordinary_path(void **state)
{
	static const uint32_t payloads[] = { 0,	 1,   7,   9,	 12,
					     99, 100, 101, 8191, 8192 };

	for (size_t op = 0; op < NR_OPS; op++) {
		struct change change = no_change;

		for (uint32_t len = 0; len <= UROCE_MAX_HEADER; len += 4) {
			change.header_len = len;
			compare_pairs(NULL, opcodes[op], &change, false);
		}
		change = no_change;
		for (size_t i = 0; i < sizeof(payloads) / sizeof(*payloads);
		     i++) {
			change.payload_len = payloads[i];
			compare_pairs(NULL, opcodes[op], &change, false);
		}
	}
}

/* Side 1 has one outstanding packet. */
static void fast_receive_carried_ack_matches_ordinary_path(void **state)
{
	struct pair *pair = fast_compare_new(false);
	uint32_t psn = pair->side[1].qp->roce->req.una_psn;

	pair_free(pair);
	for (size_t op = 0; op < NR_OPS; op++)
		for (uint32_t i = 0; i < 4; i++) {
			struct change change = no_change;

			/*
			 * stale, valid, never sent, and half the PSN range away
			 */
			change.ack = UROCE_EAGER_ACK |
				     ((psn + (i < 3 ? i - 1 : 0x800000)) &
				      UROCE_PSN_MASK);
			compare_pairs(NULL, opcodes[op], &change, false);
			change.ack ^= UROCE_EAGER_ACK; /* no ACK */
			compare_pairs(NULL, opcodes[op], &change, false);
			change.ack |= 0xff000000;
			compare_pairs(NULL, opcodes[op], &change, false);
		}
}

static void arrange_no_receive(struct pair *pair)
{
	while (uroce_ring_front(&pair->side[1].rq.ring))
		uroce_ring_take(&pair->side[1].rq.ring);
}

static void arrange_short_receive(struct pair *pair)
{
	const struct ibv_sge sge = pair_sge(pair, 1, 1024, 7);

	arrange_no_receive(pair);
	pair_post_recv(pair, 1, 9, &sge, 1);
}

static void arrange_two_sges(struct pair *pair)
{
	const struct ibv_sge sge[] = { pair_sge(pair, 1, 1024, 3),
				       pair_sge(pair, 1, 2048, 50) };

	arrange_no_receive(pair);
	pair_post_recv(pair, 1, 9, sge, 2);
}

static void arrange_bad_receive(struct pair *pair)
{
	struct ibv_sge sge = pair_sge(pair, 1, 1024, 100);

	arrange_no_receive(pair);
	sge.lkey ^= 1;
	pair_post_recv(pair, 1, 9, &sge, 1);
}

static struct uroce_region *region_of(struct pair *pair, unsigned int side)
{
	return uroce_memory_find(pair->side[side].engine.core.memory,
				 pair->side[side].key);
}

static void arrange_other_pd(struct pair *pair)
{
	region_of(pair, 1)->pd++;
}

static void arrange_no_local_write(struct pair *pair)
{
	region_of(pair, 1)->access &= ~(unsigned int)IBV_ACCESS_LOCAL_WRITE;
}

/* The last byte is outside of the region. */
static void arrange_outside(struct pair *pair)
{
	const struct uroce_region *region = region_of(pair, 1);
	struct ibv_sge sge = pair_sge(pair, 1, 0, 8);

	sge.addr = region->iova + region->bytes - 7;
	arrange_no_receive(pair);
	pair_post_recv(pair, 1, 9, &sge, 1);
}

static void arrange_in_front(struct pair *pair)
{
	struct ibv_sge sge = pair_sge(pair, 1, 0, 8);

	sge.addr = region_of(pair, 1)->iova - 1;
	arrange_no_receive(pair);
	pair_post_recv(pair, 1, 9, &sge, 1);
}

static void arrange_gap(struct pair *pair)
{
	struct uroce_responder *resp = &pair->side[1].qp->roce->resp;

	resp->epsn = (resp->epsn - 1) & UROCE_PSN_MASK;
}

static void arrange_repetition(struct pair *pair)
{
	struct uroce_responder *resp = &pair->side[1].qp->roce->resp;

	resp->epsn = (resp->epsn + 1) & UROCE_PSN_MASK;
}

static void arrange_no_rights(struct pair *pair)
{
	pair->side[1].qp->access = 0;
}

static void arrange_full_cq(struct pair *pair)
{
	struct uroce_cq *cq = &pair->side[1].recv_cq;

	cq->ring.size = uroce_ring_used(&cq->ring);
}

static void arrange_limit(struct pair *pair)
{
	pair->side[1].rq.limit = 2;
}

static void arrange_error(struct pair *pair)
{
	uroce_qp_fault(pair->side[1].qp, UROCE_FAULT_QP, IBV_WC_SUCCESS);
	uroce_core_apply_faults(pair->side[1].qp->core, pair->now);
}

static void arrange_nak(struct pair *pair)
{
	struct uroce_responder *resp = &pair->side[1].qp->roce->resp;

	resp->reply = UROCE_REPLY_NAK;
	resp->syndrome = UROCE_AETH_NAK | UROCE_NAK_PSN_SEQ;
	resp->ack_psn = resp->epsn;
	resp->nak_sent = true;
	resp->dropped_psn = (resp->epsn + 1) & UROCE_PSN_MASK;
	uroce_engine_activate(&pair->side[1].engine, pair->side[1].qp);
}

/* The NAK was for a packet that has arrived since. */
static void arrange_nak_sent(struct pair *pair)
{
	pair->side[1].qp->roce->resp.nak_sent = true;
}

/* The first packet raises an event. */
static void arrange_not_established(struct pair *pair)
{
	pair->side[1].qp->state = IBV_QPS_RTR;
	pair->side[1].qp->roce->resp.established = false;
}

static void arrange_message(struct pair *pair)
{
	pair->side[1].qp->roce->resp.message = UROCE_MESSAGE_WRITE;
}

static void arrange_no_resources(struct pair *pair)
{
	pair->side[1].qp->roce->resp.max_resources = 0;
}

static void arrange_armed_cqs(struct pair *pair)
{
	struct uroce_cq *cqs[] = { &pair->side[1].send_cq,
				   &pair->side[1].recv_cq };

	for (int i = 0; i < 2; i++) {
		cqs[i]->has_channel = true;
		uroce_cq_arm(cqs[i], i);
	}
}

static void arrange_full_send_cq(struct pair *pair)
{
	struct uroce_cq *cq = &pair->side[1].send_cq;

	cq->ring.size = uroce_ring_used(&cq->ring);
}

/* More requests are outstanding, with and without responses, and some wait. */
static void arrange_mixture(struct pair *pair)
{
	post_one(pair, 1, IBV_WR_SEND, 20);
	post_one(pair, 1, IBV_WR_RDMA_READ, 8);
	post_one(pair, 1, IBV_WR_RDMA_WRITE, 0);
	post_one(pair, 1, IBV_WR_SEND_WITH_IMM, 8);
	lose_all(pair, 1);
	post_one(pair, 1, IBV_WR_SEND, 8);
}

/* One request waits for the ACK of the previous one. */
static void arrange_closed_window(struct pair *pair)
{
	pair->side[1].qp->roce->req.cwnd.packets = 1;
	post_one(pair, 1, IBV_WR_SEND, 8);
	lose_all(pair, 1);
}

static void fast_receive_cumulative_ack_matches_ordinary_path(void **state)
{
	static arrange_fn *const arrangements[] = {
		arrange_mixture,
		arrange_armed_cqs,
		arrange_full_send_cq,
		arrange_closed_window,
	};
	struct pair *pair = fast_compare_new(false);
	uint32_t psn = pair->side[1].qp->roce->req.una_psn;

	pair_free(pair);
	nr_fast = 0;
	for (size_t i = 0; i < sizeof(arrangements) / sizeof(arrangements[0]);
	     i++)
		for (uint32_t n = 0; n < 7; n++) {
			struct change change = no_change;

			change.ack = UROCE_EAGER_ACK |
				     ((psn + n - 1) & UROCE_PSN_MASK);
			compare_pairs(arrangements[i], IBV_WR_SEND, &change,
				      false);
		}
	assert_true(nr_fast > 0);
}

static void fast_receive_any_qp_state_matches_ordinary_path(void **state)
{
	static arrange_fn *const arrangements[] = {
		arrange_no_receive,
		arrange_short_receive,
		arrange_two_sges,
		arrange_bad_receive,
		arrange_other_pd,
		arrange_no_local_write,
		arrange_outside,
		arrange_in_front,
		arrange_gap,
		arrange_repetition,
		arrange_no_rights,
		arrange_full_cq,
		arrange_limit,
		arrange_error,
		arrange_nak,
		arrange_message,
		arrange_no_resources,
		arrange_nak_sent,
		arrange_not_established,
		arrange_armed_cqs,
		arrange_full_send_cq,
		arrange_mixture,
	};

	for (size_t i = 0; i < sizeof(arrangements) / sizeof(arrangements[0]);
	     i++)
		for (size_t op = 0; op < NR_OPS; op++) {
			compare_pairs(arrangements[i], opcodes[op], &no_change,
				      false);
			compare_pairs(arrangements[i], opcodes[op], &no_change,
				      true);
		}
}

/* The fast path must leave these requests to the ordinary path. */
static void fast_next_leaves_unusual_requests_to_ordinary_path(void **state)
{
	struct pair *pair = fast_compare_new(false);
	struct uroce_qp *qp = pair->side[0].qp;
	struct uroce_eager_entry eager;

	assert_false(uroce_fast_next(qp, pair->now, &eager));
	post_one(pair, 0, IBV_WR_RDMA_READ, 8);
	assert_false(uroce_fast_next(qp, pair->now, &eager));
	pair_run(pair);
	post_one(pair, 0, IBV_WR_RDMA_WRITE, UROCE_CHANNEL_MTU + 1);
	assert_false(uroce_fast_next(qp, pair->now, &eager));
	pair_run(pair);
	post_one(pair, 0, IBV_WR_ATOMIC_FETCH_AND_ADD, 4);
	assert_false(uroce_fast_next(qp, pair->now, &eager));
	pair_free(pair);
}

static void fast_next_closed_window_sends_nothing(void **state)
{
	struct pair *pair = fast_compare_new(false);
	struct uroce_qp *qp = pair->side[0].qp;
	struct uroce_eager_entry eager;

	qp->roce->req.cwnd.packets = 2;
	for (int i = 0; i < 3; i++)
		post_one(pair, 0, IBV_WR_RDMA_WRITE, 8);
	assert_true(uroce_fast_next(qp, pair->now, &eager));
	assert_true(uroce_fast_next(qp, pair->now, &eager));
	assert_false(uroce_fast_next(qp, pair->now, &eager));
	assert_false(uroce_fast_is_idle(qp));
	pair_free(pair);
}

/* At most max_rd_atomic requests are outstanding. */
static void fast_next_atomics_are_limited_by_max_rd_atomic(void **state)
{
	struct pair *pair = fast_compare_new(false);
	struct uroce_qp *qp = pair->side[0].qp;
	struct uroce_eager_entry eager;
	int nr = 0;

	for (int i = 0; i < qp->max_rd_atomic + 2; i++)
		post_one(pair, 0, IBV_WR_ATOMIC_FETCH_AND_ADD, 8);
	while (uroce_fast_next(qp, pair->now, &eager))
		nr++;
	assert_int_equal(nr, qp->max_rd_atomic);
	pair_free(pair);
}

/* The next request carries the pending ACK, once. */
static void fast_next_request_carries_pending_ack(void **state)
{
	struct pair *pair = fast_compare_new(false);
	struct uroce_qp *qp = pair->side[1].qp;
	struct uroce_eager_entry eager;

	arrange_usual(pair);
	eager = request_of(pair, IBV_WR_SEND);
	receive_packet(pair, &eager, true);
	assert_false(uroce_fast_is_idle(qp));
	post_one(pair, 1, IBV_WR_SEND, 8);
	assert_true(uroce_fast_next(qp, pair->now, &eager));
	assert_int_equal(eager.ack,
			 UROCE_EAGER_ACK |
				 ((qp->roce->resp.epsn - 1) & UROCE_PSN_MASK));
	assert_int_equal(qp->roce->resp.reply, UROCE_REPLY_NONE);
	post_one(pair, 1, IBV_WR_SEND, 8);
	assert_true(uroce_fast_next(qp, pair->now, &eager));
	assert_int_equal(eager.ack, 0);
	assert_true(uroce_fast_is_idle(qp));
	pair_free(pair);
}

static void fast_receive_ack_opens_window(void **state)
{
	struct pair *pair = fast_compare_new(false);
	struct pair_side *requester = &pair->side[0],
			 *responder = &pair->side[1];
	struct uroce_eager_entry request, ack = {};
	struct uroce_out out;
	int len;

	requester->qp->roce->req.cwnd.packets = 1;
	request = request_of(pair, IBV_WR_RDMA_WRITE);
	post_one(pair, 0, IBV_WR_RDMA_WRITE, 8);
	assert_false(uroce_engine_next(&requester->engine, pair->now, &out));
	assert_true(uroce_fast_receive(&responder->engine, &responder->channel,
				       &request, pair->now));
	assert_true(uroce_engine_next(&responder->engine, pair->now, &out));
	len = uroce_wire_encode(&out.packet, ack.header);
	assert_in_range(len, 1, UROCE_EAGER_HEADER);
	ack.header_len = (uint32_t)len;
	assert_true(uroce_fast_receive(&requester->engine, &requester->channel,
				       &ack, pair->now));
	expect(&requester->send_cq, 77, IBV_WC_SUCCESS);
	assert_true(uroce_engine_next(&requester->engine, pair->now, &out));
	pair_free(pair);
}

/* A message carries an ACK for side 1, which is postponed. */
static void postpone_ack(struct pair *pair)
{
	struct pair_side *side = &pair->side[1];
	struct uroce_eager_entry eager;

	arrange_usual(pair);
	eager = request_of(pair, IBV_WR_SEND);
	eager.ack = UROCE_EAGER_ACK | side->qp->roce->req.una_psn;
	side->engine.may_postpone_ack = true;
	assert_true(uroce_fast_receive(&side->engine, &side->channel, &eager,
				       pair->now));
	side->engine.may_postpone_ack = false;
	expect(&side->recv_cq, 0, IBV_WC_SUCCESS);
	expect_none(&side->send_cq);
	assert_true(uroce_fast_has_postponed(side->qp));
}

static struct pair *new_late_pair(void)
{
	struct pair *pair = fast_compare_new(false);

	postpone_ack(pair);
	return pair;
}

static void fast_catch_up_applies_deferred_ack(void **state)
{
	struct pair *pair = new_late_pair();
	struct uroce_engine *engine = &pair->side[1].engine;

	uroce_fast_catch_up(engine, pair->now);
	expect(&pair->side[1].send_cq, 77, IBV_WC_SUCCESS);
	assert_true(list_empty(&engine->postponed_acks));
	pair_free(pair);
}

static void fast_receive_next_packet_applies_deferred_ack(void **state)
{
	struct pair *pair = new_late_pair();
	struct uroce_engine *engine = &pair->side[1].engine;
	struct uroce_eager_entry eager;

	eager = request_of(pair, IBV_WR_SEND);
	assert_true(uroce_fast_receive(engine, &pair->side[1].channel, &eager,
				       pair->now));
	expect(&pair->side[1].send_cq, 77, IBV_WC_SUCCESS);
	expect(&pair->side[1].recv_cq, 1, IBV_WC_SUCCESS);
	assert_true(list_empty(&engine->postponed_acks));
	pair_free(pair);
}

static void fast_receive_postpones_ack_of_each_qp(void **state)
{
	struct pair_options o = pair_defaults();
	struct pair_side *side;
	struct pair *pair;

	o.bound = true;
	o.nr_qps = 2;
	pair = pair_new(&o);
	side = &pair->side[1];
	postpone_ack(pair);
	pair_use_qp(pair, 1);
	postpone_ack(pair);
	assert_true(uroce_fast_has_postponed(side->qps[0]));
	uroce_fast_catch_up_qp(side->qps[1], pair->now);
	expect(&side->send_cq, 77, IBV_WC_SUCCESS);
	expect_none(&side->send_cq);
	uroce_fast_catch_up(&side->engine, pair->now);
	expect(&side->send_cq, 77, IBV_WC_SUCCESS);
	pair_free(pair);
}

static void fast_catch_up_ignores_failed_qp(void **state)
{
	struct pair *pair = new_late_pair();

	uroce_qp_fault(pair->side[1].qp, UROCE_FAULT_QP, IBV_WC_SUCCESS);
	uroce_core_apply_faults(pair->side[1].qp->core, pair->now);
	expect(&pair->side[1].send_cq, 77, IBV_WC_WR_FLUSH_ERR);
	uroce_fast_catch_up(&pair->side[1].engine, pair->now);
	expect_none(&pair->side[1].send_cq);
	pair_free(pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fast_receive_accepts_valid_packets),
		cmocka_unit_test(
			fast_receive_damaged_header_matches_ordinary_path),
		cmocka_unit_test(fast_receive_any_length_matches_ordinary_path),
		cmocka_unit_test(
			fast_receive_carried_ack_matches_ordinary_path),
		cmocka_unit_test(
			fast_receive_cumulative_ack_matches_ordinary_path),
		cmocka_unit_test(
			fast_receive_any_qp_state_matches_ordinary_path),
		cmocka_unit_test(
			fast_next_leaves_unusual_requests_to_ordinary_path),
		cmocka_unit_test(fast_next_closed_window_sends_nothing),
		cmocka_unit_test(
			fast_next_atomics_are_limited_by_max_rd_atomic),
		cmocka_unit_test(fast_next_request_carries_pending_ack),
		cmocka_unit_test(fast_receive_ack_opens_window),
		cmocka_unit_test(fast_catch_up_applies_deferred_ack),
		cmocka_unit_test(fast_receive_next_packet_applies_deferred_ack),
		cmocka_unit_test(fast_receive_postpones_ack_of_each_qp),
		cmocka_unit_test(fast_catch_up_ignores_failed_qp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
