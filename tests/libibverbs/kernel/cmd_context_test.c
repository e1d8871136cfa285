/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Commands that create and query the kernel's context. */
#include "libibverbs/kernel/kernel_test.h"

#include <errno.h>
#include <limits.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <string.h>

#define CORE_SUPPORT UINT64_C(0x100000001)

static void expect_ioctl(struct kernel_test *t, uint32_t vectors, int err)
{
	const struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_DEVICE,
		.method = UVERBS_METHOD_GET_CONTEXT,
		FAKE_ATTRS(
			FAKE_U32_OUT(UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS,
				     vectors),
			FAKE_U64_OUT(UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT,
				     CORE_SUPPORT),
			FAKE_BYTES_IN(UVERBS_ATTR_UHW_IN, 16, t->driver_in),
			FAKE_BYTES_OUT(UVERBS_ATTR_UHW_OUT, 16,
				       kernel_test_driver_resp)),
		.err = err,
	};

	fake_kernel_expect_ioctl(&cmd);
}

static void expect_query(uint32_t vectors, int err)
{
	const struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_DEVICE,
		.method = UVERBS_METHOD_QUERY_CONTEXT,
		FAKE_ATTRS(
			FAKE_U32_OUT(UVERBS_ATTR_QUERY_CONTEXT_NUM_COMP_VECTORS,
				     vectors),
			FAKE_U64_OUT(UVERBS_ATTR_QUERY_CONTEXT_CORE_SUPPORT,
				     CORE_SUPPORT)),
		.err = err,
	};

	fake_kernel_expect_ioctl(&cmd);
}

