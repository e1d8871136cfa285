/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rules of the protocol that a transfer would survive without, only slower, or
 * only with a lenient peer.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "uroce_expect.h"

#define MTU 1024

static uint32_t psn_of(uint32_t first, uint32_t n)
{
	return (first + n) & 0xffffff;
}

/* Recorded responses of side 1. */
struct seen {
	struct uroce_packet packet[64];
	unsigned int nr;
};

static enum pair_action keep_responses(struct pair *pair, unsigned int from,
				       const struct uroce_packet *packet)
{
	struct seen *seen = pair->filter_data;

	if (from == 1 && seen->nr < 64)
		seen->packet[seen->nr++] = *packet;
	return PAIR_PASS;
}

static struct uroce_packet request_packet(const struct pair *pair, uint8_t op,
					  uint32_t n)
{
	return (struct uroce_packet){
		.path = &pair->side[0].path,
		.opcode = op,
		.pkey = UROCE_PKEY_DEFAULT,
		.dest_qpn = pair->side[1].qp->qpn,
		.psn = psn_of(pair->side[1].qp->rq_psn, n),
		.ack_req = true,
		.va = PAIR_IOVA + TARGET,
		.rkey = pair->side[1].key,
		.dma_len = 8,
	};
}

static void inject_packet(struct pair *pair, struct uroce_packet packet,
			  uint32_t len)
{
	packet.payload_len = len;
	pair_inject(pair, 0, &packet, "eight...");
}

/* WRITE, READ of two packets, WRITE. */
static void protocol_msn_counts_messages(void **state)
{
	struct pair_options o = pair_defaults();
	struct pair *pair = pair_new(&o);
	struct uroce_packet read = request_packet(pair, UROCE_READ_REQUEST, 1);
	struct uroce_packet again;
	struct seen seen = {};

	pair->filter = keep_responses;
	pair->filter_data = &seen;
	read.dma_len = 2 * MTU;
	inject_packet(pair, request_packet(pair, UROCE_WRITE_ONLY, 0), 8);
	inject_packet(pair, read, 0);
	inject_packet(pair, request_packet(pair, UROCE_WRITE_ONLY, 3), 8);
	pair_run(pair);
	assert_int_equal(seen.nr, 3);
	assert_int_equal(seen.packet[0].opcode, UROCE_READ_RESP_FIRST);
	assert_int_equal(seen.packet[0].msn, 2);
	assert_int_equal(seen.packet[0].syndrome, 0x1f);
	assert_int_equal(seen.packet[1].opcode, UROCE_READ_RESP_LAST);
	assert_int_equal(seen.packet[1].msn, 2);
	assert_int_equal(seen.packet[2].opcode, UROCE_ACKNOWLEDGE);
	assert_int_equal(seen.packet[2].msn, 3);
	assert_int_equal(seen.packet[2].psn, read.psn + 2);

	/* the first again: acknowledged, but not beyond the READ behind it */
	inject_packet(pair, request_packet(pair, UROCE_WRITE_ONLY, 0), 8);
	pair_run(pair);
	assert_int_equal(seen.nr, 4);
	assert_int_equal(seen.packet[3].opcode, UROCE_ACKNOWLEDGE);
	assert_int_equal(seen.packet[3].psn, psn_of(read.psn, UINT32_MAX));
	assert_int_equal(seen.packet[3].syndrome, 0x1f);
	/* without an ACK request there is no ACK */
	again = request_packet(pair, UROCE_WRITE_ONLY, 0);
	again.ack_req = false;
	inject_packet(pair, again, 8);
	pair_run(pair);
	assert_int_equal(seen.nr, 4);
	/* the last again: everything is acknowledged */
	inject_packet(pair, request_packet(pair, UROCE_WRITE_ONLY, 3), 8);
	pair_run(pair);
	assert_int_equal(seen.packet[4].psn, read.psn + 2);
	pair_free(pair);
}

