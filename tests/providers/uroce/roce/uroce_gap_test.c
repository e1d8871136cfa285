/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Losses of READ responses between two uroce ends: which packets are requested
 * again, and what the application sees.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "uroce/roce/uroce_psn.h"
#include "uroce_expect.h"
#include "uroce_losses.h"

#define MTU 1024

/* Drops responses, or a request. */
struct responses {
	struct losses losses;
	unsigned int lost_request; /* number of the request; 0: none */
	unsigned int nr_requests;
};

static enum pair_action lose_responses(struct pair *pair, unsigned int from,
				       const struct uroce_packet *packet)
{
	struct responses *wire = pair->filter_data;

	if (!from)
		return ++wire->nr_requests == wire->lost_request ? PAIR_DROP
								 : PAIR_PASS;
	if (packet->opcode == (UROCE_RC | UROCE_ACKNOWLEDGE))
		return PAIR_PASS;
	return losses_pass(&wire->losses, packet);
}

static struct pair *gap_new_pair(struct responses *wire, struct pair_options *o)
{
	struct pair *pair;

	wire->losses.first_psn = o->psn;
	pair = pair_new(o);
	pair->filter = lose_responses;
	pair->filter_data = wire;
	for (uint32_t i = 0; i < TARGET; i++)
		pair->side[1].memory[TARGET + i] =
			(uint8_t)(i * 31 + i / MTU + 1);
	return pair;
}

static void expect_read(const struct pair *pair, uint32_t length)
{
	assert_memory_equal(pair->side[0].memory, pair->side[1].memory + TARGET,
			    length);
}

static void gap_lost_responses_alone_are_requested_again(void **state)
{
	struct responses wire = {
		.losses = { .lost = { 3, 9, 10, 30, 52 },
			    .times = { 1, 1, 1, 1, 1 },
			    .nr_lost = 5 },
	};
	struct pair_options o = pair_defaults();
	struct pair *pair = gap_new_pair(&wire, &o);

	post(pair, 1, IBV_WR_RDMA_READ, 60 * MTU);
	pair_run(pair);
	expect(&pair->side[0].send_cq, 1, IBV_WC_SUCCESS);
	expect_read(pair, 60 * MTU);
	losses_expect_sent(&wire.losses, 60, 5);
	/* 9 and 10 are one request */
	assert_int_equal(pair_count(pair, 1, UROCE_C_DUPLICATES), 4);
	assert_int_equal(pair_count(pair, 0, UROCE_C_IMPLIED_NAKS), 0);
	assert_int_equal(pair_count(pair, 0, UROCE_C_TIMEOUTS), 0);
	pair_free(pair);
}

static void gap_response_is_lost_twice(void **state)
{
	struct responses wire = {
		.losses = { .lost = { 3, 12 },
			    .times = { 2, 2 },
			    .nr_lost = 2 },
	};
	struct pair_options o = pair_defaults();
	struct pair *pair = gap_new_pair(&wire, &o);

	post(pair, 1, IBV_WR_RDMA_READ, 280 * MTU);
	pair_run(pair);
	expect(&pair->side[0].send_cq, 1, IBV_WC_SUCCESS);
	expect_read(pair, 280 * MTU);
	assert_int_equal(wire.losses.sent[3], 3);
	assert_int_equal(wire.losses.sent[12], 3);
	losses_expect_sent(&wire.losses, 280, 4);
	assert_int_equal(pair_count(pair, 0, UROCE_C_TIMEOUTS), 0);
	pair_free(pair);
}

static void gap_spans_reads_that_complete_in_order(void **state)
{
	struct responses wire = {
		.losses = { .lost = { 18, 19, 20, 41 },
			    .times = { 1, 1, 1, 1 },
			    .nr_lost = 4 },
	};
	struct pair_options o = pair_defaults();
	struct pair *pair = gap_new_pair(&wire, &o);

	for (unsigned int i = 0; i < 3; i++)
		post(pair, i, IBV_WR_RDMA_READ, 20 * MTU);
	pair_run(pair);
	for (unsigned int i = 0; i < 3; i++)
		expect(&pair->side[0].send_cq, i, IBV_WC_SUCCESS);
	expect_read(pair, 20 * MTU);
	losses_expect_sent(&wire.losses, 60, 4);
	assert_int_equal(pair_count(pair, 0, UROCE_C_TIMEOUTS), 0);
	pair_free(pair);
}

/* The response to the later READ acknowledges the WRITE. */
static void gap_write_between_reads_completes_in_order(void **state)
{
	struct responses wire = {
		.losses = { .lost = { 4, 33 },
			    .times = { 1, 1 },
			    .nr_lost = 2 },
	};
	struct pair_options o = pair_defaults();
	struct pair *pair = gap_new_pair(&wire, &o);

	post(pair, 1, IBV_WR_RDMA_READ, 10 * MTU);
	post(pair, 2, IBV_WR_RDMA_WRITE, 10 * MTU);
	post(pair, 3, IBV_WR_RDMA_READ, 20 * MTU);
	pair_run(pair);
	for (unsigned int i = 1; i <= 3; i++)
		expect(&pair->side[0].send_cq, i, IBV_WC_SUCCESS);
	expect_read(pair, 20 * MTU);
	assert_int_equal(pair_count(pair, 0, UROCE_C_TIMEOUTS), 0);
	pair_free(pair);
}

