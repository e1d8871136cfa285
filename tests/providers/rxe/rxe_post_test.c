/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_post_send(), ibv_post_recv(), ibv_post_srq_recv() and ibv_bind_mw(): the
 * WQE that each work request results in, and every immediate error.
 */
#include "rxe_fake.h"

#include <errno.h>
#include <string.h>

static char data[4096] __attribute__((aligned(8)));

static struct ibv_sge sge_of(const void *addr, uint32_t length, uint32_t lkey)
{
	return (struct ibv_sge){
		.addr = (uintptr_t)addr,
		.length = length,
		.lkey = lkey,
	};
}

/* Posts one work request, which must succeed, and returns its WQE. */
static struct rxe_send_wqe *post_ok(struct rxe_qp *qp, struct ibv_send_wr *wr)
{
	uint32_t index = fake.sq.buf->producer_index;
	struct ibv_send_wr *bad = NULL;
	unsigned int doorbells = soft.nr_doorbells;

	assert_int_equal(rxe_post_send(&qp->vqp.qp, wr, &bad), 0);
	assert_null(bad);
	assert_int_equal(soft.nr_doorbells, doorbells + 1);
	assert_int_equal(fake.sq.buf->producer_index,
			 (index + 1) & fake.sq.mask);
	return fake_send_wqe(index);
}

/* Posts one work request, which must fail and leave the ring unchanged. */
static void post_rejected(struct rxe_qp *qp, struct ibv_send_wr *wr, int err)
{
	uint32_t index = fake.sq.buf->producer_index;
	unsigned int doorbells = soft.nr_doorbells;
	struct ibv_send_wr *bad = NULL;

	assert_int_equal(rxe_post_send(&qp->vqp.qp, wr, &bad), err);
	assert_ptr_equal(bad, wr);
	assert_int_equal(fake.sq.buf->producer_index, index);
	assert_int_equal(soft.nr_doorbells, doorbells);
}

/* Checks the fields that every WQE has. */
static void check_common(const struct rxe_send_wqe *wqe, uint64_t wr_id,
			 uint32_t opcode, uint32_t send_flags)
{
	assert_int_equal(wqe->wr.wr_id, wr_id);
	assert_int_equal(wqe->wr.reserved, 0);
	assert_int_equal(wqe->wr.opcode, opcode);
	assert_int_equal(wqe->wr.send_flags, send_flags);
	assert_int_equal(wqe->status, 0);
	assert_int_equal(wqe->state, 0);
	assert_int_equal(wqe->first_psn, 0);
	assert_int_equal(wqe->last_psn, 0);
	assert_int_equal(wqe->ack_length, 0);
	assert_int_equal(wqe->has_rd_atomic, 0);
	assert_int_equal(wqe->dma.cur_sge, 0);
	assert_int_equal(wqe->dma.sge_offset, 0);
	assert_int_equal(wqe->dma.reserved, 0);
	assert_int_equal(wqe->dma.resid, wqe->dma.length);
}

static void check_one_sge(const struct rxe_send_wqe *wqe,
			  const struct ibv_sge *sge)
{
	assert_int_equal(wqe->dma.num_sge, 1);
	assert_int_equal(wqe->dma.length, sge->length);
	assert_int_equal(wqe->dma.sge[0].addr, sge->addr);
	assert_int_equal(wqe->dma.sge[0].length, sge->length);
	assert_int_equal(wqe->dma.sge[0].lkey, sge->lkey);
}

/* Fills all slots, so that a field that is not written becomes visible. */
static void dirty_slots(void)
{
	memset(fake.sq.buf->data, 0xff,
	       ((size_t)fake.sq.mask + 1) << fake.sq.log2_elem_size);
}

/* -- one test per operation -- */

static void rxe_post_send_send_fills_wqe(void **state)
{
	struct rxe_qp *qp = fake_qp_new(&(struct fake_qp_args){});
	struct ibv_sge sge = sge_of(data, 100, 0x11);
	struct ibv_send_wr wr = {
		.wr_id = 0x123456789abcdef0,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED | IBV_SEND_SOLICITED,
		.sg_list = &sge,
		.num_sge = 1,
	};
	struct rxe_send_wqe *wqe;

	dirty_slots();
	wqe = post_ok(qp, &wr);
	check_common(wqe, 0x123456789abcdef0, IBV_WR_SEND,
		     IBV_SEND_SIGNALED | IBV_SEND_SOLICITED);
	check_one_sge(wqe, &sge);
	assert_int_equal(wqe->iova, 0);
	fake_qp_free(qp);
}