static void protocol_message_is_segmented_by_mtu(void **state)
{
	for (int mtu = IBV_MTU_256; mtu <= IBV_MTU_4096; mtu++) {
		struct pair_options o = pair_defaults();
		uint32_t bytes = 128u << mtu;
		struct uroce_out out;
		struct pair *pair;

		o.mtu = (enum ibv_mtu)mtu;
		pair = pair_new(&o);
		post(pair, 1, IBV_WR_RDMA_WRITE, 2 * bytes + 1);
		for (uint32_t i = 0; i < 3; i++) {
			assert_true(uroce_engine_next(&pair->side[0].engine,
						      pair->now, &out));
			assert_int_equal(out.packet.payload_len,
					 i < 2 ? bytes : 1);
		}
		assert_false(uroce_engine_next(&pair->side[0].engine, pair->now,
					       &out));
		pair_free(pair);
	}
}

/* Every 16 packets, and at the end of a message. */
static void protocol_ack_is_requested_every_16_packets(void **state)
{
	static const uint32_t sizes[] = { 1, 16 * MTU, 17 * MTU, 40 * MTU };
	static const unsigned int expected_nr[] = { 1, 1, 2, 3 };

	for (size_t i = 0; i < 4; i++) {
		struct pair_options o = pair_defaults();
		struct pair *pair = pair_new(&o);
		struct uroce_out out;
		unsigned int nr = 0;

		post(pair, 1, IBV_WR_RDMA_WRITE, sizes[i]);
		while (uroce_engine_next(&pair->side[0].engine, pair->now,
					 &out))
			nr += out.packet.ack_req;
		assert_int_equal(nr, expected_nr[i]);
		pair_free(pair);
	}
}

static void protocol_outstanding_packets_are_limited_by_window(void **state)
{
	struct pair_options o = pair_defaults();
	struct pair *pair = pair_new(&o);
	struct uroce_out out = {};
	unsigned int nr = 0;

	post(pair, 1, IBV_WR_RDMA_WRITE, 300 * MTU);
	while (uroce_engine_next(&pair->side[0].engine, pair->now, &out))
		nr++;
	assert_int_equal(nr, 64);
	assert_true(out.packet.ack_req); /* otherwise the window would never
					    open again */
	pair_free(pair);
}

static void protocol_window_grows_to_limit(void **state)
{
	struct pair_options o = pair_defaults();
	struct pair *pair = pair_new(&o);

	for (uint64_t i = 0; i < 100; i++) {
		post(pair, i, IBV_WR_RDMA_WRITE, 700000);
		pair_run(pair);
	}
	assert_int_equal(pair->side[0].qp->roce->req.cwnd.packets,
			 (256 << 10) / MTU);
	pair_free(pair);
}

/* After a full PSN range an old READ would look like a new one. */
static void protocol_responder_resource_expires_after_psn_wrap(void **state)
{
	struct pair_options o = pair_defaults();
	struct pair *pair = pair_new(&o);
	struct uroce_responder *resp = &pair->side[1].qp->roce->resp;
	uint32_t much = (1u << 20) + 10;

	inject_packet(pair, request_packet(pair, UROCE_READ_REQUEST, 0), 0);
	pair_run(pair);
	assert_int_equal(resp->resource[0].op, UROCE_READ_REQUEST);
	/* simulates that many requests; the next one is on a boundary */
	resp->epsn = (resp->epsn + much) & 0xf00000;
	resp->epsn = (resp->epsn + 0xfffff) & 0xffffff;
	pair->side[1].qp->rq_psn = resp->epsn;
	inject_packet(pair, request_packet(pair, UROCE_WRITE_ONLY, 0), 8);
	pair_run(pair);
	assert_int_equal(resp->resource[0].op, 0);
	pair_free(pair);
}

/* Drops packets of side 0: each one after the NAK for the previous one. */
struct losses {
	uint32_t psn[4];
	unsigned int nr;
};

static enum pair_action lose_after_nak(struct pair *pair, unsigned int from,
				       const struct uroce_packet *packet)
{
	struct losses *losses = pair->filter_data;

	if (from != 0 || losses->nr == 4 ||
	    packet->psn != losses->psn[losses->nr] ||
	    pair_count(pair, 0, UROCE_C_NAKS_SEQ) != losses->nr)
		return PAIR_PASS;
	losses->nr++;
	return PAIR_DROP;
}

