/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_rereg_mr(3): each attribute alone and all of them together, and what
 * remains valid after a failure.
 */
#include <errno.h>

#include "verbs_fixture.h"

#define WRITABLE (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE)

/* The region under test is this part of fixture.memory. */
static uint8_t *part, *elsewhere;
static struct ibv_mr *mr;
static struct ibv_pd *other_pd;

static int setup(void **state)
{
	(void)fixture_setup(state);
	part = fixture.memory + 1024;
	elsewhere = fixture.memory + 4096;
	other_pd = ibv_alloc_pd(fixture.ctx);
	mr = ibv_reg_mr(fixture.pd, part, 64, WRITABLE | IBV_ACCESS_MW_BIND);
	assert_non_null(other_pd);
	assert_non_null(mr);
	return 0;
}

static int teardown(void **state)
{
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_int_equal(ibv_dealloc_pd(other_pd), 0);
	return fixture_teardown(state);
}

static void assert_writable(uint8_t *addr)
{
	fixture.memory[0]++;
	assert_int_equal(
		fixture_write(fixture.memory, (uintptr_t)addr, mr->rkey),
		IBV_WC_SUCCESS);
	assert_int_equal(*addr, fixture.memory[0]);
}

static void assert_not_writable(uint8_t *addr)
{
	assert_int_equal(
		fixture_write(fixture.memory, (uintptr_t)addr, mr->rkey),
		IBV_WC_REM_ACCESS_ERR);
	fixture_connect(fixture.left, fixture.right);
}

static void verbs_rereg_mr_access_changes_remote_rights(void **state)
{
	assert_writable(part);
	assert_int_equal(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL,
				      NULL, 0, IBV_ACCESS_LOCAL_WRITE),
			 0);
	assert_not_writable(part);
	assert_int_equal(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL,
				      NULL, 0, WRITABLE),
			 0);
	assert_writable(part);
}

static void verbs_rereg_mr_pd_changes_queue_pairs_with_access(void **state)
{
	assert_int_equal(
		ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_PD, other_pd, NULL, 0, 0),
		0);
	assert_ptr_equal(mr->pd, other_pd);
	assert_int_equal(ibv_dealloc_pd(other_pd), EBUSY);
	assert_not_writable(part);
	assert_int_equal(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_PD, fixture.pd,
				      NULL, 0, 0),
			 0);
	assert_writable(part);
}

static void verbs_rereg_mr_translation_changes_memory(void **state)
{
	assert_int_equal(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL,
				      elsewhere, 128, 0),
			 0);
	assert_ptr_equal(mr->addr, elsewhere);
	assert_int_equal(mr->length, 128);
	assert_writable(elsewhere + 120);
	assert_not_writable(part);
}

static void verbs_rereg_mr_changes_all_attributes_together(void **state)
{
	const int all = IBV_REREG_MR_CHANGE_ACCESS | IBV_REREG_MR_CHANGE_PD |
			IBV_REREG_MR_CHANGE_TRANSLATION;

	assert_int_equal(ibv_rereg_mr(mr, all, other_pd, elsewhere, 128,
				      IBV_ACCESS_LOCAL_WRITE),
			 0);
	assert_not_writable(elsewhere);
	assert_int_equal(
		ibv_rereg_mr(mr, all, fixture.pd, elsewhere + 128, 8, WRITABLE),
		0);
	assert_writable(elsewhere + 128);
	assert_not_writable(elsewhere + 136);
}

static void assert_unchanged(void)
{
	assert_ptr_equal(mr->addr, part);
	assert_int_equal(mr->length, 64);
	assert_ptr_equal(mr->pd, fixture.pd);
	assert_writable(part);
}

static void expect_failure(int flags, struct ibv_pd *pd, void *addr,
			   size_t length, int access, int code, int err)
{
	errno = 0;
	assert_int_equal(ibv_rereg_mr(mr, flags, pd, addr, length, access),
			 code);
	assert_int_equal(errno, err);
	assert_unchanged();
}

static void verbs_rereg_mr_invalid_argument_changes_nothing(void **state)
{
	expect_failure(IBV_REREG_MR_FLAGS_SUPPORTED + 1, NULL, NULL, 0, 0,
		       IBV_REREG_MR_ERR_INPUT, EINVAL);
	expect_failure(IBV_REREG_MR_CHANGE_TRANSLATION, NULL, NULL, 64, 0,
		       IBV_REREG_MR_ERR_INPUT, EINVAL);
	expect_failure(IBV_REREG_MR_CHANGE_TRANSLATION, NULL, elsewhere, 0, 0,
		       IBV_REREG_MR_ERR_INPUT, EINVAL);
	expect_failure(IBV_REREG_MR_CHANGE_PD, NULL, NULL, 0, 0,
		       IBV_REREG_MR_ERR_INPUT, EINVAL);
	expect_failure(IBV_REREG_MR_CHANGE_PD, other_pd, NULL, 0, WRITABLE,
		       IBV_REREG_MR_ERR_INPUT, EINVAL);
}

static void verbs_rereg_mr_rejected_by_device_changes_nothing(void **state)
{
	const int both = IBV_REREG_MR_CHANGE_PD |
			 IBV_REREG_MR_CHANGE_TRANSLATION;

	expect_failure(0, NULL, NULL, 0, 0, IBV_REREG_MR_ERR_CMD, EINVAL);
	expect_failure(IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
		       IBV_ACCESS_REMOTE_WRITE, IBV_REREG_MR_ERR_CMD, EINVAL);
	expect_failure(both, other_pd, (void *)4096, 64, 0,
		       IBV_REREG_MR_ERR_CMD, EFAULT);
	assert_int_equal(ibv_dealloc_pd(other_pd), 0);
	other_pd = ibv_alloc_pd(fixture.ctx);
	assert_non_null(other_pd);
}

static void verbs_rereg_mr_with_bound_window_changes_nothing(void **state)
{
	struct ibv_mw *mw = ibv_alloc_mw(fixture.pd, IBV_MW_TYPE_1);
	struct ibv_mw_bind bind = {
		.send_flags = IBV_SEND_SIGNALED,
		.bind_info = { mr, (uintptr_t)part, 8,
			       IBV_ACCESS_REMOTE_WRITE },
	};

	assert_non_null(mw);
	assert_int_equal(ibv_bind_mw(fixture.right, mw, &bind), 0);
	assert_int_equal(fixture_poll(fixture.cq).status, IBV_WC_SUCCESS);
	expect_failure(IBV_REREG_MR_CHANGE_TRANSLATION, NULL, elsewhere, 64, 0,
		       IBV_REREG_MR_ERR_CMD, EBUSY);
	assert_int_equal(
		fixture_write(fixture.memory, (uintptr_t)part, mw->rkey),
		IBV_WC_SUCCESS);
	assert_int_equal(ibv_dealloc_mw(mw), 0);
	assert_int_equal(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL,
				      elsewhere, 64, 0),
			 0);
	assert_writable(elsewhere);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(verbs_rereg_mr_access_changes_remote_rights),
		TEST(verbs_rereg_mr_pd_changes_queue_pairs_with_access),
		TEST(verbs_rereg_mr_translation_changes_memory),
		TEST(verbs_rereg_mr_changes_all_attributes_together),
		TEST(verbs_rereg_mr_invalid_argument_changes_nothing),
		TEST(verbs_rereg_mr_rejected_by_device_changes_nothing),
		TEST(verbs_rereg_mr_with_bound_window_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
