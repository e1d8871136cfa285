/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Completion queues: order, overrun, resizing, and wake-ups. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <infiniband/verbs.h>

#include "uroce/qp/uroce_cq_ring.h"

static int push_cqe(struct uroce_cq *cq, uint64_t wr_id, bool solicited,
		    bool *wake)
{
	struct uroce_cqe cqe = { .wr_id = wr_id };
	bool woken = false;
	int ret = uroce_cq_push(cq, &cqe, solicited, &woken);

	if (wake)
		*wake = woken;
	return ret;
}

static uint64_t pop(struct uroce_cq *cq)
{
	const struct uroce_cqe *cqe = uroce_ring_front(&cq->ring);
	uint64_t wr_id;

	assert_non_null(cqe);
	wr_id = cqe->wr_id;
	uroce_ring_take(&cq->ring);
	return wr_id;
}

static void cq_ring_returns_completions_in_order(void **state)
{
	struct uroce_cq cq;

	assert_int_equal(uroce_cq_init(&cq, 5, false), 0);
	for (uint64_t round = 0; round < 20; round++) {
		for (uint64_t i = 0; i < 5; i++)
			assert_int_equal(
				push_cqe(&cq, round * 5 + i, false, NULL), 0);
		for (uint64_t i = 0; i < 5; i++)
			assert_int_equal(pop(&cq), round * 5 + i);
		assert_null(uroce_ring_front(&cq.ring));
	}
	uroce_cq_fini(&cq);
}

static void cq_ring_full_overruns(void **state)
{
	struct uroce_cq cq;

	assert_int_equal(uroce_cq_init(&cq, 5, false), 0);
	for (uint64_t i = 0; i < 5; i++)
		assert_int_equal(push_cqe(&cq, i, false, NULL), 0);
	assert_int_equal(push_cqe(&cq, 5, false, NULL), -ENOBUFS);
	assert_true(cq.overrun);
	/* the overrun is permanent, even if there is room */
	assert_int_equal(pop(&cq), 0);
	assert_int_equal(push_cqe(&cq, 6, false, NULL), -ENOBUFS);
	for (uint64_t i = 1; i < 5; i++)
		assert_int_equal(pop(&cq), i);
	assert_null(uroce_ring_front(&cq.ring));
	uroce_cq_fini(&cq);
}

static void cq_ring_resize_keeps_completions(void **state)
{
	struct uroce_cq cq;

	assert_int_equal(uroce_cq_init(&cq, 8, false), 0);
	for (uint64_t i = 0; i < 6; i++)
		assert_int_equal(push_cqe(&cq, i, false, NULL), 0);
	assert_int_equal(pop(&cq), 0);
	assert_int_equal(uroce_cq_resize(&cq, 4), -EINVAL);
	assert_int_equal(uroce_cq_resize(&cq, 0), -EINVAL);
	assert_int_equal(uroce_cq_resize(&cq, 5), 0);
	assert_int_equal(push_cqe(&cq, 9, false, NULL), -ENOBUFS);
	assert_int_equal(uroce_cq_resize(&cq, 100), 0);
	for (uint64_t i = 1; i < 6; i++)
		assert_int_equal(pop(&cq), i);
	uroce_cq_fini(&cq);
}

static void push_for(struct uroce_cq *cq, uint64_t wr_id, uint32_t qpn)
{
	struct uroce_cqe cqe = { .wr_id = wr_id, .qpn = qpn };
	bool wake;

	assert_int_equal(uroce_cq_push(cq, &cqe, false, &wake), 0);
}

/* A ring of 8 slots, starting at each slot, with every mixture of two QPs. */
static void cq_ring_purge_removes_completions_of_qp(void **state)
{
	struct uroce_cq cq;

	assert_int_equal(uroce_cq_init(&cq, 8, false), 0);
	for (uint32_t mixture = 0; mixture < 256; mixture++) {
		for (uint32_t i = 0; i < 8; i++)
			push_for(&cq, i, 5 + (mixture >> i & 1));
		uroce_cq_purge(&cq, 6);
		for (uint32_t i = 0; i < 8; i++)
			if (!(mixture >> i & 1))
				assert_int_equal(pop(&cq), i);
		assert_null(uroce_ring_front(&cq.ring));
		/* the next round begins one slot later */
		push_for(&cq, 0, 5);
		assert_int_equal(pop(&cq), 0);
	}
	uroce_cq_fini(&cq);
}