static void protocol_gap_is_retransmitted_without_timeout(void **state)
{
	struct pair_options o = pair_defaults();
	struct pair *pair;
	struct losses losses = {
		.psn = { psn_of(o.psn, 3), psn_of(o.psn, 9), psn_of(o.psn, 17),
			 psn_of(o.psn, 30) },
	};
	uint32_t window;

	o.go_back_n = true;
	pair = pair_new(&o);
	window = pair->side[0].qp->roce->req.cwnd.packets;
	pair->filter = lose_after_nak;
	pair->filter_data = &losses;
	post(pair, 1, IBV_WR_RDMA_WRITE, 60 * MTU);
	pair_run(pair);
	expect(&pair->side[0].send_cq, 1, IBV_WC_SUCCESS);
	assert_int_equal(pair_count(pair, 0, UROCE_C_TIMEOUTS), 0);
	assert_int_equal(pair_count(pair, 0, UROCE_C_NAKS_SEQ), 4);
	/* 0.7 of it each time, and little growth since */
	assert_in_range(pair->side[0].qp->roce->req.cwnd.packets, window / 6,
			window / 3);
	pair_free(pair);
}

static enum pair_action lose_read_data(struct pair *pair, unsigned int from,
				       const struct uroce_packet *packet)
{
	unsigned int *nr = pair->filter_data;

	if (from == 1 &&
	    (packet->traits || packet->opcode == 0x0e ||
	     packet->opcode == 0x10) &&
	    (*nr)++ % 50 == 10)
		return PAIR_DROP;
	return PAIR_PASS;
}

/* A READ of several parts: a repeated READ request ends at the same address. */
static void protocol_long_read_with_losses_completes(void **state)
{
	struct pair_options o = pair_defaults();
	struct pair *pair;
	unsigned int nr = 0;

	o.go_back_n = true;
	pair = pair_new(&o);
	for (uint32_t i = 0; i < 300000; i++)
		pair->side[1].memory[TARGET + i] = (uint8_t)(i * 7 >> 3);
	pair->filter = lose_read_data;
	pair->filter_data = &nr;
	post(pair, 1, IBV_WR_RDMA_READ, 300000);
	pair_run(pair);
	expect(&pair->side[0].send_cq, 1, IBV_WC_SUCCESS);
	assert_memory_equal(pair->side[0].memory, pair->side[1].memory + TARGET,
			    300000);
	assert_true(nr > 300);
	assert_int_equal(pair_count(pair, 1, UROCE_C_BAD_DUPLICATE), 0);
	assert_true(pair_count(pair, 1, UROCE_C_DUPLICATES) > 0);
	pair_free(pair);
}

static enum pair_action lose_one_response(struct pair *pair, unsigned int from,
					  const struct uroce_packet *packet)
{
	bool *lost = pair->filter_data;

	if (from == 0 || *lost || packet->opcode == UROCE_ACKNOWLEDGE)
		return PAIR_PASS;
	*lost = true;
	return PAIR_DROP;
}

/* The ACK of the later WRITE implies that the response is lost. */
static void protocol_lost_read_response_is_implied_by_later_ack(void **state)
{
	struct pair_options o = pair_defaults();
	struct pair *pair = pair_new(&o);
	bool lost = false;

	pair->filter = lose_one_response;
	pair->filter_data = &lost;
	post(pair, 1, IBV_WR_RDMA_READ, 10);
	post(pair, 2, IBV_WR_RDMA_WRITE, 10);
	pair_run(pair);
	assert_true(lost);
	expect(&pair->side[0].send_cq, 1, IBV_WC_SUCCESS);
	expect(&pair->side[0].send_cq, 2, IBV_WC_SUCCESS);
	assert_int_equal(pair_count(pair, 0, UROCE_C_IMPLIED_NAKS), 1);
	assert_int_equal(pair_count(pair, 0, UROCE_C_TIMEOUTS), 0);
	pair_free(pair);
}

