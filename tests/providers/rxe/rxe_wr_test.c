/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The ibv_wr_*() interface: each builder results in the WQE that
 * ibv_post_send() writes for the same work request, and any error in a section
 * makes ibv_wr_complete() fail without posting.
 */
#include "rxe_fake.h"

#include <errno.h>
#include <string.h>

#define RC_OPS                                                            \
	(IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | \
	 IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM |             \
	 IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |   \
	 IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD | IBV_QP_EX_WITH_LOCAL_INV | \
	 IBV_QP_EX_WITH_BIND_MW | IBV_QP_EX_WITH_SEND_WITH_INV)

static char data[256];

static const struct ibv_sge sges[3] = {
	{ .addr = 0x1000, .length = 8, .lkey = 1 },
	{ .addr = 0x2000, .length = 16, .lkey = 2 },
	{ .addr = 0x3000, .length = 32, .lkey = 3 },
};

static struct rxe_qp *rc_qp_new(void)
{
	return fake_qp_new(&(struct fake_qp_args){
		.send_ops = RC_OPS,
		.inline_data = 64,
		.send_wr = 15,
	});
}

static struct ibv_qp_ex *section_begin(struct rxe_qp *qp)
{
	struct ibv_qp_ex *qpx = &qp->vqp.qp_ex;

	ibv_wr_start(qpx);
	qpx->wr_id = 0xabc;
	qpx->wr_flags = IBV_SEND_SIGNALED;
	return qpx;
}

/*
 * Completes the section, whose WQE is in slot 0, posts @wr into slot 1, and
 * compares all bytes of both WQEs. Slots are initially zero, so both interfaces
 * must write the same fields.
 */
static void complete_and_compare_with_post_send(struct rxe_qp *qp,
						struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad = NULL;
	struct rxe_send_wqe *first, *second;

	assert_int_equal(ibv_wr_complete(&qp->vqp.qp_ex), 0);
	assert_int_equal(fake.sq.buf->producer_index, 1);
	wr->wr_id = 0xabc;
	wr->send_flags |= IBV_SEND_SIGNALED;
	assert_int_equal(rxe_post_send(&qp->vqp.qp, wr, &bad), 0);

	first = fake_send_wqe(0);
	second = fake_send_wqe(1);
	assert_int_equal(second->ssn, first->ssn + 1);
	second->ssn = first->ssn;
	assert_memory_equal(first, second, (size_t)1 << fake.sq.log2_elem_size);
	assert_int_equal(soft.nr_doorbells, 2);
	fake_qp_free(qp);
}

static void rxe_wr_send_matches_post_send(void **state)
{
	struct rxe_qp *qp = rc_qp_new();
	struct ibv_qp_ex *qpx = section_begin(qp);
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_SEND,
		.sg_list = (struct ibv_sge *)sges,
		.num_sge = 1,
	};

	ibv_wr_send(qpx);
	ibv_wr_set_sge(qpx, 1, 0x1000, 8);
	complete_and_compare_with_post_send(qp, &wr);
}

static void rxe_wr_send_imm_matches_post_send(void **state)
{
	struct rxe_qp *qp = rc_qp_new();
	struct ibv_qp_ex *qpx = section_begin(qp);
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_SEND_WITH_IMM,
		.imm_data = htobe32(0x55),
		.sg_list = (struct ibv_sge *)sges,
		.num_sge = 3,
	};

	ibv_wr_send_imm(qpx, htobe32(0x55));
	ibv_wr_set_sge_list(qpx, 3, sges);
	complete_and_compare_with_post_send(qp, &wr);
}

static void rxe_wr_send_inv_matches_post_send(void **state)
{
	struct rxe_qp *qp = rc_qp_new();
	struct ibv_qp_ex *qpx = section_begin(qp);
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_SEND_WITH_INV,
		.invalidate_rkey = 0x66,
		.sg_list = (struct ibv_sge *)sges,
		.num_sge = 2,
	};

	ibv_wr_send_inv(qpx, 0x66);
	ibv_wr_set_sge_list(qpx, 2, sges);
	complete_and_compare_with_post_send(qp, &wr);
}

static void rxe_wr_rdma_write_matches_post_send(void **state)
{
	struct rxe_qp *qp = rc_qp_new();
	struct ibv_qp_ex *qpx = section_begin(qp);
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_RDMA_WRITE,
		.sg_list = (struct ibv_sge *)sges,
		.num_sge = 2,
		.wr.rdma = { .remote_addr = 0x7000, .rkey = 0x77 },
	};

	ibv_wr_rdma_write(qpx, 0x77, 0x7000);
	ibv_wr_set_sge_list(qpx, 2, sges);
	complete_and_compare_with_post_send(qp, &wr);
}