static void cq_ring_init_bad_size_returns_einval(void **state)
{
	struct uroce_cq cq;

	assert_int_equal(uroce_cq_init(&cq, 0, false), -EINVAL);
	assert_int_equal(uroce_cq_init(&cq, UROCE_RING_MAX + 1, false),
			 -EINVAL);
}

static void cq_ring_armed_wakes_once(void **state)
{
	struct uroce_cq cq;
	bool wake;

	assert_int_equal(uroce_cq_init(&cq, 16, true), 0);
	(void)push_cqe(&cq, 1, true, &wake);
	assert_false(wake);
	uroce_cq_arm(&cq, false);
	(void)push_cqe(&cq, 2, false, &wake);
	assert_true(wake);
	(void)push_cqe(&cq, 3, true, &wake);
	assert_false(wake);
	uroce_cq_fini(&cq);
}

static void cq_ring_armed_solicited_ignores_unsolicited(void **state)
{
	struct uroce_cqe failed = { .status = IBV_WC_WR_FLUSH_ERR };
	struct uroce_cq cq;
	bool wake = false;

	assert_int_equal(uroce_cq_init(&cq, 16, true), 0);
	uroce_cq_arm(&cq, true);
	(void)push_cqe(&cq, 1, false, &wake);
	assert_false(wake);
	(void)push_cqe(&cq, 2, true, &wake);
	assert_true(wake);
	uroce_cq_arm(&cq, true);
	assert_int_equal(uroce_cq_push(&cq, &failed, false, &wake), 0);
	assert_true(wake);
	/* the wider arming stays in effect */
	uroce_cq_arm(&cq, false);
	uroce_cq_arm(&cq, true);
	(void)push_cqe(&cq, 3, false, &wake);
	assert_true(wake);
	uroce_cq_fini(&cq);
}

static void cq_ring_without_channel_wakes_no_thread(void **state)
{
	struct uroce_cq cq;
	bool wake;

	assert_int_equal(uroce_cq_init(&cq, 16, false), 0);
	uroce_cq_arm(&cq, false);
	(void)push_cqe(&cq, 1, true, &wake);
	assert_false(wake);
	uroce_cq_fini(&cq);
}

static uint64_t next_time(void)
{
	static uint64_t time = 100;

	return time++;
}

static void cq_ring_with_clock_stamps_each_completion(void **state)
{
	struct uroce_cq cq;

	assert_int_equal(uroce_cq_init(&cq, 16, false), 0);
	cq.clock = next_time;
	for (uint64_t i = 0; i < 3; i++)
		(void)push_cqe(&cq, i, false, NULL);
	for (uint64_t i = 0; i < 3; i++) {
		const struct uroce_cqe *cqe = uroce_ring_front(&cq.ring);

		assert_int_equal(cqe->stamp_ns, 100 + i);
		assert_int_equal(pop(&cq), i);
	}
	uroce_cq_fini(&cq);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cq_ring_returns_completions_in_order),
		cmocka_unit_test(cq_ring_full_overruns),
		cmocka_unit_test(cq_ring_resize_keeps_completions),
		cmocka_unit_test(cq_ring_purge_removes_completions_of_qp),
		cmocka_unit_test(cq_ring_init_bad_size_returns_einval),
		cmocka_unit_test(cq_ring_armed_wakes_once),
		cmocka_unit_test(cq_ring_armed_solicited_ignores_unsolicited),
		cmocka_unit_test(cq_ring_without_channel_wakes_no_thread),
		cmocka_unit_test(cq_ring_with_clock_stamps_each_completion),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
