/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Posting: the WQE that each work request results in, every immediate error,
 * and the doorbells.
 */
#include "siw_fake.h"

#include <errno.h>
#include <string.h>

static char data[256];

static struct ibv_sge sges[4] = {
	{ .addr = 0x1000, .length = 10, .lkey = 1 },
	{ .addr = 0x2000, .length = 20, .lkey = 2 },
	{ .addr = 0x3000, .length = 30, .lkey = 3 },
	{ .addr = 0x4000, .length = 40, .lkey = 4 },
};

static int post_send(struct siw_qp *qp, struct ibv_send_wr *wr,
		     struct ibv_send_wr **bad)
{
	*bad = NULL;
	return siw_post_send(&qp->vqp.qp, wr, bad);
}

static void siw_post_send_send_fills_wqe(void **state)
{
	struct siw_qp *qp = fake_qp_new(&(struct fake_qp_args){});
	struct ibv_send_wr wr = {
		.wr_id = 77,
		.sg_list = sges,
		.num_sge = 3,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED | IBV_SEND_SOLICITED |
			      IBV_SEND_FENCE,
	};
	struct ibv_send_wr *bad;
	const struct siw_sqe *sqe = fake_sqe(0);

	assert_int_equal(post_send(qp, &wr, &bad), 0);
	assert_int_equal(sqe->id, 77);
	assert_int_equal(sqe->opcode, SIW_OP_SEND);
	assert_int_equal(sqe->num_sge, 3);
	assert_int_equal(sqe->flags, SIW_WQE_VALID | SIW_WQE_SIGNALLED |
					     SIW_WQE_SOLICITED |
					     SIW_WQE_READ_FENCE);
	assert_memory_equal(sqe->sge, sges, 3 * sizeof(sges[0]));
	assert_int_equal(soft.nr_doorbells, 1);
	fake_qp_free(qp);
}

static void siw_post_send_rdma_and_invalidate_fill_wqes(void **state)
{
	struct siw_qp *qp = fake_qp_new(&(struct fake_qp_args){});
	struct ibv_send_wr inv = {
		.opcode = IBV_WR_SEND_WITH_INV,
		.invalidate_rkey = 0xabc,
	};
	struct ibv_send_wr read = {
		.next = &inv,
		.sg_list = sges,
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_READ,
		.send_flags = IBV_SEND_FENCE,
		.wr.rdma = { .remote_addr = 0x7000, .rkey = 0x71 },
	};
	struct ibv_send_wr write = {
		.next = &read,
		.sg_list = sges,
		.num_sge = 2,
		.opcode = IBV_WR_RDMA_WRITE,
		.wr.rdma = { .remote_addr = 0x6000, .rkey = 0x61 },
	};
	struct ibv_send_wr *bad;

	assert_int_equal(post_send(qp, &write, &bad), 0);
	assert_int_equal(fake_sqe(0)->opcode, SIW_OP_WRITE);
	assert_int_equal(fake_sqe(0)->raddr, 0x6000);
	assert_int_equal(fake_sqe(0)->rkey, 0x61);
	assert_int_equal(fake_sqe(1)->opcode, SIW_OP_READ);
	assert_int_equal(fake_sqe(1)->raddr, 0x7000);
	assert_int_equal(fake_sqe(1)->rkey, 0x71);
	assert_int_equal(fake_sqe(1)->num_sge, 1);
	assert_memory_equal(fake_sqe(1)->sge, sges, sizeof(sges[0]));
	/* The driver rejects a fenced READ. */
	assert_int_equal(fake_sqe(1)->flags, SIW_WQE_VALID);
	assert_int_equal(fake_sqe(2)->opcode, SIW_OP_SEND_REMOTE_INV);
	assert_int_equal(fake_sqe(2)->rkey, 0xabc);
	assert_int_equal(fake_sqe(2)->num_sge, 0);
	assert_int_equal(soft.nr_doorbells, 1);
	fake_qp_free(qp);
}

/* Fields of the previous WQE in the slot must not stay. */
static void siw_post_send_reused_slot_is_cleared(void **state)
{
	struct siw_qp *qp = fake_qp_new(&(struct fake_qp_args){});
	struct ibv_send_wr write = {
		.opcode = IBV_WR_RDMA_WRITE,
		.wr.rdma = { .remote_addr = 0x6000, .rkey = 0x61 },
	};
	struct ibv_send_wr send = { .opcode = IBV_WR_SEND };
	struct ibv_send_wr *bad;

	for (int i = 0; i < 4; i++)
		assert_int_equal(post_send(qp, &write, &bad), 0);
	fake_sqe(0)->flags = 0;
	assert_int_equal(post_send(qp, &send, &bad), 0);
	assert_int_equal(fake_sqe(0)->rkey, 0);
	assert_int_equal(fake_sqe(0)->raddr, 0);
	fake_qp_free(qp);
}

