/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Work requests of a QP in ERR complete with WR_FLUSH_ERR, in order and without
 * a doorbell. The tests access the rings from the kernel's side.
 */
#include "siw_fake.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>

/* Capacity of the CQ. */
#define NR_CQE 8

static struct siw_cq *cq;
static struct siw_qp *qp;

static int setup(void **state)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = NR_CQE,
		.wc_flags = SIW_WC_FLAGS,
	};
	struct verbs_cq *vcq;
	int ret = fake_setup(state);

	assert_int_equal(siw_create_cq(fake_context(), &attr, true, &vcq), 0);
	cq = to_siw_cq(&vcq->cq);
	qp = fake_qp_new(&(struct fake_qp_args){ .cq = &vcq->cq,
						 .send_ops = SIW_SEND_OPS });
	return ret;
}

static int teardown(void **state)
{
	fake_qp_free(qp);
	assert_int_equal(siw_destroy_cq(&cq->vcq.cq), 0);
	return fake_teardown(state);
}

static int modify_qp(enum ibv_qp_state qp_state, int attr_mask)
{
	struct ibv_qp_attr attr = { .qp_state = qp_state };

	return siw_modify_qp(&qp->vqp.qp, &attr, attr_mask);
}

static void fail_qp(void)
{
	assert_int_equal(modify_qp(IBV_QPS_ERR, IBV_QP_STATE), 0);
}

static int post_send(uint64_t id, enum ibv_wr_opcode opcode)
{
	static struct ibv_sge sge = { .addr = 1, .length = 2, .lkey = 3 };
	struct ibv_send_wr wr = {
		.wr_id = id,
		.opcode = opcode,
		.sg_list = &sge,
		.num_sge = 1,
	};
	struct ibv_send_wr *bad = NULL;
	int err = siw_post_send(&qp->vqp.qp, &wr, &bad);

	assert_ptr_equal(bad, err ? &wr : NULL);
	return err;
}

static int post_recv(uint64_t id)
{
	struct ibv_recv_wr wr = { .wr_id = id };
	struct ibv_recv_wr *bad = NULL;
	int err = siw_post_recv(&qp->vqp.qp, &wr, &bad);

	assert_ptr_equal(bad, err ? &wr : NULL);
	return err;
}

/* Writes a CQE as the kernel does. */
static void cqe_push(uint32_t index, uint64_t id)
{
	*fake_cqe(index) = (struct siw_cqe){
		.id = id,
		.opcode = SIW_OP_SEND,
		.status = SIW_WC_WR_FLUSH_ERR,
		.qp_id = 17,
		.flags = SIW_WQE_VALID,
	};
}

static int poll_one(struct ibv_wc *wc)
{
	return siw_poll_cq(&cq->vcq.cq, 1, wc);
}

static void assert_flushed(uint64_t id, enum ibv_wc_opcode opcode)
{
	struct ibv_wc wc;

	assert_int_equal(poll_one(&wc), 1);
	assert_int_equal(wc.wr_id, id);
	assert_int_equal(wc.status, IBV_WC_WR_FLUSH_ERR);
	assert_int_equal(wc.opcode, opcode);
	assert_int_equal(wc.qp_num, 17);
	assert_int_equal(wc.byte_len, 0);
	assert_int_equal(wc.wc_flags, 0);
}

static void assert_no_completion(void)
{
	struct ibv_wc wc;

	assert_int_equal(poll_one(&wc), 0);
}

/* ------------------------------------------------------------------------ */
/* Posting to a QP in ERR                                                    */
/* ------------------------------------------------------------------------ */

static void siw_post_to_qp_in_err_completes_flushed(void **state)
{
	fail_qp();
	assert_int_equal(post_send(1, IBV_WR_SEND), 0);
	assert_int_equal(post_send(2, IBV_WR_RDMA_WRITE), 0);
	assert_int_equal(post_send(3, IBV_WR_RDMA_READ), 0);
	assert_int_equal(post_send(4, IBV_WR_SEND_WITH_INV), 0);
	assert_int_equal(post_recv(5), 0);
	assert_flushed(1, IBV_WC_SEND);
	assert_flushed(2, IBV_WC_RDMA_WRITE);
	assert_flushed(3, IBV_WC_RDMA_READ);
	assert_flushed(4, IBV_WC_SEND);
	assert_flushed(5, IBV_WC_RECV);
	assert_no_completion();
}

static void siw_post_to_qp_in_err_rings_no_doorbell(void **state)
{
	fail_qp();
	assert_int_equal(post_send(1, IBV_WR_SEND), 0);
	assert_int_equal(post_recv(2), 0);
	assert_int_equal(soft.nr_doorbells, 0);
	for (uint32_t i = 0; i < fake.sq.nr; i++)
		assert_int_equal(fake_sqe(i)->flags, 0);
	for (uint32_t i = 0; i < fake.rq.nr; i++)
		assert_int_equal(fake_rqe(&fake.rq, i)->flags, 0);
}

