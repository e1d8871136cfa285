/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ECN marks by links whose queue is never short enough: which packets allow a
 * mark, which packet reports it, and that the sender slows down.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "uroce_expect.h"

#define MTU	1024
#define ECT0	2 /* of the traffic class (RFC 3168) */
#define US	UINT64_C(1000)
#define MESSAGE (200 * MTU)

/* What the packets of both sides were. */
struct seen {
	unsigned int nr[2], nr_ect[2], nr_becn[2], nr_cnps[2];
	uint64_t cnp_ns;       /* of the latest CNP */
	uint64_t least_gap_ns; /* between two of them */
};

static enum pair_action look(struct pair *pair, unsigned int from,
			     const struct uroce_packet *packet)
{
	struct seen *seen = pair->filter_data;

	seen->nr[from]++;
	seen->nr_ect[from] += (packet->path->tclass & UROCE_ECN_MASK) == ECT0;
	if (packet->opcode != UROCE_CNP) {
		seen->nr_becn[from] += packet->becn;
		return PAIR_PASS;
	}
	if (seen->nr_cnps[from]++ &&
	    pair->now - seen->cnp_ns < seen->least_gap_ns)
		seen->least_gap_ns = pair->now - seen->cnp_ns;
	seen->cnp_ns = pair->now;
	return PAIR_PASS;
}

/* Each packet that finds another one in the queue is marked, if it allows that.
 */
static struct pair *ecn_new_pair(const struct pair_options *o,
				 struct seen *seen)
{
	const struct pair_link link = {
		.bits_per_s = UINT64_C(1000000000),
		.delay_ns = 50 * US,
		.queue_bytes = 16u << 20,
		.mark_bytes = 1,
	};
	struct pair *pair = pair_new(o);

	*seen = (struct seen){ .least_gap_ns = UINT64_MAX };
	pair->link[0] = link;
	pair->link[1] = link;
	pair->filter = look;
	pair->filter_data = seen;
	return pair;
}

static void ecn_transfer(struct pair *pair, enum ibv_wr_opcode opcode,
			 unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++) {
		post(pair, i, opcode, MESSAGE);
		pair_run(pair);
		expect(&pair->side[0].send_cq, i, IBV_WC_SUCCESS);
	}
}

static uint32_t window(const struct pair *pair)
{
	return pair->side[0].qp->roce->req.cwnd.packets;
}

static void ecn_mark_of_write_returns_in_ack(void **state)
{
	struct pair_options o = pair_defaults();
	struct seen seen;
	struct pair *pair = ecn_new_pair(&o, &seen);

	ecn_transfer(pair, IBV_WR_RDMA_WRITE, 10);
	assert_true(pair_count(pair, 1, UROCE_C_ECN_MARKED));
	assert_true(seen.nr_becn[1]);
	assert_int_equal(pair_count(pair, 0, UROCE_C_CNPS_HANDLED),
			 seen.nr_becn[1]);
	assert_int_equal(seen.nr_cnps[0] + seen.nr_cnps[1], 0);
	assert_int_equal(pair_count(pair, 0, UROCE_C_RETRANSMITTED), 0);
	pair_free(pair);
}

/* The message begins before a response shows that the peer reports marks. */
static void ecn_first_message_allows_marks_after_response(void **state)
{
	struct pair_options o = pair_defaults();
	struct seen seen;
	struct pair *pair = ecn_new_pair(&o, &seen);

	ecn_transfer(pair, IBV_WR_RDMA_WRITE, 1);
	assert_in_range(seen.nr_ect[0], 1, MESSAGE / MTU - 1);
	pair_free(pair);
}

static void ecn_mark_of_read_response_needs_no_report(void **state)
{
	struct pair_options o = pair_defaults();
	struct seen seen;
	struct pair *pair = ecn_new_pair(&o, &seen);

	ecn_transfer(pair, IBV_WR_RDMA_READ, 10);
	assert_true(pair_count(pair, 0, UROCE_C_ECN_MARKED));
	assert_true(pair_count(pair, 0, UROCE_C_CNPS_HANDLED));
	assert_int_equal(seen.nr_becn[0] + seen.nr_cnps[0], 0);
	pair_free(pair);
}

static void ecn_marks_keep_window_small(void **state)
{
	struct pair_options o = pair_defaults();
	struct seen seen;
	struct pair *pair = ecn_new_pair(&o, &seen);
	uint32_t marked;

	ecn_transfer(pair, IBV_WR_RDMA_WRITE, 20);
	marked = window(pair);
	pair_free(pair);
	pair = ecn_new_pair(&o, &seen);
	pair->link[0].mark_bytes = 0;
	ecn_transfer(pair, IBV_WR_RDMA_WRITE, 20);
	assert_in_range(marked, 2, window(pair) / 4);
	pair_free(pair);
}

