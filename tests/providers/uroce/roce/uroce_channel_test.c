/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * QPs that are bound to a channel: which packets they accept, and how they
 * behave while the channel is full and after it is lost. Data transfer is
 * tested in uroce_transfer_test.c and uroce_lossy_test.c.
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

static struct pair *new_bound(enum ibv_qp_type type)
{
	struct pair_options o = pair_defaults();

	o.type = type;
	o.bound = true;
	return pair_new(&o);
}

static bool has_packet(struct pair *pair)
{
	struct uroce_out out;
	bool any = uroce_engine_next(&pair->side[0].engine, pair->now, &out);

	uroce_engine_sent(&pair->side[0].engine, pair->now);
	return any;
}

/* -- accepted packets -- */

static void send_one(struct pair *pair, const struct uroce_channel *channel)
{
	static const uint8_t payload[4] = { 1, 2, 3, 4 };
	struct uroce_packet packet = {
		.path = &pair->side[0].path,
		.channel = channel,
		.payload = payload,
		.payload_len = sizeof(payload),
		.traits = UROCE_T_PAYLOAD | UROCE_T_FIRST | UROCE_T_LAST |
			  UROCE_T_SEND,
		.opcode = UROCE_RC | UROCE_SEND_ONLY,
		.pkey = UROCE_PKEY_DEFAULT,
		.dest_qpn = pair->side[1].qp->qpn,
		.psn = pair->side[1].qp->roce->resp.epsn,
	};

	uroce_engine_receive(&pair->side[1].engine, &packet, pair->now);
}

static void channel_bound_qp_drops_packets_of_network_path(void **state)
{
	struct pair *pair = new_bound(IBV_QPT_RC);
	struct pair_options o = pair_defaults();
	struct uroce_channel other;

	uroce_channel_init(&other);
	post_recv(pair, 1, 100);
	send_one(pair, NULL);
	send_one(pair, &other);
	assert_int_equal(pair_count(pair, 1, UROCE_C_BAD_SOURCE), 2);
	expect_none(&pair->side[1].recv_cq);
	send_one(pair, &pair->side[1].channel);
	expect(&pair->side[1].recv_cq, 1, IBV_WC_SUCCESS);

	/* RESET removes the binding */
	pair_reconnect(pair, &o);
	assert_null(pair->side[1].qp->roce->channel);
	assert_true(list_empty(&pair->side[1].channel.qps));
	post_recv(pair, 2, 100);
	send_one(pair, &pair->side[1].channel);
	assert_int_equal(pair_count(pair, 1, UROCE_C_BAD_SOURCE), 3);
	send_one(pair, NULL);
	expect(&pair->side[1].recv_cq, 2, IBV_WC_SUCCESS);
	pair_free(pair);
}

/* A datagram without a path has no source address. */
static void channel_datagram_without_path_is_dropped(void **state)
{
	static const uint8_t group[UROCE_GID_LEN] = { 0xff, 2 };
	struct pair_options o = pair_defaults();
	struct uroce_packet packet = {
		.traits = UROCE_T_PAYLOAD | UROCE_T_FIRST | UROCE_T_LAST |
			  UROCE_T_SEND | UROCE_T_DETH,
		.opcode = UROCE_UD | UROCE_SEND_ONLY,
		.pkey = UROCE_PKEY_DEFAULT,
		.qkey = 0x1ee7,
	};
	struct pair *pair;

	o.type = IBV_QPT_UD;
	pair = pair_new(&o);
	packet.channel = &pair->side[1].channel;
	post_recv(pair, 1, 100);
	assert_int_equal(uroce_engine_attach(&pair->side[1].engine,
					     pair->side[1].qp, group),
			 0);
	packet.dest_qpn = pair->side[1].qp->qpn;
	uroce_engine_receive(&pair->side[1].engine, &packet, pair->now);
	assert_int_equal(pair_count(pair, 1, UROCE_C_BAD_SOURCE), 1);
	packet.dest_qpn = UROCE_QPN_MULTICAST;
	uroce_engine_receive(&pair->side[1].engine, &packet, pair->now);
	assert_int_equal(pair_count(pair, 1, UROCE_C_NO_QP), 1);
	expect_none(&pair->side[1].recv_cq);
	pair_free(pair);
}