static void rxe_wr_rdma_write_imm_matches_post_send(void **state)
{
	struct rxe_qp *qp = rc_qp_new();
	struct ibv_qp_ex *qpx = section_begin(qp);
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_RDMA_WRITE_WITH_IMM,
		.imm_data = htobe32(0x55),
		.sg_list = (struct ibv_sge *)sges,
		.num_sge = 1,
		.wr.rdma = { .remote_addr = 0x7000, .rkey = 0x77 },
	};

	ibv_wr_rdma_write_imm(qpx, 0x77, 0x7000, htobe32(0x55));
	ibv_wr_set_sge_list(qpx, 1, sges);
	complete_and_compare_with_post_send(qp, &wr);
}

static void rxe_wr_rdma_read_matches_post_send(void **state)
{
	struct rxe_qp *qp = rc_qp_new();
	struct ibv_qp_ex *qpx = section_begin(qp);
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_RDMA_READ,
		.sg_list = (struct ibv_sge *)sges,
		.num_sge = 3,
		.wr.rdma = { .remote_addr = 0x7000, .rkey = 0x77 },
	};

	ibv_wr_rdma_read(qpx, 0x77, 0x7000);
	ibv_wr_set_sge_list(qpx, 3, sges);
	complete_and_compare_with_post_send(qp, &wr);
}

static void rxe_wr_atomic_cmp_swp_matches_post_send(void **state)
{
	struct rxe_qp *qp = rc_qp_new();
	struct ibv_qp_ex *qpx = section_begin(qp);
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_ATOMIC_CMP_AND_SWP,
		.sg_list = (struct ibv_sge *)sges,
		.num_sge = 1,
		.wr.atomic = {
			.remote_addr = 0x7000,
			.compare_add = 11,
			.swap = 22,
			.rkey = 0x77,
		},
	};

	ibv_wr_atomic_cmp_swp(qpx, 0x77, 0x7000, 11, 22);
	ibv_wr_set_sge(qpx, 1, 0x1000, 8);
	complete_and_compare_with_post_send(qp, &wr);
}

static void rxe_wr_atomic_fetch_add_matches_post_send(void **state)
{
	struct rxe_qp *qp = rc_qp_new();
	struct ibv_qp_ex *qpx = section_begin(qp);
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD,
		.sg_list = (struct ibv_sge *)sges,
		.num_sge = 1,
		.wr.atomic = {
			.remote_addr = 0x7000,
			.compare_add = 11,
			.swap = 22, /* ignored */
			.rkey = 0x77,
		},
	};

	ibv_wr_atomic_fetch_add(qpx, 0x77, 0x7000, 11);
	ibv_wr_set_sge(qpx, 1, 0x1000, 8);
	complete_and_compare_with_post_send(qp, &wr);
}

static void rxe_wr_local_inv_matches_post_send(void **state)
{
	struct rxe_qp *qp = rc_qp_new();
	struct ibv_qp_ex *qpx = section_begin(qp);
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_LOCAL_INV,
		.invalidate_rkey = 0x88,
	};

	ibv_wr_local_inv(qpx, 0x88);
	complete_and_compare_with_post_send(qp, &wr);
}

static struct ibv_pd pd;
static struct ibv_mr mr = { .pd = &pd, .lkey = 0x99 };

static void rxe_wr_bind_mw_matches_post_send(void **state)
{
	struct rxe_qp *qp = rc_qp_new();
	struct ibv_qp_ex *qpx = section_begin(qp);
	struct ibv_mw mw = {
		.pd = &pd,
		.type = IBV_MW_TYPE_2,
		.rkey = 0x1200,
	};
	struct ibv_mw_bind_info info = {
		.mr = &mr,
		.addr = 0x4000,
		.length = 0x100,
		.mw_access_flags = IBV_ACCESS_REMOTE_READ,
	};
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_BIND_MW,
		.bind_mw = { .mw = &mw, .rkey = 0x1201, .bind_info = info },
	};

	ibv_wr_bind_mw(qpx, &mw, 0x1201, &info);
	assert_int_equal(mw.rkey, 0x1201);
	mw.rkey = 0x1200; /* for post_send */
	complete_and_compare_with_post_send(qp, &wr);
}