/* Each of them costs the kernel time to set the traffic class. */
static void ecn_small_messages_allow_no_mark(void **state)
{
	struct pair_options o = pair_defaults();
	struct seen seen;
	struct pair *pair = ecn_new_pair(&o, &seen);

	for (unsigned int i = 0; i < 20; i++)
		post(pair, i, IBV_WR_RDMA_WRITE, MTU);
	pair_run(pair);
	assert_int_equal(seen.nr[0], 20);
	assert_int_equal(seen.nr_ect[0] + seen.nr_ect[1], 0);
	pair_free(pair);
}

/* It may report no marks, so that nothing would slow the sender down. */
static void ecn_foreign_device_gets_no_ect(void **state)
{
	struct pair_options o = pair_defaults();
	struct seen seen;
	struct pair *pair;

	o.go_back_n = true;
	pair = ecn_new_pair(&o, &seen);
	ecn_transfer(pair, IBV_WR_RDMA_WRITE, 3);
	ecn_transfer(pair, IBV_WR_RDMA_READ, 3);
	assert_int_equal(seen.nr_ect[0] + seen.nr_ect[1], 0);
	pair_free(pair);
}

/* Its application set the traffic class. */
static void ecn_foreign_device_gets_cnps(void **state)
{
	struct pair_options o = pair_defaults();
	struct seen seen;
	struct pair *pair;

	o.go_back_n = true;
	pair = ecn_new_pair(&o, &seen);
	pair->side[0].qp->path.tclass = ECT0;
	ecn_transfer(pair, IBV_WR_RDMA_WRITE, 10);
	assert_in_range(seen.nr_cnps[1], 2,
			pair_count(pair, 1, UROCE_C_ECN_MARKED));
	assert_true(seen.least_gap_ns >= 50 * US);
	assert_int_equal(pair_count(pair, 1, UROCE_C_CNPS_SENT),
			 seen.nr_cnps[1]);
	assert_int_equal(pair_count(pair, 0, UROCE_C_CNPS_HANDLED),
			 seen.nr_cnps[1]);
	assert_int_equal(seen.nr_becn[1], 0);
	pair_free(pair);
}

static void ecn_cnp_shrinks_window_of_the_connection_only(void **state)
{
	struct pair_options o = pair_defaults();
	struct seen seen;
	struct pair *pair = ecn_new_pair(&o, &seen);
	struct uroce_packet cnp = {
		.path = &pair->side[1].path,
		.opcode = UROCE_CNP,
		.pkey = UROCE_PKEY_DEFAULT,
		.dest_qpn = pair->side[0].qp->qpn,
		.becn = true,
	};
	struct uroce_path elsewhere = pair->side[1].path;
	uint32_t before;

	pair->link[0].mark_bytes = 0;
	ecn_transfer(pair, IBV_WR_RDMA_WRITE, 3);
	before = window(pair);
	cnp.pkey = 0x1234;
	pair_inject(pair, 1, &cnp, NULL);
	cnp.pkey = UROCE_PKEY_DEFAULT;
	cnp.dest_qpn++;
	pair_inject(pair, 1, &cnp, NULL);
	cnp.dest_qpn--;
	elsewhere.sgid[15]++;
	cnp.path = &elsewhere;
	pair_inject(pair, 1, &cnp, NULL);
	pair_run(pair);
	assert_int_equal(window(pair), before);
	assert_int_equal(pair_count(pair, 0, UROCE_C_BAD_PKEY), 1);
	assert_int_equal(pair_count(pair, 0, UROCE_C_NO_QP), 1);
	cnp.path = &pair->side[1].path;
	pair_inject(pair, 1, &cnp, NULL);
	pair_run(pair);
	assert_int_equal(window(pair), before * 85 / 100);
	assert_int_equal(pair_count(pair, 0, UROCE_C_CNPS_HANDLED), 1);
	ecn_transfer(pair, IBV_WR_RDMA_WRITE, 1);
	pair_free(pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ecn_mark_of_write_returns_in_ack),
		cmocka_unit_test(ecn_first_message_allows_marks_after_response),
		cmocka_unit_test(ecn_mark_of_read_response_needs_no_report),
		cmocka_unit_test(ecn_marks_keep_window_small),
		cmocka_unit_test(ecn_small_messages_allow_no_mark),
		cmocka_unit_test(ecn_foreign_device_gets_no_ect),
		cmocka_unit_test(ecn_foreign_device_gets_cnps),
		cmocka_unit_test(ecn_cnp_shrinks_window_of_the_connection_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