/* Its response cannot be stored, so all is requested again. */
static void gap_atomic_between_reads_executes_once(void **state)
{
	struct responses wire = {
		.losses = { .lost = { 4 }, .times = { 1 }, .nr_lost = 1 },
	};
	struct pair_options o = pair_defaults();
	struct pair *pair = gap_new_pair(&wire, &o);
	struct uroce_send_wqe add =
		request(pair, 2, IBV_WR_ATOMIC_FETCH_AND_ADD);
	struct ibv_sge sge = pair_sge(pair, 0, 100 * MTU, 8);
	uint64_t *counter = (void *)(pair->side[1].memory + 100 * MTU);

	*counter = 41;
	add.remote.va = PAIR_IOVA + 100 * MTU;
	add.remote.compare_add = 1;
	post(pair, 1, IBV_WR_RDMA_READ, 5 * MTU);
	pair_post(pair, 0, &add, &sge);
	post(pair, 3, IBV_WR_RDMA_READ, 10 * MTU);
	pair_run(pair);
	for (unsigned int i = 1; i <= 3; i++)
		expect(&pair->side[0].send_cq, i, IBV_WC_SUCCESS);
	expect_read(pair, 10 * MTU);
	assert_int_equal(*counter, 42);
	pair_free(pair);
}

/* Each response is lost until the retries are used up. */
static void gap_dead_response_uses_up_retries(void **state)
{
	struct responses wire = {
		.losses = { .lost = { 3 }, .times = { 200 }, .nr_lost = 1 },
	};
	struct pair_options o = pair_defaults();
	struct pair *pair = gap_new_pair(&wire, &o);

	post(pair, 1, IBV_WR_RDMA_READ, 10 * MTU);
	pair_run(pair);
	expect(&pair->side[0].send_cq, 1, IBV_WC_RETRY_EXC_ERR);
	assert_in_range(wire.losses.sent[3], 2, 16);
	pair_free(pair);
}

/* The responses to the READs before it still come. */
static void gap_lost_read_request_is_sent_again(void **state)
{
	struct responses wire = {
		.losses = { .lost = { 18, 19, 50 },
			    .times = { 1, 1, 1 },
			    .nr_lost = 3 },
		.lost_request = 2,
	};
	struct pair_options o = pair_defaults();
	struct pair *pair = gap_new_pair(&wire, &o);

	for (unsigned int i = 0; i < 3; i++)
		post(pair, i, IBV_WR_RDMA_READ, 20 * MTU);
	pair_run(pair);
	for (unsigned int i = 0; i < 3; i++)
		expect(&pair->side[0].send_cq, i, IBV_WC_SUCCESS);
	expect_read(pair, 20 * MTU);
	losses_expect_sent(&wire.losses, 60, 3);
	assert_int_equal(pair_count(pair, 0, UROCE_C_NAKS_SELECTIVE), 1);
	assert_int_equal(pair_count(pair, 0, UROCE_C_IMPLIED_NAKS), 0);
	assert_int_equal(pair_count(pair, 0, UROCE_C_TIMEOUTS), 0);
	pair_free(pair);
}

/* A request behind a gap that turns out to be part of an executed READ. */
static void gap_held_part_of_read_is_dropped(void **state)
{
	struct responses wire = { .lost_request = 1 };
	struct pair_options o = pair_defaults();
	struct pair *pair = gap_new_pair(&wire, &o);
	const struct uroce_packet part = {
		.path = &pair->side[0].path,
		.opcode = UROCE_RC | UROCE_READ_REQUEST,
		.pkey = UROCE_PKEY_DEFAULT,
		.dest_qpn = pair->side[1].qp->qpn,
		.psn = uroce_psn_add(o.psn, 5),
		.va = PAIR_IOVA + TARGET + 5 * MTU,
		.rkey = pair->side[1].key,
		.dma_len = MTU,
		.selective = true,
	};

	post(pair, 1, IBV_WR_RDMA_READ, 20 * MTU);
	pair_run_until(pair, pair->now);
	pair_inject(pair, 0, &part, NULL);
	pair_run(pair);
	expect(&pair->side[0].send_cq, 1, IBV_WC_SUCCESS);
	expect_read(pair, 20 * MTU);
	assert_int_equal(pair_count(pair, 1, UROCE_C_HELD), 1);
	assert_int_equal(pair->side[1].engine.held_bytes, 0);
	assert_null(pair->side[1].qp->roce->reorder);
	pair_free(pair);
}

/* Responders of other devices may not go on with an interrupted response. */
static void gap_foreign_device_gets_read_of_the_rest(void **state)
{
	struct responses wire = {
		.losses = { .lost = { 3 }, .times = { 1 }, .nr_lost = 1 }
	};
	struct pair_options o = pair_defaults();
	struct pair *pair;

	o.go_back_n = true;
	pair = gap_new_pair(&wire, &o);
	post(pair, 1, IBV_WR_RDMA_READ, 20 * MTU);
	pair_run(pair);
	expect(&pair->side[0].send_cq, 1, IBV_WC_SUCCESS);
	expect_read(pair, 20 * MTU);
	losses_expect_sent(&wire.losses, 20, 17);
	pair_free(pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gap_lost_responses_alone_are_requested_again),
		cmocka_unit_test(gap_response_is_lost_twice),
		cmocka_unit_test(gap_spans_reads_that_complete_in_order),
		cmocka_unit_test(gap_write_between_reads_completes_in_order),
		cmocka_unit_test(gap_atomic_between_reads_executes_once),
		cmocka_unit_test(gap_dead_response_uses_up_retries),
		cmocka_unit_test(gap_lost_read_request_is_sent_again),
		cmocka_unit_test(gap_held_part_of_read_is_dropped),
		cmocka_unit_test(gap_foreign_device_gets_read_of_the_rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
