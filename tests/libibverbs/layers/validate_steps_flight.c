/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Mistakes with requests in flight: what they use is destroyed before their
 * completions are polled, or the queue pair has failed.
 */
#include "libibverbs/layers/validate_steps.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <time.h>

#define NR_FAILED_POSTS 100

/* Seconds by which clocks are ahead. */
static atomic_int clock_offset_s;

/* The layer and the library call this function. */
__attribute__((visibility("default"))) int clock_gettime(clockid_t id,
							 struct timespec *ret)
{
	static int (*_Atomic next)(clockid_t, struct timespec *);
	int err;

	if (!atomic_load(&next))
		atomic_store(&next, (int (*)(clockid_t, struct timespec *))(
					    uintptr_t)dlsym(RTLD_NEXT,
							    "clock_gettime"));
	err = atomic_load(&next)(id, ret);
	ret->tv_sec += atomic_load(&clock_offset_s);
	return err;
}

void step_set_clock(int seconds)
{
	atomic_store(&clock_offset_s, seconds);
}

static struct ibv_mr *flight_new_mr(void)
{
	struct ibv_mr *mr = ibv_reg_mr(fixture.pd, fixture.memory, 64,
				       IBV_ACCESS_LOCAL_WRITE);

	assert_non_null(mr);
	return mr;
}

static void flight_post(struct ibv_qp *qp, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;

	assert_int_equal(ibv_post_send(qp, wr, &bad), 0);
}

static void flight_modify(struct ibv_qp *qp, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };

	assert_int_equal(ibv_modify_qp(qp, &attr, IBV_QP_STATE), 0);
}

/* A receive request, which completes in the state ERR. */
static void step_LT_004_receive(bool mistake)
{
	struct ibv_mr *mr = flight_new_mr();
	struct ibv_sge sge = step_sge(64);
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	sge.lkey = mr->lkey;
	assert_int_equal(ibv_post_recv(fixture.left, &wr, &bad), 0);
	if (!mistake) {
		flight_modify(fixture.left, IBV_QPS_ERR);
		assert_int_equal(fixture_poll(fixture.cq).status,
				 IBV_WC_WR_FLUSH_ERR);
	}
	assert_int_equal(ibv_dereg_mr(mr), 0);
}

static void step_LT_004_srq(bool mistake)
{
	struct ibv_srq_init_attr attr = { .attr = { 8, 1, 0 } };
	struct ibv_srq *srq = ibv_create_srq(fixture.pd, &attr);
	struct ibv_mr *mr = flight_new_mr();
	struct ibv_sge sge = step_sge(64);
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	assert_non_null(srq);
	sge.lkey = mr->lkey;
	assert_int_equal(ibv_post_srq_recv(srq, &wr, &bad), 0);
	if (mistake)
		assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_int_equal(ibv_destroy_srq(srq), 0);
	if (!mistake)
		assert_int_equal(ibv_dereg_mr(mr), 0);
}

/* A SEND that waits for a receive request of the peer. */
static void step_LT_004_send(bool mistake)
{
	struct ibv_mr *mr = flight_new_mr();
	struct ibv_sge sge, recv_sge = step_sge(64);
	struct ibv_send_wr wr = step_write(&sge);
	struct ibv_recv_wr recv = { .sg_list = &recv_sge, .num_sge = 1 }, *bad;

	sge.lkey = mr->lkey;
	wr.opcode = IBV_WR_SEND;
	wr.wr_id = 1;
	if (!mistake)
		assert_int_equal(ibv_post_recv(fixture.right, &recv, &bad), 0);
	flight_post(fixture.left, &wr);
	if (!mistake)
		for (int i = 0; i < 2; i++)
			assert_int_equal(fixture_poll(fixture.cq).status,
					 IBV_WC_SUCCESS);
	assert_int_equal(ibv_dereg_mr(mr), 0);
}

static void step_LT_004_built(bool mistake)
{
	struct ibv_qp *qp = fixture_new_qp_ex(IBV_QP_EX_WITH_RDMA_WRITE);
	struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(qp);
	struct ibv_mr *mr = flight_new_mr();

	step_connect_to_itself(qp);
	ibv_wr_start(qpx);
	qpx->wr_id = 2;
	qpx->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_rdma_write(qpx, fixture.mr->rkey, (uintptr_t)fixture.memory);
	ibv_wr_set_sge(qpx, mr->lkey, (uintptr_t)fixture.memory, 8);
	assert_int_equal(ibv_wr_complete(qpx), 0);
	if (mistake)
		assert_int_equal(ibv_dereg_mr(mr), 0);
	(void)fixture_poll(fixture.cq);
	if (!mistake)
		assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_int_equal(ibv_destroy_qp(qp), 0);
}

/* The control polls the completion of a later request. */
static void step_LT_005(bool mistake)
{
	struct ibv_mr *mr = flight_new_mr();
	struct ibv_sge sge;
	struct ibv_send_wr wr = step_write(&sge);

	sge.lkey = mr->lkey;
	wr.send_flags = 0;
	flight_post(fixture.left, &wr);
	if (!mistake)
		assert_int_equal(fixture_write(fixture.memory,
					       (uintptr_t)fixture.memory,
					       fixture.mr->rkey),
				 IBV_WC_SUCCESS);
	assert_int_equal(ibv_dereg_mr(mr), 0);
}