/* Each message may get as many RNR NAKs as the first one. */
static void protocol_rnr_retry_counts_per_message(void **state)
{
	struct pair_options o = pair_defaults();
	struct pair *pair;

	o.rnr_retry = 2;
	o.min_rnr_timer = 14; /* 1.28 ms */
	pair = pair_new(&o);
	for (uint64_t i = 0; i < 5; i++) {
		post(pair, i, IBV_WR_SEND, 10);
		pair_run_until(pair, pair->now + 2000000); /* two NAKs */
		post_recv(pair, i, 5000);
		pair_run(pair);
		expect(&pair->side[0].send_cq, i, IBV_WC_SUCCESS);
	}
	assert_int_equal(pair_count(pair, 0, UROCE_C_NAKS_RNR), 10);
	pair_free(pair);
}

/* A duplicate NAK counts once. */
static void protocol_duplicate_rnr_nak_counts_once(void **state)
{
	struct pair_options o = pair_defaults();
	struct pair *pair;

	o.rnr_retry = 1;
	o.min_rnr_timer = 14; /* 1.28 ms */
	pair = pair_new(&o);
	pair->faults.duplicate = 1000;
	post(pair, 1, IBV_WR_SEND, 10);
	pair_run_until(pair, pair->now + 1000000);
	assert_int_equal(pair_count(pair, 0, UROCE_C_NAKS_RNR), 2);
	post_recv(pair, 5, 5000);
	pair_run(pair);
	expect(&pair->side[0].send_cq, 1, IBV_WC_SUCCESS);
	pair_free(pair);
}

static enum pair_action drop_all(struct pair *pair, unsigned int from,
				 const struct uroce_packet *packet)
{
	return PAIR_DROP;
}

/* A key must not change while a request that uses it may be retransmitted. */
static void protocol_bind_waits_for_outstanding_requests(void **state)
{
	struct pair_options o = pair_defaults();
	struct pair *pair = pair_new(&o);
	struct uroce_region window = { .pd = PAIR_PD,
				       .kind = UROCE_REGION_WINDOW_2 };
	struct uroce_send_wqe bind = { .wr_id = 2,
				       .opcode = IBV_WR_BIND_MW,
				       .flags = IBV_SEND_SIGNALED };
	struct uroce_memory *memory = pair->side[0].engine.core.memory;
	uint32_t key;

	assert_int_equal(uroce_memory_add(memory, &window, &key), 0);
	bind.bind.window_key = key;
	bind.bind.new_key = key;
	bind.bind.memory_key = pair->side[0].key;
	bind.bind.access = IBV_ACCESS_REMOTE_WRITE;
	bind.bind.va = PAIR_IOVA;
	bind.bind.bytes = 10;
	pair->filter = drop_all;
	post(pair, 1, IBV_WR_RDMA_WRITE, 10);
	pair_post(pair, 0, &bind, NULL);
	(void)pair_step(pair);
	assert_int_equal(uroce_memory_find(memory, key)->bytes, 0);
	pair->filter = NULL;
	pair_run(pair);
	expect(&pair->side[0].send_cq, 1, IBV_WC_SUCCESS);
	expect(&pair->side[0].send_cq, 2, IBV_WC_SUCCESS);
	assert_int_equal(uroce_memory_find(memory, key)->bytes, 10);
	pair_free(pair);
}

/* Neither an aligned remote address nor an aligned local address is enough. */
static void protocol_atomic_needs_aligned_va_and_address(void **state)
{
	for (int how = 0; how < 2; how++) {
		struct pair_options o = pair_defaults();
		struct pair *pair = pair_new(&o);
		struct uroce_region region = {
			.base = pair->side[1].memory + 4,
			.iova = PAIR_IOVA,
			.bytes = 100,
			.pd = PAIR_PD,
			.access = PAIR_ALL_RIGHTS,
			.kind = UROCE_REGION_MEMORY,
		};
		struct uroce_packet packet;

		packet = request_packet(pair, UROCE_FETCH_ADD, 0);
		packet.va = PAIR_IOVA + (how ? 4 : 8);
		assert_int_equal(
			uroce_memory_add(pair->side[1].engine.core.memory,
					 &region, &packet.rkey),
			0);
		inject_packet(pair, packet, 0);
		pair_run(pair);
		assert_int_equal(pair_count(pair, 1, UROCE_C_MISALIGNED), 1);
		pair_free(pair);
	}
}

