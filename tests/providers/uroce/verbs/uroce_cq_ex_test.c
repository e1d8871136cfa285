/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Extended polling: verbs/uroce_cq_ex.c. */
#include "providers/uroce/verbs/fake_worker.h"

#include <errno.h>
#include <time.h>

static struct uroce_context *ctx;
static struct ibv_pd *pd;
static struct ibv_cq_ex *cq;
static struct ibv_qp *qp; /* connected to itself */
static const struct ibv_poll_cq_attr none;

static int setup(void **state)
{
	const struct ibv_cq_init_attr_ex attr = {
		.cqe = 8,
		.wc_flags = UROCE_WC_FLAGS,
	};
	struct verbs_cq *vcq = NULL;

	ctx = fake_worker_context();
	pd = new_pd(ctx);
	assert_int_equal(uroce_create_cq(&ctx->vctx.context, &attr, true, &vcq),
			 0);
	cq = &vcq->cq_ex;
	qp = new_qp(pd, &vcq->cq, IBV_QPT_RC, NULL);
	connect_qp(qp, qp);
	return 0;
}

static int teardown(void **state)
{
	assert_int_equal(uroce_destroy_qp(qp), 0);
	assert_int_equal(uroce_destroy_cq(ibv_cq_ex_to_cq(cq)), 0);
	assert_int_equal(uroce_dealloc_pd(pd), 0);
	fake_worker_close(ctx);
	return 0;
}

static int start(void)
{
	struct ibv_poll_cq_attr attr = none;

	return ibv_start_poll(cq, &attr);
}

/* Sends a message to the own QP: one completion, of the receive. */
static void send_to_self(uint64_t wr_id, __be32 imm)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND_WITH_IMM,
				  .imm_data = imm },
			   *bad;
	struct ibv_recv_wr recv = { .wr_id = wr_id }, *bad_recv;

	assert_int_equal(uroce_post_recv(qp, &recv, &bad_recv), 0);
	assert_int_equal(uroce_post_send(qp, &wr, &bad), 0);
}

static void uroce_cq_ex_read_functions_return_every_field(void **state)
{
	uint64_t wall, now = (uint64_t)time(NULL);

	send_to_self(5, 8);
	assert_int_equal(start(), 0);
	assert_int_equal(cq->wr_id, 5);
	assert_int_equal(cq->status, IBV_WC_SUCCESS);
	assert_int_equal(ibv_wc_read_opcode(cq), IBV_WC_RECV);
	assert_int_equal(ibv_wc_read_byte_len(cq), 0);
	assert_int_equal(ibv_wc_read_imm_data(cq), 8);
	assert_int_equal(ibv_wc_read_qp_num(cq), qp->qp_num);
	assert_int_equal(ibv_wc_read_src_qp(cq), 0);
	assert_int_equal(ibv_wc_read_wc_flags(cq), IBV_WC_WITH_IMM);
	assert_int_equal(ibv_wc_read_slid(cq), 0);
	assert_int_equal(ibv_wc_read_sl(cq), 0);
	assert_int_equal(ibv_wc_read_dlid_path_bits(cq), 0);
	assert_int_equal(ibv_wc_read_vendor_err(cq), 0);
	assert_int_equal(ibv_wc_read_completion_ts(cq), fake_worker.now);
	fake_worker.now += UINT64_C(100000000000); /* 100 s later */
	wall = ibv_wc_read_completion_wallclock_ns(cq) / 1000000000;
	assert_in_range(wall, now - 101, now - 90);
	ibv_end_poll(cq);
}

static void uroce_next_poll_returns_completions_in_order(void **state)
{
	send_to_self(5, 0);
	send_to_self(6, 0);
	assert_int_equal(start(), 0);
	assert_int_equal(cq->wr_id, 5);
	assert_int_equal(ibv_next_poll(cq), 0);
	assert_int_equal(cq->wr_id, 6);
	assert_int_equal(ibv_next_poll(cq), ENOENT);
	ibv_end_poll(cq);
}

/* The slot of a polled completion is free before end_poll. */
static void uroce_start_poll_frees_slot_at_once(void **state)
{
	for (uint64_t i = 0; i < 8; i++)
		send_to_self(i, 0);
	assert_int_equal(start(), 0);
	send_to_self(8, 0);
	for (uint64_t i = 1; i <= 8; i++) {
		assert_int_equal(ibv_next_poll(cq), 0);
		assert_int_equal(cq->wr_id, i);
	}
	ibv_end_poll(cq);
}

/* The test hangs if the lock is kept. */
static void uroce_start_poll_empty_cq_releases_lock(void **state)
{
	assert_int_equal(start(), ENOENT);
	assert_int_equal(fake_worker.nr_polls, 1);
	assert_int_equal(start(), ENOENT);
}

static unsigned int nr_yields;
static bool completes_in_yield; /* a message arrives, once */

int __wrap_sched_yield(void);
int __wrap_sched_yield(void)
{
	nr_yields++;
	if (completes_in_yield) {
		completes_in_yield = false;
		send_to_self(5, 0);
	}
	return 0;
}

/* Half of the polls are ibv_poll_cq(). */
static void poll_in_vain(unsigned int nr)
{
	struct ibv_wc wc;

	nr_yields = 0;
	for (unsigned int i = 0; i < nr; i++)
		if (i % 2)
			assert_int_equal(start(), ENOENT);
		else
			assert_int_equal(
				uroce_poll_cq(ibv_cq_ex_to_cq(cq), 1, &wc), 0);
}

static void uroce_start_poll_empty_cq_yields_cpu(void **state)
{
	poll_in_vain(1000);
	assert_in_range(nr_yields, 900, 1000);
	/* not while a response may be in flight */
	send_to_self(5, 0);
	assert_int_equal(start(), 0);
	ibv_end_poll(cq);
	poll_in_vain(30);
	assert_int_equal(nr_yields, 0);
}

/* Other threads run for milliseconds while a poll yields the CPU. */
static void uroce_poll_cq_returns_completion_of_yield(void **state)
{
	struct ibv_wc wc;

	poll_in_vain(1000);
	completes_in_yield = true;
	assert_int_equal(uroce_poll_cq(ibv_cq_ex_to_cq(cq), 1, &wc), 1);
	assert_int_equal(wc.wr_id, 5);
	assert_false(completes_in_yield);
}

static void uroce_start_poll_returns_completion_of_yield(void **state)
{
	poll_in_vain(1000);
	completes_in_yield = true;
	assert_int_equal(start(), 0);
	assert_int_equal(cq->wr_id, 5);
	assert_false(completes_in_yield);
	ibv_end_poll(cq);
}

static void uroce_start_poll_unknown_comp_mask_returns_einval(void **state)
{
	struct ibv_poll_cq_attr attr = { .comp_mask = 1 };

	send_to_self(5, 0);
	assert_int_equal(ibv_start_poll(cq, &attr), EINVAL);
	assert_int_equal(start(), 0);
	ibv_end_poll(cq);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(uroce_cq_ex_read_functions_return_every_field),
		TEST(uroce_next_poll_returns_completions_in_order),
		TEST(uroce_start_poll_frees_slot_at_once),
		TEST(uroce_start_poll_empty_cq_releases_lock),
		TEST(uroce_start_poll_empty_cq_yields_cpu),
		TEST(uroce_poll_cq_returns_completion_of_yield),
		TEST(uroce_start_poll_returns_completion_of_yield),
		TEST(uroce_start_poll_unknown_comp_mask_returns_einval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
