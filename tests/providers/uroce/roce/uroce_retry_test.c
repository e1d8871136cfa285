/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Retried requests: a receiver that is not ready, a peer that sends no
 * response, and the times of both.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "uroce/qp/uroce_sq.h"
#include "uroce/roce/uroce_retry.h"
#include "uroce_expect.h"

static void retry_rnr_exceeded_fails_qp(void **state)
{
	struct pair_options o = pair_defaults();
	struct pair *pair;
	uint64_t start;

	o.rnr_retry = 3;
	o.min_rnr_timer = 14; /* 1.28 ms */
	pair = pair_new(&o);
	start = pair->now;
	post(pair, 1, IBV_WR_SEND, 100);
	post(pair, 2, IBV_WR_SEND, 100);
	pair_run(pair);
	expect(&pair->side[0].send_cq, 1, IBV_WC_RNR_RETRY_EXC_ERR);
	expect(&pair->side[0].send_cq, 2, IBV_WC_WR_FLUSH_ERR);
	assert_int_equal(pair_count(pair, 1, UROCE_C_NO_RECEIVE), 4);
	assert_in_range(pair->now - start, 3 * 1280000, 3 * 1280000 + 20000);
	/* the receiver has made no error */
	expect_state(pair, 1, IBV_QPS_RTS);
	pair_free(pair);
}

static void retry_rnr_infinite_waits_for_receive(void **state)
{
	struct pair_options o = pair_defaults();
	struct pair *pair;

	o.min_rnr_timer = 10; /* 0.32 ms */
	o.rnr_retry = 7;      /* infinite */
	o.retry_cnt = 0;      /* waiting consumes no retry */
	pair = pair_new(&o);
	for (uint64_t i = 0; i < 4; i++)
		post(pair, i, IBV_WR_SEND, 3000);
	pair_run_until(pair, pair->now + 10000000);
	assert_in_range(pair_count(pair, 1, UROCE_C_NO_RECEIVE), 28, 34);
	expect_none(&pair->side[0].send_cq);
	for (uint64_t i = 0; i < 4; i++)
		post_recv(pair, i, 3000);
	pair_run(pair);
	for (uint64_t i = 0; i < 4; i++) {
		expect(&pair->side[0].send_cq, i, IBV_WC_SUCCESS);
		expect(&pair->side[1].recv_cq, i, IBV_WC_SUCCESS);
	}
	assert_int_equal(pair_count(pair, 1, UROCE_C_TOO_LONG), 0);
	pair_free(pair);
}

static struct pair *new_pair(void)
{
	struct pair_options o = pair_defaults();

	return pair_new(&o);
}

/* Drops each packet that follows an RNR NAK, once. */
static enum pair_action lose_every_other(struct pair *pair, unsigned int from,
					 const struct uroce_packet *packet)
{
	uint32_t *nr = pair->filter_data;

	return from == 0 && (*nr)++ % 2 ? PAIR_DROP : PAIR_PASS;
}

/* An RNR NAK proves that the peer is alive, so earlier losses do not count. */
static void retry_rnr_nak_resets_retry_count(void **state)
{
	struct pair_options o = pair_defaults();
	uint32_t nr_sent = 0;
	struct pair *pair;

	o.min_rnr_timer = 10; /* 0.32 ms */
	o.rnr_retry = 7;      /* infinite */
	o.retry_cnt = 1;
	pair = pair_new(&o);
	pair->filter = lose_every_other;
	pair->filter_data = &nr_sent;
	post(pair, 1, IBV_WR_SEND, 100);
	while (pair_count(pair, 0, UROCE_C_TIMEOUTS) < 10)
		assert_true(pair_step(pair));
	expect_none(&pair->side[0].send_cq);
	post_recv(pair, 1, 100);
	pair_run(pair);
	expect(&pair->side[0].send_cq, 1, IBV_WC_SUCCESS);
	pair_free(pair);
}

