/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Commands of completion queues. */
#include "libibverbs/kernel/kernel_test.h"

#include <errno.h>
#include <limits.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <string.h>

#define EXTENDED IB_USER_VERBS_CMD_FLAG_EXTENDED
#define TS_FLAG	 IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION

static struct ibv_comp_channel channel = { .fd = TEST_CHANNEL_FD };

static const struct ibv_cq_init_attr_ex basic_attr = {
	.cqe = 100,
	.channel = &channel,
	.comp_vector = 3,
	.wc_flags = IBV_WC_STANDARD_FLAGS,
};

static const struct ibv_cq_init_attr_ex timestamp_attr = {
	.cqe = 100,
	.channel = &channel,
	.comp_vector = 3,
	.wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP,
};

/* ------------------------------------------------------------------------ */
/* Creation                                                                  */
/* ------------------------------------------------------------------------ */

/* @flags: 0: no attribute; @err: result of the kernel */
static void expect_ioctl(struct kernel_test *t, const struct ibv_cq *cq,
			 uint32_t flags, int err)
{
	const struct fake_attr attrs[] = {
		FAKE_NUM_OUT(UVERBS_ATTR_CREATE_CQ_HANDLE, 81),
		FAKE_U32_IN(UVERBS_ATTR_CREATE_CQ_CQE, 100),
		FAKE_U64_IN(UVERBS_ATTR_CREATE_CQ_USER_HANDLE, (uintptr_t)cq),
		FAKE_NUM_IN(UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL,
			    TEST_CHANNEL_FD),
		FAKE_U32_IN(UVERBS_ATTR_CREATE_CQ_COMP_VECTOR, 3),
		FAKE_NUM_IN_OPTIONAL(UVERBS_ATTR_CREATE_CQ_EVENT_FD,
				     TEST_ASYNC_FD),
		FAKE_U32_OUT(UVERBS_ATTR_CREATE_CQ_RESP_CQE, 127),
		FAKE_BYTES_IN(UVERBS_ATTR_UHW_IN, 16, t->driver_in),
		FAKE_BYTES_OUT(UVERBS_ATTR_UHW_OUT, 16,
			       kernel_test_driver_resp),
		FAKE_U32_IN(UVERBS_ATTR_CREATE_CQ_FLAGS, flags),
	};
	const struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_CQ,
		.method = UVERBS_METHOD_CQ_CREATE,
		.attrs = attrs,
		.nr_attrs = sizeof(attrs) / sizeof(*attrs) - !flags,
		.err = err,
	};

	fake_kernel_expect_ioctl(&cmd);
}

