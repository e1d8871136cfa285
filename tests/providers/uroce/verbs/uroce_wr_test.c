/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ibv_wr_*() from one QP of the device to another: verbs/uroce_wr.c. */
#include "providers/uroce/verbs/fake_worker.h"

#include <errno.h>
#include <string.h>

#define ALL_ACCESS                                           \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |  \
	 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC | \
	 IBV_ACCESS_MW_BIND | IBV_ACCESS_FLUSH_GLOBAL)

#define GRH 40

static struct uroce_context *ctx;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_qp *qp; /* connected to itself */
static struct ibv_qp_ex *qpx;
static struct ibv_mr *mr;
static _Alignas(8) uint8_t memory[4096];
static uint8_t *const from = memory, *const to = memory + 2048;

static int setup(enum ibv_qp_type type)
{
	ctx = fake_worker_context();
	pd = new_pd(ctx);
	cq = new_cq(ctx, 32, NULL);
	mr = new_mr(pd, memory, sizeof(memory), ALL_ACCESS);
	qp = new_qp_ex(pd, cq, type);
	qpx = &verbs_container_of(qp, struct verbs_qp, qp)->qp_ex;
	connect_qp(qp, qp);
	memset(memory, 0, sizeof(memory));
	for (int i = 0; i < 256; i++)
		from[i] = (uint8_t)(i + 1);
	return 0;
}

static int setup_rc(void **state)
{
	return setup(IBV_QPT_RC);
}

static int setup_ud(void **state)
{
	return setup(IBV_QPT_UD);
}

static int teardown(void **state)
{
	assert_int_equal(uroce_destroy_qp(qp), 0);
	assert_int_equal(uroce_destroy_cq(cq), 0);
	assert_int_equal(
		uroce_dereg_mr(verbs_container_of(mr, struct verbs_mr, ibv_mr)),
		0);
	assert_int_equal(uroce_dealloc_pd(pd), 0);
	fake_worker_close(ctx);
	return 0;
}

static void post_recv(uint32_t length)
{
	struct ibv_sge sge = { (uintptr_t)to, length, mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = 1, .sg_list = &sge, .num_sge = 1 },
			   *bad;

	assert_int_equal(uroce_post_recv(qp, &wr, &bad), 0);
}

static void start(uint64_t wr_id)
{
	ibv_wr_start(qpx);
	qpx->wr_id = wr_id;
	qpx->wr_flags = IBV_SEND_SIGNALED;
}

static void set_sge(uint32_t length)
{
	ibv_wr_set_sge(qpx, mr->lkey, (uintptr_t)from, length);
}

static void assert_done(uint64_t wr_id, enum ibv_wc_opcode opcode)
{
	struct ibv_wc wc = poll_one(cq);

	assert_int_equal(wc.wr_id, wr_id);
	assert_int_equal(wc.status, IBV_WC_SUCCESS);
	assert_int_equal(wc.opcode, opcode);
}

/* -- successful transfers -- */

static void uroce_wr_qp_has_extended_flag(void **state)
{
	assert_int_equal(verbs_container_of(qp, struct verbs_qp, qp)->comp_mask,
			 VERBS_QP_MASK_EX);
}

static void uroce_wr_complete_sends_whole_section(void **state)
{
	post_recv(100);
	post_recv(100);
	start(5);
	ibv_wr_send(qpx);
	set_sge(50);
	qpx->wr_id = 6;
	ibv_wr_send_imm(qpx, 9);
	set_sge(20);
	assert_int_equal(fake_worker.nr_posts, 0);
	assert_no_completion(cq);
	assert_int_equal(ibv_wr_complete(qpx), 0);
	assert_int_equal(fake_worker.nr_posts, 1);
	assert_memory_equal(to, from, 50);
	assert_int_equal(poll_one(cq).byte_len, 50);
	assert_int_equal(poll_one(cq).imm_data, 9);
	assert_done(5, IBV_WC_SEND);
	assert_done(6, IBV_WC_SEND);
}

static void uroce_wr_set_sge_list_sends_all_sges(void **state)
{
	struct ibv_sge sges[2] = { { (uintptr_t)from, 10, mr->lkey },
				   { (uintptr_t)from + 100, 10, mr->lkey } };

	post_recv(100);
	start(5);
	ibv_wr_send(qpx);
	ibv_wr_set_sge_list(qpx, 2, sges);
	assert_int_equal(ibv_wr_complete(qpx), 0);
	assert_memory_equal(to, from, 10);
	assert_memory_equal(to + 10, from + 100, 10);
}

