/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Commands of XRC domains. */
#include "libibverbs/kernel/kernel_test.h"

#include <errno.h>
#include <fcntl.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <string.h>

static const struct ibv_xrcd_init_attr valid_attr = {
	.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
	.fd = -1,
	.oflags = O_CREAT,
};

static struct fake_write open_cmd(struct kernel_test *t, int err)
{
	static const struct ib_uverbs_open_xrcd in = {
		.fd = (uint32_t)-1,
		.oflags = O_CREAT,
	};
	static const struct ib_uverbs_open_xrcd_resp out = {
		.xrcd_handle = 31,
	};

	return (struct fake_write){
		.command = IB_USER_VERBS_CMD_OPEN_XRCD,
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

static void check_open(struct kernel_test *t, enum test_form form)
{
	struct fake_write cmd = open_cmd(t, 0);
	struct verbs_xrcd xrcd = {};

	kernel_test_force(t, form);
	kernel_test_expect(form, &cmd);
	assert_int_equal(
		verbs_cmd_open_xrcd(t->ctx, &xrcd, &valid_attr, &t->udata), 0);
	assert_ptr_equal(xrcd.xrcd.context, t->ctx);
	assert_int_equal(xrcd.comp_mask, VERBS_XRCD_MASK_HANDLE);
	assert_int_equal(xrcd.handle, 31);
}

static void open_xrcd_sends_invoke_write(void **state)
{
	check_open(*state, FORM_INVOKE_WRITE);
}

static void open_xrcd_sends_write(void **state)
{
	check_open(*state, FORM_WRITE);
}

static void open_xrcd_error_leaves_object_unchanged(void **state)
{
	struct kernel_test *t = *state;
	const struct verbs_xrcd before = { .handle = 99 };
	struct fake_write cmd = open_cmd(t, EPERM);
	struct verbs_xrcd xrcd = before;

	kernel_test_expect(FORM_INVOKE_WRITE, &cmd);
	assert_int_equal(
		verbs_cmd_open_xrcd(t->ctx, &xrcd, &valid_attr, &t->udata),
		-EPERM);
	assert_memory_equal(&xrcd, &before, sizeof(xrcd));
}

static void open_xrcd_missing_attr_is_refused(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_xrcd_init_attr attr = valid_attr;
	struct verbs_xrcd xrcd = {};

	attr.comp_mask = IBV_XRCD_INIT_ATTR_FD;
	assert_int_equal(verbs_cmd_open_xrcd(t->ctx, &xrcd, &attr, NULL),
			 -EINVAL);
	attr.comp_mask = IBV_XRCD_INIT_ATTR_OFLAGS;
	assert_int_equal(verbs_cmd_open_xrcd(t->ctx, &xrcd, &attr, NULL),
			 -EINVAL);
}

static void open_xrcd_unknown_attrs_are_refused(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_xrcd_init_attr attr = valid_attr;
	struct verbs_xrcd xrcd = {};

	attr.comp_mask |= 4;
	assert_int_equal(verbs_cmd_open_xrcd(t->ctx, &xrcd, &attr, NULL),
			 -EOPNOTSUPP);
}

static int run_close(struct kernel_test *t)
{
	struct verbs_xrcd xrcd = { .xrcd.context = t->ctx, .handle = 31 };

	return verbs_cmd_close_xrcd(&xrcd);
}

static const struct destroy_case close_xrcd_case = {
	.cap = KERNEL_CAP_CLOSE_XRCD,
	.handle_attr = UVERBS_ATTR_DESTROY_XRCD_HANDLE,
	.write_command = IB_USER_VERBS_CMD_CLOSE_XRCD,
	.handle = 31,
	.run = run_close,
};
DESTROY_TESTS(close_xrcd)

int main(void)
{
	const struct CMUnitTest tests[] = {
		KERNEL_TEST(open_xrcd_sends_invoke_write),
		KERNEL_TEST(open_xrcd_sends_write),
		KERNEL_TEST(open_xrcd_error_leaves_object_unchanged),
		KERNEL_TEST(open_xrcd_missing_attr_is_refused),
		KERNEL_TEST(open_xrcd_unknown_attrs_are_refused),
		DESTROY_TEST_LIST(close_xrcd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