/* The PSN of a damaged packet says nothing about a gap. */
static void protocol_bad_icrc_out_of_sequence_sends_no_nak(void **state)
{
	static const uint32_t psns[] = { 0, 2 };

	for (size_t i = 0; i < 2; i++) {
		struct pair_options o = pair_defaults();
		struct seen seen = {};
		struct pair *pair;

		o.ipv6 = true;
		pair = pair_new(&o);
		pair->filter = keep_responses;
		pair->filter_data = &seen;
		inject_packet(pair, request_packet(pair, UROCE_WRITE_ONLY, 0),
			      8);
		pair_run(pair);
		assert_int_equal(seen.nr, 1);
		inject_packet(pair,
			      request_packet(pair, UROCE_SEND_ONLY, psns[i]),
			      8);
		pair_first_datagram(pair)->bytes[UROCE_BTH_LEN] ^= 1;
		pair_run(pair);
		assert_int_equal(seen.nr, 1);
		assert_int_equal(pair_count(pair, 1, UROCE_C_BAD_ICRC), 1);
		pair_free(pair);
	}
}

static struct uroce_qp *second_datagram_qp(struct pair *pair)
{
	struct pair_side *side = &pair->side[1];
	struct uroce_qp_config config = {
		.type = IBV_QPT_UD,
		.pd = PAIR_PD,
		.rq = &side->rq,
		.send_cq = &side->send_cq,
		.recv_cq = &side->recv_cq,
	};
	struct uroce_qp *qp;

	assert_int_equal(
		uroce_engine_new_qp(&side->engine, &config, pair->now, &qp), 0);
	qp->state = IBV_QPS_RTR;
	qp->qkey = side->qp->qkey;
	return qp;
}

/* Each QP of a group gets a valid packet, and none gets a damaged one. */
static void protocol_multicast_verifies_icrc_for_every_qp(void **state)
{
	struct pair_options o = pair_defaults();
	struct uroce_packet packet;
	struct uroce_cqe cqe;
	struct uroce_qp *other;
	struct pair *pair;
	const uint8_t *gid;

	o.type = IBV_QPT_UD;
	o.ipv6 = true;
	o.shared = true;
	pair = pair_new(&o);
	gid = pair->side[1].path.sgid;
	other = second_datagram_qp(pair);
	assert_int_equal(uroce_engine_attach(&pair->side[1].engine,
					     pair->side[1].qp, gid),
			 0);
	assert_int_equal(uroce_engine_attach(&pair->side[1].engine, other, gid),
			 0);
	for (uint64_t i = 0; i < 4; i++)
		post_recv(pair, i, 5000);
	packet = request_packet(pair, UROCE_UD | UROCE_SEND_ONLY, 0);
	packet.dest_qpn = UROCE_QPN_MULTICAST;
	packet.qkey = pair->side[1].qp->qkey;
	inject_packet(pair, packet, 8);
	pair_first_datagram(pair)->bytes[30] ^= 1;
	pair_run(pair);
	assert_int_equal(pair_count(pair, 1, UROCE_C_BAD_ICRC), 1);
	assert_false(pair_poll(&pair->side[1].recv_cq, &cqe));
	inject_packet(pair, packet, 8);
	pair_run(pair);
	expect(&pair->side[1].recv_cq, 0, IBV_WC_SUCCESS);
	expect(&pair->side[1].recv_cq, 1, IBV_WC_SUCCESS);
	assert_false(pair_poll(&pair->side[1].recv_cq, &cqe));
	uroce_engine_free_qp(&pair->side[1].engine, other, pair->now, 0);
	/* a removed QP has left its groups */
	inject_packet(pair, packet, 8);
	pair_run(pair);
	expect(&pair->side[1].recv_cq, 2, IBV_WC_SUCCESS);
	assert_false(pair_poll(&pair->side[1].recv_cq, &cqe));
	pair_free(pair);
}

