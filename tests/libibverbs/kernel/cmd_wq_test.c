/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Commands of work queues. */
#include "libibverbs/kernel/kernel_test.h"

#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <string.h>

#define EXTENDED IB_USER_VERBS_CMD_FLAG_EXTENDED
#define FLAGS	 (IBV_WQ_FLAGS_SCATTER_FCS | IBV_WQ_FLAGS_DELAY_DROP)

static struct ibv_cq cq = { .handle = 81 };

static struct ibv_wq_init_attr attr_of(struct kernel_test *t)
{
	return (struct ibv_wq_init_attr){
		.wq_type = IBV_WQT_RQ,
		.max_wr = 100,
		.max_sge = 2,
		.pd = &t->pd,
		.cq = &cq,
		.comp_mask = IBV_WQ_INIT_ATTR_FLAGS,
		.create_flags = FLAGS,
	};
}

/* ------------------------------------------------------------------------ */
/* Creation                                                                  */
/* ------------------------------------------------------------------------ */

static void expect_ioctl(struct kernel_test *t, const struct ibv_wq *wq,
			 uint32_t flags, int err)
{
	const struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_WQ,
		.method = UVERBS_METHOD_WQ_CREATE,
		FAKE_ATTRS(
			FAKE_NUM_OUT(UVERBS_ATTR_CREATE_WQ_HANDLE, 51),
			FAKE_NUM_IN(UVERBS_ATTR_CREATE_WQ_PD_HANDLE, 7),
			FAKE_NUM_IN(UVERBS_ATTR_CREATE_WQ_CQ_HANDLE, 81),
			FAKE_U64_IN(UVERBS_ATTR_CREATE_WQ_USER_HANDLE,
				    (uintptr_t)wq),
			FAKE_U64_IN(UVERBS_ATTR_CREATE_WQ_TYPE,
				    IB_UVERBS_WQT_RQ),
			FAKE_NUM_IN_OPTIONAL(UVERBS_ATTR_CREATE_WQ_EVENT_FD,
					     TEST_ASYNC_FD),
			FAKE_U32_IN(UVERBS_ATTR_CREATE_WQ_MAX_WR, 100),
			FAKE_U32_IN(UVERBS_ATTR_CREATE_WQ_MAX_SGE, 2),
			FAKE_U32_IN(UVERBS_ATTR_CREATE_WQ_FLAGS, flags),
			FAKE_U32_OUT(UVERBS_ATTR_CREATE_WQ_RESP_MAX_WR, 127),
			FAKE_U32_OUT(UVERBS_ATTR_CREATE_WQ_RESP_MAX_SGE, 4),
			FAKE_U32_OUT(UVERBS_ATTR_CREATE_WQ_RESP_WQ_NUM, 0x515),
			FAKE_BYTES_IN(UVERBS_ATTR_UHW_IN, 16, t->driver_in),
			FAKE_BYTES_OUT(UVERBS_ATTR_UHW_OUT, 16,
				       kernel_test_driver_resp)),
		.err = err,
	};

	fake_kernel_expect_ioctl(&cmd);
}