static void rxe_post_send_imm_fills_wqe(void **state)
{
	struct rxe_qp *qp = fake_qp_new(&(struct fake_qp_args){});
	struct ibv_send_wr wr = {
		.wr_id = 1,
		.opcode = IBV_WR_SEND_WITH_IMM,
		.imm_data = htobe32(0xabcd),
	};
	struct rxe_send_wqe *wqe;

	dirty_slots();
	wqe = post_ok(qp, &wr);
	check_common(wqe, 1, IBV_WR_SEND_WITH_IMM, 0);
	assert_int_equal(wqe->wr.ex.imm_data, htobe32(0xabcd));
	assert_int_equal(wqe->dma.num_sge, 0);
	assert_int_equal(wqe->dma.length, 0);
	fake_qp_free(qp);
}

static void rxe_post_send_inv_fills_wqe(void **state)
{
	struct rxe_qp *qp = fake_qp_new(&(struct fake_qp_args){});
	struct ibv_send_wr wr = {
		.wr_id = 1,
		.opcode = IBV_WR_SEND_WITH_INV,
		.invalidate_rkey = 0x4455,
	};
	struct rxe_send_wqe *wqe;

	dirty_slots();
	wqe = post_ok(qp, &wr);
	check_common(wqe, 1, IBV_WR_SEND_WITH_INV, 0);
	assert_int_equal(wqe->wr.ex.invalidate_rkey, 0x4455);
	fake_qp_free(qp);
}

static void rxe_post_send_rdma_fills_wqe(void **state)
{
	static const enum ibv_wr_opcode opcodes[] = {
		IBV_WR_RDMA_WRITE,
		IBV_WR_RDMA_WRITE_WITH_IMM,
		IBV_WR_RDMA_READ,
	};
	struct rxe_qp *qp = fake_qp_new(&(struct fake_qp_args){});
	struct ibv_sge sge = sge_of(data, 4096, 0x22);
	struct ibv_send_wr wr = {
		.wr_id = 2,
		.sg_list = &sge,
		.num_sge = 1,
		.imm_data = htobe32(0x99),
		.wr.rdma = { .remote_addr = 0x7f0011223344, .rkey = 0x33 },
	};
	struct rxe_send_wqe *wqe;

	for (size_t i = 0; i < 3; i++) {
		dirty_slots();
		wr.opcode = opcodes[i];
		wqe = post_ok(qp, &wr);
		check_common(wqe, 2, opcodes[i], 0);
		check_one_sge(wqe, &sge);
		assert_int_equal(wqe->wr.wr.rdma.remote_addr, 0x7f0011223344);
		assert_int_equal(wqe->wr.wr.rdma.rkey, 0x33);
		assert_int_equal(wqe->wr.wr.rdma.reserved, 0);
		assert_int_equal(wqe->iova, 0x7f0011223344);
		assert_int_equal(wqe->wr.ex.imm_data,
				 opcodes[i] == IBV_WR_RDMA_WRITE_WITH_IMM
					 ? htobe32(0x99)
					 : 0);
	}
	fake_qp_free(qp);
}

static void rxe_post_send_atomic_fills_wqe(void **state)
{
	struct rxe_qp *qp = fake_qp_new(&(struct fake_qp_args){});
	struct ibv_sge sge = sge_of(data, 8, 0x22);
	struct ibv_send_wr wr = {
		.wr_id = 3,
		.opcode = IBV_WR_ATOMIC_CMP_AND_SWP,
		.sg_list = &sge,
		.num_sge = 1,
		.wr.atomic = {
			.remote_addr = 0x10008,
			.compare_add = 0x1111111111111111,
			.swap = 0x2222222222222222,
			.rkey = 0x44,
		},
	};
	struct rxe_send_wqe *wqe;

	dirty_slots();
	wqe = post_ok(qp, &wr);
	check_common(wqe, 3, IBV_WR_ATOMIC_CMP_AND_SWP, 0);
	check_one_sge(wqe, &sge);
	assert_int_equal(wqe->wr.wr.atomic.remote_addr, 0x10008);
	assert_true(wqe->wr.wr.atomic.compare_add == 0x1111111111111111);
	assert_true(wqe->wr.wr.atomic.swap == 0x2222222222222222);
	assert_int_equal(wqe->wr.wr.atomic.rkey, 0x44);
	assert_int_equal(wqe->iova, 0x10008);

	wr.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
	wqe = post_ok(qp, &wr);
	check_common(wqe, 3, IBV_WR_ATOMIC_FETCH_AND_ADD, 0);
	assert_true(wqe->wr.wr.atomic.compare_add == 0x1111111111111111);
	assert_int_equal(wqe->wr.wr.atomic.swap, 0);

	wr.wr.atomic.remote_addr = 0x10004;
	post_rejected(qp, &wr, EINVAL);
	wr.wr.atomic.remote_addr = 0x10008;
	sge.length = 4;
	post_rejected(qp, &wr, EINVAL);
	sge.length = 8;
	wr.send_flags = IBV_SEND_INLINE;
	post_rejected(qp, &wr, EINVAL);
	fake_qp_free(qp);
}