/* Posts more work requests in total than the rings have slots. */
static void siw_post_to_qp_in_err_accepts_more_than_ring_size(void **state)
{
	fail_qp();
	for (uint64_t id = 0; id < 100; id += 2) {
		assert_int_equal(post_send(id, IBV_WR_SEND), 0);
		assert_int_equal(post_recv(id + 1), 0);
		assert_flushed(id, IBV_WC_SEND);
		assert_flushed(id + 1, IBV_WC_RECV);
	}
	assert_no_completion();
}

static void siw_post_to_qp_in_err_rejects_unsupported_opcode(void **state)
{
	fail_qp();
	assert_int_equal(post_send(1, IBV_WR_ATOMIC_CMP_AND_SWP), EINVAL);
	assert_no_completion();
}

static void siw_flush_full_cq_returns_enomem(void **state)
{
	fail_qp();
	for (uint64_t id = 0; id < NR_CQE; id++)
		assert_int_equal(post_recv(id), 0);
	assert_int_equal(post_recv(NR_CQE), ENOMEM);
	assert_int_equal(post_send(NR_CQE, IBV_WR_SEND), ENOMEM);
	for (uint64_t id = 0; id < NR_CQE; id++)
		assert_flushed(id, IBV_WC_RECV);
	assert_int_equal(post_recv(NR_CQE), 0);
	assert_flushed(NR_CQE, IBV_WC_RECV);
}

static void siw_modify_qp_without_err_flushes_nothing(void **state)
{
	assert_int_equal(modify_qp(IBV_QPS_SQD, IBV_QP_STATE), 0);
	assert_int_equal(modify_qp(IBV_QPS_ERR, IBV_QP_ACCESS_FLAGS), 0);
	soft.err = -EINVAL;
	assert_int_equal(modify_qp(IBV_QPS_ERR, IBV_QP_STATE), -EINVAL);
	assert_int_equal(post_send(1, IBV_WR_SEND), 0);
	assert_int_equal(post_recv(2), 0);
	assert_int_equal(soft.nr_doorbells, 1);
	assert_int_equal(fake_sqe(0)->id, 1);
	assert_int_equal(fake_rqe(&fake.rq, 0)->id, 2);
	assert_no_completion();
}

/* The driver never leaves ERR, even if the command succeeds. */
static void siw_qp_in_err_stays_in_err(void **state)
{
	fail_qp();
	assert_int_equal(modify_qp(IBV_QPS_RESET, IBV_QP_STATE), 0);
	fail_qp();
	assert_int_equal(post_send(1, IBV_WR_SEND), 0);
	assert_flushed(1, IBV_WC_SEND);
	assert_no_completion();
}

/* ------------------------------------------------------------------------ */
/* CQEs of the kernel                                                        */
/* ------------------------------------------------------------------------ */

static void siw_poll_cq_returns_kernel_cqes_first(void **state)
{
	fail_qp();
	assert_int_equal(post_send(2, IBV_WR_SEND), 0);
	cqe_push(0, 1);
	assert_flushed(1, IBV_WC_SEND);
	assert_flushed(2, IBV_WC_SEND);
	assert_no_completion();
}