static void uroce_wr_set_inline_data_needs_no_flag(void **state)
{
	uint8_t own[64];
	const struct ibv_data_buf bufs[3] = { { own, 10 },
					      { NULL, 0 },
					      { own + 20, 54 - 20 } };

	memset(own, 3, sizeof(own));
	own[20] = 4;
	post_recv(100);
	post_recv(100);
	start(5);
	ibv_wr_send(qpx);
	ibv_wr_set_inline_data(qpx, own, 64);
	ibv_wr_send(qpx);
	ibv_wr_set_inline_data_list(qpx, 3, bufs);
	memset(own, 0, sizeof(own));
	assert_int_equal(ibv_wr_complete(qpx), 0);
	assert_int_equal(poll_one(cq).byte_len, 64);
	assert_int_equal(poll_one(cq).byte_len, 44);
	assert_int_equal(to[10], 4);
	assert_int_equal(to[9], 3);
}

static void uroce_wr_write_read_and_atomics_complete(void **state)
{
	uint64_t word, sum;

	start(1);
	ibv_wr_rdma_write(qpx, mr->rkey, (uintptr_t)to);
	set_sge(8);
	qpx->wr_id = 2;
	ibv_wr_atomic_fetch_add(qpx, mr->rkey, (uintptr_t)to, 1);
	ibv_wr_set_sge(qpx, mr->lkey, (uintptr_t)from + 512, 8);
	qpx->wr_id = 3;
	ibv_wr_rdma_read(qpx, mr->rkey, (uintptr_t)to);
	ibv_wr_set_sge(qpx, mr->lkey, (uintptr_t)from + 520, 8);
	assert_int_equal(ibv_wr_complete(qpx), 0);
	assert_done(1, IBV_WC_RDMA_WRITE);
	assert_done(2, IBV_WC_FETCH_ADD);
	assert_done(3, IBV_WC_RDMA_READ);
	assert_memory_equal(from + 512, from, 8);
	memcpy(&word, from, sizeof(word));
	memcpy(&sum, from + 520, sizeof(sum));
	assert_true(sum == word + 1);

	memcpy(&word, to, sizeof(word));
	start(4);
	ibv_wr_atomic_cmp_swp(qpx, mr->rkey, (uintptr_t)to, word, 42);
	set_sge(8);
	assert_int_equal(ibv_wr_complete(qpx), 0);
	assert_done(4, IBV_WC_COMP_SWAP);
	memcpy(&word, to, sizeof(word));
	assert_int_equal(word, 42);
}

static void uroce_wr_atomic_write_and_flush_complete(void **state)
{
	const uint64_t value = UINT64_C(0x1122334455667788);
	uint64_t word;

	start(1);
	ibv_wr_atomic_write(qpx, mr->rkey, (uintptr_t)to, &value);
	set_sge(4); /* an operation without SGEs ignores it */
	qpx->wr_id = 2;
	ibv_wr_flush(qpx, mr->rkey, (uintptr_t)to, 8, IBV_FLUSH_GLOBAL,
		     IBV_FLUSH_RANGE);
	assert_int_equal(ibv_wr_complete(qpx), 0);
	assert_done(1, IBV_WC_ATOMIC_WRITE);
	assert_done(2, IBV_WC_FLUSH);
	memcpy(&word, to, sizeof(word));
	assert_true(word == value);
}

static void uroce_wr_rdma_write_imm_completes(void **state)
{
	struct ibv_wc wc;

	post_recv(0);
	start(1);
	ibv_wr_rdma_write_imm(qpx, mr->rkey, (uintptr_t)to, 7);
	set_sge(30);
	assert_int_equal(ibv_wr_complete(qpx), 0);
	wc = poll_one(cq);
	assert_int_equal(wc.opcode, IBV_WC_RECV_RDMA_WITH_IMM);
	assert_int_equal(wc.imm_data, 7);
	assert_memory_equal(to, from, 30);
}

