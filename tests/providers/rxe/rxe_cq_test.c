/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Completion queues: translation of the kernel's CQE in ibv_poll_cq() and in
 * extended polling, and resizing a CQ.
 */
#include "rxe_fake.h"

#include <errno.h>
#include <pthread.h>
#include <rdma/ib_user_verbs.h>

/* The kernel's value of IBV_WC_WITH_INV. */
#define KERNEL_WITH_INVALIDATE 4

static struct ibv_cq_ex *cq_new(int cqe, uint64_t wc_flags, uint32_t flags,
				bool extended)
{
	const struct ibv_cq_init_attr_ex attr = {
		.cqe = (uint32_t)cqe,
		.wc_flags = wc_flags,
		.comp_mask = flags ? IBV_CQ_INIT_ATTR_MASK_FLAGS : 0,
		.flags = flags,
	};
	struct verbs_cq *vcq = NULL;

	assert_int_equal(rxe_create_cq(fake_context(), &attr, extended, &vcq),
			 0);
	return &vcq->cq_ex;
}

static void cq_free(struct ibv_cq_ex *cq)
{
	assert_int_equal(rxe_destroy_cq(ibv_cq_ex_to_cq(cq)), 0);
}

static void push_wr_id(uint64_t wr_id)
{
	const struct ib_uverbs_wc wc = { .wr_id = wr_id };

	fake_cq_push(&wc);
}

/* -- ibv_poll_cq() -- */

static void rxe_poll_cq_copies_every_field(void **state)
{
	struct ibv_cq_ex *cq = cq_new(7, 0, 0, false);
	const struct ib_uverbs_wc cqe = {
		.wr_id = 0x1122334455667788,
		.status = IBV_WC_RNR_RETRY_EXC_ERR,
		.opcode = IBV_WC_RECV_RDMA_WITH_IMM,
		.vendor_err = 0x99,
		.byte_len = 4711,
		.ex.imm_data = htobe32(0xcafe),
		.qp_num = 0x123456,
		.src_qp = 0x654321,
		.wc_flags = IBV_WC_GRH | IBV_WC_WITH_IMM,
		.pkey_index = 3,
		.slid = 4,
		.sl = 5,
		.dlid_path_bits = 6,
	};
	struct ibv_wc wc;

	fake_cq_push(&cqe);
	assert_int_equal(rxe_poll_cq(ibv_cq_ex_to_cq(cq), 1, &wc), 1);
	assert_true(wc.wr_id == 0x1122334455667788);
	assert_int_equal(wc.status, IBV_WC_RNR_RETRY_EXC_ERR);
	assert_int_equal(wc.opcode, IBV_WC_RECV_RDMA_WITH_IMM);
	assert_int_equal(wc.vendor_err, 0x99);
	assert_int_equal(wc.byte_len, 4711);
	assert_int_equal(wc.imm_data, htobe32(0xcafe));
	assert_int_equal(wc.qp_num, 0x123456);
	assert_int_equal(wc.src_qp, 0x654321);
	assert_int_equal(wc.wc_flags, IBV_WC_GRH | IBV_WC_WITH_IMM);
	assert_int_equal(wc.pkey_index, 3);
	assert_int_equal(wc.slid, 4);
	assert_int_equal(wc.sl, 5);
	assert_int_equal(wc.dlid_path_bits, 6);
	cq_free(cq);
}

static void rxe_poll_cq_translates_invalidate_flag(void **state)
{
	struct ibv_cq_ex *cq = cq_new(7, 0, 0, false);
	const struct ib_uverbs_wc cqe = {
		.wc_flags = IBV_WC_GRH | KERNEL_WITH_INVALIDATE,
		.ex.invalidate_rkey = 0x1234,
	};
	struct ibv_wc wc;

	fake_cq_push(&cqe);
	assert_int_equal(rxe_poll_cq(ibv_cq_ex_to_cq(cq), 1, &wc), 1);
	assert_int_equal(wc.wc_flags, IBV_WC_GRH | IBV_WC_WITH_INV);
	assert_int_equal(wc.invalidated_rkey, 0x1234);
	cq_free(cq);
}