static void rxe_wr_atomic_write_matches_post_send(void **state)
{
	struct rxe_qp *qp;
	struct ibv_qp_ex *qpx;
	struct ibv_sge sge = { .addr = (uintptr_t)data, .length = 8 };
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_ATOMIC_WRITE,
		.sg_list = &sge,
		.num_sge = 1,
		.wr.rdma = { .remote_addr = 0x7000, .rkey = 0x77 },
	};

	fake.device_caps = FAKE_CAP_ATOMIC_WRITE;
	qp = fake_qp_new(&(struct fake_qp_args){
		.send_ops = IBV_QP_EX_WITH_ATOMIC_WRITE,
	});
	assert_int_equal(fake.nr_device_queries, 1);
	memcpy(data, "12345678", 8);
	qpx = section_begin(qp);
	ibv_wr_atomic_write(qpx, 0x77, 0x7000, data);
	complete_and_compare_with_post_send(qp, &wr);
	assert_int_equal(fake.nr_device_queries, 1);
}

static void rxe_wr_flush_fills_wqe(void **state)
{
	/* remote_addr, length, rkey, type, level: the kernel's layout */
	struct {
		uint64_t remote_addr;
		uint32_t length;
		uint32_t rkey;
		uint8_t type;
		uint8_t level;
	} part;
	struct rxe_send_wqe *wqe;
	struct ibv_qp_ex *qpx;
	struct rxe_qp *qp;

	fake.device_caps = FAKE_CAP_FLUSH;
	qp = fake_qp_new(&(struct fake_qp_args){
		.send_ops = IBV_QP_EX_WITH_FLUSH,
	});
	qpx = section_begin(qp);
	ibv_wr_flush(qpx, 0x77, 0x7000, 0x300, IBV_FLUSH_PERSISTENT,
		     IBV_FLUSH_RANGE);
	assert_int_equal(ibv_wr_complete(qpx), 0);

	wqe = fake_send_wqe(0);
	memcpy(&part, &wqe->wr.wr, sizeof(part));
	assert_int_equal(wqe->wr.opcode, IBV_WR_FLUSH);
	assert_int_equal(part.remote_addr, 0x7000);
	assert_int_equal(part.length, 0x300);
	assert_int_equal(part.rkey, 0x77);
	assert_int_equal(part.type, IBV_FLUSH_PERSISTENT);
	assert_int_equal(part.level, IBV_FLUSH_RANGE);
	assert_int_equal(wqe->iova, 0x7000);
	assert_int_equal(wqe->dma.length, 0x300);
	assert_int_equal(wqe->dma.resid, 0x300);
	assert_int_equal(wqe->dma.num_sge, 0);
	fake_qp_free(qp);
}

static void rxe_wr_set_inline_data_matches_post_send(void **state)
{
	struct rxe_qp *qp = rc_qp_new();
	struct ibv_qp_ex *qpx = section_begin(qp);
	struct ibv_sge sge = { .addr = (uintptr_t)data, .length = 64 };
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_INLINE,
		.sg_list = &sge,
		.num_sge = 1,
	};

	memset(data, 'x', sizeof(data));
	ibv_wr_send(qpx);
	ibv_wr_set_inline_data(qpx, data, 64);
	complete_and_compare_with_post_send(qp, &wr);
}

static void rxe_wr_set_inline_data_list_matches_post_send(void **state)
{
	struct rxe_qp *qp = rc_qp_new();
	struct ibv_qp_ex *qpx = section_begin(qp);
	const struct ibv_data_buf bufs[3] = {
		{ .addr = data, .length = 5 },
		{ .addr = data + 100, .length = 0 },
		{ .addr = data + 10, .length = 59 },
	};
	struct ibv_sge list[2] = {
		{ .addr = (uintptr_t)data, .length = 5 },
		{ .addr = (uintptr_t)data + 10, .length = 59 },
	};
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_INLINE,
		.sg_list = list,
		.num_sge = 2,
		.wr.rdma = { .remote_addr = 0x7000, .rkey = 0x77 },
	};

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (char)i;
	ibv_wr_rdma_write(qpx, 0x77, 0x7000);
	ibv_wr_set_inline_data_list(qpx, 3, bufs);
	complete_and_compare_with_post_send(qp, &wr);
}

