/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Polling with ibv_poll_cq() and extended polling; arming a CQ. */
#include "siw_fake.h"

#include <errno.h>
#include <string.h>

static struct siw_cq *cq;

static int setup(void **state)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 3,
		.wc_flags = SIW_WC_FLAGS,
	};
	struct verbs_cq *vcq;
	int ret = fake_setup(state);

	assert_int_equal(siw_create_cq(fake_context(), &attr, true, &vcq), 0);
	cq = to_siw_cq(&vcq->cq);
	assert_int_equal(vcq->cq.cqe, 4);
	return ret;
}

static int teardown(void **state)
{
	assert_int_equal(siw_destroy_cq(&cq->vcq.cq), 0);
	assert_int_equal(soft.nr_waits, 1);
	return fake_teardown(state);
}

static void cqe_push(uint32_t index, uint64_t id, uint8_t opcode,
		     uint16_t status)
{
	struct siw_cqe *cqe = fake_cqe(index);

	*cqe = (struct siw_cqe){
		.id = id,
		.opcode = opcode,
		.status = status,
		.bytes = (uint32_t)id * 10,
		.qp_id = 17,
		.flags = SIW_WQE_VALID,
	};
}

static int cq_poll(int nr, struct ibv_wc *wc)
{
	return siw_poll_cq(&cq->vcq.cq, nr, wc);
}

static void siw_poll_cq_returns_cqes_in_order_and_frees_slots(void **state)
{
	struct ibv_wc wc[4];

	assert_int_equal(cq_poll(4, wc), 0);
	cqe_push(0, 1, SIW_OP_SEND, SIW_WC_SUCCESS);
	cqe_push(1, 2, SIW_OP_RECEIVE, SIW_WC_SUCCESS);
	cqe_push(2, 3, SIW_OP_READ, SIW_WC_LOC_LEN_ERR);
	assert_int_equal(cq_poll(2, wc), 2);
	assert_int_equal(wc[0].wr_id, 1);
	assert_int_equal(wc[0].opcode, IBV_WC_SEND);
	assert_int_equal(wc[0].status, IBV_WC_SUCCESS);
	assert_int_equal(wc[0].qp_num, 17);
	assert_int_equal(wc[1].opcode, IBV_WC_RECV);
	assert_int_equal(wc[1].byte_len, 20);
	assert_int_equal(fake_cqe(0)->flags, 0);
	assert_int_equal(fake_cqe(1)->flags, 0);
	assert_int_equal(fake_cqe(2)->flags, SIW_WQE_VALID);
	cqe_push(3, 4, SIW_OP_WRITE, SIW_WC_WR_FLUSH_ERR);
	cqe_push(0, 5, SIW_OP_SEND_REMOTE_INV, SIW_WC_SUCCESS);
	assert_int_equal(cq_poll(4, wc), 3);
	assert_int_equal(wc[0].status, IBV_WC_LOC_LEN_ERR);
	assert_int_equal(wc[0].opcode, IBV_WC_RDMA_READ);
	assert_int_equal(wc[1].opcode, IBV_WC_RDMA_WRITE);
	assert_int_equal(wc[1].status, IBV_WC_WR_FLUSH_ERR);
	assert_int_equal(wc[2].wr_id, 5);
	assert_int_equal(cq_poll(4, wc), 0);
}

static void siw_poll_cq_translates_every_status(void **state)
{
	static const enum ibv_wc_status expected[] = {
		[SIW_WC_SUCCESS] = IBV_WC_SUCCESS,
		[SIW_WC_LOC_LEN_ERR] = IBV_WC_LOC_LEN_ERR,
		[SIW_WC_LOC_PROT_ERR] = IBV_WC_LOC_PROT_ERR,
		[SIW_WC_LOC_QP_OP_ERR] = IBV_WC_LOC_QP_OP_ERR,
		[SIW_WC_WR_FLUSH_ERR] = IBV_WC_WR_FLUSH_ERR,
		[SIW_WC_BAD_RESP_ERR] = IBV_WC_BAD_RESP_ERR,
		[SIW_WC_LOC_ACCESS_ERR] = IBV_WC_LOC_ACCESS_ERR,
		[SIW_WC_REM_ACCESS_ERR] = IBV_WC_REM_ACCESS_ERR,
		[SIW_WC_REM_INV_REQ_ERR] = IBV_WC_REM_INV_REQ_ERR,
		[SIW_WC_GENERAL_ERR] = IBV_WC_GENERAL_ERR,
		[SIW_NUM_WC_STATUS] = IBV_WC_GENERAL_ERR, /* undefined status */
	};
	struct ibv_wc wc;

	for (uint16_t i = 0; i <= SIW_NUM_WC_STATUS; i++) {
		cqe_push(i % 4, i, SIW_OP_SEND, i);
		assert_int_equal(cq_poll(1, &wc), 1);
		assert_int_equal(wc.status, expected[i]);
	}
}

static void siw_poll_cq_returns_invalidated_rkey(void **state)
{
	struct ibv_wc wc;

	cqe_push(0, 1, SIW_OP_RECEIVE, SIW_WC_SUCCESS);
	fake_cqe(0)->inval_stag = 0x5500;
	fake_cqe(0)->flags |= SIW_WQE_REM_INVAL;
	assert_int_equal(cq_poll(1, &wc), 1);
	assert_int_equal(wc.wc_flags, IBV_WC_WITH_INV);
	assert_int_equal(wc.invalidated_rkey, 0x5500);
}