/* An ACK that a datagram carries is ignored. */
static void channel_datagram_carries_no_ack(void **state)
{
	struct pair_options o = pair_defaults();
	struct uroce_packet packet = {
		.traits = UROCE_T_PAYLOAD | UROCE_T_FIRST | UROCE_T_LAST |
			  UROCE_T_SEND | UROCE_T_DETH,
		.opcode = UROCE_UD | UROCE_SEND_ONLY,
		.pkey = UROCE_PKEY_DEFAULT,
		.carries_ack = true,
	};
	struct pair *pair = pair_new(&o);

	packet.path = &pair->side[0].path;
	packet.dest_qpn = pair->side[1].qp->qpn;
	packet.carried_psn = pair->side[1].qp->roce->req.una_psn;
	uroce_engine_receive(&pair->side[1].engine, &packet, pair->now);
	assert_int_equal(pair_count(pair, 1, UROCE_C_STALE_ACKS), 0);
	assert_int_equal(pair_count(pair, 1, UROCE_C_BAD_TRANSPORT), 1);
	pair_free(pair);
}

/* -- full -- */

static void channel_full_qp_sends_after_resume(void **state)
{
	struct pair *pair = new_bound(IBV_QPT_RC);
	struct uroce_channel *channel = &pair->side[0].channel;

	channel->full = true;
	post(pair, 1, IBV_WR_RDMA_WRITE, 20000);
	assert_false(has_packet(pair));
	post(pair, 2, IBV_WR_RDMA_WRITE, 10); /* kicks a waiting QP */
	assert_false(has_packet(pair));
	uroce_channel_resume(&pair->side[0].engine, channel);
	assert_false(channel->full);
	assert_true(list_empty(&channel->waiting));
	pair_run(pair);
	expect(&pair->side[0].send_cq, 1, IBV_WC_SUCCESS);
	expect(&pair->side[0].send_cq, 2, IBV_WC_SUCCESS);
	assert_int_equal(pair_count(pair, 0, UROCE_C_TIMEOUTS), 0);
	pair_free(pair);
}

static void channel_full_waiting_qp_can_be_reset(void **state)
{
	struct pair *pair = new_bound(IBV_QPT_RC);
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };
	struct uroce_channel *channel = &pair->side[0].channel;

	channel->full = true;
	post(pair, 1, IBV_WR_RDMA_WRITE, 10);
	assert_false(has_packet(pair));
	assert_false(list_empty(&channel->waiting));
	assert_int_equal(uroce_qp_modify(pair->side[0].qp, &attr, IBV_QP_STATE,
					 IBV_MTU_4096, NULL, pair->now),
			 0);
	assert_true(list_empty(&channel->waiting));
	assert_true(list_empty(&channel->qps));
	uroce_channel_resume(&pair->side[0].engine, channel);
	assert_false(has_packet(pair));
	pair_free(pair);
}

/* -- lost -- */

static void lose_packets(struct pair *pair)
{
	uroce_channel_fail(&pair->side[0].engine, &pair->side[0].channel);
	uroce_engine_sent(&pair->side[0].engine, pair->now);
}

/* From now on the channel drops all packets. */
static void run_lost(struct pair *pair)
{
	struct uroce_engine *engine = &pair->side[0].engine;

	do {
		while (has_packet(pair))
			;
		pair->now = uroce_engine_deadline(engine);
		(void)uroce_engine_expire(engine, pair->now);
		uroce_engine_sent(engine, pair->now);
	} while (uroce_qp_state(pair->side[0].qp) != IBV_QPS_ERR);
}

static void expect_retries_in_vain(struct pair *pair)
{
	uint64_t lost_ns = pair->now;

	run_lost(pair);
	expect(&pair->side[0].send_cq, 1, IBV_WC_RETRY_EXC_ERR);
	assert_int_equal(pair_count(pair, 0, UROCE_C_RETRY_EXCEEDED), 1);
	assert_int_equal(pair_count(pair, 0, UROCE_C_TIMEOUTS), 8);
	/* 8 times 4.096 us * 2^8 */
	assert_in_range(pair->now - lost_ns, 8 * (4096 << 8), 9 * (4096 << 8));
}

/* The peer is stopped, and its ring is full of packets of other QPs. */
static void channel_full_for_ever_exhausts_retries(void **state)
{
	struct pair *pair = new_bound(IBV_QPT_RC);

	pair->side[0].channel.full = true;
	post(pair, 1, IBV_WR_RDMA_WRITE, 20000);
	expect_retries_in_vain(pair);
	assert_int_equal(pair_count(pair, 0, UROCE_C_TX_PACKETS), 0);
	pair_free(pair);
}

/* Room that comes late does not count as a retry. */
static void channel_full_for_some_time_keeps_retries(void **state)
{
	struct pair *pair = new_bound(IBV_QPT_RC);
	struct uroce_engine *engine = &pair->side[0].engine;

	post(pair, 1, IBV_WR_RDMA_WRITE, 10);
	for (int i = 0; i < 20; i++) {
		pair->side[0].channel.full = true;
		assert_false(has_packet(pair));
		pair->now += (4096 << 8) / 2;
		(void)uroce_engine_expire(engine, pair->now);
		uroce_channel_resume(engine, &pair->side[0].channel);
	}
	pair_run(pair);
	expect(&pair->side[0].send_cq, 1, IBV_WC_SUCCESS);
	assert_int_equal(pair_count(pair, 0, UROCE_C_TIMEOUTS), 0);
	pair_free(pair);
}