static void rxe_wr_set_ud_addr_matches_post_send(void **state)
{
	struct rxe_qp *qp = fake_qp_new(&(struct fake_qp_args){
		.type = IBV_QPT_UD,
		.send_ops = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM,
	});
	struct ibv_qp_ex *qpx = section_begin(qp);
	struct rxe_ah ah = { .ah_num = 12 };
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_SEND,
		.sg_list = (struct ibv_sge *)sges,
		.num_sge = 1,
		.wr.ud = {
			.ah = &ah.ah,
			.remote_qpn = 33,
			.remote_qkey = 44,
		},
	};

	ibv_wr_send(qpx);
	ibv_wr_set_sge(qpx, 1, 0x1000, 8);
	ibv_wr_set_ud_addr(qpx, &ah.ah, 33, 44);
	complete_and_compare_with_post_send(qp, &wr);
}

/* -- sections -- */

static void rxe_wr_complete_rings_doorbell_once(void **state)
{
	struct rxe_qp *qp = rc_qp_new();
	struct ibv_qp_ex *qpx = section_begin(qp);

	for (uint64_t i = 0; i < 10; i++) {
		qpx->wr_id = i;
		ibv_wr_send(qpx);
		ibv_wr_set_sge(qpx, 1, 0x1000, 8);
		assert_int_equal(fake.sq.buf->producer_index, 0);
	}
	assert_int_equal(ibv_wr_complete(qpx), 0);
	assert_int_equal(fake.sq.buf->producer_index, 10);
	assert_int_equal(soft.nr_doorbells, 1);
	for (uint32_t i = 0; i < 10; i++)
		assert_int_equal(fake_send_wqe(i)->wr.wr_id, i);
	fake_qp_free(qp);
}

static void rxe_wr_start_holds_lock_until_complete_or_abort(void **state)
{
	struct rxe_qp *qp = rc_qp_new();
	struct ibv_qp_ex *qpx = section_begin(qp);

	assert_int_equal(pthread_spin_trylock(&qp->sq.lock), EBUSY);
	assert_int_equal(ibv_wr_complete(qpx), 0);
	assert_int_equal(soft.nr_doorbells, 0); /* nothing to send */
	assert_int_equal(pthread_spin_trylock(&qp->sq.lock), 0);
	pthread_spin_unlock(&qp->sq.lock);
	ibv_wr_start(qpx);
	ibv_wr_abort(qpx);
	assert_int_equal(pthread_spin_trylock(&qp->sq.lock), 0);
	pthread_spin_unlock(&qp->sq.lock);
	fake_qp_free(qp);
}

static void rxe_wr_abort_publishes_nothing(void **state)
{
	struct rxe_qp *qp = rc_qp_new();
	struct ibv_qp_ex *qpx = section_begin(qp);

	ibv_wr_send(qpx);
	ibv_wr_set_sge(qpx, 1, 0x1000, 8);
	ibv_wr_abort(qpx);
	assert_int_equal(fake.sq.buf->producer_index, 0);
	assert_int_equal(soft.nr_doorbells, 0);

	(void)section_begin(qp);
	ibv_wr_send(qpx);
	assert_int_equal(ibv_wr_complete(qpx), 0);
	assert_int_equal(fake.sq.buf->producer_index, 1);
	assert_int_equal(fake_send_wqe(0)->ssn, 0);
	fake_qp_free(qp);
}

static void rxe_wr_abort_restores_rkeys_of_binds(void **state)
{
	struct rxe_qp *qp = rc_qp_new();
	struct ibv_qp_ex *qpx = section_begin(qp);
	struct ibv_mw mw = {
		.pd = &pd,
		.type = IBV_MW_TYPE_2,
		.rkey = 0x1200,
	};
	struct ibv_mw_bind_info info = { .mr = &mr, .length = 1 };

	ibv_wr_bind_mw(qpx, &mw, 0x1201, &info);
	ibv_wr_local_inv(qpx, 0x1201);
	ibv_wr_bind_mw(qpx, &mw, 0x9902, &info); /* the index stays */
	assert_int_equal(mw.rkey, 0x1202);
	ibv_wr_abort(qpx);
	assert_int_equal(mw.rkey, 0x1200);

	(void)section_begin(qp);
	ibv_wr_bind_mw(qpx, &mw, 0x1201, &info);
	mw.type = IBV_MW_TYPE_1;
	ibv_wr_bind_mw(qpx, &mw, 0x1202, &info);
	assert_int_equal(ibv_wr_complete(qpx), EINVAL);
	assert_int_equal(mw.rkey, 0x1200);
	fake_qp_free(qp);
}

