/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sections of ibv_wr_*(): all work requests are posted or none, and
 * ibv_wr_complete() returns the first error.
 */
#include "siw_fake.h"

#include <errno.h>
#include <string.h>

static struct siw_qp *qp;
static struct ibv_qp_ex *qpx;

static int setup(void **state)
{
	int ret = fake_setup(state);

	qp = fake_qp_new(&(struct fake_qp_args){ .send_ops = SIW_SEND_OPS });
	assert_true(qp->vqp.comp_mask & VERBS_QP_MASK_EX);
	qpx = &qp->vqp.qp_ex;
	return ret;
}

static int teardown(void **state)
{
	fake_qp_free(qp);
	return fake_teardown(state);
}

static void siw_wr_complete_publishes_wqe(void **state)
{
	ibv_wr_start(qpx);
	qpx->wr_id = 5;
	qpx->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_send(qpx);
	ibv_wr_set_sge(qpx, 9, 0x1234, 56);
	assert_int_equal(fake_sqe(0)->flags, 0);
	assert_int_equal(ibv_wr_complete(qpx), 0);
	assert_int_equal(fake_sqe(0)->flags, SIW_WQE_VALID | SIW_WQE_SIGNALLED);
	assert_int_equal(fake_sqe(0)->id, 5);
	assert_int_equal(fake_sqe(0)->num_sge, 1);
	assert_int_equal(fake_sqe(0)->sge[0].laddr, 0x1234);
	assert_int_equal(fake_sqe(0)->sge[0].length, 56);
	assert_int_equal(fake_sqe(0)->sge[0].lkey, 9);
	assert_int_equal(soft.nr_doorbells, 1);
}

/* A slot is reused; SGEs of the previous WQE must not stay in it. */
static void siw_wr_send_without_setter_has_no_sges(void **state)
{
	ibv_wr_start(qpx);
	for (uint32_t i = 0; i < fake.sq.nr; i++) {
		ibv_wr_send(qpx);
		ibv_wr_set_sge(qpx, 9, 0x1234, 56);
	}
	assert_int_equal(ibv_wr_complete(qpx), 0);
	fake_sqe(0)->flags = 0;
	ibv_wr_start(qpx);
	ibv_wr_send(qpx);
	assert_int_equal(ibv_wr_complete(qpx), 0);
	assert_int_equal(fake_sqe(0)->flags & SIW_WQE_VALID, SIW_WQE_VALID);
	assert_int_equal(fake_sqe(0)->num_sge, 0);
}

static void siw_wr_flags_are_kept_per_request(void **state)
{
	const struct ibv_sge sge = { .length = 1 };
	char xyz[] = "xyz";

	ibv_wr_start(qpx);
	qpx->wr_flags = IBV_SEND_FENCE;
	ibv_wr_rdma_write(qpx, 0x61, 0x6000);
	ibv_wr_set_inline_data(qpx, xyz, 3);
	ibv_wr_rdma_read(qpx, 0x71, 0x7000);
	ibv_wr_set_sge_list(qpx, 1, &sge);
	qpx->wr_flags = IBV_SEND_SOLICITED;
	ibv_wr_send_inv(qpx, 0xabc);
	assert_int_equal(ibv_wr_complete(qpx), 0);

	assert_int_equal(fake_sqe(0)->flags,
			 SIW_WQE_VALID | SIW_WQE_READ_FENCE | SIW_WQE_INLINE);
	assert_int_equal(fake_sqe(0)->opcode, SIW_OP_WRITE);
	assert_int_equal(fake_sqe(0)->rkey, 0x61);
	assert_int_equal(fake_sqe(0)->raddr, 0x6000);
	assert_memory_equal(&fake_sqe(0)->sge[1], "xyz", 3);
	assert_int_equal(fake_sqe(1)->flags, SIW_WQE_VALID);
	assert_int_equal(fake_sqe(1)->opcode, SIW_OP_READ);
	assert_int_equal(fake_sqe(1)->raddr, 0x7000);
	assert_int_equal(fake_sqe(2)->flags, SIW_WQE_VALID | SIW_WQE_SOLICITED);
	assert_int_equal(fake_sqe(2)->opcode, SIW_OP_SEND_REMOTE_INV);
	assert_int_equal(fake_sqe(2)->rkey, 0xabc);
	assert_int_equal(soft.nr_doorbells, 1);
}