static void rxe_poll_cq_returns_at_most_num_entries(void **state)
{
	struct ibv_cq_ex *cq = cq_new(7, 0, 0, false);
	struct ibv_cq *base = ibv_cq_ex_to_cq(cq);
	struct ibv_wc wc[4];

	assert_int_equal(rxe_poll_cq(base, 4, wc), 0);
	for (uint64_t i = 0; i < 3; i++)
		push_wr_id(i);
	assert_int_equal(rxe_poll_cq(base, 0, wc), 0);
	assert_int_equal(rxe_poll_cq(base, -1, wc), 0);
	assert_int_equal(rxe_poll_cq(base, 2, wc), 2);
	assert_int_equal(wc[0].wr_id, 0);
	assert_int_equal(wc[1].wr_id, 1);
	assert_int_equal(fake.cq.buf->consumer_index, 2);
	assert_int_equal(rxe_poll_cq(base, 4, wc), 1);
	assert_int_equal(wc[0].wr_id, 2);
	assert_int_equal(rxe_poll_cq(base, 4, wc), 0);
	cq_free(cq);
}

static void rxe_poll_cq_wraps_around_ring_end(void **state)
{
	struct ibv_cq_ex *cq = cq_new(3, 0, 0, false);
	struct ibv_wc wc[4];

	for (uint64_t i = 0; i < 20; i += 2) {
		push_wr_id(i);
		push_wr_id(i + 1);
		assert_int_equal(rxe_poll_cq(ibv_cq_ex_to_cq(cq), 4, wc), 2);
		assert_int_equal(wc[0].wr_id, i);
		assert_int_equal(wc[1].wr_id, i + 1);
	}
	cq_free(cq);
}

/* -- extended -- */

static void rxe_cq_ex_read_functions_return_every_field(void **state)
{
	struct ibv_cq_ex *cq = cq_new(7, IBV_WC_STANDARD_FLAGS, 0, true);
	struct ibv_poll_cq_attr attr = {};
	const struct ib_uverbs_wc cqe = {
		.wr_id = 0x1122334455667788,
		.status = IBV_WC_SUCCESS,
		.opcode = IBV_WC_RECV,
		.vendor_err = 0x99,
		.byte_len = 4711,
		.ex.imm_data = htobe32(0xcafe),
		.qp_num = 0x123456,
		.src_qp = 0x654321,
		.wc_flags = IBV_WC_GRH | KERNEL_WITH_INVALIDATE,
		.slid = 4,
		.sl = 5,
		.dlid_path_bits = 6,
	};

	fake_cq_push(&cqe);
	assert_int_equal(ibv_start_poll(cq, &attr), 0);
	assert_true(cq->wr_id == 0x1122334455667788);
	assert_int_equal(cq->status, IBV_WC_SUCCESS);
	assert_int_equal(ibv_wc_read_opcode(cq), IBV_WC_RECV);
	assert_int_equal(ibv_wc_read_vendor_err(cq), 0x99);
	assert_int_equal(ibv_wc_read_byte_len(cq), 4711);
	assert_int_equal(ibv_wc_read_imm_data(cq), htobe32(0xcafe));
	assert_int_equal(ibv_wc_read_qp_num(cq), 0x123456);
	assert_int_equal(ibv_wc_read_src_qp(cq), 0x654321);
	assert_int_equal(ibv_wc_read_wc_flags(cq),
			 IBV_WC_GRH | IBV_WC_WITH_INV);
	assert_int_equal(ibv_wc_read_slid(cq), 4);
	assert_int_equal(ibv_wc_read_sl(cq), 5);
	assert_int_equal(ibv_wc_read_dlid_path_bits(cq), 6);
	ibv_end_poll(cq);
	cq_free(cq);
}

static void rxe_start_poll_empty_cq_releases_lock(void **state)
{
	struct ibv_cq_ex *cq = cq_new(7, 0, 0, true);
	struct ibv_poll_cq_attr attr = {};
	struct ibv_wc wc;

	assert_int_equal(ibv_start_poll(cq, &attr), ENOENT);
	assert_int_equal(ibv_start_poll(cq, &attr), ENOENT);
	push_wr_id(9);
	assert_int_equal(rxe_poll_cq(ibv_cq_ex_to_cq(cq), 1, &wc), 1);
	cq_free(cq);
}

static void rxe_start_poll_unknown_comp_mask_returns_einval(void **state)
{
	struct ibv_cq_ex *cq = cq_new(7, 0, 0, true);
	struct ibv_poll_cq_attr attr = { .comp_mask = 1 };

	push_wr_id(1);
	assert_int_equal(ibv_start_poll(cq, &attr), EINVAL);
	attr.comp_mask = 0;
	assert_int_equal(ibv_start_poll(cq, &attr), 0);
	ibv_end_poll(cq);
	cq_free(cq);
}