static void rxe_post_send_local_inv_fills_wqe(void **state)
{
	struct rxe_qp *qp = fake_qp_new(&(struct fake_qp_args){});
	struct ibv_send_wr wr = {
		.wr_id = 4,
		.opcode = IBV_WR_LOCAL_INV,
		.send_flags = IBV_SEND_FENCE,
		.invalidate_rkey = 0x5566,
	};
	struct rxe_send_wqe *wqe;

	dirty_slots();
	wqe = post_ok(qp, &wr);
	check_common(wqe, 4, IBV_WR_LOCAL_INV, IBV_SEND_FENCE);
	assert_int_equal(wqe->wr.ex.invalidate_rkey, 0x5566);
	assert_int_equal(wqe->dma.num_sge, 0);
	fake_qp_free(qp);
}

static void rxe_post_send_bind_mw_type_2_changes_rkey(void **state)
{
	struct rxe_qp *qp = fake_qp_new(&(struct fake_qp_args){});
	struct ibv_pd pd = {}, other_pd = {};
	struct ibv_mr mr = { .pd = &pd, .lkey = 0x66 };
	struct ibv_mw mw = {
		.pd = &pd,
		.type = IBV_MW_TYPE_2,
		.rkey = 0x222200,
	};
	struct ibv_send_wr wr = {
		.wr_id = 5,
		.opcode = IBV_WR_BIND_MW,
		.bind_mw = {
			.mw = &mw,
			.rkey = 0x222201,
			.bind_info = {
				.mr = &mr,
				.addr = 0x1000,
				.length = 0x200,
				.mw_access_flags = IBV_ACCESS_REMOTE_WRITE,
			},
		},
	};
	struct rxe_send_wqe *wqe;

	dirty_slots();
	wqe = post_ok(qp, &wr);
	check_common(wqe, 5, IBV_WR_BIND_MW, 0);
	assert_int_equal(wqe->wr.wr.mw.addr, 0x1000);
	assert_int_equal(wqe->wr.wr.mw.length, 0x200);
	assert_int_equal(wqe->wr.wr.mw.mr_lkey, 0x66);
	assert_int_equal(wqe->wr.wr.mw.mw_rkey, 0x222200);
	assert_int_equal(wqe->wr.wr.mw.rkey, 0x222201);
	assert_int_equal(wqe->wr.wr.mw.access, IBV_ACCESS_REMOTE_WRITE);
	assert_int_equal(mw.rkey, 0x222201);

	/* The next bind contains the current key; the index stays. */
	wr.bind_mw.rkey = 0xabcdef02;
	wqe = post_ok(qp, &wr);
	assert_int_equal(wqe->wr.wr.mw.mw_rkey, 0x222201);
	assert_int_equal(wqe->wr.wr.mw.rkey, 0x222202);

	mr.pd = &other_pd;
	post_rejected(qp, &wr, EINVAL);
	wr.bind_mw.bind_info.mr = NULL;
	post_rejected(qp, &wr, EINVAL);
	wr.bind_mw.bind_info.mr = &mr;
	mr.pd = &pd;
	mw.type = IBV_MW_TYPE_1;
	post_rejected(qp, &wr, EINVAL);
	wr.bind_mw.mw = NULL;
	post_rejected(qp, &wr, EINVAL);
	assert_int_equal(mw.rkey, 0x222202);
	fake_qp_free(qp);
}