/* The data of a WRITE arrives before the immediate finds no receive WQE. */
static void retry_write_imm_waits_for_receive(void **state)
{
	struct pair *pair = new_pair();

	memset(pair->side[0].memory, 'x', 5000);
	post(pair, 1, IBV_WR_RDMA_WRITE_WITH_IMM, 5000);
	pair_run_until(pair, pair->now + 100000);
	expect_none(&pair->side[1].recv_cq);
	assert_int_equal(pair->side[1].memory[TARGET], 'x');
	assert_int_equal(pair->side[1].memory[TARGET + 4999], 0);
	post_recv(pair, 5, 0);
	pair_run(pair);
	expect(&pair->side[1].recv_cq, 5, IBV_WC_SUCCESS);
	expect(&pair->side[0].send_cq, 1, IBV_WC_SUCCESS);
	assert_int_equal(pair->side[1].memory[TARGET + 4999], 'x');
	pair_free(pair);
}

static enum pair_action drop_all(struct pair *pair, unsigned int from,
				 const struct uroce_packet *packet)
{
	return PAIR_DROP;
}

static void retry_count_exceeded_fails_qp(void **state)
{
	struct pair_options o = pair_defaults();
	struct pair *pair;
	uint64_t start;

	o.retry_cnt = 3;
	o.timeout = 10; /* 4.2 ms */
	pair = pair_new(&o);
	pair->filter = drop_all;
	start = pair->now;
	post(pair, 1, IBV_WR_RDMA_READ, 100);
	post(pair, 2, IBV_WR_SEND, 100);
	pair_run(pair);
	expect(&pair->side[0].send_cq, 1, IBV_WC_RETRY_EXC_ERR);
	expect(&pair->side[0].send_cq, 2, IBV_WC_WR_FLUSH_ERR);
	expect_state(pair, 0, IBV_QPS_ERR);
	assert_int_equal(pair_count(pair, 0, UROCE_C_TX_PACKETS) -
				 pair_count(pair, 0, UROCE_C_PROBES),
			 2 * 4);
	assert_int_equal(pair_count(pair, 0, UROCE_C_TIMEOUTS), 4);
	assert_int_equal(pair_count(pair, 0, UROCE_C_RETRY_EXCEEDED), 1);
	assert_int_equal(pair->now - start, 4 * (UINT64_C(4096) << 10));
	pair_free(pair);
}

/*
 * Repetitions by the RTT use no retry and start no acknowledge timer again:
 * while the peer is silent, each waits twice as long as the one before.
 */
static void retry_count_is_independent_of_rtt(void **state)
{
	const uint64_t timeout_ns = UINT64_C(4096) << 14;
	struct pair_options o = pair_defaults();
	struct pair *pair;
	uint64_t start, sent;

	o.retry_cnt = 3;
	o.timeout = 14; /* 67 ms */
	pair = pair_new(&o);
	post_recv(pair, 1, 100);
	post(pair, 1, IBV_WR_SEND, 100);
	pair_run(pair);
	expect(&pair->side[0].send_cq, 1, IBV_WC_SUCCESS);
	sent = pair_count(pair, 0, UROCE_C_TX_PACKETS);
	pair->filter = drop_all;
	start = pair->now;
	post(pair, 2, IBV_WR_SEND, 100);
	pair_run(pair);
	expect(&pair->side[0].send_cq, 2, IBV_WC_RETRY_EXC_ERR);
	assert_int_equal(pair_count(pair, 0, UROCE_C_TIMEOUTS), 4);
	assert_int_equal(pair->now - start, 4 * timeout_ns);
	assert_in_range(pair_count(pair, 0, UROCE_C_TX_PACKETS) - sent, 4,
			4 + 7);
	pair_free(pair);
}

/*
 * A stale timestamp lets the timer start again when it expires, or that of the
 * probe, which is 2 ms at least.
 */
static void retry_coarse_clock_expires_no_timer_early(void **state)
{
	const uint64_t timeout_ns = UINT64_C(4096) << 10;
	struct pair_options o = pair_defaults();
	struct pair *pair;
	uint64_t start;

	o.retry_cnt = 3;
	o.timeout = 10;
	pair = pair_new(&o);
	pair->filter = drop_all;
	start = pair->now;
	pair->side[0].engine.stale = true;
	post(pair, 1, IBV_WR_SEND, 100);
	pair_run_until(pair, start + 1000);
	pair->side[0].engine.stale = false;
	pair_run_until(pair, start + timeout_ns + 2000000);
	assert_int_equal(pair_count(pair, 0, UROCE_C_TX_PACKETS) -
				 pair_count(pair, 0, UROCE_C_PROBES),
			 1);
	assert_int_equal(pair_count(pair, 0, UROCE_C_TIMEOUTS), 0);
	pair_run(pair);
	expect(&pair->side[0].send_cq, 1, IBV_WC_RETRY_EXC_ERR);
	assert_int_equal(pair_count(pair, 0, UROCE_C_TIMEOUTS), 4);
	assert_in_range(pair->now - start, 4 * timeout_ns + 2000000,
			5 * timeout_ns);
	pair_free(pair);
}

