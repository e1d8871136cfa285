/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ibv_wc_read_completion_wallclock_ns() of an extended CQ. */
#include <time.h>

#include "verbs_fixture.h"

#define NR_COMPLETIONS 500
#define NR_READS       20
#define SECOND_NS      UINT64_C(1000000000)
#define TOLERANCE_NS   SECOND_NS

static uint64_t wall_ns(void)
{
	struct timespec now;

	assert_int_equal(clock_gettime(CLOCK_REALTIME, &now), 0);
	return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

static struct ibv_cq_ex *new_cq_ex(void)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 8,
		.wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK,
	};
	struct ibv_cq_ex *cq = ibv_create_cq_ex(fixture.ctx, &attr);

	assert_non_null(cq);
	return cq;
}

static struct ibv_qp *new_qp(struct ibv_cq_ex *cq)
{
	const struct ibv_qp_init_attr attr = {
		.send_cq = ibv_cq_ex_to_cq(cq),
		.recv_cq = fixture.cq,
		.cap = { 8, 8, 1, 1, 0 },
		.qp_type = IBV_QPT_RC,
	};

	return fixture_create_qp(fixture.pd, attr);
}

static void complete_one(struct ibv_qp *qp, struct ibv_cq_ex *cq)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_RDMA_WRITE };
	struct ibv_poll_cq_attr attr = {};
	uint64_t limit_ns = wall_ns() + 60 * SECOND_NS;

	wr.wr.rdma.remote_addr = (uintptr_t)fixture.memory + 8;
	wr.wr.rdma.rkey = fixture.mr->rkey;
	assert_int_equal(fixture_post(qp, wr, fixture.memory, 8), 0);
	while (ibv_start_poll(cq, &attr) != 0)
		assert_true(wall_ns() < limit_ns);
	assert_int_equal(cq->status, IBV_WC_SUCCESS);
}

static void verbs_wallclock_of_completions_never_goes_backwards(void **state)
{
	struct ibv_cq_ex *cq = new_cq_ex();
	struct ibv_qp *qp = new_qp(cq);
	uint64_t last_ns, begin_ns = wall_ns();

	last_ns = begin_ns - TOLERANCE_NS;
	fixture_connect(qp, fixture.right);
	for (int i = 0; i < NR_COMPLETIONS; i++) {
		complete_one(qp, cq);
		for (int j = 0; j < NR_READS; j++) {
			uint64_t ns = ibv_wc_read_completion_wallclock_ns(cq);

			assert_true(ns >= last_ns);
			last_ns = ns;
		}
		ibv_end_poll(cq);
	}
	assert_true(last_ns >= begin_ns);
	assert_true(last_ns <= wall_ns());
	assert_int_equal(ibv_destroy_qp(qp), 0);
	assert_int_equal(ibv_destroy_cq(ibv_cq_ex_to_cq(cq)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			verbs_wallclock_of_completions_never_goes_backwards,
			fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