/* The layer refuses the mistake, since the provider would crash. */
static void step_LT_003(bool mistake)
{
	struct step_datagram step;
	struct ibv_send_wr *bad = NULL;

	step_datagram_begin(&step);
	if (mistake) {
		assert_int_equal(ibv_destroy_ah(step.ah), 0);
		assert_int_equal(ibv_post_send(step.qp, &step.wr, &bad),
				 EINVAL);
		assert_ptr_equal(bad, &step.wr);
	} else {
		flight_post(step.qp, &step.wr);
		assert_int_equal(fixture_poll(fixture.cq).status,
				 IBV_WC_SUCCESS);
		assert_int_equal(ibv_destroy_ah(step.ah), 0);
	}
	assert_int_equal(ibv_destroy_qp(step.qp), 0);
}

static void step_LT_008(bool mistake)
{
	struct ibv_context *ctx = fixture_open();
	struct ibv_pd *pd = ibv_alloc_pd(ctx);
	int mask;
	struct ibv_qp_attr attr = validate_step_attr(IBV_QPS_RTR, &mask);
	struct ibv_ah *ah = ibv_create_ah(pd, &attr.ah_attr);
	struct step_datagram step;

	assert_non_null(ah);
	step_datagram_begin(&step);
	if (mistake)
		step.wr.wr.ud.ah = ah;
	flight_post(step.qp, &step.wr);
	(void)fixture_poll(fixture.cq); /* it is up to the provider */
	step_datagram_end(&step);
	assert_int_equal(ibv_destroy_ah(ah), 0);
	assert_int_equal(ibv_dealloc_pd(pd), 0);
	assert_int_equal(ibv_close_device(ctx), 0);
}

/* No receive request is posted, so no request completes. */
static void step_CQ_005(bool mistake)
{
	struct ibv_qp *qp = step_new_qp_to_itself();
	struct ibv_sge sge;
	struct ibv_send_wr wr = step_write(&sge), *bad;

	wr.opcode = IBV_WR_SEND;
	for (int i = 0; i < 8; i++)
		flight_post(qp, &wr);
	step_set_clock(5);
	if (mistake) {
		int ret;

		do
			ret = ibv_post_send(qp, &wr, &bad);
		while (ret == 0);
		assert_int_equal(ret, ENOMEM);
	}
	assert_int_equal(ibv_destroy_qp(qp), 0);
	step_set_clock(0);
}

static void step_LT_006(bool mistake)
{
	struct step_datagram step;

	step_datagram_begin(&step);
	flight_post(step.qp, &step.wr);
	if (mistake)
		assert_int_equal(ibv_destroy_ah(step.ah), 0);
	assert_int_equal(fixture_poll(fixture.cq).status, IBV_WC_SUCCESS);
	if (!mistake)
		assert_int_equal(ibv_destroy_ah(step.ah), 0);
	assert_int_equal(ibv_destroy_qp(step.qp), 0);
}

static void step_LT_007(bool mistake)
{
	struct ibv_qp *qp = step_new_qp_to_itself();
	struct ibv_sge sge;
	struct ibv_send_wr wr = step_write(&sge);

	flight_post(qp, &wr);
	if (!mistake)
		assert_int_equal(fixture_poll(fixture.cq).status,
				 IBV_WC_SUCCESS);
	assert_int_equal(ibv_destroy_qp(qp), 0);
}

static void step_QP_011(bool mistake)
{
	assert_int_equal(fixture_write(fixture.memory,
				       (uintptr_t)fixture.memory,
				       fixture.mr->rkey + 1000),
			 IBV_WC_REM_ACCESS_ERR);
	if (!mistake)
		fixture_connect(fixture.left, fixture.right);
	for (int i = 0; i < NR_FAILED_POSTS; i++)
		assert_int_equal(
			fixture_write(fixture.memory, (uintptr_t)fixture.memory,
				      fixture.mr->rkey),
			mistake ? IBV_WC_WR_FLUSH_ERR : IBV_WC_SUCCESS);
}

static void step_QP_013(bool mistake)
{
	struct ibv_qp *qp = step_new_qp_to_itself();
	struct ibv_sge sge = step_sge(64);
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	assert_int_equal(ibv_post_recv(qp, &wr, &bad), 0);
	if (!mistake) {
		flight_modify(qp, IBV_QPS_ERR);
		assert_int_equal(fixture_poll(fixture.cq).status,
				 IBV_WC_WR_FLUSH_ERR);
	}
	flight_modify(qp, IBV_QPS_RESET);
	assert_int_equal(ibv_destroy_qp(qp), 0);
}

static void step_QP_014(bool mistake)
{
	struct ibv_qp *qp = fixture_new_qp(IBV_QPT_RC);
	struct ibv_sge sge = step_sge(64);
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	fixture_to_init(qp);
	if (!mistake)
		assert_int_equal(ibv_post_recv(qp, &wr, &bad), 0);
	fixture_to_rtr(qp, qp);
	assert_int_equal(ibv_destroy_qp(qp), 0);
}

const struct validate_step validate_steps_flight[] = {
	VALIDATE_STEP(CQ, 005),
	VALIDATE_STEP(LT, 003),
	VALIDATE_VARIANT(LT, 004, receive),
	VALIDATE_VARIANT(LT, 004, srq),
	VALIDATE_VARIANT(LT, 004, send),
	VALIDATE_VARIANT(LT, 004, built),
	VALIDATE_STEP(LT, 005),
	VALIDATE_STEP(LT, 006),
	VALIDATE_STEP(LT, 007),
	VALIDATE_STEP(LT, 008),
	{ .rule = AV_QP_011,
	  .variant = "",
	  .run = step_QP_011,
	  .settings = "hints=on,off=AV-WC-007" },
	VALIDATE_STEP(QP, 013),
	VALIDATE_STEP(QP, 014),
	{ .rule = LAYERS_RULE_NONE },
};
