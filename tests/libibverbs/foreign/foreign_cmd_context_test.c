/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Context commands of foreign providers in each private node:
 * libibverbs/foreign/foreign_cmd_context.c.
 */
#include <string.h>

#include "foreign/foreign_udata.h"
#include "kernel/kernel_caps.h"
#include "libibverbs/foreign/foreign_cmd_test.h"

#define FD_ARR 2 /* id of the attribute */

static void expect_get_context_native(struct foreign_cmd_test *t, int err)
{
	const struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_DEVICE,
		.method = UVERBS_METHOD_GET_CONTEXT,
		FAKE_ATTRS(
			FAKE_U32_OUT(UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS,
				     6),
			FAKE_U64_OUT(UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT, 3),
			CALLER_ATTR_IN(t), CALLER_ATTR_OUT),
		.err = err,
	};

	fake_kernel_expect_ioctl(&cmd);
}

static void expect_get_context_write(struct foreign_cmd_test *t,
				     enum test_form form, int err)
{
	static const struct ib_uverbs_get_context in;
	static const struct ib_uverbs_get_context_resp out = {
		.async_fd = 9,
		.num_comp_vectors = 5,
	};

	foreign_cmd_test_expect(
		t, form,
		(struct fake_write){
			.command = IB_USER_VERBS_CMD_GET_CONTEXT,
			.in = &in,
			.in_len = sizeof(in),
			.out = &out,
			.out_len = sizeof(out),
			.err = err,
		});
}

/* Call the function that a provider of the variant calls. */
static int get_context(struct foreign_cmd_test *t,
		       const struct foreign_fd_arr *fds)
{
	void *vctx = foreign_cmd_test_vctx(t);

	switch (t->priv.variant->node) {
	case 34:
		return foreign_cmd_get_context_34(vctx, CALLER_CMD(t),
						  CALLER_RESP(t));
	case 57:
		return foreign_cmd_get_context_57(vctx, CALLER_CMD(t), fds,
						  CALLER_RESP(t));
	case 59:
		return foreign_cmd_get_context_59(vctx, CALLER_CMD(t), fds,
						  CALLER_RESP(t));
	case 64:
		return foreign_cmd_get_context_64(vctx, CALLER_CMD(t), fds,
						  CALLER_RESP(t));
	default:
		return foreign_cmd_get_context_65(vctx, CALLER_CMD(t), fds,
						  CALLER_RESP(t));
	}
}

static void foreign_cmd_get_context_every_variant_sends_every_form(void **state)
{
	struct foreign_cmd_test *t = *state;

	for (int i = 0; i < FOREIGN_NR_VARIANTS; i++) {
		foreign_cmd_test_set_release(t, i, foreign_variants[i].newest);
		t->ctx->num_comp_vectors = 0;
		t->ctx->async_fd = -1;
		t->device.core_support = 0;
		caller_init(&t->caller, 16, 8);
		expect_get_context_native(t, 0);
		assert_succeeds(get_context(t, NULL));
		assert_int_equal(t->ctx->num_comp_vectors, 6);
		assert_int_equal(t->ctx->async_fd, -1);
		assert_int_equal(t->priv.priv.kernel.core_support, 3);
		assert_int_equal(t->device.core_support, 3);
		caller_check_response(&t->caller);
		caller_check_core_untouched(&t->caller);
	}
}

static void
foreign_cmd_get_context_older_kernel_falls_back_to_write(void **state)
{
	struct foreign_cmd_test *t = *state;

	for (enum test_form form = WRAPPED; form <= WRITE; form++) {
		foreign_cmd_test_force_form(t, form);
		t->ctx->num_comp_vectors = 0;
		t->ctx->async_fd = -1;
		caller_init(&t->caller, 16, 8);
		expect_get_context_write(t, form, 0);
		assert_succeeds(get_context(t, NULL));
		assert_int_equal(t->ctx->num_comp_vectors, 5);
		assert_int_equal(t->ctx->async_fd, 9);
		assert_int_equal(t->device.core_support, 0);
		caller_check_response(&t->caller);
	}
}

static void foreign_cmd_get_context_failure_sets_errno(void **state)
{
	struct foreign_cmd_test *t = *state;

	caller_init(&t->caller, 16, 8);
	expect_get_context_native(t, ENOMEM);
	assert_fails(get_context(t, NULL), ENOMEM);
	foreign_cmd_test_force_form(t, WRITE);
	expect_get_context_write(t, WRITE, EPERM);
	assert_fails(get_context(t, NULL), EPERM);
	t->caller.cmd_size = 15;
	assert_fails(get_context(t, NULL), EINVAL);
	t->caller.cmd_size = 16;
	t->caller.resp_size = 7;
	assert_fails(get_context(t, NULL), EINVAL);
	assert_int_equal(t->ctx->num_comp_vectors, 0);
	/* The pointer is not the start of a context of this node. */
	foreign_cmd_test_set_release(t, FOREIGN_34, 44);
	assert_fails(foreign_cmd_get_context_57(foreign_cmd_test_vctx(t), NULL,
						0, NULL, NULL, 0),
		     EINVAL);
	assert_fails(foreign_cmd_get_context_34(NULL, NULL, 0, NULL, 0),
		     EINVAL);
}