/* 0x80000000 and above select the Q_Key of the QP itself. */
static void protocol_controlled_qkey_sends_qkey_of_qp(void **state)
{
	struct pair_options o = pair_defaults();
	struct ibv_sge sge;
	struct uroce_send_wqe wqe = { .opcode = IBV_WR_SEND, .nr_sge = 1 };
	struct uroce_out out;
	struct pair *pair;

	o.type = IBV_QPT_UD;
	pair = pair_new(&o);
	sge = pair_sge(pair, 0, 0, 10);
	wqe.ud.path = pair->side[0].path;
	wqe.ud.qkey = 0x80000000;
	pair_post(pair, 0, &wqe, &sge);
	assert_true(uroce_engine_next(&pair->side[0].engine, pair->now, &out));
	assert_int_equal(out.packet.qkey, 0x1ee7);
	wqe.ud.qkey = 0x7fffffff;
	pair_post(pair, 0, &wqe, &sge);
	assert_true(uroce_engine_next(&pair->side[0].engine, pair->now, &out));
	assert_int_equal(out.packet.qkey, 0x7fffffff);
	pair_free(pair);
}

/*
 * UC has no window, so only its turn limits the packets that it sends at a
 * time.
 */
static void protocol_uc_qps_send_in_turns(void **state)
{
	struct pair_options o = pair_defaults();
	struct uroce_qp_config config;
	struct uroce_send_wqe wqe = { .opcode = IBV_WR_SEND, .nr_sge = 1 };
	struct uroce_send_wqe *slot;
	struct pair_side *side;
	struct uroce_qp *other;
	struct uroce_out out;
	struct ibv_sge sge;
	unsigned int nr[2] = {};
	struct pair *pair;

	o.type = IBV_QPT_UC;
	pair = pair_new(&o);
	side = &pair->side[0];
	config = (struct uroce_qp_config){ .type = IBV_QPT_UC,
					   .pd = PAIR_PD,
					   .max_send_wr = 4,
					   .max_send_sge = 1,
					   .rq = &side->rq,
					   .send_cq = &side->send_cq,
					   .recv_cq = &side->recv_cq };
	assert_int_equal(
		uroce_engine_new_qp(&side->engine, &config, pair->now, &other),
		0);
	other->state = IBV_QPS_RTS;
	sge = pair_sge(pair, 0, 0, 300000);
	pair_post(pair, 0, &wqe, &sge);
	slot = uroce_ring_vacant(&other->sq);
	*slot = wqe;
	slot->sge[0] = sge;
	slot->length = sge.length;
	uroce_ring_put(&other->sq);
	uroce_engine_kick(&side->engine, other);
	for (int i = 0; i < 128; i++) {
		assert_true(uroce_engine_next(&side->engine, pair->now, &out));
		nr[out.packet.dest_qpn == other->dest_qpn]++;
	}
	assert_int_equal(nr[0], 64);
	assert_int_equal(nr[1], 64);
	uroce_engine_sent(&side->engine, pair->now);
	uroce_engine_free_qp(&side->engine, other, pair->now, 0);
	pair_free(pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(protocol_msn_counts_messages),
		cmocka_unit_test(protocol_message_is_segmented_by_mtu),
		cmocka_unit_test(protocol_ack_is_requested_every_16_packets),
		cmocka_unit_test(
			protocol_outstanding_packets_are_limited_by_window),
		cmocka_unit_test(protocol_window_grows_to_limit),
		cmocka_unit_test(
			protocol_responder_resource_expires_after_psn_wrap),
		cmocka_unit_test(protocol_gap_is_retransmitted_without_timeout),
		cmocka_unit_test(protocol_long_read_with_losses_completes),
		cmocka_unit_test(
			protocol_lost_read_response_is_implied_by_later_ack),
		cmocka_unit_test(protocol_rnr_retry_counts_per_message),
		cmocka_unit_test(protocol_duplicate_rnr_nak_counts_once),
		cmocka_unit_test(protocol_bind_waits_for_outstanding_requests),
		cmocka_unit_test(protocol_atomic_needs_aligned_va_and_address),
		cmocka_unit_test(
			protocol_bad_icrc_out_of_sequence_sends_no_nak),
		cmocka_unit_test(protocol_multicast_verifies_icrc_for_every_qp),
		cmocka_unit_test(protocol_controlled_qkey_sends_qkey_of_qp),
		cmocka_unit_test(protocol_uc_qps_send_in_turns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