/* Adds a valid work request; the section must fail because of an earlier one.
 */
static void expect_failure(struct rxe_qp *qp, int err)
{
	struct ibv_qp_ex *qpx = &qp->vqp.qp_ex;

	ibv_wr_rdma_write(qpx, 1, 0x1000);
	ibv_wr_set_sge(qpx, 1, 0x1000, 8);
	assert_int_equal(ibv_wr_complete(qpx), err);
	assert_int_equal(fake.sq.buf->producer_index, 0);
	assert_int_equal(soft.nr_doorbells, 0);
	(void)section_begin(qp);
}

static void rxe_wr_complete_returns_first_error(void **state)
{
	static const struct ibv_sge huge[2] = {
		{ .length = UINT32_C(1) << 31 },
		{ .length = 1 },
	};
	struct rxe_qp *qp = rc_qp_new();
	struct ibv_qp_ex *qpx = section_begin(qp);

	ibv_wr_send(qpx);
	ibv_wr_set_sge_list(qpx, qp->sq.max_sge + 1, sges);
	expect_failure(qp, EINVAL);
	ibv_wr_send(qpx);
	ibv_wr_set_sge_list(qpx, 2, huge);
	expect_failure(qp, EINVAL);
	ibv_wr_send(qpx);
	ibv_wr_set_inline_data(qpx, data, qp->sq.max_inline + 1);
	expect_failure(qp, EINVAL);
	ibv_wr_rdma_read(qpx, 1, 0x1000);
	ibv_wr_set_inline_data(qpx, data, 1);
	expect_failure(qp, EINVAL);
	ibv_wr_atomic_fetch_add(qpx, 1, 0x1001, 1);
	expect_failure(qp, EINVAL);
	ibv_wr_atomic_fetch_add(qpx, 1, 0x1000, 1);
	ibv_wr_set_sge(qpx, 1, 0x1000, 7);
	expect_failure(qp, EINVAL);
	/* The device has neither capability. */
	ibv_wr_flush(qpx, 1, 0, 1, IBV_FLUSH_GLOBAL, IBV_FLUSH_MR);
	expect_failure(qp, EINVAL);
	ibv_wr_atomic_write(qpx, 1, 0, data);
	expect_failure(qp, EINVAL);
	ibv_wr_abort(qpx);
	fake_qp_free(qp);
}

static void
rxe_wr_set_inline_data_list_length_overflow_returns_einval(void **state)
{
	struct rxe_qp *qp = rc_qp_new();
	struct ibv_qp_ex *qpx = section_begin(qp);
	const struct ibv_data_buf bufs[2] = {
		{ .addr = data, .length = 16 },
		{ .addr = data, .length = SIZE_MAX - 8 },
	};

	ibv_wr_send(qpx);
	ibv_wr_set_inline_data_list(qpx, 2, bufs);
	expect_failure(qp, EINVAL);
	ibv_wr_abort(qpx);
	fake_qp_free(qp);
}

static void rxe_wr_complete_full_ring_returns_enomem(void **state)
{
	struct rxe_qp *qp = rc_qp_new();
	struct ibv_qp_ex *qpx = section_begin(qp);

	for (int i = 0; i < 16; i++)
		ibv_wr_send(qpx);
	assert_int_equal(ibv_wr_complete(qpx), ENOMEM);
	assert_int_equal(fake.sq.buf->producer_index, 0);
	assert_int_equal(soft.nr_doorbells, 0);
	fake_qp_free(qp);
}

static void rxe_wr_complete_ud_without_address_returns_einval(void **state)
{
	struct rxe_qp *qp = fake_qp_new(&(struct fake_qp_args){
		.type = IBV_QPT_UD,
		.send_ops = IBV_QP_EX_WITH_SEND,
	});
	struct rxe_ah ah = { .ah_num = 12 };
	struct ibv_qp_ex *qpx = section_begin(qp);

	ibv_wr_send(qpx);
	assert_int_equal(ibv_wr_complete(qpx), EINVAL);

	(void)section_begin(qp);
	ibv_wr_send(qpx);
	ibv_wr_send(qpx);
	ibv_wr_set_ud_addr(qpx, &ah.ah, 1, 1);
	assert_int_equal(ibv_wr_complete(qpx), EINVAL);

	(void)section_begin(qp);
	ibv_wr_send(qpx);
	ibv_wr_set_ud_addr(qpx, NULL, 1, 1);
	assert_int_equal(ibv_wr_complete(qpx), EINVAL);
	assert_int_equal(fake.sq.buf->producer_index, 0);
	fake_qp_free(qp);
}

