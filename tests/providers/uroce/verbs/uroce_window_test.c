/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Binding memory windows, and access through them: ibv_bind_mw() and
 * ibv_post_send() of verbs/uroce_post.c, uroce_wqe_set_bind().
 */
#include "providers/uroce/verbs/fake_worker.h"

#include <errno.h>
#include <string.h>

#define ALL_ACCESS                                          \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
	 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_MW_BIND)

static struct uroce_context *ctx;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
/* @peer owns the windows, @qp uses them */
static struct ibv_qp *qp, *peer;
static struct ibv_mr *mr;
static _Alignas(8) uint8_t memory[4096];
static uint8_t *const from = memory, *const to = memory + 2048;

static void new_connection(void)
{
	qp = new_qp(pd, cq, IBV_QPT_RC, NULL);
	peer = new_qp(pd, cq, IBV_QPT_RC, NULL);
	connect_qp(qp, peer);
	connect_qp(peer, qp);
}

static void end_connection(void)
{
	assert_int_equal(uroce_destroy_qp(qp), 0);
	assert_int_equal(uroce_destroy_qp(peer), 0);
}

static int setup(void **state)
{
	ctx = fake_worker_context();
	pd = new_pd(ctx);
	cq = new_cq(ctx, 32, NULL);
	mr = new_mr(pd, memory, sizeof(memory), ALL_ACCESS);
	memset(memory, 0, sizeof(memory));
	memset(from, 5, 8);
	new_connection();
	return 0;
}

static void dereg(struct ibv_mr *region)
{
	assert_int_equal(uroce_dereg_mr(verbs_container_of(
				 region, struct verbs_mr, ibv_mr)),
			 0);
}

static int teardown(void **state)
{
	end_connection();
	dereg(mr);
	assert_int_equal(uroce_destroy_cq(cq), 0);
	assert_int_equal(uroce_dealloc_pd(pd), 0);
	fake_worker_close(ctx);
	return 0;
}

static struct ibv_mw *new_mw(enum ibv_mw_type type)
{
	struct ibv_mw *mw = NULL;

	assert_int_equal(uroce_alloc_mw(pd, type, &mw), 0);
	return mw;
}

static struct ibv_mw_bind_info window_info(uint8_t *addr, uint64_t length)
{
	return (struct ibv_mw_bind_info){
		.mr = mr,
		.addr = (uintptr_t)addr,
		.length = length,
		.mw_access_flags = IBV_ACCESS_REMOTE_WRITE,
	};
}

static int bind_1(struct ibv_mw *mw, struct ibv_mw_bind_info info)
{
	struct ibv_mw_bind bind = {
		.wr_id = 77,
		.send_flags = IBV_SEND_SIGNALED,
		.bind_info = info,
	};

	return uroce_bind_mw(peer, mw, &bind);
}

static int bind_2(struct ibv_mw *mw, uint32_t rkey,
		  struct ibv_mw_bind_info info)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_BIND_MW,
				  .send_flags = IBV_SEND_SIGNALED },
			   *bad;

	wr.bind_mw.mw = mw;
	wr.bind_mw.rkey = rkey;
	wr.bind_mw.bind_info = info;
	return uroce_post_send(peer, &wr, &bad);
}

static void write_through(uint32_t rkey, uint8_t *addr,
			  enum ibv_wc_status expected)
{
	struct ibv_sge sge = { (uintptr_t)from, 8, mr->lkey };
	struct ibv_send_wr wr = { .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = IBV_WR_RDMA_WRITE,
				  .send_flags = IBV_SEND_SIGNALED },
			   *bad;

	wr.wr.rdma.remote_addr = (uintptr_t)addr;
	wr.wr.rdma.rkey = rkey;
	assert_int_equal(uroce_post_send(qp, &wr, &bad), 0);
	assert_int_equal(poll_one(cq).status, expected);
}

