/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Threads with the layers explain, trace and validate, on the user-space
 * device: several threads post to one QP and poll its CQ, while others create
 * QPs that fail, poll the same CQ and destroy them. Meant for ThreadSanitizer.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "libibverbs/layers/explain_fixture.h"
#include "providers/uroce/program/verbs_fixture.h"

#define NR_POSTERS 3
#define NR_MAKERS  2
#define NR_POSTS   2000
#define NR_QPS	   40

/* cmocka's assertions may be used by one thread only. */
static atomic_uint nr_failures;
static atomic_uint nr_done;
static pthread_barrier_t start;

static void expect(int good)
{
	if (!good)
		atomic_fetch_add(&nr_failures, 1);
}

static void poll_shared_cq(void)
{
	struct ibv_wc wc[4];

	expect(ibv_poll_cq(fixture.cq, 4, wc) >= 0);
}

static void post_write(struct ibv_qp *qp, uint32_t rkey)
{
	struct ibv_sge sge = { (uintptr_t)fixture.memory + 64, 8,
			       fixture.mr->lkey };
	struct ibv_send_wr wr = { .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = IBV_WR_RDMA_WRITE,
				  .send_flags = IBV_SEND_SIGNALED };
	struct ibv_send_wr *bad;

	wr.wr.rdma.remote_addr = (uintptr_t)fixture.memory;
	wr.wr.rdma.rkey = rkey;
	while (ibv_post_send(qp, &wr, &bad) != 0)
		poll_shared_cq();
}

static void *poster_run(void *arg)
{
	pthread_barrier_wait(&start);
	for (int i = 0; i < NR_POSTS; i++) {
		post_write(fixture.left, fixture.mr->rkey);
		poll_shared_cq();
	}
	atomic_fetch_add(&nr_done, 1);
	return NULL;
}

static void make_qp_that_fails(void)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = fixture.cq,
		.recv_cq = fixture.cq,
		.cap = { 8, 8, 2, 2, 0 },
		.qp_type = IBV_QPT_RC,
	};
	struct ibv_qp_attr wrong = { .qp_state = IBV_QPS_RTS };
	struct ibv_qp *qp = ibv_create_qp(fixture.pd, &attr);

	expect(qp != NULL);
	if (!qp)
		return;
	expect(ibv_modify_qp(qp, &wrong, IBV_QP_STATE) != 0);
	fixture_to_init(qp);
	fixture_to_rtr(qp, qp);
	fixture_to_rts(qp);
	post_write(qp, fixture.mr->rkey + 1000);
	for (int i = 0; i < 20; i++)
		poll_shared_cq();
	expect(ibv_destroy_qp(qp) == 0);
}

static void *maker_run(void *arg)
{
	pthread_barrier_wait(&start);
	for (int i = 0; i < NR_QPS; i++)
		make_qp_that_fails();
	atomic_fetch_add(&nr_done, 1);
	return NULL;
}

static void threads_share_qp_and_cq_without_race(void **state)
{
	pthread_t threads[NR_POSTERS + NR_MAKERS];

	assert_int_equal(
		pthread_barrier_init(&start, NULL, NR_POSTERS + NR_MAKERS), 0);
	for (int i = 0; i < NR_POSTERS + NR_MAKERS; i++)
		assert_int_equal(
			pthread_create(&threads[i], NULL,
				       i < NR_POSTERS ? poster_run : maker_run,
				       NULL),
			0);
	for (int i = 0; i < NR_POSTERS + NR_MAKERS; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_int_equal(atomic_load(&nr_failures), 0);
	assert_int_equal(atomic_load(&nr_done), NR_POSTERS + NR_MAKERS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			threads_share_qp_and_cq_without_race, fixture_setup,
			fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