static void rxe_start_poll_holds_lock_until_end_poll(void **state)
{
	struct ibv_cq_ex *cq = cq_new(7, 0, 0, true);
	struct rxe_cq *rcq = to_rxe_cq_ex(cq);
	struct ibv_poll_cq_attr attr = {};

	push_wr_id(1);
	assert_int_equal(ibv_start_poll(cq, &attr), 0);
	assert_int_equal(pthread_spin_trylock(&rcq->lock), EBUSY);
	assert_int_equal(ibv_next_poll(cq), ENOENT);
	assert_int_equal(pthread_spin_trylock(&rcq->lock), EBUSY);
	ibv_end_poll(cq);
	assert_int_equal(pthread_spin_trylock(&rcq->lock), 0);
	pthread_spin_unlock(&rcq->lock);
	cq_free(cq);
}

static void rxe_next_poll_releases_previous_cqe(void **state)
{
	struct ibv_cq_ex *cq = cq_new(3, 0, 0, true);
	struct ibv_poll_cq_attr attr = {};

	for (uint64_t i = 0; i < 3; i++)
		push_wr_id(i);
	assert_int_equal(ibv_start_poll(cq, &attr), 0);
	assert_int_equal(fake.cq.buf->consumer_index, 0);
	assert_int_equal(ibv_next_poll(cq), 0);
	assert_int_equal(fake.cq.buf->consumer_index, 1);
	push_wr_id(3); /* uses the slot just released */
	for (uint64_t i = 1; i < 4; i++) {
		assert_int_equal(cq->wr_id, i);
		assert_int_equal(ibv_next_poll(cq), i < 3 ? 0 : ENOENT);
	}
	assert_int_equal(ibv_next_poll(cq), ENOENT);
	ibv_end_poll(cq);
	assert_int_equal(fake.cq.buf->consumer_index, 0);
	cq_free(cq);
}

static void rxe_end_poll_releases_last_cqe(void **state)
{
	struct ibv_cq_ex *cq = cq_new(7, 0, 0, true);
	struct ibv_poll_cq_attr attr = {};
	struct ibv_wc wc;

	push_wr_id(1);
	push_wr_id(2);
	assert_int_equal(ibv_start_poll(cq, &attr), 0);
	ibv_end_poll(cq);
	assert_int_equal(fake.cq.buf->consumer_index, 1);
	assert_int_equal(rxe_poll_cq(ibv_cq_ex_to_cq(cq), 1, &wc), 1);
	assert_int_equal(wc.wr_id, 2);
	cq_free(cq);
}

static void rxe_start_poll_single_threaded_takes_no_lock(void **state)
{
	struct ibv_cq_ex *cq =
		cq_new(7, 0, IBV_CREATE_CQ_ATTR_SINGLE_THREADED, true);
	struct rxe_cq *rcq = to_rxe_cq_ex(cq);
	struct ibv_poll_cq_attr attr = {};

	push_wr_id(1);
	assert_int_equal(ibv_start_poll(cq, &attr), 0);
	assert_int_equal(pthread_spin_trylock(&rcq->lock), 0);
	pthread_spin_unlock(&rcq->lock);
	ibv_end_poll(cq);
	cq_free(cq);
}

/* -- create, resize, destroy -- */

static void rxe_create_cq_unsupported_field_returns_eopnotsupp(void **state)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 7,
		.wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP,
	};
	struct verbs_cq *vcq = NULL;

	assert_int_equal(rxe_create_cq(fake_context(), &attr, true, &vcq),
			 -EOPNOTSUPP);
	attr.wc_flags = 0;
	attr.comp_mask = IBV_CQ_INIT_ATTR_MASK_PD;
	assert_int_equal(rxe_create_cq(fake_context(), &attr, true, &vcq),
			 -EOPNOTSUPP);
	assert_null(vcq);
	assert_int_equal(soft.nr_created, 0);
}

static void spoil_mask(struct fake_ring *ring)
{
	ring->buf->index_mask = 5;
}

static void rxe_create_cq_bad_ring_destroys_kernel_cq(void **state)
{
	const struct ibv_cq_init_attr_ex attr = { .cqe = 7 };
	struct verbs_cq *vcq = NULL;

	fake.spoil_ring = spoil_mask;
	assert_int_equal(rxe_create_cq(fake_context(), &attr, false, &vcq),
			 -EIO);
	assert_null(vcq);
	assert_int_equal(soft.nr_created, 1);
	assert_int_equal(soft.nr_destroyed, 1);
}