static void uroce_bind_mw_type_1_binds_and_unbinds(void **state)
{
	struct ibv_mw *mw = new_mw(IBV_MW_TYPE_1);
	uint32_t before = mw->rkey;
	struct ibv_wc wc;

	assert_int_equal(bind_1(mw, window_info(to + 64, 8)), 0);
	wc = poll_one(cq);
	assert_int_equal(wc.opcode, IBV_WC_BIND_MW);
	assert_int_equal(wc.wr_id, 77);
	assert_int_not_equal(mw->rkey, before);
	write_through(mw->rkey, to + 64, IBV_WC_SUCCESS);
	assert_memory_equal(to + 64, from, 8);

	before = mw->rkey;
	assert_int_equal(bind_1(mw, (struct ibv_mw_bind_info){}), 0);
	assert_int_equal(poll_one(cq).status, IBV_WC_SUCCESS);
	write_through(before, to + 64, IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(uroce_dealloc_mw(mw), 0);
}

static void uroce_bind_mw_access_outside_range_fails(void **state)
{
	struct ibv_mw *mw = new_mw(IBV_MW_TYPE_1);

	assert_int_equal(bind_1(mw, window_info(to + 64, 8)), 0);
	assert_int_equal(poll_one(cq).status, IBV_WC_SUCCESS);
	write_through(mw->rkey, to + 65, IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(uroce_dealloc_mw(mw), 0);
}

static void uroce_bind_mw_type_2_binds_and_invalidates(void **state)
{
	struct ibv_send_wr inv = { .opcode = IBV_WR_LOCAL_INV,
				   .send_flags = IBV_SEND_SIGNALED },
			   *bad;
	struct ibv_mw *mw = new_mw(IBV_MW_TYPE_2);
	uint32_t key = ibv_inc_rkey(mw->rkey);

	assert_int_equal(bind_2(mw, key, window_info(to, 8)), 0);
	assert_int_equal(poll_one(cq).status, IBV_WC_SUCCESS);
	assert_int_equal(mw->rkey, key);
	write_through(key, to, IBV_WC_SUCCESS);

	inv.invalidate_rkey = key;
	assert_int_equal(uroce_post_send(peer, &inv, &bad), 0);
	assert_int_equal(poll_one(cq).opcode, IBV_WC_LOCAL_INV);
	write_through(key, to, IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(uroce_dealloc_mw(mw), 0);
}

static void uroce_send_with_invalidate_invalidates_window(void **state)
{
	struct ibv_send_wr inv = { .opcode = IBV_WR_SEND_WITH_INV }, *bad;
	struct ibv_recv_wr recv = {}, *bad_recv;
	struct ibv_mw *mw = new_mw(IBV_MW_TYPE_2);
	uint32_t key = ibv_inc_rkey(mw->rkey);
	struct ibv_wc wc;

	assert_int_equal(bind_2(mw, key, window_info(to, 8)), 0);
	assert_int_equal(poll_one(cq).status, IBV_WC_SUCCESS);
	inv.invalidate_rkey = key;
	assert_int_equal(uroce_post_recv(peer, &recv, &bad_recv), 0);
	assert_int_equal(uroce_post_send(qp, &inv, &bad), 0);
	wc = poll_one(cq);
	assert_int_equal(wc.wc_flags, IBV_WC_WITH_INV);
	assert_int_equal(wc.invalidated_rkey, key);
	write_through(key, to, IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(uroce_dealloc_mw(mw), 0);
}

/*
 * Local write is a right of the region, which a window neither grants nor
 * removes.
 */
static void uroce_bind_mw_ignores_local_write(void **state)
{
	struct ibv_mw *mw = new_mw(IBV_MW_TYPE_2);
	struct ibv_mw_bind_info info = window_info(to, 8);

	info.mw_access_flags |= IBV_ACCESS_LOCAL_WRITE;
	assert_int_equal(bind_2(mw, mw->rkey + 1, info), 0);
	assert_int_equal(poll_one(cq).status, IBV_WC_SUCCESS);
	write_through(mw->rkey, to, IBV_WC_SUCCESS);
	assert_int_equal(uroce_dealloc_mw(mw), 0);
}

static void uroce_bind_mw_invalid_attributes_return_einval(void **state)
{
	struct ibv_mw *one = new_mw(IBV_MW_TYPE_1);
	struct ibv_mw *two = new_mw(IBV_MW_TYPE_2);
	struct ibv_mw_bind_info info = window_info(to, 8);
	struct ibv_pd *other = new_pd(ctx);
	struct ibv_mr *strange = new_mr(other, to, 8, ALL_ACCESS);

	assert_int_equal(bind_2(NULL, 0, info), EINVAL);
	assert_int_equal(bind_2(one, one->rkey + 1, info), EINVAL);
	assert_int_equal(bind_1(two, info), EINVAL);
	info.mw_access_flags |= IBV_ACCESS_ON_DEMAND;
	assert_int_equal(bind_2(two, two->rkey + 1, info), EINVAL);
	info = window_info(to, 8);
	info.mr = strange;
	assert_int_equal(bind_2(two, two->rkey + 1, info), EINVAL);
	info.mr = NULL;
	assert_int_equal(bind_2(two, two->rkey + 1, info), EINVAL);
	assert_no_completion(cq);
	dereg(strange);
	assert_int_equal(uroce_dealloc_pd(other), 0);
	assert_int_equal(uroce_dealloc_mw(one), 0);
	assert_int_equal(uroce_dealloc_mw(two), 0);
}

/*
 * After the failure, the rkey of the application differs from the one in the
 * engine.
 */
static void uroce_bind_mw_after_failed_bind_succeeds(void **state)
{
	struct ibv_mw *mw = new_mw(IBV_MW_TYPE_2);

	assert_int_equal(bind_2(mw, ibv_inc_rkey(mw->rkey),
				window_info(memory + sizeof(memory), 8)),
			 0);
	assert_int_equal(poll_one(cq).status, IBV_WC_MW_BIND_ERR);
	end_connection();
	new_connection();
	assert_int_equal(bind_2(mw, ibv_inc_rkey(mw->rkey), window_info(to, 8)),
			 0);
	assert_int_equal(poll_one(cq).status, IBV_WC_SUCCESS);
	assert_int_equal(uroce_dealloc_mw(mw), 0);
}

/* A window can be deallocated while it is bound, and after a failed bind. */
static void uroce_dealloc_mw_ignores_rkey(void **state)
{
	struct ibv_mw *mw = new_mw(IBV_MW_TYPE_2);
	const uint32_t index = mw->rkey >> 8;

	assert_int_equal(bind_2(mw, mw->rkey + 1,
				window_info(memory + sizeof(memory), 8)),
			 0);
	assert_int_equal(poll_one(cq).status, IBV_WC_MW_BIND_ERR);
	mw->rkey = 0; /* the application may write to it */
	assert_int_equal(uroce_dealloc_mw(mw), 0);
	assert_int_equal(fake_worker.engine.core.memory->regions[index]->kind,
			 UROCE_REGION_NONE);
}

static void uroce_dereg_mr_with_window_returns_ebusy(void **state)
{
	struct ibv_mw *mw = new_mw(IBV_MW_TYPE_1);

	assert_int_equal(bind_1(mw, window_info(to, 8)), 0);
	assert_int_equal(poll_one(cq).status, IBV_WC_SUCCESS);
	assert_int_equal(
		uroce_dereg_mr(verbs_container_of(mr, struct verbs_mr, ibv_mr)),
		-EBUSY);
	assert_int_equal(uroce_dealloc_mw(mw), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(uroce_bind_mw_type_1_binds_and_unbinds),
		TEST(uroce_bind_mw_access_outside_range_fails),
		TEST(uroce_bind_mw_type_2_binds_and_invalidates),
		TEST(uroce_send_with_invalidate_invalidates_window),
		TEST(uroce_bind_mw_ignores_local_write),
		TEST(uroce_bind_mw_invalid_attributes_return_einval),
		TEST(uroce_bind_mw_after_failed_bind_succeeds),
		TEST(uroce_dealloc_mw_ignores_rkey),
		TEST(uroce_dereg_mr_with_window_returns_ebusy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