static void siw_poll_cq_returns_kernel_and_flushed_cqes_together(void **state)
{
	struct ibv_wc wc[4];

	fail_qp();
	assert_int_equal(post_send(2, IBV_WR_SEND), 0);
	assert_int_equal(post_send(3, IBV_WR_SEND), 0);
	cqe_push(0, 1);
	assert_int_equal(siw_poll_cq(&cq->vcq.cq, 4, wc), 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(wc[i].wr_id, i + 1);
}

/* ------------------------------------------------------------------------ */
/* WQEs that the kernel left in the rings                                    */
/* ------------------------------------------------------------------------ */

/* After a broken connection the kernel reads no WQE and writes no CQE. */
static void siw_modify_qp_to_err_flushes_remaining_wqes(void **state)
{
	for (uint64_t id = 0; id < 3; id++) {
		assert_int_equal(post_send(id, IBV_WR_SEND), 0);
		assert_int_equal(post_recv(10 + id), 0);
	}
	fake_sqe(0)->flags = 0; /* read by the kernel before */
	fake_rqe(&fake.rq, 0)->flags = 0;
	fail_qp();
	assert_flushed(1, IBV_WC_SEND);
	assert_flushed(2, IBV_WC_SEND);
	assert_flushed(11, IBV_WC_RECV);
	assert_flushed(12, IBV_WC_RECV);
	assert_no_completion();
	fail_qp(); /* the second call flushes nothing */
	assert_no_completion();
}

static void siw_modify_qp_to_err_flushes_oldest_wqe_first(void **state)
{
	/* Posts 6 WQEs to a ring of 4, so that the index wraps around. */
	for (uint64_t id = 0; id < 6; id++) {
		assert_int_equal(post_send(id, IBV_WR_SEND), 0);
		if (id < 3)
			fake_sqe((uint32_t)id)->flags = 0;
	}
	fail_qp();
	for (uint64_t id = 3; id < 6; id++)
		assert_flushed(id, IBV_WC_SEND);
	assert_no_completion();
}

/* ibv_post_send() has reported these work requests as not posted. */
static void siw_modify_qp_to_err_skips_wqes_without_doorbell(void **state)
{
	assert_int_equal(post_send(1, IBV_WR_SEND), 0);
	soft.doorbell_err = -ENOTCONN;
	assert_int_equal(post_send(2, IBV_WR_SEND), ENOTCONN);
	assert_int_equal(post_send(3, IBV_WR_SEND), ENOTCONN);
	soft.doorbell_err = 0;
	assert_int_equal(post_send(4, IBV_WR_SEND), 0);
	fail_qp();
	assert_flushed(1, IBV_WC_SEND);
	assert_flushed(4, IBV_WC_SEND);
	assert_no_completion();
	assert_int_equal(fake_sqe(1)->flags, 0);
}

static void siw_modify_qp_to_err_full_cq_drops_rest(void **state)
{
	fail_qp();
	for (uint64_t id = 0; id < NR_CQE; id++)
		assert_int_equal(post_recv(id), 0);
	qp->sq.failed = NULL; /* simulates a WQE posted before ERR */
	assert_int_equal(post_send(50, IBV_WR_SEND), 0);
	fail_qp();
	for (uint64_t id = 0; id < NR_CQE; id++)
		assert_flushed(id, IBV_WC_RECV);
	assert_no_completion();
	assert_int_equal(fake_sqe(0)->flags, 0);
}

/* ------------------------------------------------------------------------ */
/* ibv_wr_*(), extended polling, SRQs                                        */
/* ------------------------------------------------------------------------ */

static void siw_wr_complete_in_err_flushes_whole_section(void **state)
{
	struct ibv_qp_ex *qpx = &qp->vqp.qp_ex;

	fail_qp();
	ibv_wr_start(qpx);
	qpx->wr_id = 1;
	ibv_wr_send(qpx);
	ibv_wr_set_sge(qpx, 3, 1, 2);
	qpx->wr_id = 2;
	ibv_wr_rdma_read(qpx, 5, 6);
	ibv_wr_set_sge(qpx, 3, 1, 2);
	assert_int_equal(ibv_wr_complete(qpx), 0);
	assert_int_equal(soft.nr_doorbells, 0);
	assert_int_equal(fake_sqe(0)->flags, 0);
	assert_flushed(1, IBV_WC_SEND);
	assert_flushed(2, IBV_WC_RDMA_READ);
	assert_no_completion();
}

static void siw_wr_complete_in_err_full_cq_flushes_none(void **state)
{
	struct ibv_qp_ex *qpx = &qp->vqp.qp_ex;

	fail_qp();
	for (uint64_t id = 0; id < NR_CQE - 1; id++)
		assert_int_equal(post_recv(id), 0);
	ibv_wr_start(qpx);
	ibv_wr_send(qpx);
	ibv_wr_send(qpx);
	assert_int_equal(ibv_wr_complete(qpx), ENOMEM);
	for (uint64_t id = 0; id < NR_CQE - 1; id++)
		assert_flushed(id, IBV_WC_RECV);
	assert_no_completion();
}

static void siw_wr_complete_doorbell_error_completes_nothing(void **state)
{
	struct ibv_qp_ex *qpx = &qp->vqp.qp_ex;

	soft.doorbell_err = -ENOTCONN;
	ibv_wr_start(qpx);
	ibv_wr_send(qpx);
	assert_int_equal(ibv_wr_complete(qpx), ENOTCONN);
	fail_qp();
	assert_no_completion();
}

static void siw_wr_abort_in_err_completes_nothing(void **state)
{
	struct ibv_qp_ex *qpx = &qp->vqp.qp_ex;

	fail_qp();
	ibv_wr_start(qpx);
	ibv_wr_send(qpx);
	ibv_wr_abort(qpx);
	assert_no_completion();
}

/* The application may post while start_poll holds the CQ lock. */
static void siw_start_poll_returns_flushed_cqes(void **state)
{
	struct ibv_cq_ex *cqx = &cq->vcq.cq_ex;
	struct ibv_poll_cq_attr attr = {};

	fail_qp();
	assert_int_equal(ibv_start_poll(cqx, &attr), ENOENT);
	assert_int_equal(post_recv(1), 0);
	assert_int_equal(ibv_start_poll(cqx, &attr), 0);
	assert_int_equal(cqx->wr_id, 1);
	assert_int_equal(cqx->status, IBV_WC_WR_FLUSH_ERR);
	assert_int_equal(ibv_wc_read_opcode(cqx), IBV_WC_RECV);
	assert_int_equal(ibv_wc_read_qp_num(cqx), 17);
	assert_int_equal(post_send(2, IBV_WR_SEND), 0);
	assert_int_equal(ibv_next_poll(cqx), 0);
	assert_int_equal(cqx->wr_id, 2);
	assert_int_equal(ibv_wc_read_opcode(cqx), IBV_WC_SEND);
	assert_int_equal(ibv_next_poll(cqx), ENOENT);
	ibv_end_poll(cqx);
}

/* Other QPs use the WQEs of the SRQ. */
static void siw_modify_qp_to_err_keeps_srq_wqes(void **state)
{
	struct ibv_srq_init_attr_ex attr = { .attr = { .max_wr = 4,
						       .max_sge = 3 } };
	struct ibv_recv_wr wr = { .wr_id = 9 };
	struct ibv_recv_wr *bad;
	struct verbs_srq *vsrq;
	struct siw_qp *of_srq;

	assert_int_equal(siw_create_srq(fake_context(), &attr, &vsrq), 0);
	of_srq = fake_qp_new(
		&(struct fake_qp_args){ .cq = &cq->vcq.cq, .srq = &vsrq->srq });
	assert_int_equal(siw_post_srq_recv(&vsrq->srq, &wr, &bad), 0);
	assert_int_equal(
		siw_modify_qp(&of_srq->vqp.qp,
			      &(struct ibv_qp_attr){ .qp_state = IBV_QPS_ERR },
			      IBV_QP_STATE),
		0);
	assert_int_equal(siw_post_srq_recv(&vsrq->srq, &wr, &bad), 0);
	assert_no_completion();
	assert_int_equal(fake_rqe(&fake.srq, 0)->flags, SIW_WQE_VALID);
	assert_int_equal(fake_rqe(&fake.srq, 1)->flags, SIW_WQE_VALID);
	fake_qp_free(of_srq);
	assert_int_equal(siw_destroy_srq(&vsrq->srq), 0);
}

/* ------------------------------------------------------------------------ */
/* Threads                                                                   */
/* ------------------------------------------------------------------------ */

#define NR_POSTS 2000

static void *poster_run(void *arg)
{
	uint64_t id = 0;

	while (id < NR_POSTS) {
		struct ibv_recv_wr wr = { .wr_id = id };
		struct ibv_recv_wr *bad;

		if (siw_post_recv(&qp->vqp.qp, &wr, &bad) == 0)
			id++;
		else /* the CQ is full */
			(void)sched_yield();
	}
	return NULL;
}

static void siw_flush_concurrent_post_and_poll_keep_order(void **state)
{
	pthread_t poster;
	uint64_t next = 0;

	fail_qp();
	assert_int_equal(pthread_create(&poster, NULL, poster_run, NULL), 0);
	while (next < NR_POSTS) {
		struct ibv_wc wc;

		if (poll_one(&wc) == 0) {
			(void)sched_yield();
			continue;
		}
		assert_int_equal(wc.wr_id, next);
		next++;
	}
	assert_int_equal(pthread_join(poster, NULL), 0);
	assert_no_completion();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(siw_post_to_qp_in_err_completes_flushed),
		TEST(siw_post_to_qp_in_err_rings_no_doorbell),
		TEST(siw_post_to_qp_in_err_accepts_more_than_ring_size),
		TEST(siw_post_to_qp_in_err_rejects_unsupported_opcode),
		TEST(siw_flush_full_cq_returns_enomem),
		TEST(siw_modify_qp_without_err_flushes_nothing),
		TEST(siw_qp_in_err_stays_in_err),
		TEST(siw_poll_cq_returns_kernel_cqes_first),
		TEST(siw_poll_cq_returns_kernel_and_flushed_cqes_together),
		TEST(siw_modify_qp_to_err_flushes_remaining_wqes),
		TEST(siw_modify_qp_to_err_flushes_oldest_wqe_first),
		TEST(siw_modify_qp_to_err_skips_wqes_without_doorbell),
		TEST(siw_modify_qp_to_err_full_cq_drops_rest),
		TEST(siw_wr_complete_in_err_flushes_whole_section),
		TEST(siw_wr_complete_in_err_full_cq_flushes_none),
		TEST(siw_wr_complete_doorbell_error_completes_nothing),
		TEST(siw_wr_abort_in_err_completes_nothing),
		TEST(siw_start_poll_returns_flushed_cqes),
		TEST(siw_modify_qp_to_err_keeps_srq_wqes),
		TEST(siw_flush_concurrent_post_and_poll_keep_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