static void rxe_wr_complete_before_rts_returns_einval(void **state)
{
	struct rxe_qp *qp = rc_qp_new();
	struct ibv_qp_ex *qpx;

	qp->vqp.qp.state = IBV_QPS_RTR;
	qpx = section_begin(qp);
	ibv_wr_send(qpx);
	ibv_wr_set_sge(qpx, 1, 0x1000, 8);
	assert_int_equal(ibv_wr_complete(qpx), EINVAL);
	assert_int_equal(fake.sq.buf->producer_index, 0);
	fake_qp_free(qp);
}

static void rxe_wr_setter_without_builder_does_nothing(void **state)
{
	struct rxe_qp *qp = rc_qp_new();
	struct ibv_qp_ex *qpx = section_begin(qp);

	ibv_wr_set_sge(qpx, 1, 0x1000, 8);
	ibv_wr_set_inline_data(qpx, data, 8);
	ibv_wr_set_ud_addr(qpx, NULL, 1, 1);
	ibv_wr_local_inv(qpx, 1);
	ibv_wr_set_sge(qpx, 1, 0x1000, 8);
	assert_int_equal(ibv_wr_complete(qpx), 0);
	assert_int_equal(fake_send_wqe(0)->dma.num_sge, 0);
	fake_qp_free(qp);
}

static void rxe_wr_complete_returns_doorbell_error(void **state)
{
	struct rxe_qp *qp = rc_qp_new();
	struct ibv_qp_ex *qpx = section_begin(qp);

	soft.doorbell_err = -EIO;
	ibv_wr_send(qpx);
	assert_int_equal(ibv_wr_complete(qpx), EIO);
	fake_qp_free(qp);
}

/* wr_flags may contain IBV_SEND_INLINE; only setters decide. */
static void rxe_wr_flags_inline_bit_is_ignored(void **state)
{
	struct rxe_qp *qp = rc_qp_new();
	struct ibv_qp_ex *qpx = section_begin(qp);

	qpx->wr_flags = IBV_SEND_INLINE;
	ibv_wr_send(qpx);
	ibv_wr_set_sge(qpx, 1, 0x1000, 8);
	assert_int_equal(ibv_wr_complete(qpx), 0);
	assert_int_equal(fake_send_wqe(0)->wr.send_flags, 0);
	fake_qp_free(qp);
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, fake_setup, fake_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(rxe_wr_send_matches_post_send),
		TEST(rxe_wr_send_imm_matches_post_send),
		TEST(rxe_wr_send_inv_matches_post_send),
		TEST(rxe_wr_rdma_write_matches_post_send),
		TEST(rxe_wr_rdma_write_imm_matches_post_send),
		TEST(rxe_wr_rdma_read_matches_post_send),
		TEST(rxe_wr_atomic_cmp_swp_matches_post_send),
		TEST(rxe_wr_atomic_fetch_add_matches_post_send),
		TEST(rxe_wr_local_inv_matches_post_send),
		TEST(rxe_wr_bind_mw_matches_post_send),
		TEST(rxe_wr_atomic_write_matches_post_send),
		TEST(rxe_wr_flush_fills_wqe),
		TEST(rxe_wr_set_inline_data_matches_post_send),
		TEST(rxe_wr_set_inline_data_list_matches_post_send),
		TEST(rxe_wr_set_ud_addr_matches_post_send),
		TEST(rxe_wr_complete_rings_doorbell_once),
		TEST(rxe_wr_start_holds_lock_until_complete_or_abort),
		TEST(rxe_wr_abort_publishes_nothing),
		TEST(rxe_wr_abort_restores_rkeys_of_binds),
		TEST(rxe_wr_complete_returns_first_error),
		TEST(rxe_wr_set_inline_data_list_length_overflow_returns_einval),
		TEST(rxe_wr_complete_full_ring_returns_enomem),
		TEST(rxe_wr_complete_ud_without_address_returns_einval),
		TEST(rxe_wr_complete_before_rts_returns_einval),
		TEST(rxe_wr_setter_without_builder_does_nothing),
		TEST(rxe_wr_complete_returns_doorbell_error),
		TEST(rxe_wr_flags_inline_bit_is_ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