static void siw_wr_abort_publishes_nothing(void **state)
{
	ibv_wr_start(qpx);
	ibv_wr_send(qpx);
	ibv_wr_send(qpx);
	ibv_wr_abort(qpx);
	assert_int_equal(fake_sqe(0)->flags, 0);
	assert_int_equal(fake_sqe(1)->flags, 0);
	assert_int_equal(soft.nr_doorbells, 0);
	ibv_wr_start(qpx);
	qpx->wr_id = 8;
	ibv_wr_send(qpx);
	assert_int_equal(ibv_wr_complete(qpx), 0);
	assert_int_equal(fake_sqe(0)->id, 8);
	assert_int_equal(fake_sqe(1)->flags, 0);
}

static void siw_wr_complete_counts_slots_of_open_section(void **state)
{
	ibv_wr_start(qpx);
	for (int i = 0; i < 5; i++)
		ibv_wr_send(qpx);
	assert_int_equal(ibv_wr_complete(qpx), ENOMEM);
	assert_int_equal(fake_sqe(0)->flags, 0);
	assert_int_equal(soft.nr_doorbells, 0);
	ibv_wr_start(qpx);
	for (int i = 0; i < 4; i++)
		ibv_wr_send(qpx);
	assert_int_equal(ibv_wr_complete(qpx), 0);
	ibv_wr_start(qpx);
	ibv_wr_send(qpx);
	assert_int_equal(ibv_wr_complete(qpx), ENOMEM);
}

static void siw_wr_complete_invalid_data_returns_einval(void **state)
{
	static char big[SIW_MAX_INLINE + 1];
	struct ibv_sge sges[4] = {};
	const struct ibv_data_buf bufs[] = {
		{ .addr = big, .length = SIW_MAX_INLINE },
		{ .addr = big, .length = 1 },
	};

	ibv_wr_start(qpx);
	ibv_wr_send(qpx);
	ibv_wr_set_sge_list(qpx, 4, sges);
	ibv_wr_send(qpx); /* ignored after the error */
	ibv_wr_set_sge(qpx, 1, 2, 3);
	assert_int_equal(ibv_wr_complete(qpx), EINVAL);

	ibv_wr_start(qpx);
	ibv_wr_rdma_read(qpx, 1, 2);
	ibv_wr_set_inline_data(qpx, big, 1);
	assert_int_equal(ibv_wr_complete(qpx), EINVAL);

	ibv_wr_start(qpx);
	ibv_wr_rdma_read(qpx, 1, 2);
	ibv_wr_set_sge_list(qpx, 2, sges);
	assert_int_equal(ibv_wr_complete(qpx), EINVAL);

	ibv_wr_start(qpx);
	ibv_wr_send(qpx);
	ibv_wr_set_inline_data(qpx, big, sizeof(big));
	assert_int_equal(ibv_wr_complete(qpx), EINVAL);

	ibv_wr_start(qpx);
	ibv_wr_send(qpx);
	ibv_wr_set_inline_data_list(qpx, 2, bufs);
	assert_int_equal(ibv_wr_complete(qpx), EINVAL);
	assert_int_equal(soft.nr_doorbells, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(siw_wr_complete_publishes_wqe,
						setup, teardown),
		cmocka_unit_test_setup_teardown(
			siw_wr_send_without_setter_has_no_sges, setup,
			teardown),
		cmocka_unit_test_setup_teardown(
			siw_wr_flags_are_kept_per_request, setup, teardown),
		cmocka_unit_test_setup_teardown(siw_wr_abort_publishes_nothing,
						setup, teardown),
		cmocka_unit_test_setup_teardown(
			siw_wr_complete_counts_slots_of_open_section, setup,
			teardown),
		cmocka_unit_test_setup_teardown(
			siw_wr_complete_invalid_data_returns_einval, setup,
			teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
