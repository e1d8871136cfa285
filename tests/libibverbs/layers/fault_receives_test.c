/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Receive requests that rules with hold= keep back. */
#include <errno.h>
#include <time.h>

#include "libibverbs/layers/fault_fixture.h"

static uint64_t now_ns(void)
{
	struct timespec now;

	assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &now), 0);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Receive requests of fixture.right have numbers from 100. */
static void post_recvs(unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		assert_int_equal(fault_post_recv(fixture.right, 100 + i), 0);
}

/* Polls until there were @nr completions of receives, in order. */
static void assert_recvs(unsigned int nr, enum ibv_wc_status status)
{
	for (unsigned int i = 0; i < nr;) {
		struct ibv_wc wc = fixture_poll(fixture.cq);

		if (wc.wr_id < 100)
			continue;
		assert_int_equal(wc.wr_id, 100 + i);
		assert_int_equal(wc.status, status);
		i++;
	}
}

static void receive_held_arrives_after_time(void **state)
{
	uint64_t start;

	fault_start("hold=recv,30ms @ qp=2,nth=1");
	start = now_ns();
	post_recvs(1);
	assert_log("verbs-fault: rule 1, ibv_post_recv, QP 2, event 1: "
		   "hold=recv,30ms @ qp=2,nth=1\n");
	assert_int_equal(fault_post(fixture.left, 1), 0);
	assert_recvs(1, IBV_WC_SUCCESS);
	assert_true(now_ns() - start >= 30000000);
	fault_stop();
}

static void receives_after_held_receive_stay_in_order(void **state)
{
	fault_start("hold=recv,5ms..10ms @ qp=2,nth=2");
	post_recvs(4);
	for (uint64_t i = 1; i <= 4; i++)
		assert_int_equal(fault_post(fixture.left, i), 0);
	assert_recvs(4, IBV_WC_SUCCESS);
	fault_stop();
}

static void receives_held_are_flushed_once(void **state)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };

	fault_start("hold=recv,5ms @ qp=2");
	post_recvs(3);
	assert_int_equal(ibv_modify_qp(fixture.right, &attr, IBV_QP_STATE), 0);
	assert_recvs(3, IBV_WC_WR_FLUSH_ERR);
	assert_int_equal(ibv_poll_cq(fixture.cq, 1, &(struct ibv_wc){}), 0);
	fault_stop();
}

static void receives_held_queue_full_is_refused(void **state)
{
	unsigned int nr = 0;

	fault_start("hold=recv,3600s @ qp=2,nth=1");
	while (nr < 1000 && fault_post_recv(fixture.right, nr) == 0)
		nr++;
	assert_in_range(nr, 1, 999);
	fault_stop();
}

static void reset_drops_held_receives(void **state)
{
	fault_start("hold=recv,3600s @ qp=2,nth=1");
	post_recvs(2);
	fixture_connect(fixture.left, fixture.right);
	post_recvs(1);
	assert_int_equal(fault_post(fixture.left, 1), 0);
	assert_recvs(1, IBV_WC_SUCCESS);
	fault_stop();
}

static void receives_of_qp_not_selected_are_posted(void **state)
{
	fault_start("hold=recv,3600s @ qp=1");
	post_recvs(1);
	assert_int_equal(fault_post(fixture.left, 1), 0);
	assert_recvs(1, IBV_WC_SUCCESS);
	fault_stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(receive_held_arrives_after_time),
		cmocka_unit_test(receives_after_held_receive_stay_in_order),
		cmocka_unit_test(receives_held_are_flushed_once),
		cmocka_unit_test(receives_held_queue_full_is_refused),
		cmocka_unit_test(reset_drops_held_receives),
		cmocka_unit_test(receives_of_qp_not_selected_are_posted),
	};

	return own_process_run_group_tests(tests);
}