static void expect_get_context_fds(struct foreign_cmd_test *t, const int *fds,
				   size_t count, int err)
{
	const struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_DEVICE,
		.method = UVERBS_METHOD_GET_CONTEXT,
		FAKE_ATTRS(
			FAKE_U32_OUT(UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS,
				     6),
			FAKE_U64_OUT(UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT, 3),
			FAKE_BYTES_IN(FD_ARR, count * sizeof(*fds), fds),
			CALLER_ATTR_IN(t), CALLER_ATTR_OUT),
		.err = err,
	};

	fake_kernel_expect_ioctl(&cmd);
}

static void foreign_cmd_get_context_fd_arr_is_sent(void **state)
{
	struct foreign_cmd_test *t = *state;
	int fds[4] = { 71, 72, 73, 74 };

	for (uint32_t count = 1; count <= 4; count++) {
		const struct foreign_fd_arr arr = { fds, count };

		caller_init(&t->caller, 16, 8);
		expect_get_context_fds(t, fds, count, 0);
		assert_succeeds(get_context(t, &arr));
	}
	/* An empty array is not sent. */
	caller_init(&t->caller, 16, 8);
	expect_get_context_native(t, 0);
	assert_succeeds(get_context(t, &(struct foreign_fd_arr){ NULL, 0 }));
}

static void foreign_cmd_get_context_fd_arr_older_kernel_is_ignored(void **state)
{
	struct foreign_cmd_test *t = *state;
	int fds[] = { 71, 72, 73 };
	const struct foreign_fd_arr arr = { fds, 3 };

	/* A kernel with the method and without the attribute. */
	caller_init(&t->caller, 16, 8);
	expect_get_context_fds(t, fds, 3, EPROTONOSUPPORT);
	expect_get_context_native(t, 0);
	assert_succeeds(get_context(t, &arr));
	assert_int_equal(t->ctx->num_comp_vectors, 6);

	/* A kernel without the method. */
	expect_get_context_fds(t, fds, 3, EPROTONOSUPPORT);
	expect_get_context_native(t, EPROTONOSUPPORT);
	expect_get_context_write(t, WRAPPED, 0);
	assert_succeeds(get_context(t, &arr));

	/* A kernel without ioctl. */
	foreign_cmd_test_force_form(t, WRITE);
	expect_get_context_write(t, WRITE, 0);
	assert_succeeds(get_context(t, &arr));
	caller_check_response(&t->caller);
}

static void foreign_cmd_get_context_fd_arr_too_long_returns_einval(void **state)
{
	struct foreign_cmd_test *t = *state;
	const struct foreign_fd_arr arr = { NULL, 0x40000001 };

	caller_init(&t->caller, 16, 8);
	assert_fails(get_context(t, &arr), EINVAL);
}

static void expect_query_context(int err)
{
	const struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_DEVICE,
		.method = UVERBS_METHOD_QUERY_CONTEXT,
		FAKE_ATTRS(
			FAKE_U32_OUT(UVERBS_ATTR_QUERY_CONTEXT_NUM_COMP_VECTORS,
				     4),
			FAKE_U64_OUT(UVERBS_ATTR_QUERY_CONTEXT_CORE_SUPPORT, 1),
			TEST_LINK_EXPECTED),
		.err = err,
	};

	fake_kernel_expect_ioctl(&cmd);
}

static void foreign_cmd_query_context_fills_context(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct caller_buffer link;

	foreign_cmd_test_link(&link, UVERBS_OBJECT_DEVICE,
			      UVERBS_METHOD_QUERY_CONTEXT);
	expect_query_context(0);
	assert_succeeds(foreign_cmd_query_context(t->ctx, TEST_LINK(&link)));
	assert_int_equal(t->ctx->num_comp_vectors, 4);
	assert_int_equal(t->device.core_support, 1);
	assert_true(verbs_kernel_state(t->ctx)->imported);
	foreign_cmd_test_check_link(&link);
}

static void foreign_cmd_query_context_failure_sets_errno(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct caller_buffer link;

	foreign_cmd_test_link(&link, UVERBS_OBJECT_DEVICE,
			      UVERBS_METHOD_QUERY_CONTEXT);
	expect_query_context(EINVAL);
	assert_fails(foreign_cmd_query_context(t->ctx, TEST_LINK(&link)),
		     EINVAL);
	assert_int_equal(link.attrs[0].data, 0);
	link.flags = CALLER_BUFFER_ERROR;
	assert_fails(foreign_cmd_query_context(t->ctx, TEST_LINK(&link)),
		     EINVAL);
	foreign_cmd_test_force_form(t, WRITE);
	assert_fails(foreign_cmd_query_context(t->ctx, NULL), EOPNOTSUPP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FOREIGN_CMD_TEST(
			foreign_cmd_get_context_every_variant_sends_every_form),
		FOREIGN_CMD_TEST(
			foreign_cmd_get_context_older_kernel_falls_back_to_write),
		FOREIGN_CMD_TEST(foreign_cmd_get_context_failure_sets_errno),
		FOREIGN_CMD_TEST(foreign_cmd_get_context_fd_arr_is_sent),
		FOREIGN_CMD_TEST(
			foreign_cmd_get_context_fd_arr_older_kernel_is_ignored),
		FOREIGN_CMD_TEST(
			foreign_cmd_get_context_fd_arr_too_long_returns_einval),
		FOREIGN_CMD_TEST(foreign_cmd_query_context_fills_context),
		FOREIGN_CMD_TEST(foreign_cmd_query_context_failure_sets_errno),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