static void uroce_wr_bind_mw_binds_and_invalidates(void **state)
{
	const struct ibv_mw_bind_info info = {
		.mr = mr,
		.addr = (uintptr_t)to,
		.length = 8,
		.mw_access_flags = IBV_ACCESS_REMOTE_WRITE,
	};
	struct ibv_mw *mw = NULL;
	uint32_t key;

	assert_int_equal(uroce_alloc_mw(pd, IBV_MW_TYPE_2, &mw), 0);
	key = ibv_inc_rkey(mw->rkey);
	start(1);
	ibv_wr_bind_mw(qpx, mw, key, &info);
	qpx->wr_id = 2;
	ibv_wr_rdma_write(qpx, key, (uintptr_t)to);
	set_sge(8);
	qpx->wr_id = 3;
	ibv_wr_local_inv(qpx, key);
	assert_int_equal(ibv_wr_complete(qpx), 0);
	assert_int_equal(mw->rkey, key);
	assert_done(1, IBV_WC_BIND_MW);
	assert_done(2, IBV_WC_RDMA_WRITE);
	assert_done(3, IBV_WC_LOCAL_INV);
	assert_memory_equal(to, from, 8);

	/* bound again, and invalidated by a message */
	key = ibv_inc_rkey(key);
	post_recv(0);
	start(4);
	ibv_wr_bind_mw(qpx, mw, key, &info);
	qpx->wr_id = 5;
	ibv_wr_send_inv(qpx, key);
	assert_int_equal(ibv_wr_complete(qpx), 0);
	assert_done(4, IBV_WC_BIND_MW);
	assert_int_equal(poll_one(cq).invalidated_rkey, key);
	assert_int_equal(uroce_dealloc_mw(mw), 0);
}

static void uroce_wr_set_ud_addr_sends_datagram(void **state)
{
	struct ibv_ah *ah = new_ah(pd);

	post_recv(200);
	start(1);
	ibv_wr_send(qpx);
	ibv_wr_set_ud_addr(qpx, ah, qp->qp_num, 0x1234);
	set_sge(100);
	assert_int_equal(ibv_wr_complete(qpx), 0);
	assert_done(1, IBV_WC_SEND);
	assert_int_equal(poll_one(cq).byte_len, GRH + 100);
	assert_memory_equal(to + GRH, from, 100);
	assert_int_equal(uroce_destroy_ah(ah), 0);
}

/* -- rejected work requests -- */

static void assert_section_fails(int err)
{
	assert_int_equal(ibv_wr_complete(qpx), err);
	assert_int_equal(fake_worker.nr_posts, 0);
	assert_int_equal(uroce_ring_used(&to_uroce_qp(qp)->qp->sq), 0);
}

static void uroce_wr_datagram_without_address_fails_section(void **state)
{
	struct ibv_ah *ah = new_ah(pd);

	start(1);
	ibv_wr_send(qpx);
	set_sge(10);
	assert_section_fails(EINVAL);
	start(1);
	ibv_wr_send(qpx);
	ibv_wr_set_ud_addr(qpx, NULL, qp->qp_num, 0);
	assert_section_fails(EINVAL);
	start(1);
	ibv_wr_send(qpx);
	ibv_wr_send(qpx); /* the first one has no address */
	ibv_wr_set_ud_addr(qpx, ah, qp->qp_num, 0);
	assert_section_fails(EINVAL);
	assert_int_equal(uroce_destroy_ah(ah), 0);
}

static void uroce_wr_abort_posts_nothing(void **state)
{
	post_recv(100);
	start(1);
	ibv_wr_send(qpx);
	set_sge(10);
	ibv_wr_abort(qpx);
	assert_int_equal(fake_worker.nr_posts, 0);
	start(2);
	ibv_wr_send(qpx);
	set_sge(20);
	assert_int_equal(ibv_wr_complete(qpx), 0);
	assert_int_equal(poll_one(cq).byte_len, 20);
	assert_done(2, IBV_WC_SEND);
	assert_no_completion(cq);
}

static void uroce_wr_complete_returns_first_error(void **state)
{
	struct ibv_sge sges[5] = {};

	start(1);
	ibv_wr_send(qpx);
	set_sge(10);
	ibv_wr_send(qpx);
	ibv_wr_set_sge_list(qpx, 5, sges);
	ibv_wr_send(qpx);
	set_sge(10);
	assert_section_fails(EINVAL);
}

