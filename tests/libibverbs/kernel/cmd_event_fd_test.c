/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Descriptors that carry events. */
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

static void async_fd_is_a_native_method(void **state)
{
	struct kernel_test *t = *state;
	int fd = -1;

	t->ctx->async_fd = -1;
	expect_async(9, 0);
	assert_int_equal(verbs_cmd_alloc_async_fd(t->ctx, &fd), 0);
	assert_int_equal(fd, 9);
}

static void async_fd_that_came_with_the_context_is_used(void **state)
{
	struct kernel_test *t = *state;
	int fd = -1;

	assert_int_equal(verbs_cmd_alloc_async_fd(t->ctx, &fd), 0);
	assert_int_equal(fd, TEST_ASYNC_FD);
}

static void async_fd_error_leaves_the_output(void **state)
{
	struct kernel_test *t = *state;
	int fd = 5;

	t->ctx->async_fd = -1;
	expect_async(9, EMFILE);
	assert_int_equal(verbs_cmd_alloc_async_fd(t->ctx, &fd), -EMFILE);
	assert_int_equal(fd, 5);
}

static void async_fd_has_no_other_form(void **state)
{
	struct kernel_test *t = *state;
	int fd = 5;

	t->ctx->async_fd = -1;
	expect_async(9, EPROTONOSUPPORT);
	assert_int_equal(verbs_cmd_alloc_async_fd(t->ctx, &fd), -EOPNOTSUPP);
	assert_int_equal(fd, 5);
}

static void async_fd_that_is_none_is_a_protocol_error(void **state)
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

static void comp_channel_travels_in_both_forms(void **state)
{
	struct kernel_test *t = *state;

	for (int form = WRAPPED; form <= WRITE; form++) {
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

static void comp_channel_error_leaves_the_output(void **state)
{
	struct kernel_test *t = *state;
	int fd = 5;

	expect_channel(WRAPPED, 12, EMFILE);
	assert_int_equal(verbs_cmd_create_comp_channel(t->ctx, &fd), -EMFILE);
	assert_int_equal(fd, 5);
}

static void comp_channel_that_is_none_is_a_protocol_error(void **state)
{
	struct kernel_test *t = *state;
	int fd = 5;

	expect_channel(WRAPPED, (uint32_t)INT_MAX + 1, 0);
	assert_int_equal(verbs_cmd_create_comp_channel(t->ctx, &fd), -EPROTO);
	expect_channel(WRAPPED, UINT32_MAX, 0);
	assert_int_equal(verbs_cmd_create_comp_channel(t->ctx, &fd), -EPROTO);
	assert_int_equal(fd, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KERNEL_TEST(async_fd_is_a_native_method),
		KERNEL_TEST(async_fd_that_came_with_the_context_is_used),
		KERNEL_TEST(async_fd_error_leaves_the_output),
		KERNEL_TEST(async_fd_has_no_other_form),
		KERNEL_TEST(async_fd_that_is_none_is_a_protocol_error),
		KERNEL_TEST(comp_channel_travels_in_both_forms),
		KERNEL_TEST(comp_channel_error_leaves_the_output),
		KERNEL_TEST(comp_channel_that_is_none_is_a_protocol_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
