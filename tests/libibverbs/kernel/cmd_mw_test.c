/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Commands of memory windows. */
#include "libibverbs/kernel/kernel_test.h"

#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <string.h>

static struct fake_write alloc_cmd(struct kernel_test *t, int err)
{
	static const struct ib_uverbs_alloc_mw in = {
		.pd_handle = 7,
		.mw_type = IBV_MW_TYPE_2,
	};
	static const struct ib_uverbs_alloc_mw_resp out = {
		.mw_handle = 41,
		.rkey = 0xdead00,
	};

	return (struct fake_write){
		.command = IB_USER_VERBS_CMD_ALLOC_MW,
		.in = &in,
		.in_len = sizeof(in),
		.out = &out,
		.out_len = sizeof(out),
		.driver_in = t->driver_in,
		.driver_in_len = sizeof(t->driver_in),
		.driver_out = kernel_test_driver_resp,
		.driver_out_len = sizeof(kernel_test_driver_resp),
		.err = err,
	};
}

static void check_alloc(struct kernel_test *t, enum test_form form)
{
	struct fake_write cmd = alloc_cmd(t, 0);
	struct ibv_mw mw = {};

	kernel_test_force(t, form);
	kernel_test_expect(form, &cmd);
	assert_int_equal(
		verbs_cmd_alloc_mw(&t->pd, IBV_MW_TYPE_2, &mw, &t->udata), 0);
	assert_ptr_equal(mw.context, t->ctx);
	assert_ptr_equal(mw.pd, &t->pd);
	assert_int_equal(mw.handle, 41);
	assert_int_equal(mw.rkey, 0xdead00);
	assert_int_equal(mw.type, IBV_MW_TYPE_2);
}

static void alloc_mw_sends_invoke_write(void **state)
{
	check_alloc(*state, FORM_INVOKE_WRITE);
}

static void alloc_mw_sends_write(void **state)
{
	check_alloc(*state, FORM_WRITE);
}

static void alloc_mw_error_leaves_object_unchanged(void **state)
{
	struct kernel_test *t = *state;
	const struct ibv_mw before = { .handle = 99 };
	struct fake_write cmd = alloc_cmd(t, ENOMEM);
	struct ibv_mw mw = before;

	kernel_test_expect(FORM_INVOKE_WRITE, &cmd);
	assert_int_equal(
		verbs_cmd_alloc_mw(&t->pd, IBV_MW_TYPE_2, &mw, &t->udata),
		-ENOMEM);
	assert_memory_equal(&mw, &before, sizeof(mw));
}

static void alloc_mw_type_above_8_bits_is_refused(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_mw mw = {};

	assert_int_equal(
		verbs_cmd_alloc_mw(&t->pd, (enum ibv_mw_type)0x101, &mw, NULL),
		-EINVAL);
}

static int run_dealloc(struct kernel_test *t)
{
	struct ibv_mw mw = { .context = t->ctx, .handle = 41 };

	return verbs_cmd_dealloc_mw(&mw);
}

static const struct destroy_case dealloc_mw_case = {
	.cap = KERNEL_CAP_DEALLOC_MW,
	.handle_attr = UVERBS_ATTR_DESTROY_MW_HANDLE,
	.write_command = IB_USER_VERBS_CMD_DEALLOC_MW,
	.handle = 41,
	.run = run_dealloc,
};
DESTROY_TESTS(dealloc_mw)

int main(void)
{
	const struct CMUnitTest tests[] = {
		KERNEL_TEST(alloc_mw_sends_invoke_write),
		KERNEL_TEST(alloc_mw_sends_write),
		KERNEL_TEST(alloc_mw_error_leaves_object_unchanged),
		KERNEL_TEST(alloc_mw_type_above_8_bits_is_refused),
		DESTROY_TEST_LIST(dealloc_mw),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