static void rxe_bind_mw_type_1_changes_rkey(void **state)
{
	struct rxe_qp *qp = fake_qp_new(&(struct fake_qp_args){ .send_wr = 1 });
	struct ibv_mr mr = { .lkey = 0x66 };
	struct ibv_mw mw = { .type = IBV_MW_TYPE_1, .rkey = 0x2222ff };
	struct ibv_mw_bind bind = {
		.wr_id = 6,
		.send_flags = IBV_SEND_SIGNALED,
		.bind_info = { .mr = &mr, .addr = 0x1000, .length = 0x200 },
	};
	struct rxe_send_wqe *wqe;

	dirty_slots();
	assert_int_equal(rxe_bind_mw(&qp->vqp.qp, &mw, &bind), 0);
	wqe = fake_send_wqe(0);
	check_common(wqe, 6, IBV_WR_BIND_MW, IBV_SEND_SIGNALED);
	assert_int_equal(wqe->wr.wr.mw.mw_rkey, 0x2222ff);
	assert_int_equal(wqe->wr.wr.mw.rkey, 0x222200);
	assert_int_equal(mw.rkey, 0x222200);
	assert_int_equal(soft.nr_doorbells, 1);

	assert_int_equal(rxe_bind_mw(&qp->vqp.qp, &mw, &bind), ENOMEM);
	fake.sq.buf->consumer_index = 1;
	bind.bind_info.mw_access_flags = IBV_ACCESS_ZERO_BASED;
	assert_int_equal(rxe_bind_mw(&qp->vqp.qp, &mw, &bind), EINVAL);
	bind.bind_info = (struct ibv_mw_bind_info){}; /* unbind */
	assert_int_equal(rxe_bind_mw(&qp->vqp.qp, &mw, &bind), 0);
	assert_int_equal(fake_send_wqe(1)->wr.wr.mw.mr_lkey, 0);
	qp->vqp.qp.state = IBV_QPS_RTR;
	assert_int_equal(rxe_bind_mw(&qp->vqp.qp, &mw, &bind), EINVAL);
	assert_int_equal(mw.rkey, 0x222201);
	fake_qp_free(qp);
}

static void rxe_post_send_atomic_write_needs_device_cap(void **state)
{
	struct rxe_qp *qp = fake_qp_new(&(struct fake_qp_args){});
	struct ibv_sge sge[2] = {
		sge_of("abcd", 4, 0),
		sge_of("efgh", 4, 0),
	};
	struct ibv_send_wr wr = {
		.wr_id = 7,
		.opcode = IBV_WR_ATOMIC_WRITE,
		.send_flags = IBV_SEND_INLINE,
		.sg_list = sge,
		.num_sge = 2,
		.wr.rdma = { .remote_addr = 0x8000, .rkey = 0x77 },
	};
	struct rxe_send_wqe *wqe;

	post_rejected(qp, &wr, EINVAL); /* no device capability */
	fake_qp_free(qp);

	fake.device_caps = FAKE_CAP_ATOMIC_WRITE;
	fake.ctx.caps = 0;
	qp = fake_qp_new(&(struct fake_qp_args){});
	dirty_slots();
	wqe = post_ok(qp, &wr);
	check_common(wqe, 7, IBV_WR_ATOMIC_WRITE, 0);
	assert_int_equal(wqe->iova, 0x8000);
	assert_int_equal(wqe->wr.wr.rdma.rkey, 0x77);
	assert_int_equal(wqe->dma.length, 8);
	assert_memory_equal(wqe->dma.inline_data, "abcdefgh", 8);
	sge[1].length = 3;
	post_rejected(qp, &wr, EINVAL);
	fake_qp_free(qp);
}

static void rxe_post_send_flush_returns_einval(void **state)
{
	struct rxe_qp *qp;
	struct ibv_send_wr wr = { .opcode = IBV_WR_FLUSH };

	fake.device_caps = FAKE_CAP_FLUSH;
	qp = fake_qp_new(&(struct fake_qp_args){});
	post_rejected(qp, &wr, EINVAL);
	fake_qp_free(qp);
}

/* -- UD -- */

static struct ibv_ah *ah_new(void)
{
	static struct ibv_pd pd;
	struct ibv_ah_attr attr = {
		.is_global = 1,
		.port_num = 1,
		.grh = { .sgid_index = 1, .hop_limit = 64 },
	};
	struct ibv_ah *ah = NULL;