/* Counts how often each packet of a message was sent. */
struct sent {
	uint32_t psn, times[8];
};

/* Of each flight one packet arrives: the first one not yet received. */
static enum pair_action pass_one(struct pair *pair, unsigned int from,
				 const struct uroce_packet *packet)
{
	struct sent *sent = pair->filter_data;
	uint32_t i;

	if (from == 1)
		return PAIR_PASS;
	i = (packet->psn - sent->psn) & 0xffffff;
	assert_in_range(i, 0, 7);
	return ++sent->times[i] == i + 1 ? PAIR_PASS : PAIR_DROP;
}

/* A flight that advances by one packet is no failed retry. */
static void retry_progress_of_single_packet_resets_count(void **state)
{
	struct pair_options o = pair_defaults();
	struct sent sent = { .psn = o.psn };
	struct pair *pair;

	o.retry_cnt = 1;
	pair = pair_new(&o);
	pair->filter = pass_one;
	pair->filter_data = &sent;
	post_recv(pair, 1, 8 * 1024);
	post(pair, 1, IBV_WR_SEND, 8 * 1024);
	pair_run(pair);
	expect(&pair->side[0].send_cq, 1, IBV_WC_SUCCESS);
	expect(&pair->side[1].recv_cq, 1, IBV_WC_SUCCESS);
	pair_free(pair);
}

static void retry_timeout_zero_waits_forever(void **state)
{
	struct pair_options o = pair_defaults();
	struct pair *pair;

	o.timeout = 0;
	pair = pair_new(&o);
	pair->filter = drop_all;
	post(pair, 1, IBV_WR_SEND, 100);
	pair_run(pair);
	expect_none(&pair->side[0].send_cq);
	assert_int_equal(uroce_engine_deadline(&pair->side[0].engine),
			 UROCE_NEVER);
	expect_state(pair, 0, IBV_QPS_RTS);
	pair_free(pair);
}

static void retry_times_match_ibta_tables(void **state)
{
	assert_int_equal(uroce_sq_rnr_ns(0), 655360000);
	assert_int_equal(uroce_sq_rnr_ns(1), 10000);
	assert_int_equal(uroce_sq_rnr_ns(5), 60000);
	assert_int_equal(uroce_sq_rnr_ns(12), 640000);
	assert_int_equal(uroce_sq_rnr_ns(20), 10240000);
	assert_int_equal(uroce_sq_rnr_ns(31), 491520000);
	/* rises from 1 to 31; 0 is the longest */
	for (uint8_t i = 2; i < 32; i++)
		assert_true(uroce_sq_rnr_ns(i) > uroce_sq_rnr_ns(i - 1));
	assert_true(uroce_sq_rnr_ns(0) > uroce_sq_rnr_ns(31));
	assert_int_equal(uroce_sq_timeout_ns(0), UROCE_NEVER);
	assert_int_equal(uroce_sq_timeout_ns(1), 8192);
	assert_int_equal(uroce_sq_timeout_ns(14), 67108864);
	assert_int_equal(uroce_sq_timeout_ns(31), UINT64_C(4096) << 31);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(retry_rnr_exceeded_fails_qp),
		cmocka_unit_test(retry_rnr_infinite_waits_for_receive),
		cmocka_unit_test(retry_rnr_nak_resets_retry_count),
		cmocka_unit_test(retry_write_imm_waits_for_receive),
		cmocka_unit_test(retry_count_exceeded_fails_qp),
		cmocka_unit_test(retry_count_is_independent_of_rtt),
		cmocka_unit_test(retry_coarse_clock_expires_no_timer_early),
		cmocka_unit_test(retry_progress_of_single_packet_resets_count),
		cmocka_unit_test(retry_timeout_zero_waits_forever),
		cmocka_unit_test(retry_times_match_ibta_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