static void channel_lost_outstanding_requests_exhaust_retries(void **state)
{
	struct pair *pair = new_bound(IBV_QPT_RC);

	post(pair, 1, IBV_WR_RDMA_WRITE, 20000);
	post(pair, 2, IBV_WR_RDMA_WRITE, 10);
	assert_true(has_packet(pair));
	lose_packets(pair);
	expect_none(&pair->side[0].send_cq);
	expect_state(pair, 0, IBV_QPS_RTS);
	expect_retries_in_vain(pair);
	expect(&pair->side[0].send_cq, 2, IBV_WC_WR_FLUSH_ERR);
	expect_none(&pair->side[0].send_cq);
	pair_free(pair);
}

static void channel_lost_waiting_requests_exhaust_retries(void **state)
{
	struct pair *pair = new_bound(IBV_QPT_RC);

	post(pair, 1, IBV_WR_RDMA_WRITE, 20000);
	assert_true(has_packet(pair));
	pair->side[0].channel.full = true;
	while (has_packet(pair))
		;
	assert_false(list_empty(&pair->side[0].channel.waiting));
	lose_packets(pair);
	assert_true(list_empty(&pair->side[0].channel.waiting));
	expect_retries_in_vain(pair);
	pair_free(pair);
}

static void channel_lost_idle_qp_fails_at_next_send(void **state)
{
	struct pair *pair = new_bound(IBV_QPT_RC);

	lose_packets(pair);
	assert_int_equal(uroce_engine_deadline(&pair->side[0].engine),
			 UROCE_NEVER);
	expect_state(pair, 0, IBV_QPS_RTS);
	post(pair, 1, IBV_WR_SEND, 10);
	expect_retries_in_vain(pair);
	pair_free(pair);
}

static struct pair *new_without_timeout(void)
{
	struct pair_options o = pair_defaults();

	o.bound = true;
	o.timeout = 0;
	return pair_new(&o);
}

static void channel_lost_without_timeout_fails_at_once(void **state)
{
	struct pair *pair = new_without_timeout();

	post(pair, 1, IBV_WR_RDMA_WRITE, 20000);
	post(pair, 2, IBV_WR_RDMA_WRITE, 10);
	assert_true(has_packet(pair));
	lose_packets(pair);
	expect(&pair->side[0].send_cq, 1, IBV_WC_RETRY_EXC_ERR);
	expect(&pair->side[0].send_cq, 2, IBV_WC_WR_FLUSH_ERR);
	expect_state(pair, 0, IBV_QPS_ERR);
	pair_free(pair);

	/* the same for a request that is posted later */
	pair = new_without_timeout();
	lose_packets(pair);
	expect_state(pair, 0, IBV_QPS_RTS);
	post(pair, 1, IBV_WR_SEND, 10);
	assert_false(has_packet(pair));
	expect(&pair->side[0].send_cq, 1, IBV_WC_RETRY_EXC_ERR);
	expect_state(pair, 0, IBV_QPS_ERR);
	pair_free(pair);
}

static void channel_lost_uc_qp_stays_in_rts(void **state)
{
	struct pair *pair = new_bound(IBV_QPT_UC);

	lose_packets(pair);
	post(pair, 1, IBV_WR_SEND, 10);
	assert_true(has_packet(pair));
	expect(&pair->side[0].send_cq, 1, IBV_WC_SUCCESS);
	expect_state(pair, 0, IBV_QPS_RTS);
	pair_free(pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			channel_bound_qp_drops_packets_of_network_path),
		cmocka_unit_test(channel_datagram_without_path_is_dropped),
		cmocka_unit_test(channel_datagram_carries_no_ack),
		cmocka_unit_test(channel_full_qp_sends_after_resume),
		cmocka_unit_test(channel_full_waiting_qp_can_be_reset),
		cmocka_unit_test(channel_full_for_ever_exhausts_retries),
		cmocka_unit_test(channel_full_for_some_time_keeps_retries),
		cmocka_unit_test(
			channel_lost_outstanding_requests_exhaust_retries),
		cmocka_unit_test(channel_lost_waiting_requests_exhaust_retries),
		cmocka_unit_test(channel_lost_idle_qp_fails_at_next_send),
		cmocka_unit_test(channel_lost_without_timeout_fails_at_once),
		cmocka_unit_test(channel_lost_uc_qp_stays_in_rts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
