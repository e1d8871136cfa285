/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Chaos mode at both ends, with several seeds: what is late, what is in any
 * order, and what a completion guarantees nevertheless.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "uroce/qp/uroce_chaos.h"
#include "uroce_pair.h"

#define SEEDS	 20
#define LENGTH	 5000U
#define TARGET	 8192U
#define PASS_NS	 20000
#define MAX_STEP 10000

static struct pair *chaos_new_pair(uint64_t seed, uint32_t nr_qps)
{
	struct pair_options o = pair_defaults();
	struct pair *pair;

	o.nr_qps = nr_qps;
	pair = pair_new(&o);
	for (unsigned int i = 0; i < 2; i++) {
		pair->side[i].engine.core.chaos = uroce_chaos_new(seed + i);
		assert_non_null(pair->side[i].engine.core.chaos);
		for (uint32_t at = 0; at < LENGTH; at++)
			pair->side[i].memory[at] = (uint8_t)(at % 251 + 1);
	}
	return pair;
}

static void chaos_free_pair(struct pair *pair)
{
	for (unsigned int i = 0; i < 2; i++) {
		struct uroce_core *core = &pair->side[i].engine.core;

		uroce_chaos_place_all(core->chaos);
		uroce_chaos_release_all(core);
		free(core->chaos);
		core->chaos = NULL;
	}
	pair_free(pair);
}

/* A pass of both ends. */
static void chaos_pass(struct pair *pair)
{
	for (unsigned int i = 0; i < 2; i++)
		uroce_engine_chaos(&pair->side[i].engine);
	pair_run_until(pair, pair->now + PASS_NS);
}

/* Makes passes until @cq has a completion. */
static struct uroce_cqe chaos_await(struct pair *pair, struct uroce_cq *cq)
{
	struct uroce_cqe cqe;

	for (int i = 0; i < MAX_STEP; i++) {
		if (pair_poll(cq, &cqe)) {
			assert_int_equal(cqe.status, IBV_WC_SUCCESS);
			return cqe;
		}
		chaos_pass(pair);
	}
	fail_msg("no completion");
	return cqe;
}

static void assert_arrived(const struct pair *pair, unsigned int side,
			   uint32_t at)
{
	assert_memory_equal(pair->side[side].memory + at,
			    pair->side[!side].memory, LENGTH);
}

static void chaos_last_byte_of_write_may_precede_first(void **state)
{
	unsigned int nr_early = 0;

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct pair *pair = chaos_new_pair(seed, 1);
		const uint8_t *to = pair->side[1].memory + TARGET;
		bool is_early = false;
		struct uroce_cqe cqe;

		pair_request(pair, 1, IBV_WR_RDMA_WRITE, LENGTH, TARGET);
		for (int i = 0; !pair_poll(&pair->side[0].send_cq, &cqe); i++) {
			assert_true(i < MAX_STEP);
			is_early = is_early || (to[LENGTH - 1] && !to[0]);
			chaos_pass(pair);
		}
		assert_arrived(pair, 1, TARGET);
		nr_early += is_early;
		chaos_free_pair(pair);
	}
	assert_true(nr_early > 0);
}

static void chaos_completion_of_read_guarantees_data(void **state)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct pair *pair = chaos_new_pair(seed, 1);

		memset(pair->side[0].memory, 0, LENGTH);
		pair_request(pair, 1, IBV_WR_RDMA_READ, LENGTH, 0);
		(void)chaos_await(pair, &pair->side[0].send_cq);
		assert_arrived(pair, 0, 0);
		chaos_free_pair(pair);
	}
}

static void chaos_receive_guarantees_earlier_write(void **state)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct pair *pair = chaos_new_pair(seed, 1);
		struct ibv_sge sge = pair_sge(pair, 1, 2 * TARGET, LENGTH);

		pair_post_recv(pair, 1, 7, &sge, 1);
		pair_request(pair, 1, IBV_WR_RDMA_WRITE, LENGTH, TARGET);
		pair_request(pair, 2, IBV_WR_SEND, LENGTH, 0);
		(void)chaos_await(pair, &pair->side[1].recv_cq);
		assert_arrived(pair, 1, TARGET);
		assert_arrived(pair, 1, 2 * TARGET);
		chaos_free_pair(pair);
	}
}

static void chaos_read_returns_earlier_write(void **state)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct pair *pair = chaos_new_pair(seed, 1);

		pair_request(pair, 1, IBV_WR_RDMA_WRITE, LENGTH, TARGET);
		pair_request(pair, 2, IBV_WR_RDMA_READ, LENGTH, TARGET);
		for (uint64_t wr_id = 1; wr_id <= 2; wr_id++)
			assert_int_equal(
				chaos_await(pair, &pair->side[0].send_cq).wr_id,
				wr_id);
		for (uint32_t at = 0; at < LENGTH; at++)
			assert_int_equal(pair->side[0].memory[at],
					 at % 251 + 1);
		chaos_free_pair(pair);
	}
}

static void chaos_later_write_to_same_bytes_prevails(void **state)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct pair *pair = chaos_new_pair(seed, 1);

		for (uint32_t i = 1; i <= 10; i++)
			pair_request(pair, i, IBV_WR_RDMA_WRITE, LENGTH,
				     TARGET + (10 - i) * 100);
		for (uint64_t wr_id = 1; wr_id <= 10; wr_id++)
			assert_int_equal(
				chaos_await(pair, &pair->side[0].send_cq).wr_id,
				wr_id);
		assert_arrived(pair, 1, TARGET);
		chaos_free_pair(pair);
	}
}

/* Each QP has a receive queue of its own and all have one CQ. */
static void chaos_queue_pairs_complete_in_any_order(void **state)
{
	unsigned int nr_changes = 0;

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct pair *pair = chaos_new_pair(seed, 2);
		uint64_t next[2] = { 0, 100 };

		for (uint64_t i = 0; i < 16; i++) {
			struct ibv_sge sge = pair_sge(pair, 1, TARGET, 8);

			pair_use_qp(pair, i / 8);
			pair_post_recv(pair, 1, i / 8 * 100 + i % 8, &sge, 1);
			pair_request(pair, i, IBV_WR_SEND, 8, 0);
		}
		for (uint64_t i = 0; i < 16; i++) {
			uint64_t wr_id =
				chaos_await(pair, &pair->side[1].recv_cq).wr_id;

			assert_int_equal(wr_id, next[wr_id / 100]);
			next[wr_id / 100]++;
			nr_changes += wr_id / 100 != i / 8;
		}
		chaos_free_pair(pair);
	}
	assert_true(nr_changes > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chaos_last_byte_of_write_may_precede_first),
		cmocka_unit_test(chaos_completion_of_read_guarantees_data),
		cmocka_unit_test(chaos_receive_guarantees_earlier_write),
		cmocka_unit_test(chaos_read_returns_earlier_write),
		cmocka_unit_test(chaos_later_write_to_same_bytes_prevails),
		cmocka_unit_test(chaos_queue_pairs_complete_in_any_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