static void expect_write(struct kernel_test *t, enum test_form form,
			 uint32_t async_fd, int err)
{
	static const struct ib_uverbs_get_context in;
	const struct ib_uverbs_get_context_resp out = {
		.async_fd = async_fd,
		.num_comp_vectors = 3,
	};
	const struct fake_write cmd = {
		.command = IB_USER_VERBS_CMD_GET_CONTEXT,
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

	kernel_test_expect(form, &cmd);
}

static void get_context_sends_ioctl(void **state)
{
	struct kernel_test *t = *state;

	t->ctx->async_fd = -1;
	expect_ioctl(t, 4, 0);
	assert_int_equal(verbs_cmd_get_context(t->ctx, &t->udata), 0);
	assert_int_equal(t->ctx->num_comp_vectors, 4);
	assert_int_equal(t->state.core_support, CORE_SUPPORT);
	assert_int_equal(t->ctx->async_fd, -1);
	assert_memory_equal(t->driver_out, kernel_test_driver_resp, 16);
}

static void check_fallback(struct kernel_test *t, enum test_form form)
{
	t->ctx->async_fd = -1;
	t->state.core_support = 0;
	expect_ioctl(t, 4, form == FORM_WRITE ? ENOTTY : EPROTONOSUPPORT);
	expect_write(t, form, 15, 0);
	assert_int_equal(verbs_cmd_get_context(t->ctx, &t->udata), 0);
	assert_int_equal(t->ctx->num_comp_vectors, 3);
	assert_int_equal(t->ctx->async_fd, 15);
	assert_memory_equal(t->driver_out, kernel_test_driver_resp, 16);
}

static void get_context_ioctl_refused_falls_back_to_invoke_write(void **state)
{
	check_fallback(*state, FORM_INVOKE_WRITE);
}

static void get_context_without_ioctl_falls_back_to_write(void **state)
{
	check_fallback(*state, FORM_WRITE);
}

static void get_context_error_leaves_context_unchanged(void **state)
{
	struct kernel_test *t = *state;

	t->ctx->async_fd = -1;
	expect_ioctl(t, 4, ENODEV);
	assert_int_equal(verbs_cmd_get_context(t->ctx, &t->udata), -ENODEV);
	kernel_test_force(t, FORM_WRITE);
	expect_write(t, FORM_WRITE, 15, EPERM);
	assert_int_equal(verbs_cmd_get_context(t->ctx, &t->udata), -EPERM);
	assert_int_equal(t->ctx->num_comp_vectors, 0);
	assert_int_equal(t->state.core_support, 0);
	assert_int_equal(t->ctx->async_fd, -1);
}

static void get_context_invalid_vector_count_becomes_1(void **state)
{
	struct kernel_test *t = *state;

	expect_ioctl(t, UINT32_MAX, 0);
	assert_int_equal(verbs_cmd_get_context(t->ctx, &t->udata), 0);
	assert_int_equal(t->ctx->num_comp_vectors, 1);
	expect_ioctl(t, INT_MAX, 0);
	assert_int_equal(verbs_cmd_get_context(t->ctx, &t->udata), 0);
	assert_int_equal(t->ctx->num_comp_vectors, INT_MAX);
}

static void get_context_invalid_async_fd_returns_eproto(void **state)
{
	struct kernel_test *t = *state;

	t->ctx->async_fd = -1;
	kernel_test_force(t, FORM_WRITE);
	expect_write(t, FORM_WRITE, UINT32_MAX, 0);
	assert_int_equal(verbs_cmd_get_context(t->ctx, &t->udata), -EPROTO);
	assert_int_equal(t->ctx->async_fd, -1);
}

static void get_context_imported_sends_query_context(void **state)
{
	struct kernel_test *t = *state;

	t->state.imported = true;
	expect_query(5, 0);
	assert_int_equal(verbs_cmd_get_context(t->ctx, NULL), 0);
	assert_int_equal(t->ctx->num_comp_vectors, 5);
	assert_int_equal(t->state.core_support, CORE_SUPPORT);
}

static void get_context_imported_ioctl_refused_returns_eopnotsupp(void **state)
{
	struct kernel_test *t = *state;

	t->state.imported = true;
	expect_query(5, EPROTONOSUPPORT);
	assert_int_equal(verbs_cmd_get_context(t->ctx, NULL), -EOPNOTSUPP);
}

static void
get_context_imported_with_driver_data_returns_eopnotsupp(void **state)
{
	struct kernel_test *t = *state;

	t->state.imported = true;
	assert_int_equal(verbs_cmd_get_context(t->ctx, &t->udata), -EOPNOTSUPP);
}

static void query_context_sends_ioctl_on_any_context(void **state)
{
	struct kernel_test *t = *state;

	t->ctx->async_fd = -1;
	expect_query(5, 0);
	assert_int_equal(verbs_cmd_query_context(t->ctx, NULL), 0);
	assert_int_equal(t->ctx->num_comp_vectors, 5);
	assert_int_equal(t->state.core_support, CORE_SUPPORT);
	assert_int_equal(t->ctx->async_fd, -1);
}

static void query_context_error_leaves_context_unchanged(void **state)
{
	struct kernel_test *t = *state;

	expect_query(5, EINVAL);
	assert_int_equal(verbs_cmd_query_context(t->ctx, NULL), -EINVAL);
	expect_query(5, EPROTONOSUPPORT);
	for (int i = 0; i < 2; i++)
		assert_int_equal(verbs_cmd_query_context(t->ctx, NULL),
				 -EOPNOTSUPP);
	assert_int_equal(t->ctx->num_comp_vectors, 0);
	assert_int_equal(t->state.core_support, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KERNEL_TEST(get_context_sends_ioctl),
		KERNEL_TEST(
			get_context_ioctl_refused_falls_back_to_invoke_write),
		KERNEL_TEST(get_context_without_ioctl_falls_back_to_write),
		KERNEL_TEST(get_context_error_leaves_context_unchanged),
		KERNEL_TEST(get_context_invalid_vector_count_becomes_1),
		KERNEL_TEST(get_context_invalid_async_fd_returns_eproto),
		KERNEL_TEST(get_context_imported_sends_query_context),
		KERNEL_TEST(
			get_context_imported_ioctl_refused_returns_eopnotsupp),
		KERNEL_TEST(
			get_context_imported_with_driver_data_returns_eopnotsupp),
		KERNEL_TEST(query_context_sends_ioctl_on_any_context),
		KERNEL_TEST(query_context_error_leaves_context_unchanged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