static void expect_basic(struct kernel_test *t, enum test_form form,
			 const struct ibv_cq *cq, int channel_fd, uint32_t cqe,
			 int err)
{
	const struct ib_uverbs_create_cq in = {
		.user_handle = (uintptr_t)cq,
		.cqe = 100,
		.comp_vector = 3,
		.comp_channel = channel_fd,
	};
	const struct ib_uverbs_create_cq_resp out = { .cq_handle = 81,
						      .cqe = cqe };
	const struct fake_write cmd = {
		.command = IB_USER_VERBS_CMD_CREATE_CQ,
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

static void expect_ex(struct kernel_test *t, enum test_form form,
		      const struct ibv_cq *cq, uint32_t flags,
		      uint32_t response_length, int err)
{
	const struct ib_uverbs_ex_create_cq in = {
		.user_handle = (uintptr_t)cq,
		.cqe = 100,
		.comp_vector = 3,
		.comp_channel = TEST_CHANNEL_FD,
		.flags = flags,
	};
	const struct ib_uverbs_ex_create_cq_resp out = {
		.base = { .cq_handle = 81, .cqe = 127 },
		.response_length = response_length,
	};
	const struct fake_write cmd = {
		.command = IB_USER_VERBS_EX_CMD_CREATE_CQ | EXTENDED,
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

static void check_created(struct kernel_test *t, struct ibv_cq *cq,
			  const struct ibv_cq_init_attr_ex *attr)
{
	memset(t->driver_out, 0, sizeof(t->driver_out));
	assert_int_equal(verbs_cmd_create_cq(t->ctx, cq, attr, &t->udata), 0);
	assert_int_equal(cq->handle, 81);
	assert_int_equal(cq->cqe, 127);
	assert_memory_equal(t->driver_out, kernel_test_driver_resp,
			    sizeof(kernel_test_driver_resp));
}

static void create_cq_sends_ioctl(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_cq cq = {};

	expect_ioctl(t, &cq, 0, 0);
	check_created(t, &cq, &basic_attr);
}

static void create_cq_without_channel_and_async_fd_omits_attrs(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_cq_init_attr_ex attr = basic_attr;
	struct ibv_cq cq = {};
	const struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_CQ,
		.method = UVERBS_METHOD_CQ_CREATE,
		FAKE_ATTRS(FAKE_NUM_OUT(UVERBS_ATTR_CREATE_CQ_HANDLE, 81),
			   FAKE_U32_IN(UVERBS_ATTR_CREATE_CQ_CQE, 100),
			   FAKE_U64_IN(UVERBS_ATTR_CREATE_CQ_USER_HANDLE,
				       (uintptr_t)&cq),
			   FAKE_U32_IN(UVERBS_ATTR_CREATE_CQ_COMP_VECTOR, 3),
			   FAKE_U32_OUT(UVERBS_ATTR_CREATE_CQ_RESP_CQE, 127)),
	};

	attr.channel = NULL;
	t->ctx->async_fd = -1;
	fake_kernel_expect_ioctl(&cmd);
	assert_int_equal(verbs_cmd_create_cq(t->ctx, &cq, &attr, NULL), 0);
}

static void create_cq_replaced_async_fd_sends_that_of_kernel(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_cq cq = {};

	verbs_kernel_state(t->ctx)->async_fd = t->ctx->async_fd;
	verbs_kernel_state(t->ctx)->async_fd_is_replaced = true;
	t->ctx->async_fd = 99;
	expect_ioctl(t, &cq, 0, 0);
	check_created(t, &cq, &basic_attr);
}

static void check_flags(struct kernel_test *t,
			const struct ibv_cq_init_attr_ex *attr, uint32_t flags)
{
	struct ibv_cq cq = {};

	expect_ioctl(t, &cq, flags, 0);
	check_created(t, &cq, attr);
}

static void create_cq_flags_are_translated(void **state)
{
	struct ibv_cq_init_attr_ex attr = timestamp_attr;

	check_flags(*state, &attr, TS_FLAG);
	attr.wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK;
	check_flags(*state, &attr, TS_FLAG);
	attr.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS;
	attr.flags = IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN;
	check_flags(*state, &attr, TS_FLAG | IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN);
	attr = basic_attr;
	attr.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS;
	attr.flags = IBV_CREATE_CQ_ATTR_SINGLE_THREADED;
	check_flags(*state, &attr, 0);
	attr.comp_mask = IBV_CQ_INIT_ATTR_MASK_PD;
	attr.flags =
		IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN; /* without its mask bit */
	check_flags(*state, &attr, 0);
}

static void check_fallback(struct kernel_test *t, enum test_form form)
{
	struct ibv_cq cq = {};

	expect_ioctl(t, &cq, 0, form == FORM_WRITE ? ENOTTY : EPROTONOSUPPORT);
	expect_basic(t, form, &cq, TEST_CHANNEL_FD, 127, 0);
	check_created(t, &cq, &basic_attr);
	expect_basic(t, form, &cq, TEST_CHANNEL_FD, 127, 0);
	check_created(t, &cq, &basic_attr);
}

static void create_cq_ioctl_refused_falls_back_to_invoke_write(void **state)
{
	check_fallback(*state, FORM_INVOKE_WRITE);
}

static void create_cq_without_ioctl_falls_back_to_write(void **state)
{
	check_fallback(*state, FORM_WRITE);
}

static void check_ex_fallback(struct kernel_test *t, enum test_form form)
{
	struct ibv_cq cq = {};

	expect_ioctl(t, &cq, TS_FLAG,
		     form == FORM_WRITE ? ENOTTY : EPROTONOSUPPORT);
	expect_ex(t, form, &cq, TS_FLAG, 16, 0);
	check_created(t, &cq, &timestamp_attr);
}

static void
create_cq_flags_ioctl_refused_falls_back_to_ex_invoke_write(void **state)
{
	check_ex_fallback(*state, FORM_INVOKE_WRITE);
}

static void create_cq_flags_without_ioctl_falls_back_to_ex_write(void **state)
{
	check_ex_fallback(*state, FORM_WRITE);
}

static void create_cq_flags_on_old_kernel_return_eopnotsupp(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_cq cq = { .handle = 99, .cqe = 98 };

	kernel_test_force(t, FORM_WRITE);
	expect_ex(t, FORM_WRITE, &cq, TS_FLAG, 16, ENOSYS);
	assert_int_equal(
		verbs_cmd_create_cq(t->ctx, &cq, &timestamp_attr, &t->udata),
		-EOPNOTSUPP);
	assert_int_equal(cq.handle, 99);
	assert_int_equal(cq.cqe, 98);
}

static void create_cq_invalid_response_length_is_ignored(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_cq cq = {};

	kernel_test_force(t, FORM_WRITE);
	expect_ex(t, FORM_WRITE, &cq, TS_FLAG, 0, 0);
	check_created(t, &cq, &timestamp_attr);
	expect_ex(t, FORM_WRITE, &cq, TS_FLAG, UINT32_MAX, 0);
	check_created(t, &cq, &timestamp_attr);
}

static void create_cq_write_without_channel_sends_minus_1(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_cq_init_attr_ex attr = basic_attr;
	struct ibv_cq cq = {};

	attr.channel = NULL;
	kernel_test_force(t, FORM_WRITE);
	expect_basic(t, FORM_WRITE, &cq, -1, 127, 0);
	check_created(t, &cq, &attr);
}

static void create_cq_cqe_above_int_max_is_clamped(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_cq cq = {};

	kernel_test_force(t, FORM_WRITE);
	expect_basic(t, FORM_WRITE, &cq, TEST_CHANNEL_FD, UINT32_MAX, 0);
	assert_int_equal(
		verbs_cmd_create_cq(t->ctx, &cq, &basic_attr, &t->udata), 0);
	assert_int_equal(cq.cqe, INT_MAX);
}

static void create_cq_error_leaves_object_unchanged(void **state)
{
	struct kernel_test *t = *state;

	for (int i = 0; i < KERNEL_TEST_NR_ERRORS; i++) {
		const int err = kernel_test_errors[i];
		struct ibv_cq cq = { .handle = 99, .cqe = 98 };

		t->state.refused = 0;
		expect_ioctl(t, &cq, 0, err);
		assert_int_equal(verbs_cmd_create_cq(t->ctx, &cq, &basic_attr,
						     &t->udata),
				 -err);
		kernel_test_force(t, FORM_WRITE);
		expect_basic(t, FORM_WRITE, &cq, TEST_CHANNEL_FD, 127, err);
		assert_int_equal(verbs_cmd_create_cq(t->ctx, &cq, &basic_attr,
						     &t->udata),
				 -err);
		assert_int_equal(cq.handle, 99);
		assert_int_equal(cq.cqe, 98);
	}
}

static void create_cq_unknown_comp_mask_is_refused(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_cq_init_attr_ex attr = basic_attr;
	struct ibv_cq cq = {};

	attr.comp_mask = 4;
	assert_int_equal(verbs_cmd_create_cq(t->ctx, &cq, &attr, NULL),
			 -EOPNOTSUPP);
}

/* ------------------------------------------------------------------------ */
/* Commands on an existing CQ                                                */
/* ------------------------------------------------------------------------ */

static void resize_cq_stores_size_from_kernel(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_cq cq = { .context = t->ctx, .handle = 81, .cqe = 127 };
	static const struct ib_uverbs_resize_cq in = { .cq_handle = 81,
						       .cqe = 200 };
	static const struct ib_uverbs_resize_cq_resp out = { .cqe = 255 };
	struct fake_write cmd = {
		.command = IB_USER_VERBS_CMD_RESIZE_CQ,
		.in = &in,
		.in_len = sizeof(in),
		.out = &out,
		.out_len = sizeof(out),
		.driver_in = t->driver_in,
		.driver_in_len = sizeof(t->driver_in),
		.driver_out = kernel_test_driver_resp,
		.driver_out_len = sizeof(kernel_test_driver_resp),
	};

	for (int form = FORM_INVOKE_WRITE; form <= FORM_WRITE; form++) {
		kernel_test_force(t, form);
		cmd.err = EINVAL;
		cq.cqe = 127;
		kernel_test_expect(form, &cmd);
		assert_int_equal(verbs_cmd_resize_cq(&cq, 200, &t->udata),
				 -EINVAL);
		assert_int_equal(cq.cqe, 127);
		cmd.err = 0;
		kernel_test_expect(form, &cmd);
		assert_int_equal(verbs_cmd_resize_cq(&cq, 200, &t->udata), 0);
		assert_int_equal(cq.cqe, 255);
	}
}

static void modify_cq_sends_ex_command(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_cq cq = { .context = t->ctx, .handle = 81 };
	static const struct ib_uverbs_ex_modify_cq in = {
		.cq_handle = 81,
		.attr_mask = IBV_CQ_ATTR_MODERATE,
		.attr = { .cq_count = 16, .cq_period = 32 },
	};
	struct fake_write cmd = {
		.command = IB_USER_VERBS_EX_CMD_MODIFY_CQ | EXTENDED,
		.in = &in,
		.in_len = sizeof(in),
	};
	struct ibv_modify_cq_attr attr = {
		.attr_mask = IBV_CQ_ATTR_MODERATE,
		.moderate = { .cq_count = 16, .cq_period = 32 },
	};

	for (int form = FORM_INVOKE_WRITE; form <= FORM_WRITE; form++) {
		kernel_test_force(t, form);
		cmd.err = 0;
		kernel_test_expect(form, &cmd);
		assert_int_equal(verbs_cmd_modify_cq(&cq, &attr), 0);
		cmd.err = ENOSYS;
		kernel_test_expect(form, &cmd);
		assert_int_equal(verbs_cmd_modify_cq(&cq, &attr), -EOPNOTSUPP);
	}
	attr.attr_mask = 2;
	assert_int_equal(verbs_cmd_modify_cq(&cq, &attr), -EINVAL);
}

static void req_notify_cq_sends_both_write_forms(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_cq cq = { .context = t->ctx, .handle = 81 };
	struct ib_uverbs_req_notify_cq in = { .cq_handle = 81 };
	struct fake_write cmd = {
		.command = IB_USER_VERBS_CMD_REQ_NOTIFY_CQ,
		.in = &in,
		.in_len = sizeof(in),
	};

	for (int form = FORM_INVOKE_WRITE; form <= FORM_WRITE; form++) {
		kernel_test_force(t, form);
		in.solicited_only = 0;
		kernel_test_expect(form, &cmd);
		assert_int_equal(verbs_cmd_req_notify_cq(&cq, 0), 0);
		in.solicited_only = 1;
		kernel_test_expect(form, &cmd);
		assert_int_equal(verbs_cmd_req_notify_cq(&cq, 77), 0);
	}
}

/* ------------------------------------------------------------------------ */
/* Destruction                                                               */
/* ------------------------------------------------------------------------ */

static const struct ib_uverbs_destroy_cq_resp raised = {
	.comp_events_reported = 5,
	.async_events_reported = 6,
};

static void expect_destroy(enum test_form form, int err)
{
	static const struct ib_uverbs_destroy_cq in = { .cq_handle = 81 };
	const struct fake_ioctl ioctl_cmd = {
		.object = UVERBS_OBJECT_CQ,
		.method = UVERBS_METHOD_CQ_DESTROY,
		FAKE_ATTRS(FAKE_NUM_IN(UVERBS_ATTR_DESTROY_CQ_HANDLE, 81),
			   FAKE_BYTES_OUT(UVERBS_ATTR_DESTROY_CQ_RESP,
					  sizeof(raised), &raised)),
		.err = err,
	};
	const struct fake_write write = {
		.command = IB_USER_VERBS_CMD_DESTROY_CQ,
		.in = &in,
		.in_len = sizeof(in),
		.out = &raised,
		.out_len = sizeof(raised),
		.err = err,
	};

	if (form == FORM_IOCTL)
		fake_kernel_expect_ioctl(&ioctl_cmd);
	else
		kernel_test_expect(form, &write);
}

/* 2 and 3 events are acknowledged. */
static int run_destroy(struct kernel_test *t, struct verbs_event_count *count)
{
	struct ibv_cq cq = {
		.context = t->ctx,
		.handle = 81,
		.mutex = PTHREAD_MUTEX_INITIALIZER,
		.comp_events_completed = 2,
		.async_events_completed = 3,
	};

	return verbs_cmd_destroy_cq(&cq, count);
}

static const struct destroy_events_case destroy_cq_case = {
	.expect = expect_destroy,
	.destroy = run_destroy,
	.raised = { 5, 6 },
	.acked = { 2, 3 },
};

DESTROY_EVENTS_TESTS(destroy_cq)

int main(void)
{
	const struct CMUnitTest tests[] = {
		KERNEL_TEST(create_cq_sends_ioctl),
		KERNEL_TEST(create_cq_without_channel_and_async_fd_omits_attrs),
		KERNEL_TEST(create_cq_replaced_async_fd_sends_that_of_kernel),
		KERNEL_TEST(create_cq_flags_are_translated),
		KERNEL_TEST(create_cq_ioctl_refused_falls_back_to_invoke_write),
		KERNEL_TEST(create_cq_without_ioctl_falls_back_to_write),
		KERNEL_TEST(
			create_cq_flags_ioctl_refused_falls_back_to_ex_invoke_write),
		KERNEL_TEST(
			create_cq_flags_without_ioctl_falls_back_to_ex_write),
		KERNEL_TEST(create_cq_flags_on_old_kernel_return_eopnotsupp),
		KERNEL_TEST(create_cq_invalid_response_length_is_ignored),
		KERNEL_TEST(create_cq_write_without_channel_sends_minus_1),
		KERNEL_TEST(create_cq_cqe_above_int_max_is_clamped),
		KERNEL_TEST(create_cq_error_leaves_object_unchanged),
		KERNEL_TEST(create_cq_unknown_comp_mask_is_refused),
		KERNEL_TEST(resize_cq_stores_size_from_kernel),
		KERNEL_TEST(modify_cq_sends_ex_command),
		KERNEL_TEST(req_notify_cq_sends_both_write_forms),
		DESTROY_EVENTS_TEST_LIST(destroy_cq),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