static void rxe_create_cq_kernel_error_is_returned(void **state)
{
	const struct ibv_cq_init_attr_ex attr = { .cqe = 7 };
	struct verbs_cq *vcq = NULL;

	soft.err = -ENOSPC;
	assert_int_equal(rxe_create_cq(fake_context(), &attr, false, &vcq),
			 -ENOSPC);
	assert_null(vcq);
}

static void rxe_resize_cq_keeps_unpolled_cqes(void **state)
{
	struct ibv_cq_ex *cq = cq_new(3, 0, 0, false);
	struct ibv_cq *base = ibv_cq_ex_to_cq(cq);
	struct ibv_wc wc[8];

	for (uint64_t i = 0; i < 3; i++)
		push_wr_id(i);
	assert_int_equal(rxe_poll_cq(base, 1, wc), 1);
	assert_int_equal(rxe_resize_cq(base, 30), 0);
	assert_int_equal(base->cqe, 31);
	push_wr_id(3);
	assert_int_equal(rxe_poll_cq(base, 8, wc), 3);
	for (uint64_t i = 0; i < 3; i++)
		assert_int_equal(wc[i].wr_id, i + 1);
	cq_free(cq);
}

static void rxe_resize_cq_failure_leaves_cq_usable(void **state)
{
	struct ibv_cq_ex *cq = cq_new(3, 0, 0, false);
	struct ibv_cq *base = ibv_cq_ex_to_cq(cq);
	struct ibv_wc wc;

	soft.err = -EINVAL;
	assert_int_equal(rxe_resize_cq(base, 1), -EINVAL);
	push_wr_id(1);
	assert_int_equal(rxe_poll_cq(base, 1, &wc), 1);

	fake.spoil_ring = spoil_mask;
	assert_int_equal(rxe_resize_cq(base, 30), -EIO);
	assert_int_equal(rxe_poll_cq(base, 1, &wc), 0); /* no crash */
	cq_free(cq);
}

static void rxe_destroy_cq_failure_leaves_cq_usable(void **state)
{
	struct ibv_cq_ex *cq = cq_new(3, 0, 0, false);
	struct ibv_wc wc;

	soft.err = -EBUSY;
	assert_int_equal(rxe_destroy_cq(ibv_cq_ex_to_cq(cq)), -EBUSY);
	push_wr_id(1);
	assert_int_equal(rxe_poll_cq(ibv_cq_ex_to_cq(cq), 1, &wc), 1);
	assert_int_equal(soft.nr_waits, 0);
	cq_free(cq);
	assert_int_equal(soft.nr_waits, 1);
}

static void rxe_req_notify_cq_failure_returns_positive_errno(void **state)
{
	struct ibv_cq_ex *cq = cq_new(3, 0, 0, false);

	assert_int_equal(rxe_req_notify_cq(ibv_cq_ex_to_cq(cq), 1), 0);
	soft.err = -EIO;
	assert_int_equal(rxe_req_notify_cq(ibv_cq_ex_to_cq(cq), 1), EIO);
	cq_free(cq);
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, fake_setup, fake_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(rxe_poll_cq_copies_every_field),
		TEST(rxe_poll_cq_translates_invalidate_flag),
		TEST(rxe_poll_cq_returns_at_most_num_entries),
		TEST(rxe_poll_cq_wraps_around_ring_end),
		TEST(rxe_cq_ex_read_functions_return_every_field),
		TEST(rxe_start_poll_empty_cq_releases_lock),
		TEST(rxe_start_poll_unknown_comp_mask_returns_einval),
		TEST(rxe_start_poll_holds_lock_until_end_poll),
		TEST(rxe_next_poll_releases_previous_cqe),
		TEST(rxe_end_poll_releases_last_cqe),
		TEST(rxe_start_poll_single_threaded_takes_no_lock),
		TEST(rxe_create_cq_unsupported_field_returns_eopnotsupp),
		TEST(rxe_create_cq_bad_ring_destroys_kernel_cq),
		TEST(rxe_create_cq_kernel_error_is_returned),
		TEST(rxe_resize_cq_keeps_unpolled_cqes),
		TEST(rxe_resize_cq_failure_leaves_cq_usable),
		TEST(rxe_destroy_cq_failure_leaves_cq_usable),
		TEST(rxe_req_notify_cq_failure_returns_positive_errno),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