static void siw_req_notify_cq_stores_flags_behind_ring(void **state)
{
	assert_int_equal(siw_req_notify_cq(&cq->vcq.cq, 1), 0);
	assert_int_equal(fake_cq_ctrl()->flags, SIW_NOTIFY_SOLICITED);
	assert_int_equal(siw_req_notify_cq(&cq->vcq.cq, 0), 0);
	assert_int_equal(fake_cq_ctrl()->flags,
			 SIW_NOTIFY_SOLICITED | SIW_NOTIFY_NEXT_COMPLETION);
}

static void siw_cq_ex_read_functions_return_current_cqe(void **state)
{
	struct ibv_cq_ex *ex = &cq->vcq.cq_ex;
	struct ibv_poll_cq_attr attr = {};

	assert_int_equal(ibv_start_poll(ex, &attr), ENOENT);
	cqe_push(0, 1, SIW_OP_RECEIVE, SIW_WC_SUCCESS);
	fake_cqe(0)->inval_stag = 0x5500;
	fake_cqe(0)->flags |= SIW_WQE_REM_INVAL;
	cqe_push(1, 2, SIW_OP_SEND, SIW_WC_REM_ACCESS_ERR);
	assert_int_equal(ibv_start_poll(ex, &attr), 0);
	assert_int_equal(ex->wr_id, 1);
	assert_int_equal(ex->status, IBV_WC_SUCCESS);
	assert_int_equal(ibv_wc_read_opcode(ex), IBV_WC_RECV);
	assert_int_equal(ibv_wc_read_byte_len(ex), 10);
	assert_int_equal(ibv_wc_read_wc_flags(ex), IBV_WC_WITH_INV);
	assert_int_equal(ibv_wc_read_invalidated_rkey(ex), 0x5500);
	assert_int_equal(ibv_wc_read_qp_num(ex), 17);
	assert_int_equal(ibv_wc_read_src_qp(ex), 0);
	assert_int_equal(ibv_wc_read_slid(ex), 0);
	assert_int_equal(ibv_wc_read_sl(ex), 0);
	assert_int_equal(ibv_wc_read_dlid_path_bits(ex), 0);
	assert_int_equal(ibv_wc_read_vendor_err(ex), 0);
	assert_int_equal(fake_cqe(0)->flags, 0); /* the slot is free again */
	assert_int_equal(ibv_next_poll(ex), 0);
	assert_int_equal(ex->wr_id, 2);
	assert_int_equal(ex->status, IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(ibv_next_poll(ex), ENOENT);
	ibv_end_poll(ex);
	assert_int_equal(ibv_start_poll(ex, &attr), ENOENT);
}

static void siw_start_poll_unknown_comp_mask_returns_einval(void **state)
{
	struct ibv_poll_cq_attr attr = { .comp_mask = 1 };

	assert_int_equal(ibv_start_poll(&cq->vcq.cq_ex, &attr), EINVAL);
}

/* SINGLE_THREADED counts only if comp_mask announces flags. */
static void siw_single_threaded_cq_takes_no_lock(void **state)
{
	static const struct {
		uint32_t comp_mask, flags;
		bool single_threaded;
	} cases[] = {
		{ 0, IBV_CREATE_CQ_ATTR_SINGLE_THREADED, false },
		{ IBV_CQ_INIT_ATTR_MASK_FLAGS, 0, false },
		{ IBV_CQ_INIT_ATTR_MASK_FLAGS,
		  IBV_CREATE_CQ_ATTR_SINGLE_THREADED, true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ibv_cq_init_attr_ex attr = {
			.cqe = 3,
			.comp_mask = cases[i].comp_mask,
			.flags = cases[i].flags,
		};
		struct verbs_cq *vcq;
		struct siw_cq *other;

		assert_int_equal(
			siw_create_cq(fake_context(), &attr, false, &vcq), 0);
		other = to_siw_cq(&vcq->cq);
		assert_int_equal(other->single_threaded,
				 cases[i].single_threaded);
		siw_cq_lock(other);
		assert_int_equal(pthread_spin_trylock(&other->lock),
				 cases[i].single_threaded ? 0 : EBUSY);
		assert_int_equal(pthread_spin_unlock(&other->lock), 0);
		assert_int_equal(siw_destroy_cq(&vcq->cq), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			siw_poll_cq_returns_cqes_in_order_and_frees_slots,
			setup, teardown),
		cmocka_unit_test_setup_teardown(
			siw_poll_cq_translates_every_status, setup, teardown),
		cmocka_unit_test_setup_teardown(
			siw_poll_cq_returns_invalidated_rkey, setup, teardown),
		cmocka_unit_test_setup_teardown(
			siw_req_notify_cq_stores_flags_behind_ring, setup,
			teardown),
		cmocka_unit_test_setup_teardown(
			siw_cq_ex_read_functions_return_current_cqe, setup,
			teardown),
		cmocka_unit_test_setup_teardown(
			siw_start_poll_unknown_comp_mask_returns_einval, setup,
			teardown),
		cmocka_unit_test_setup_teardown(
			siw_single_threaded_cq_takes_no_lock, fake_setup,
			fake_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