static void expect_write_command(struct kernel_test *t, enum test_form form,
				 const struct ibv_wq *wq,
				 uint32_t response_length, int err)
{
	const struct ib_uverbs_ex_create_wq in = {
		.wq_type = IB_UVERBS_WQT_RQ,
		.user_handle = (uintptr_t)wq,
		.pd_handle = 7,
		.cq_handle = 81,
		.max_wr = 100,
		.max_sge = 2,
		.create_flags = FLAGS,
	};
	const struct ib_uverbs_ex_create_wq_resp out = {
		.response_length = response_length,
		.wq_handle = 51,
		.max_wr = 127,
		.max_sge = 4,
		.wqn = 0x515,
	};
	const struct fake_write cmd = {
		.command = IB_USER_VERBS_EX_CMD_CREATE_WQ | EXTENDED,
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

#define FULL_RESP_LEN sizeof(struct ib_uverbs_ex_create_wq_resp)

static void check_created(struct kernel_test *t, struct ibv_wq *wq)
{
	struct ibv_wq_init_attr attr = attr_of(t);

	memset(t->driver_out, 0, sizeof(t->driver_out));
	assert_int_equal(verbs_cmd_create_wq(t->ctx, wq, &attr, &t->udata), 0);
	assert_int_equal(wq->handle, 51);
	assert_int_equal(wq->wq_num, 0x515);
	assert_int_equal(attr.max_wr, 127);
	assert_int_equal(attr.max_sge, 4);
	assert_memory_equal(t->driver_out, kernel_test_driver_resp,
			    sizeof(kernel_test_driver_resp));
}

static void create_wq_sends_ioctl(void **state)
{
	struct ibv_wq wq = {};

	expect_ioctl(*state, &wq, FLAGS, 0);
	check_created(*state, &wq);
}

static void create_wq_ioctl_refused_falls_back_to_write_command(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_wq wq = {};

	expect_ioctl(t, &wq, FLAGS, EPROTONOSUPPORT);
	expect_write_command(t, FORM_INVOKE_WRITE, &wq, FULL_RESP_LEN, 0);
	check_created(t, &wq);
	assert_true(kernel_test_refused(t, KERNEL_CAP_CREATE_WQ));

	t->state.refused = 0;
	expect_ioctl(t, &wq, FLAGS, ENOTTY);
	expect_write_command(t, FORM_WRITE, &wq, FULL_RESP_LEN, 0);
	check_created(t, &wq);
}

static void create_wq_flags_without_mask_bit_are_not_sent(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_wq_init_attr attr = attr_of(t);
	struct ibv_wq wq = {};

	attr.comp_mask = 0;
	attr.create_flags = UINT32_MAX;
	expect_ioctl(t, &wq, 0, 0);
	assert_int_equal(verbs_cmd_create_wq(t->ctx, &wq, &attr, &t->udata), 0);
}

static void create_wq_passes_driver_attrs(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_wq_init_attr attr = attr_of(t);
	struct ibv_wq wq = {};
	const struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_WQ,
		.method = UVERBS_METHOD_WQ_CREATE,
		FAKE_ATTRS(
			FAKE_NUM_OUT(UVERBS_ATTR_CREATE_WQ_HANDLE, 51),
			FAKE_NUM_IN(UVERBS_ATTR_CREATE_WQ_PD_HANDLE, 7),
			FAKE_NUM_IN(UVERBS_ATTR_CREATE_WQ_CQ_HANDLE, 81),
			FAKE_U64_IN(UVERBS_ATTR_CREATE_WQ_USER_HANDLE,
				    (uintptr_t)&wq),
			FAKE_U64_IN(UVERBS_ATTR_CREATE_WQ_TYPE, 0),
			FAKE_NUM_IN_OPTIONAL(UVERBS_ATTR_CREATE_WQ_EVENT_FD,
					     TEST_ASYNC_FD),
			FAKE_U32_IN(UVERBS_ATTR_CREATE_WQ_MAX_WR, 100),
			FAKE_U32_IN(UVERBS_ATTR_CREATE_WQ_MAX_SGE, 2),
			FAKE_U32_IN(UVERBS_ATTR_CREATE_WQ_FLAGS, FLAGS),
			FAKE_U32_OUT(UVERBS_ATTR_CREATE_WQ_RESP_MAX_WR, 127),
			FAKE_U32_OUT(UVERBS_ATTR_CREATE_WQ_RESP_MAX_SGE, 4),
			FAKE_U32_OUT(UVERBS_ATTR_CREATE_WQ_RESP_WQ_NUM, 0x515),
			TEST_DRIVER_ATTRS),
	};

	fake_kernel_expect_ioctl(&cmd);
	assert_int_equal(
		verbs_cmd_create_wq(t->ctx, &wq, &attr, &t->attrs_only), 0);
	assert_true(kernel_test_driver_attrs_updated(t));

	kernel_test_force(t, FORM_WRITE);
	assert_int_equal(
		verbs_cmd_create_wq(t->ctx, &wq, &attr, &t->attrs_only),
		-EOPNOTSUPP);
}

static void create_wq_error_leaves_outputs_unchanged(void **state)
{
	const struct ibv_wq before = { .handle = 99, .wq_num = 98 };
	struct kernel_test *t = *state;

	for (int form = FORM_IOCTL; form <= FORM_WRITE; form++) {
		struct ibv_wq_init_attr attr = attr_of(t);
		struct ibv_wq wq = before;

		kernel_test_force(t, form);
		if (form == FORM_IOCTL)
			expect_ioctl(t, &wq, FLAGS, ENOMEM);
		else
			expect_write_command(t, form, &wq, FULL_RESP_LEN,
					     ENOMEM);
		assert_int_equal(
			verbs_cmd_create_wq(t->ctx, &wq, &attr, &t->udata),
			-ENOMEM);
		assert_memory_equal(&wq, &before, sizeof(wq));
		assert_int_equal(attr.max_wr, 100);
		assert_int_equal(attr.max_sge, 2);
	}
}

static void create_wq_short_response_is_refused(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_wq_init_attr attr = attr_of(t);
	struct ibv_wq wq = { .handle = 99 };

	kernel_test_force(t, FORM_INVOKE_WRITE);
	expect_write_command(t, FORM_INVOKE_WRITE, &wq, FULL_RESP_LEN - 4, 0);
	assert_int_equal(verbs_cmd_create_wq(t->ctx, &wq, &attr, &t->udata),
			 -EINVAL);
	assert_int_equal(wq.handle, 99);
	assert_int_equal(attr.max_wr, 100);
}

static void create_wq_on_old_kernel_returns_eopnotsupp(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_wq_init_attr attr = attr_of(t);
	struct ibv_wq wq = {};

	kernel_test_force(t, FORM_WRITE);
	expect_write_command(t, FORM_WRITE, &wq, FULL_RESP_LEN, ENOSYS);
	assert_int_equal(verbs_cmd_create_wq(t->ctx, &wq, &attr, &t->udata),
			 -EOPNOTSUPP);
}

static void create_wq_unknown_attrs_are_refused(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_wq_init_attr attr = attr_of(t);
	struct ibv_wq wq = {};

	attr.comp_mask |= IBV_WQ_INIT_ATTR_RESERVED;
	assert_int_equal(verbs_cmd_create_wq(t->ctx, &wq, &attr, NULL),
			 -EINVAL);
	attr.comp_mask = IBV_WQ_INIT_ATTR_RESERVED;
	assert_int_equal(verbs_cmd_create_wq(t->ctx, &wq, &attr, NULL),
			 -EINVAL);
	attr = attr_of(t);
	attr.create_flags |= IBV_WQ_FLAGS_RESERVED;
	assert_int_equal(verbs_cmd_create_wq(t->ctx, &wq, &attr, NULL),
			 -EOPNOTSUPP);
	attr.create_flags = IBV_WQ_FLAGS_RESERVED;
	assert_int_equal(verbs_cmd_create_wq(t->ctx, &wq, &attr, NULL),
			 -EOPNOTSUPP);
}

/* ------------------------------------------------------------------------ */
/* Commands on an existing WQ                                                */
/* ------------------------------------------------------------------------ */

static void expect_modify(struct kernel_test *t, enum test_form form,
			  const struct ib_uverbs_ex_modify_wq *in, int err)
{
	const struct fake_write cmd = {
		.command = IB_USER_VERBS_EX_CMD_MODIFY_WQ | EXTENDED,
		.in = in,
		.in_len = sizeof(*in),
		.driver_in = t->driver_in,
		.driver_in_len = sizeof(t->driver_in),
		.driver_out = kernel_test_driver_resp,
		.driver_out_len = sizeof(kernel_test_driver_resp),
		.err = err,
	};

	kernel_test_force(t, form);
	kernel_test_expect(form, &cmd);
}

static const struct ibv_wq_attr all_attr = {
	.attr_mask = IBV_WQ_ATTR_STATE | IBV_WQ_ATTR_CURR_STATE |
		     IBV_WQ_ATTR_FLAGS,
	.wq_state = IBV_WQS_RDY,
	.curr_wq_state = IBV_WQS_ERR,
	.flags = IBV_WQ_FLAGS_CVLAN_STRIPPING,
	.flags_mask = IBV_WQ_FLAGS_CVLAN_STRIPPING | IBV_WQ_FLAGS_SCATTER_FCS,
};

static void modify_wq_sends_fields_of_mask(void **state)
{
	struct kernel_test *t = *state;

	for (int form = FORM_INVOKE_WRITE; form <= FORM_WRITE; form++) {
		for (uint32_t mask = 0; mask < IBV_WQ_ATTR_RESERVED; mask++) {
			struct ibv_wq wq = { .context = t->ctx,
					     .handle = 51,
					     .state = IBV_WQS_RESET };
			struct ibv_wq_attr attr = all_attr;
			struct ib_uverbs_ex_modify_wq in = {
				.attr_mask = mask,
				.wq_handle = 51,
			};

			attr.attr_mask = mask;
			if (mask & IBV_WQ_ATTR_STATE)
				in.wq_state = 1;
			if (mask & IBV_WQ_ATTR_CURR_STATE)
				in.curr_wq_state = 2;
			if (mask & IBV_WQ_ATTR_FLAGS) {
				in.flags = 1;
				in.flags_mask = 3;
			}
			memset(t->driver_out, 0, sizeof(t->driver_out));
			expect_modify(t, form, &in, 0);
			assert_int_equal(
				verbs_cmd_modify_wq(&wq, &attr, &t->udata), 0);
			assert_int_equal(wq.state, mask & IBV_WQ_ATTR_STATE
							   ? IBV_WQS_RDY
							   : IBV_WQS_RESET);
			assert_memory_equal(t->driver_out,
					    kernel_test_driver_resp,
					    sizeof(kernel_test_driver_resp));
		}
	}
}

static void modify_wq_error_leaves_state_unchanged(void **state)
{
	static const struct {
		int err, ret;
	} cases[] = { { EINVAL, -EINVAL }, { ENOSYS, -EOPNOTSUPP } };
	static const struct ib_uverbs_ex_modify_wq in = {
		.attr_mask = 7,
		.wq_handle = 51,
		.wq_state = 1,
		.curr_wq_state = 2,
		.flags = 1,
		.flags_mask = 3,
	};
	struct kernel_test *t = *state;
	struct ibv_wq wq = { .context = t->ctx,
			     .handle = 51,
			     .state = IBV_WQS_ERR };

	for (int i = 0; i < 2; i++) {
		expect_modify(t, FORM_INVOKE_WRITE, &in, cases[i].err);
		assert_int_equal(verbs_cmd_modify_wq(&wq, &all_attr, &t->udata),
				 cases[i].ret);
		assert_int_equal(wq.state, IBV_WQS_ERR);
	}
}

static void modify_wq_unknown_attrs_are_refused(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_wq wq = { .context = t->ctx, .handle = 51 };
	struct ibv_wq_attr attr = all_attr;

	attr.attr_mask |= IBV_WQ_ATTR_RESERVED;
	assert_int_equal(verbs_cmd_modify_wq(&wq, &attr, NULL), -EINVAL);
	attr.attr_mask = IBV_WQ_ATTR_RESERVED;
	assert_int_equal(verbs_cmd_modify_wq(&wq, &attr, NULL), -EINVAL);
	attr = all_attr;
	attr.flags_mask |= IBV_WQ_FLAGS_RESERVED;
	assert_int_equal(verbs_cmd_modify_wq(&wq, &attr, NULL), -EOPNOTSUPP);
	attr.flags_mask = IBV_WQ_FLAGS_RESERVED;
	assert_int_equal(verbs_cmd_modify_wq(&wq, &attr, NULL), -EOPNOTSUPP);
}

/* ------------------------------------------------------------------------ */
/* Destruction                                                               */
/* ------------------------------------------------------------------------ */

static void expect_destroy(enum test_form form, int err)
{
	static const struct ib_uverbs_ex_destroy_wq in = { .wq_handle = 51 };
	static const struct ib_uverbs_ex_destroy_wq_resp out = {
		.response_length = sizeof(out),
		.events_reported = 5,
	};
	const struct fake_ioctl ioctl_cmd = {
		.object = UVERBS_OBJECT_WQ,
		.method = UVERBS_METHOD_WQ_DESTROY,
		FAKE_ATTRS(FAKE_NUM_IN(UVERBS_ATTR_DESTROY_WQ_HANDLE, 51),
			   FAKE_U32_OUT(UVERBS_ATTR_DESTROY_WQ_RESP, 5)),
		.err = err,
	};
	const struct fake_write write = {
		.command = IB_USER_VERBS_EX_CMD_DESTROY_WQ | EXTENDED,
		.in = &in,
		.in_len = sizeof(in),
		.out = &out,
		.out_len = sizeof(out),
		.err = err,
	};

	if (form == FORM_IOCTL)
		fake_kernel_expect_ioctl(&ioctl_cmd);
	else
		kernel_test_expect(form, &write);
}

/* 2 events are acknowledged. */
static int run_destroy(struct kernel_test *t, struct verbs_event_count *count)
{
	struct ibv_wq wq = {
		.context = t->ctx,
		.handle = 51,
		.mutex = PTHREAD_MUTEX_INITIALIZER,
		.events_completed = 2,
	};

	return verbs_cmd_destroy_wq(&wq, count);
}

static const struct destroy_events_case destroy_wq_case = {
	.expect = expect_destroy,
	.destroy = run_destroy,
	.raised = { 0, 5 },
	.acked = { 0, 2 },
};

DESTROY_EVENTS_TESTS(destroy_wq)

static void destroy_wq_without_any_form_returns_eopnotsupp(void **state)
{
	struct verbs_event_count count;

	kernel_test_force(*state, FORM_WRITE);
	expect_destroy(FORM_WRITE, ENOSYS);
	assert_int_equal(run_destroy(*state, &count), -EOPNOTSUPP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KERNEL_TEST(create_wq_sends_ioctl),
		KERNEL_TEST(
			create_wq_ioctl_refused_falls_back_to_write_command),
		KERNEL_TEST(create_wq_flags_without_mask_bit_are_not_sent),
		KERNEL_TEST(create_wq_passes_driver_attrs),
		KERNEL_TEST(create_wq_error_leaves_outputs_unchanged),
		KERNEL_TEST(create_wq_short_response_is_refused),
		KERNEL_TEST(create_wq_on_old_kernel_returns_eopnotsupp),
		KERNEL_TEST(create_wq_unknown_attrs_are_refused),
		KERNEL_TEST(modify_wq_sends_fields_of_mask),
		KERNEL_TEST(modify_wq_error_leaves_state_unchanged),
		KERNEL_TEST(modify_wq_unknown_attrs_are_refused),
		DESTROY_EVENTS_TEST_LIST(destroy_wq),
		KERNEL_TEST(destroy_wq_without_any_form_returns_eopnotsupp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