	pd.context = fake_context();
	memcpy(attr.grh.dgid.raw, "\0\0\0\0\0\0\0\0\0\0\xff\xff\x0a\0\0\2", 16);
	assert_int_equal(rxe_create_ah(&pd, &attr, &ah), 0);
	return ah;
}

static void rxe_post_send_ud_stores_ah_num(void **state)
{
	struct rxe_qp *qp =
		fake_qp_new(&(struct fake_qp_args){ .type = IBV_QPT_UD });
	struct ibv_ah *ah = ah_new();
	struct ibv_sge sge = sge_of(data, 10, 1);
	struct ibv_send_wr wr = {
		.wr_id = 8,
		.opcode = IBV_WR_SEND_WITH_IMM,
		.imm_data = htobe32(5),
		.sg_list = &sge,
		.num_sge = 1,
		.wr.ud = { .ah = ah, .remote_qpn = 77, .remote_qkey = 0x8899 },
	};
	struct rxe_send_wqe *wqe;

	dirty_slots();
	wqe = post_ok(qp, &wr);
	check_common(wqe, 8, IBV_WR_SEND_WITH_IMM, 0);
	check_one_sge(wqe, &sge);
	assert_int_equal(wqe->wr.ex.imm_data, htobe32(5));
	assert_int_equal(wqe->wr.wr.ud.remote_qpn, 77);
	assert_int_equal(wqe->wr.wr.ud.remote_qkey, 0x8899);
	assert_int_equal(wqe->wr.wr.ud.pkey_index, 0);
	assert_int_equal(wqe->wr.wr.ud.ah_num, 7);

	wr.wr.ud.ah = NULL;
	post_rejected(qp, &wr, EINVAL);
	assert_int_equal(rxe_destroy_ah(ah), 0);
	fake_qp_free(qp);
}

static void rxe_post_send_ud_without_ah_num_stores_address(void **state)
{
	struct rxe_qp *qp =
		fake_qp_new(&(struct fake_qp_args){ .type = IBV_QPT_UD });
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };
	struct rxe_send_wqe *wqe;
	struct ibv_ah *ah;
	struct rxe_av *av;

	fake.ah_num = 0;
	ah = ah_new();
	wr.wr.ud.ah = ah;
	dirty_slots();
	wqe = post_ok(qp, &wr);
	av = &wqe->wr.wr.ud.av;
	assert_int_equal(wqe->wr.wr.ud.ah_num, 0);
	assert_int_equal(av->port_num, 1);
	assert_int_equal(av->network_type, RXE_NETWORK_TYPE_IPV4);
	assert_memory_equal(av->dmac, "\x02\x11\x22\x33\x44\x55", 6);
	assert_int_equal(av->grh.sgid_index, 1);
	assert_int_equal(av->grh.hop_limit, 64);
	assert_memory_equal(&av->sgid_addr._sockaddr_in.sin_addr, "\x0a\0\0\1",
			    4);
	assert_memory_equal(&av->dgid_addr._sockaddr_in.sin_addr, "\x0a\0\0\2",
			    4);
	assert_int_equal(rxe_destroy_ah(ah), 0);
	fake_qp_free(qp);
}

static void rxe_post_send_opcode_not_of_qp_type_returns_einval(void **state)
{
	struct rxe_qp *qp =
		fake_qp_new(&(struct fake_qp_args){ .type = IBV_QPT_UD });
	struct ibv_send_wr wr = { .opcode = IBV_WR_RDMA_WRITE };

	fake.device_caps = FAKE_CAP_FLUSH | FAKE_CAP_ATOMIC_WRITE;
	post_rejected(qp, &wr, EINVAL);
	wr.opcode = IBV_WR_SEND_WITH_INV;
	post_rejected(qp, &wr, EINVAL);
	wr.opcode = IBV_WR_ATOMIC_WRITE;
	post_rejected(qp, &wr, EINVAL);
	fake_qp_free(qp);

	qp = fake_qp_new(&(struct fake_qp_args){ .type = IBV_QPT_UC });
	wr.opcode = IBV_WR_RDMA_READ;
	post_rejected(qp, &wr, EINVAL);
	wr.opcode = IBV_WR_LOCAL_INV;
	post_rejected(qp, &wr, EINVAL);
	wr.opcode = IBV_WR_RDMA_WRITE;
	(void)post_ok(qp, &wr);
	fake_qp_free(qp);
}

