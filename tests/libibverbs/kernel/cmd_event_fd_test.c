/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Commands of event descriptors. */
#include "libibverbs/kernel/kernel_test.h"

#include <errno.h>
#include <limits.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <string.h>

static void expect_async(uint64_t fd, int err)
{
	const struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_ASYNC_EVENT,
		.method = UVERBS_METHOD_ASYNC_EVENT_ALLOC,
		FAKE_ATTRS(FAKE_NUM_OUT(UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE,
					fd)),
		.err = err,
	};

	fake_kernel_expect_ioctl(&cmd);
}

static void alloc_async_fd_sends_ioctl(void **state)
{
	struct kernel_test *t = *state;
	int fd = -1;

	t->ctx->async_fd = -1;
	expect_async(9, 0);
	assert_int_equal(verbs_cmd_alloc_async_fd(t->ctx, &fd), 0);
	assert_int_equal(fd, 9);
}

static void alloc_async_fd_existing_fd_is_reused(void **state)
{
	struct kernel_test *t = *state;
	int fd = -1;

	assert_int_equal(verbs_cmd_alloc_async_fd(t->ctx, &fd), 0);
	assert_int_equal(fd, TEST_ASYNC_FD);
}

static void alloc_async_fd_error_leaves_output_unchanged(void **state)
{
	struct kernel_test *t = *state;
	int fd = 5;

	t->ctx->async_fd = -1;
	expect_async(9, EMFILE);
	assert_int_equal(verbs_cmd_alloc_async_fd(t->ctx, &fd), -EMFILE);
	assert_int_equal(fd, 5);
}

static void alloc_async_fd_ioctl_refused_returns_eopnotsupp(void **state)
{
	struct kernel_test *t = *state;
	int fd = 5;

	t->ctx->async_fd = -1;
	expect_async(9, EPROTONOSUPPORT);
	assert_int_equal(verbs_cmd_alloc_async_fd(t->ctx, &fd), -EOPNOTSUPP);
	assert_int_equal(fd, 5);
}

static void alloc_async_fd_invalid_fd_returns_eproto(void **state)
{
	struct kernel_test *t = *state;
	int fd = 5;

	t->ctx->async_fd = -1;
	expect_async(UINT64_MAX, 0);
	assert_int_equal(verbs_cmd_alloc_async_fd(t->ctx, &fd), -EPROTO);
	expect_async(UINT64_C(1) << 32, 0);
	assert_int_equal(verbs_cmd_alloc_async_fd(t->ctx, &fd), -EPROTO);
	assert_int_equal(fd, 5);
}

static void expect_channel(enum test_form form, uint32_t fd, int err)
{
	static const struct ib_uverbs_create_comp_channel in;
	const struct ib_uverbs_create_comp_channel_resp out = { .fd = fd };
	const struct fake_write cmd = {
		.command = IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL,
		.in = &in,
		.in_len = sizeof(in),
		.out = &out,
		.out_len = sizeof(out),
		.err = err,
	};

	kernel_test_expect(form, &cmd);
}

static void create_comp_channel_sends_both_write_forms(void **state)
{
	struct kernel_test *t = *state;

	for (int form = FORM_INVOKE_WRITE; form <= FORM_WRITE; form++) {
		int fd = -1;

		kernel_test_force(t, form);
		expect_channel(form, 12, 0);
		assert_int_equal(verbs_cmd_create_comp_channel(t->ctx, &fd), 0);
		assert_int_equal(fd, 12);
		expect_channel(form, INT_MAX, 0);
		assert_int_equal(verbs_cmd_create_comp_channel(t->ctx, &fd), 0);
		assert_int_equal(fd, INT_MAX);
	}
}

static void create_comp_channel_error_leaves_output_unchanged(void **state)
{
	struct kernel_test *t = *state;
	int fd = 5;

	expect_channel(FORM_INVOKE_WRITE, 12, EMFILE);
	assert_int_equal(verbs_cmd_create_comp_channel(t->ctx, &fd), -EMFILE);
	assert_int_equal(fd, 5);
}

static void create_comp_channel_invalid_fd_returns_eproto(void **state)
{
	struct kernel_test *t = *state;
	int fd = 5;

	expect_channel(FORM_INVOKE_WRITE, (uint32_t)INT_MAX + 1, 0);
	assert_int_equal(verbs_cmd_create_comp_channel(t->ctx, &fd), -EPROTO);
	expect_channel(FORM_INVOKE_WRITE, UINT32_MAX, 0);
	assert_int_equal(verbs_cmd_create_comp_channel(t->ctx, &fd), -EPROTO);
	assert_int_equal(fd, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KERNEL_TEST(alloc_async_fd_sends_ioctl),
		KERNEL_TEST(alloc_async_fd_existing_fd_is_reused),
		KERNEL_TEST(alloc_async_fd_error_leaves_output_unchanged),
		KERNEL_TEST(alloc_async_fd_ioctl_refused_returns_eopnotsupp),
		KERNEL_TEST(alloc_async_fd_invalid_fd_returns_eproto),
		KERNEL_TEST(create_comp_channel_sends_both_write_forms),
		KERNEL_TEST(create_comp_channel_error_leaves_output_unchanged),
		KERNEL_TEST(create_comp_channel_invalid_fd_returns_eproto),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