static void siw_post_send_inline_data_follows_first_sge(void **state)
{
	struct siw_qp *qp = fake_qp_new(&(struct fake_qp_args){});
	struct ibv_sge inline_sges[5] = {
		{ .addr = (uintptr_t) "ab", .length = 2 },
		{ .addr = 0, .length = 0 },
		{ .addr = (uintptr_t) "cde", .length = 3 },
		{ .addr = (uintptr_t) "f", .length = 1 },
		{ .addr = (uintptr_t) "g", .length = 1 },
	};
	struct ibv_send_wr wr = {
		.sg_list = inline_sges,
		.num_sge = 5, /* more than max_sge: the data is copied */
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_INLINE,
	};
	struct ibv_send_wr *bad;

	assert_int_equal(post_send(qp, &wr, &bad), 0);
	assert_int_equal(fake_sqe(0)->flags, SIW_WQE_VALID | SIW_WQE_INLINE);
	assert_int_equal(fake_sqe(0)->num_sge, 1);
	assert_int_equal(fake_sqe(0)->sge[0].length, 7);
	assert_memory_equal(&fake_sqe(0)->sge[1], "abcdefg", 7);
	fake_qp_free(qp);
}

static void siw_post_send_inline_above_limit_returns_einval(void **state)
{
	struct siw_qp *qp = fake_qp_new(&(struct fake_qp_args){});
	struct ibv_sge sge = { .addr = (uintptr_t)data };
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_INLINE,
	};
	struct ibv_send_wr *bad;

	sge.length = SIW_MAX_INLINE;
	assert_int_equal(post_send(qp, &wr, &bad), 0);
	assert_int_equal(fake_sqe(1)->flags,
			 0); /* no overflow into the next WQE */
	sge.length = SIW_MAX_INLINE + 1;
	assert_int_equal(post_send(qp, &wr, &bad), EINVAL);
	sge.length = UINT32_MAX;
	assert_int_equal(post_send(qp, &wr, &bad), EINVAL);
	fake_qp_free(qp);
}

static void siw_post_send_unsupported_opcode_returns_einval(void **state)
{
	static const enum ibv_wr_opcode opcodes[] = {
		IBV_WR_SEND_WITH_IMM,
		IBV_WR_RDMA_WRITE_WITH_IMM,
		IBV_WR_ATOMIC_CMP_AND_SWP,
		IBV_WR_ATOMIC_FETCH_AND_ADD,
		IBV_WR_LOCAL_INV,
		IBV_WR_BIND_MW,
		IBV_WR_TSO,
		(enum ibv_wr_opcode)1000,
	};
	struct siw_qp *qp = fake_qp_new(&(struct fake_qp_args){});
	struct ibv_send_wr wr = { .sg_list = sges, .num_sge = 1 };
	struct ibv_send_wr *bad;

	for (size_t i = 0; i < sizeof(opcodes) / sizeof(opcodes[0]); i++) {
		wr.opcode = opcodes[i];
		assert_int_equal(post_send(qp, &wr, &bad), EINVAL);
		assert_ptr_equal(bad, &wr);
	}
	assert_int_equal(soft.nr_doorbells, 0);
	assert_int_equal(fake_sqe(0)->flags, 0);
	fake_qp_free(qp);
}

static void siw_post_send_bad_num_sge_returns_einval(void **state)
{
	static const struct {
		enum ibv_wr_opcode opcode;
		int num_sge;
		unsigned int flags;
	} cases[] = {
		{ IBV_WR_SEND, 4, 0 },
		{ IBV_WR_SEND, -1, 0 },
		{ IBV_WR_SEND, -1, IBV_SEND_INLINE },
		{ IBV_WR_RDMA_READ, 0, 0 },
		{ IBV_WR_RDMA_READ, 2, 0 },
		{ IBV_WR_RDMA_READ, 1, IBV_SEND_INLINE },
		{ IBV_WR_SEND_WITH_INV, 1, IBV_SEND_INLINE },
	};
	struct siw_qp *qp = fake_qp_new(&(struct fake_qp_args){});
	struct ibv_send_wr *bad;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ibv_send_wr wr = {
			.sg_list = sges,
			.num_sge = cases[i].num_sge,
			.opcode = cases[i].opcode,
			.send_flags = cases[i].flags,
		};

		assert_int_equal(post_send(qp, &wr, &bad), EINVAL);
	}
	fake_qp_free(qp);
}

static void siw_post_send_full_ring_returns_enomem(void **state)
{
	struct siw_qp *qp = fake_qp_new(&(struct fake_qp_args){});
	struct ibv_send_wr wr[5] = {};
	struct ibv_send_wr *bad;

	for (int i = 0; i < 5; i++) {
		wr[i].wr_id = (uint64_t)i;
		wr[i].opcode = IBV_WR_SEND;
		wr[i].next = i < 4 ? &wr[i + 1] : NULL;
	}
	assert_int_equal(post_send(qp, wr, &bad), ENOMEM);
	assert_ptr_equal(bad, &wr[4]);
	assert_int_equal(soft.nr_doorbells, 1); /* for the first four */
	fake_sqe(0)->flags = 0;
	assert_int_equal(post_send(qp, &wr[4], &bad), 0);
	assert_int_equal(fake_sqe(0)->id, 4);
	fake_qp_free(qp);
}