static void uroce_wr_inline_data_above_limit_fails_section(void **state)
{
	uint8_t own[65] = {};
	const struct ibv_data_buf bufs[2] = { { own, 60 }, { own, 5 } };

	start(1);
	ibv_wr_send(qpx);
	ibv_wr_set_inline_data(qpx, own, 65);
	assert_section_fails(EINVAL);
	start(1);
	ibv_wr_send(qpx);
	ibv_wr_set_inline_data_list(qpx, 2, bufs);
	assert_section_fails(EINVAL);
	start(1);
	ibv_wr_rdma_read(qpx, mr->rkey, (uintptr_t)to);
	ibv_wr_set_inline_data(qpx, own, 8);
	assert_section_fails(EINVAL);
}

#if SIZE_MAX > UINT32_MAX /* 32-bit: no such lengths exist */
static void uroce_wr_flush_above_4_gib_fails_section(void **state)
{
	start(1);
	ibv_wr_flush(qpx, mr->rkey, 0, (size_t)UINT32_MAX + 1, IBV_FLUSH_GLOBAL,
		     IBV_FLUSH_RANGE);
	assert_section_fails(EINVAL);
}
#endif

static void uroce_wr_opcode_not_of_qp_type_fails_section(void **state)
{
	start(1);
	ibv_wr_rdma_write(qpx, mr->rkey, (uintptr_t)to);
	set_sge(8);
	assert_section_fails(EINVAL);
}

static void uroce_wr_ip_csum_fails_section(void **state)
{
	start(1);
	qpx->wr_flags |= IBV_SEND_IP_CSUM;
	ibv_wr_send(qpx);
	set_sge(8);
	assert_section_fails(EINVAL);
}

static void uroce_wr_full_queue_fails_section(void **state)
{
	start(1);
	for (int i = 0; i < 9; i++)
		ibv_wr_rdma_write(qpx, mr->rkey, (uintptr_t)to);
	assert_section_fails(ENOMEM);
}

static void uroce_wr_section_before_rts_fails(void **state)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };

	assert_int_equal(uroce_modify_qp(qp, &attr, IBV_QP_STATE), 0);
	start(1);
	ibv_wr_send(qpx);
	set_sge(8);
	assert_section_fails(EINVAL);
}

static void uroce_wr_empty_section_posts_nothing(void **state)
{
	start(1);
	assert_section_fails(0);
}

static void uroce_wr_bad_bind_fails_section(void **state)
{
	const struct ibv_mw_bind_info info = { .mr = mr, .length = 8 };
	struct ibv_mw *mw = NULL;

	assert_int_equal(uroce_alloc_mw(pd, IBV_MW_TYPE_1, &mw), 0);
	start(1);
	ibv_wr_bind_mw(qpx, mw, mw->rkey + 1, &info);
	assert_section_fails(EINVAL);
	start(1);
	ibv_wr_bind_mw(qpx, NULL, 5, &info);
	assert_section_fails(EINVAL);
	assert_int_equal(uroce_dealloc_mw(mw), 0);
}

#define RC(name) cmocka_unit_test_setup_teardown(name, setup_rc, teardown)
#define UD(name) cmocka_unit_test_setup_teardown(name, setup_ud, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RC(uroce_wr_qp_has_extended_flag),
		RC(uroce_wr_complete_sends_whole_section),
		RC(uroce_wr_set_sge_list_sends_all_sges),
		RC(uroce_wr_set_inline_data_needs_no_flag),
		RC(uroce_wr_write_read_and_atomics_complete),
		RC(uroce_wr_atomic_write_and_flush_complete),
		RC(uroce_wr_rdma_write_imm_completes),
		RC(uroce_wr_bind_mw_binds_and_invalidates),
		UD(uroce_wr_set_ud_addr_sends_datagram),
		UD(uroce_wr_datagram_without_address_fails_section),
		RC(uroce_wr_abort_posts_nothing),
		RC(uroce_wr_complete_returns_first_error),
		RC(uroce_wr_inline_data_above_limit_fails_section),
#if SIZE_MAX > UINT32_MAX
		RC(uroce_wr_flush_above_4_gib_fails_section),
#endif
		UD(uroce_wr_opcode_not_of_qp_type_fails_section),
		RC(uroce_wr_ip_csum_fails_section),
		RC(uroce_wr_full_queue_fails_section),
		RC(uroce_wr_section_before_rts_fails),
		RC(uroce_wr_empty_section_posts_nothing),
		RC(uroce_wr_bad_bind_fails_section),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