/* -- data -- */

static void rxe_post_send_inline_copies_data(void **state)
{
	struct rxe_qp *qp =
		fake_qp_new(&(struct fake_qp_args){ .inline_data = 100 });
	struct ibv_sge sge[2] = {
		sge_of("hello ", 6, 0xbad),
		sge_of("world", 5, 0xbad),
	};
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_INLINE,
		.sg_list = sge,
		.num_sge = 2,
	};
	struct rxe_send_wqe *wqe;

	dirty_slots();
	wqe = post_ok(qp, &wr);
	check_common(wqe, 0, IBV_WR_SEND, IBV_SEND_INLINE);
	assert_int_equal(wqe->dma.length, 11);
	assert_int_equal(wqe->dma.num_sge, 0);
	assert_memory_equal(wqe->dma.inline_data, "hello world", 11);
	fake_qp_free(qp);
}

static void rxe_post_send_inline_above_limit_returns_einval(void **state)
{
	struct rxe_qp *qp =
		fake_qp_new(&(struct fake_qp_args){ .inline_data = 100 });
	struct ibv_sge sge = sge_of(data, qp->sq.max_inline, 0);
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_INLINE,
		.sg_list = &sge,
		.num_sge = 1,
	};

	(void)post_ok(qp, &wr);
	sge.length++;
	post_rejected(qp, &wr, EINVAL);
	sge.length = 1;
	wr.opcode = IBV_WR_RDMA_READ;
	post_rejected(qp, &wr, EINVAL);
	fake_qp_free(qp);
}

static void rxe_post_send_copies_sges_in_order(void **state)
{
	struct rxe_qp *qp =
		fake_qp_new(&(struct fake_qp_args){ .send_sge = 3 });
	struct ibv_sge sge[4] = {
		sge_of(data, 1, 11),
		sge_of(data + 1, 2, 12),
		sge_of(data + 3, 3, 13),
	};
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_SEND,
		.sg_list = sge,
		.num_sge = 3,
	};
	struct rxe_send_wqe *wqe = post_ok(qp, &wr);

	assert_int_equal(wqe->dma.num_sge, 3);
	assert_int_equal(wqe->dma.length, 6);
	assert_memory_equal(wqe->dma.sge, sge, 3 * sizeof(sge[0]));
	wr.num_sge = 4;
	post_rejected(qp, &wr, EINVAL);
	wr.num_sge = -1;
	post_rejected(qp, &wr, EINVAL);
	fake_qp_free(qp);
}

static void rxe_post_send_above_2_gib_returns_einval(void **state)
{
	struct rxe_qp *qp = fake_qp_new(&(struct fake_qp_args){});
	struct ibv_sge sge[2] = {
		sge_of(data, UINT32_C(1) << 31, 1),
		sge_of(data, 1, 1),
	};
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_SEND,
		.sg_list = sge,
		.num_sge = 1,
	};

	(void)post_ok(qp, &wr);
	wr.num_sge = 2;
	post_rejected(qp, &wr, EINVAL);
	fake_qp_free(qp);
}

/* -- lists, full rings, states -- */

static void rxe_post_send_list_rings_doorbell_once(void **state)
{
	struct rxe_qp *qp = fake_qp_new(&(struct fake_qp_args){ .send_wr = 7 });
	struct ibv_send_wr wr[5] = {};
	struct ibv_send_wr *bad = NULL;

	for (int i = 0; i < 5; i++) {
		wr[i].wr_id = (uint64_t)i;
		wr[i].opcode = IBV_WR_SEND;
		wr[i].next = i < 4 ? &wr[i + 1] : NULL;
	}
	assert_int_equal(rxe_post_send(&qp->vqp.qp, wr, &bad), 0);
	assert_int_equal(soft.nr_doorbells, 1);
	assert_int_equal(fake.sq.buf->producer_index, 5);
	for (uint32_t i = 0; i < 5; i++) {
		assert_int_equal(fake_send_wqe(i)->wr.wr_id, i);
		assert_int_equal(fake_send_wqe(i)->ssn, i);
	}
	fake_qp_free(qp);
}

