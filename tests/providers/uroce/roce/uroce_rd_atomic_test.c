/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Number and order of outstanding READs and atomics, up to the limit of the
 * device.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "uroce/roce/uroce_psn.h"
#include "uroce_expect.h"

#define DEPTH 512

/* READs and atomics that have no response yet. */
struct outstanding {
	unsigned int now, most;
	bool drop_responses;
	uint32_t last_psn; /* of a response */
	unsigned int nr_responses;
};

static enum pair_action count_outstanding(struct pair *pair, unsigned int from,
					  const struct uroce_packet *packet)
{
	struct outstanding *seen = pair->filter_data;

	if (from == 0) {
		seen->now++;
		if (seen->now > seen->most)
			seen->most = seen->now;
		return PAIR_PASS;
	}
	if (seen->drop_responses)
		return PAIR_DROP;
	if (seen->nr_responses++)
		assert_true(uroce_psn_before(seen->last_psn, packet->psn));
	seen->last_psn = packet->psn;
	seen->now--;
	return PAIR_PASS;
}

static struct pair *new_counted_pair(uint8_t rd_atomic,
				     struct outstanding *seen)
{
	struct pair_options o = pair_defaults();
	struct pair *pair;

	*seen = (struct outstanding){ .now = 0 };
	o.rd_atomic = rd_atomic;
	o.depth = DEPTH;
	o.mtu = IBV_MTU_256; /* a window of 256 packets */
	o.timeout = 14;
	o.room_bytes = 1 << 30;
	pair = pair_new(&o);
	pair->filter = count_outstanding;
	pair->filter_data = seen;
	return pair;
}

static void post_reads(struct pair *pair, uint64_t first, uint64_t nr)
{
	for (uint64_t i = first; i < first + nr; i++)
		post(pair, i,
		     i % 2 ? IBV_WR_ATOMIC_FETCH_AND_ADD : IBV_WR_RDMA_READ, 8);
}

static void expect_reads(struct pair *pair, uint64_t first, uint64_t nr)
{
	for (uint64_t i = first; i < first + nr; i++)
		expect(&pair->side[0].send_cq, i, IBV_WC_SUCCESS);
}

static void rd_atomic_any_limit_is_reached_and_kept(void **state)
{
	static const uint8_t limits[] = {
		1, 2, 3, 15, 16, 17, 64, 65, 127, UROCE_MAX_RD_ATOMIC
	};

	assert_int_equal(UROCE_MAX_RD_ATOMIC, 128);
	for (size_t i = 0; i < sizeof(limits); i++) {
		struct outstanding seen;
		struct pair *pair = new_counted_pair(limits[i], &seen);

		post_reads(pair, 0, 400);
		pair_run(pair);
		expect_reads(pair, 0, 400);
		assert_int_equal(seen.most, limits[i]);
		pair_free(pair);
	}
}

/* The responder keeps a result for each of them. */
static void rd_atomic_lost_responses_are_retransmitted_in_order(void **state)
{
	struct outstanding seen;
	struct pair *pair = new_counted_pair(UROCE_MAX_RD_ATOMIC, &seen);
	const struct uroce_qp *responder = pair->side[1].qp;

	post_reads(pair, 0, UROCE_MAX_RD_ATOMIC);
	seen.drop_responses = true;
	while (seen.now < UROCE_MAX_RD_ATOMIC || uroce_qp_owes(responder))
		assert_true(pair_step(pair));
	assert_int_equal(seen.now, UROCE_MAX_RD_ATOMIC);
	seen.drop_responses = false;
	/* more requests follow while the old ones are repeated */
	post_reads(pair, UROCE_MAX_RD_ATOMIC, 100);
	pair_run(pair);
	expect_reads(pair, 0, UROCE_MAX_RD_ATOMIC + 100);
	assert_true(pair_count(pair, 1, UROCE_C_DUPLICATES) > 0);
	assert_int_equal(pair_count(pair, 1, UROCE_C_TOO_MANY_READS), 0);
	pair_free(pair);
}

static void modify_state(struct uroce_qp *qp, struct ibv_qp_attr attr,
			 enum ibv_qp_state state, int mask, uint64_t now)
{
	attr.qp_state = state;
	assert_int_equal(uroce_qp_modify(qp, &attr, mask | IBV_QP_STATE,
					 IBV_MTU_4096, NULL, now),
			 0);
}

/* IBTA 10.3.1.6: in SQD the number of outstanding READs can be changed. */
static void rd_atomic_raised_in_sqd_keeps_outstanding_requests(void **state)
{
	const struct ibv_qp_attr more = { .max_rd_atomic = 100 };
	struct outstanding seen;
	struct pair *pair = new_counted_pair(3, &seen);
	struct uroce_qp *qp = pair->side[0].qp;

	/* the ring does not begin with its first entry */
	post_reads(pair, 0, 8);
	pair_run(pair);
	expect_reads(pair, 0, 8);
	post_reads(pair, 8, 3);
	while (seen.now < 3)
		assert_true(pair_step(pair));
	modify_state(qp, more, IBV_QPS_SQD, 0, pair->now);
	modify_state(qp, more, IBV_QPS_SQD, IBV_QP_MAX_QP_RD_ATOMIC, pair->now);
	modify_state(qp, more, IBV_QPS_RTS, 0, pair->now);
	/* the responder has the old number of resources */
	post_reads(pair, 11, 1);
	pair_run(pair);
	expect_reads(pair, 8, 4);
	expect_state(pair, 0, IBV_QPS_RTS);
	pair_free(pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rd_atomic_any_limit_is_reached_and_kept),
		cmocka_unit_test(
			rd_atomic_lost_responses_are_retransmitted_in_order),
		cmocka_unit_test(
			rd_atomic_raised_in_sqd_keeps_outstanding_requests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