static void siw_post_send_sq_sig_all_signals_every_wqe(void **state)
{
	struct siw_qp *qp =
		fake_qp_new(&(struct fake_qp_args){ .signal_all = true });
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };
	struct ibv_send_wr *bad;

	assert_int_equal(post_send(qp, &wr, &bad), 0);
	assert_int_equal(fake_sqe(0)->flags, SIW_WQE_VALID | SIW_WQE_SIGNALLED);
	fake_qp_free(qp);
}

static void siw_post_send_doorbell_error_reports_first_wr(void **state)
{
	struct siw_qp *qp = fake_qp_new(&(struct fake_qp_args){});
	struct ibv_send_wr second = { .opcode = IBV_WR_SEND };
	struct ibv_send_wr first = { .next = &second, .opcode = IBV_WR_SEND };
	struct ibv_send_wr *bad;

	soft.doorbell_err = -ENOTCONN;
	assert_int_equal(post_send(qp, &first, &bad), ENOTCONN);
	assert_ptr_equal(bad, &first);
	fake_qp_free(qp);
}

static void siw_post_recv_rings_no_doorbell(void **state)
{
	struct siw_qp *qp = fake_qp_new(&(struct fake_qp_args){});
	struct ibv_recv_wr wr[5] = {};
	struct ibv_recv_wr *bad = NULL;

	for (int i = 0; i < 5; i++) {
		wr[i].wr_id = 100 + (uint64_t)i;
		wr[i].sg_list = sges;
		wr[i].num_sge = i % 4;
		wr[i].next = i < 4 ? &wr[i + 1] : NULL;
	}
	assert_int_equal(siw_post_recv(&qp->vqp.qp, wr, &bad), ENOMEM);
	assert_ptr_equal(bad, &wr[4]);
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(fake_rqe(&fake.rq, i)->id, 100 + i);
		assert_int_equal(fake_rqe(&fake.rq, i)->num_sge, i);
		assert_int_equal(fake_rqe(&fake.rq, i)->flags, SIW_WQE_VALID);
		assert_memory_equal(fake_rqe(&fake.rq, i)->sge, sges,
				    i * sizeof(sges[0]));
	}
	assert_int_equal(soft.nr_doorbells, 0);
	fake_rqe(&fake.rq, 0)->flags = 0;
	wr[4].num_sge = 4;
	assert_int_equal(siw_post_recv(&qp->vqp.qp, &wr[4], &bad), EINVAL);
	fake_qp_free(qp);
}

static void siw_post_recv_without_receive_queue_returns_einval(void **state)
{
	struct siw_qp *qp =
		fake_qp_new(&(struct fake_qp_args){ .no_recv = true });
	struct ibv_recv_wr wr = {};
	struct ibv_recv_wr *bad = NULL;

	assert_int_equal(siw_post_recv(&qp->vqp.qp, &wr, &bad), EINVAL);
	assert_ptr_equal(bad, &wr);
	fake_qp_free(qp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(siw_post_send_send_fills_wqe,
						fake_setup, fake_teardown),
		cmocka_unit_test_setup_teardown(
			siw_post_send_rdma_and_invalidate_fill_wqes, fake_setup,
			fake_teardown),
		cmocka_unit_test_setup_teardown(
			siw_post_send_reused_slot_is_cleared, fake_setup,
			fake_teardown),
		cmocka_unit_test_setup_teardown(
			siw_post_send_inline_data_follows_first_sge, fake_setup,
			fake_teardown),
		cmocka_unit_test_setup_teardown(
			siw_post_send_inline_above_limit_returns_einval,
			fake_setup, fake_teardown),
		cmocka_unit_test_setup_teardown(
			siw_post_send_unsupported_opcode_returns_einval,
			fake_setup, fake_teardown),
		cmocka_unit_test_setup_teardown(
			siw_post_send_bad_num_sge_returns_einval, fake_setup,
			fake_teardown),
		cmocka_unit_test_setup_teardown(
			siw_post_send_full_ring_returns_enomem, fake_setup,
			fake_teardown),
		cmocka_unit_test_setup_teardown(
			siw_post_send_sq_sig_all_signals_every_wqe, fake_setup,
			fake_teardown),
		cmocka_unit_test_setup_teardown(
			siw_post_send_doorbell_error_reports_first_wr,
			fake_setup, fake_teardown),
		cmocka_unit_test_setup_teardown(siw_post_recv_rings_no_doorbell,
						fake_setup, fake_teardown),
		cmocka_unit_test_setup_teardown(
			siw_post_recv_without_receive_queue_returns_einval,
			fake_setup, fake_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