static void rxe_post_send_list_posts_wrs_before_bad_wr(void **state)
{
	struct rxe_qp *qp = fake_qp_new(&(struct fake_qp_args){});
	struct ibv_send_wr wr[3] = {
		{ .opcode = IBV_WR_SEND, .next = &wr[1] },
		{ .opcode = IBV_WR_TSO, .next = &wr[2] },
		{ .opcode = IBV_WR_SEND },
	};
	struct ibv_send_wr *bad = NULL;

	assert_int_equal(rxe_post_send(&qp->vqp.qp, wr, &bad), EINVAL);
	assert_ptr_equal(bad, &wr[1]);
	assert_int_equal(fake.sq.buf->producer_index, 1);
	assert_int_equal(soft.nr_doorbells, 1);

	wr[0].opcode = (enum ibv_wr_opcode)1000;
	assert_int_equal(rxe_post_send(&qp->vqp.qp, wr, &bad), EINVAL);
	assert_ptr_equal(bad, &wr[0]);
	wr[0].opcode = (enum ibv_wr_opcode) - 1;
	assert_int_equal(rxe_post_send(&qp->vqp.qp, wr, &bad), EINVAL);
	fake_qp_free(qp);
}

static void rxe_post_send_full_queue_returns_enomem(void **state)
{
	struct rxe_qp *qp = fake_qp_new(&(struct fake_qp_args){ .send_wr = 3 });
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };

	for (int i = 0; i < 3; i++)
		(void)post_ok(qp, &wr);
	post_rejected(qp, &wr, ENOMEM);
	fake.sq.buf->consumer_index = 1;
	(void)post_ok(qp, &wr);
	post_rejected(qp, &wr, ENOMEM);
	fake_qp_free(qp);
}

static void rxe_post_send_before_rts_returns_einval(void **state)
{
	struct rxe_qp *qp =
		fake_qp_new(&(struct fake_qp_args){ .reset = true });
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };

	post_rejected(qp, &wr, EINVAL);
	qp->vqp.qp.state = IBV_QPS_INIT;
	post_rejected(qp, &wr, EINVAL);
	qp->vqp.qp.state = IBV_QPS_RTR;
	post_rejected(qp, &wr, EINVAL);
	qp->vqp.qp.state = IBV_QPS_ERR; /* flushed by the kernel */
	(void)post_ok(qp, &wr);
	fake_qp_free(qp);
}

static void rxe_post_send_doorbell_error_reports_first_wr(void **state)
{
	struct rxe_qp *qp = fake_qp_new(&(struct fake_qp_args){});
	struct ibv_send_wr wr[2] = {
		{ .opcode = IBV_WR_SEND, .next = &wr[1] },
		{ .opcode = IBV_WR_SEND },
	};
	struct ibv_send_wr *bad = NULL;

	soft.doorbell_err = -EIO;
	assert_int_equal(rxe_post_send(&qp->vqp.qp, wr, &bad), EIO);
	assert_ptr_equal(bad, &wr[0]);
	fake_qp_free(qp);
}

static void rxe_post_send_empty_list_rings_no_doorbell(void **state)
{
	struct rxe_qp *qp = fake_qp_new(&(struct fake_qp_args){});
	struct ibv_send_wr *bad = NULL;

	assert_int_equal(rxe_post_send(&qp->vqp.qp, NULL, &bad), 0);
	assert_int_equal(soft.nr_doorbells, 0);
	fake_qp_free(qp);
}

/* -- receive -- */

static void rxe_post_recv_in_reset_returns_einval(void **state)
{
	struct rxe_qp *qp =
		fake_qp_new(&(struct fake_qp_args){ .reset = true });
	struct ibv_recv_wr *bad = NULL;
	struct ibv_recv_wr wr = {};

	assert_int_equal(rxe_post_recv(&qp->vqp.qp, &wr, &bad), EINVAL);
	assert_ptr_equal(bad, &wr);
	qp->vqp.qp.state = IBV_QPS_INIT;
	assert_int_equal(rxe_post_recv(&qp->vqp.qp, &wr, &bad), 0);
	fake_qp_free(qp);
}

