/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Keys of memory windows: which one a bind selects, and what it gives access
 * to. The application selects the low 8 bits (IBTA 10.6.7.2.6).
 */
#include <errno.h>

#include "verbs_fixture.h"

#define INDEX_OF(key) ((key) & ~0xffu)

static struct ibv_mw_bind_info info_of(uint8_t *addr)
{
	return (struct ibv_mw_bind_info){
		.mr = fixture.mr,
		.addr = (uintptr_t)addr,
		.length = 64,
		.mw_access_flags = IBV_ACCESS_REMOTE_WRITE,
	};
}

static struct ibv_mw *new_mw(enum ibv_mw_type type)
{
	struct ibv_mw *mw = ibv_alloc_mw(fixture.pd, type);

	assert_non_null(mw);
	return mw;
}

static void bind_type_2(struct ibv_mw *mw, uint32_t rkey, uint8_t *addr)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_BIND_MW };
	struct ibv_wc wc;

	wr.bind_mw.mw = mw;
	wr.bind_mw.rkey = rkey;
	wr.bind_mw.bind_info = info_of(addr);
	assert_int_equal(fixture_post(fixture.right, wr, NULL, 0), 0);
	wc = fixture_poll(fixture.cq);
	assert_int_equal(wc.status, IBV_WC_SUCCESS);
	assert_int_equal(wc.opcode, IBV_WC_BIND_MW);
}

static void assert_writable(uint32_t rkey, uint8_t *addr)
{
	fixture.memory[0] = (uint8_t)(fixture.memory[0] + 1);
	assert_int_equal(fixture_write(fixture.memory, (uintptr_t)addr, rkey),
			 IBV_WC_SUCCESS);
	assert_int_equal(*addr, fixture.memory[0]);
}

static void verbs_bind_mw_same_rkey_gives_windows_different_keys(void **state)
{
	const uint32_t rkey = 0xabcdef42;
	struct ibv_mw *one = new_mw(IBV_MW_TYPE_2);
	struct ibv_mw *two = new_mw(IBV_MW_TYPE_2);
	uint32_t index = INDEX_OF(one->rkey);

	bind_type_2(one, rkey, fixture.memory + 1024);
	bind_type_2(two, rkey, fixture.memory + 2048);
	assert_int_equal(one->rkey, index | 0x42);
	assert_int_equal(two->rkey & 0xff, 0x42);
	assert_int_not_equal(one->rkey, two->rkey);
	assert_writable(one->rkey, fixture.memory + 1024);
	assert_writable(two->rkey, fixture.memory + 2048);
	assert_int_equal(ibv_dealloc_mw(one), 0);
	assert_int_equal(ibv_dealloc_mw(two), 0);
}

static void verbs_bind_mw_key_as_argument_has_no_access(void **state)
{
	struct ibv_mw *mw = new_mw(IBV_MW_TYPE_2);
	uint32_t rkey = ibv_inc_rkey(mw->rkey) ^ 0x40000000;

	bind_type_2(mw, rkey, fixture.memory + 1024);
	assert_int_not_equal(mw->rkey, rkey);
	assert_int_equal(fixture_write(fixture.memory,
				       (uintptr_t)fixture.memory + 1024, rkey),
			 IBV_WC_REM_ACCESS_ERR);
	fixture_connect(fixture.left, fixture.right);
	assert_writable(mw->rkey, fixture.memory + 1024);
	assert_int_equal(ibv_dealloc_mw(mw), 0);
}

static void invalidate(uint32_t rkey)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_LOCAL_INV,
				  .invalidate_rkey = rkey };

	assert_int_equal(fixture_post(fixture.right, wr, NULL, 0), 0);
	assert_int_equal(fixture_poll(fixture.cq).status, IBV_WC_SUCCESS);
}

static void verbs_bind_mw_invalidated_window_binds_again(void **state)
{
	struct ibv_mw *mw = new_mw(IBV_MW_TYPE_2);
	uint32_t index = INDEX_OF(mw->rkey);

	bind_type_2(mw, 7, fixture.memory + 1024);
	invalidate(mw->rkey);
	bind_type_2(mw, 0xffffff08, fixture.memory + 2048);
	assert_int_equal(mw->rkey, index | 8);
	assert_writable(mw->rkey, fixture.memory + 2048);
	assert_int_equal(ibv_dealloc_mw(mw), 0);
}

static void verbs_bind_mw_type_1_keeps_index(void **state)
{
	struct ibv_mw *one = new_mw(IBV_MW_TYPE_1);
	struct ibv_mw *two = new_mw(IBV_MW_TYPE_1);
	struct ibv_mw *const mws[] = { one, two, one };

	for (int i = 0; i < 3; i++) {
		uint32_t before = mws[i]->rkey;
		struct ibv_mw_bind bind = {
			.send_flags = IBV_SEND_SIGNALED,
			.bind_info = info_of(fixture.memory + 1024 * (i + 1)),
		};

		assert_int_equal(ibv_bind_mw(fixture.right, mws[i], &bind), 0);
		assert_int_equal(mws[i]->rkey, ibv_inc_rkey(before));
		assert_int_equal(fixture_poll(fixture.cq).status,
				 IBV_WC_SUCCESS);
		assert_writable(mws[i]->rkey, fixture.memory + 1024 * (i + 1));
	}
	assert_int_equal(ibv_dealloc_mw(one), 0);
	assert_int_equal(ibv_dealloc_mw(two), 0);
}

static void verbs_wr_bind_mw_takes_low_byte_of_rkey(void **state)
{
	struct ibv_mw *one = new_mw(IBV_MW_TYPE_2);
	struct ibv_mw *two = new_mw(IBV_MW_TYPE_2);
	struct ibv_mw_bind_info info = info_of(fixture.memory + 1024);
	uint32_t index = INDEX_OF(one->rkey);
	struct ibv_qp *qp = fixture_new_qp_ex(IBV_QP_EX_WITH_BIND_MW);
	struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(qp);

	fixture_connect(fixture.left, qp);
	ibv_wr_start(qpx);
	qpx->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_bind_mw(qpx, one, 0x99, &info);
	ibv_wr_bind_mw(qpx, two, 0x99, &info);
	assert_int_equal(ibv_wr_complete(qpx), 0);
	assert_int_equal(fixture_poll(fixture.cq).status, IBV_WC_SUCCESS);
	assert_int_equal(fixture_poll(fixture.cq).status, IBV_WC_SUCCESS);
	assert_int_equal(one->rkey, index | 0x99);
	assert_int_not_equal(one->rkey, two->rkey);
	assert_writable(one->rkey, fixture.memory + 1024);
	assert_writable(two->rkey, fixture.memory + 1032);
	assert_int_equal(ibv_dealloc_mw(one), 0);
	assert_int_equal(ibv_dealloc_mw(two), 0);
	assert_int_equal(ibv_destroy_qp(qp), 0);
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(verbs_bind_mw_same_rkey_gives_windows_different_keys),
		TEST(verbs_bind_mw_key_as_argument_has_no_access),
		TEST(verbs_bind_mw_invalidated_window_binds_again),
		TEST(verbs_bind_mw_type_1_keeps_index),
		TEST(verbs_wr_bind_mw_takes_low_byte_of_rkey),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