static void rxe_post_recv_fills_wqe(void **state)
{
	struct rxe_qp *qp =
		fake_qp_new(&(struct fake_qp_args){ .recv_sge = 2 });
	struct ibv_sge sge[3] = {
		sge_of(data, 10, 21),
		sge_of(data + 10, 20, 22),
	};
	struct ibv_recv_wr wr[2] = {
		{ .wr_id = 1, .next = &wr[1], .sg_list = sge, .num_sge = 2 },
		{ .wr_id = 2 },
	};
	struct ibv_recv_wr *bad = NULL;
	struct rxe_recv_wqe *wqe;

	memset(fake.rq.buf->data, 0xff, 4096 - sizeof(*fake.rq.buf));
	assert_int_equal(rxe_post_recv(&qp->vqp.qp, wr, &bad), 0);
	assert_int_equal(fake.rq.buf->producer_index, 2);
	assert_int_equal(soft.nr_doorbells, 0);

	wqe = fake_ring_elem(&fake.rq, 0);
	assert_int_equal(wqe->wr_id, 1);
	assert_int_equal(wqe->dma.length, 30);
	assert_int_equal(wqe->dma.resid, 30);
	assert_int_equal(wqe->dma.num_sge, 2);
	assert_int_equal(wqe->dma.cur_sge, 0);
	assert_int_equal(wqe->dma.sge_offset, 0);
	assert_memory_equal(wqe->dma.sge, sge, 2 * sizeof(sge[0]));
	wqe = fake_ring_elem(&fake.rq, 1);
	assert_int_equal(wqe->wr_id, 2);
	assert_int_equal(wqe->dma.length, 0);
	assert_int_equal(wqe->dma.num_sge, 0);

	wr[1].num_sge = 3;
	assert_int_equal(rxe_post_recv(&qp->vqp.qp, wr, &bad), EINVAL);
	assert_ptr_equal(bad, &wr[1]);
	assert_int_equal(fake.rq.buf->producer_index, 3);
	fake_qp_free(qp);
}

static void rxe_post_recv_full_queue_returns_enomem(void **state)
{
	struct rxe_qp *qp = fake_qp_new(&(struct fake_qp_args){ .recv_wr = 1 });
	struct ibv_recv_wr wr[2] = { { .next = &wr[1] }, {} };
	struct ibv_recv_wr *bad = NULL;

	assert_int_equal(rxe_post_recv(&qp->vqp.qp, wr, &bad), ENOMEM);
	assert_ptr_equal(bad, &wr[1]);
	fake_qp_free(qp);
}

static void rxe_post_recv_qp_with_srq_returns_einval(void **state)
{
	struct ibv_srq srq = {};
	struct rxe_qp *qp = fake_qp_new(&(struct fake_qp_args){ .srq = &srq });
	struct ibv_recv_wr wr = {};
	struct ibv_recv_wr *bad = NULL;

	assert_null(fake.rq.buf);
	assert_int_equal(rxe_post_recv(&qp->vqp.qp, &wr, &bad), EINVAL);
	assert_ptr_equal(bad, &wr);
	fake_qp_free(qp);
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, fake_setup, fake_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(rxe_post_send_send_fills_wqe),
		TEST(rxe_post_send_imm_fills_wqe),
		TEST(rxe_post_send_inv_fills_wqe),
		TEST(rxe_post_send_rdma_fills_wqe),
		TEST(rxe_post_send_atomic_fills_wqe),
		TEST(rxe_post_send_local_inv_fills_wqe),
		TEST(rxe_post_send_bind_mw_type_2_changes_rkey),
		TEST(rxe_bind_mw_type_1_changes_rkey),
		TEST(rxe_post_send_atomic_write_needs_device_cap),
		TEST(rxe_post_send_flush_returns_einval),
		TEST(rxe_post_send_ud_stores_ah_num),
		TEST(rxe_post_send_ud_without_ah_num_stores_address),
		TEST(rxe_post_send_opcode_not_of_qp_type_returns_einval),
		TEST(rxe_post_send_inline_copies_data),
		TEST(rxe_post_send_inline_above_limit_returns_einval),
		TEST(rxe_post_send_copies_sges_in_order),
		TEST(rxe_post_send_above_2_gib_returns_einval),
		TEST(rxe_post_send_list_rings_doorbell_once),
		TEST(rxe_post_send_list_posts_wrs_before_bad_wr),
		TEST(rxe_post_send_full_queue_returns_enomem),
		TEST(rxe_post_send_before_rts_returns_einval),
		TEST(rxe_post_send_doorbell_error_reports_first_wr),
		TEST(rxe_post_send_empty_list_rings_no_doorbell),
		TEST(rxe_post_recv_in_reset_returns_einval),
		TEST(rxe_post_recv_fills_wqe),
		TEST(rxe_post_recv_full_queue_returns_enomem),
		TEST(rxe_post_recv_qp_with_srq_returns_einval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
