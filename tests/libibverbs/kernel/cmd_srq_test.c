/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Commands of shared receive queues. */
#include "libibverbs/kernel/kernel_test.h"

#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <string.h>

static struct verbs_xrcd xrcd = { .handle = 31 };
static struct ibv_cq cq = { .handle = 81 };

static struct ibv_srq_init_attr_ex attr_of(struct kernel_test *t,
					   enum ibv_srq_type type)
{
	struct ibv_srq_init_attr_ex attr = {
		.attr = { .max_wr = 100, .max_sge = 2, .srq_limit = 10 },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD,
		.srq_type = type,
		.pd = &t->pd,
	};

	if (type == IBV_SRQT_XRC) {
		attr.comp_mask |= IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ;
		attr.xrcd = &xrcd.xrcd;
		attr.cq = &cq;
	}
	if (type == IBV_SRQT_TM) {
		attr.comp_mask |= IBV_SRQ_INIT_ATTR_TM | IBV_SRQ_INIT_ATTR_CQ;
		attr.tm_cap.max_num_tags = 64;
		attr.cq = &cq;
	}
	return attr;
}

/* ------------------------------------------------------------------------ */
/* Creation                                                                  */
/* ------------------------------------------------------------------------ */

#define NR_COMMON 12

static void expect_ioctl(struct kernel_test *t, enum ibv_srq_type type,
			 const struct verbs_srq *vsrq, int err)
{
	struct fake_attr attrs[NR_COMMON + 3] = {
		FAKE_NUM_OUT(UVERBS_ATTR_CREATE_SRQ_HANDLE, 91),
		FAKE_NUM_IN(UVERBS_ATTR_CREATE_SRQ_PD_HANDLE, 7),
		FAKE_U64_IN(UVERBS_ATTR_CREATE_SRQ_TYPE, type),
		FAKE_U64_IN(UVERBS_ATTR_CREATE_SRQ_USER_HANDLE,
			    (uintptr_t)vsrq),
		FAKE_U32_IN(UVERBS_ATTR_CREATE_SRQ_MAX_WR, 100),
		FAKE_U32_IN(UVERBS_ATTR_CREATE_SRQ_MAX_SGE, 2),
		FAKE_U32_IN(UVERBS_ATTR_CREATE_SRQ_LIMIT, 10),
		FAKE_NUM_IN_OPTIONAL(UVERBS_ATTR_CREATE_SRQ_EVENT_FD,
				     TEST_ASYNC_FD),
		FAKE_U32_OUT(UVERBS_ATTR_CREATE_SRQ_RESP_MAX_WR, 127),
		FAKE_U32_OUT(UVERBS_ATTR_CREATE_SRQ_RESP_MAX_SGE, 4),
		FAKE_BYTES_IN(UVERBS_ATTR_UHW_IN, 16, t->driver_in),
		FAKE_BYTES_OUT(UVERBS_ATTR_UHW_OUT, 16,
			       kernel_test_driver_resp),
	};
	const struct fake_attr cq_attr =
		FAKE_NUM_IN(UVERBS_ATTR_CREATE_SRQ_CQ_HANDLE, 81);
	const struct fake_attr xrcd_attr =
		FAKE_NUM_IN(UVERBS_ATTR_CREATE_SRQ_XRCD_HANDLE, 31);
	const struct fake_attr num_attr =
		FAKE_U32_OUT(UVERBS_ATTR_CREATE_SRQ_RESP_SRQ_NUM, 0x9191);
	const struct fake_attr tags_attr =
		FAKE_U32_IN(UVERBS_ATTR_CREATE_SRQ_MAX_NUM_TAGS, 64);
	struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_SRQ,
		.method = UVERBS_METHOD_SRQ_CREATE,
		.attrs = attrs,
		.nr_attrs = NR_COMMON,
		.err = err,
	};

	if (type != IBV_SRQT_BASIC)
		attrs[cmd.nr_attrs++] = cq_attr;
	if (type == IBV_SRQT_XRC) {
		attrs[cmd.nr_attrs++] = xrcd_attr;
		attrs[cmd.nr_attrs++] = num_attr;
	}
	if (type == IBV_SRQT_TM)
		attrs[cmd.nr_attrs++] = tags_attr;
	fake_kernel_expect_ioctl(&cmd);
}

static const struct ib_uverbs_create_srq_resp created = {
	.srq_handle = 91,
	.max_wr = 127,
	.max_sge = 4,
	.srqn = 0x9191,
};

static void expect_write_command(struct kernel_test *t, enum test_form form,
				 uint32_t command, const void *in,
				 size_t in_len, int err)
{
	const struct fake_write cmd = {
		.command = command,
		.in = in,
		.in_len = in_len,
		.out = &created,
		.out_len = sizeof(created),
		.driver_in = t->driver_in,
		.driver_in_len = sizeof(t->driver_in),
		.driver_out = kernel_test_driver_resp,
		.driver_out_len = sizeof(kernel_test_driver_resp),
		.err = err,
	};

	kernel_test_expect(form, &cmd);
}

static void expect_basic(struct kernel_test *t, enum test_form form,
			 const struct verbs_srq *vsrq, int err)
{
	const struct ib_uverbs_create_srq in = {
		.user_handle = (uintptr_t)vsrq,
		.pd_handle = 7,
		.max_wr = 100,
		.max_sge = 2,
		.srq_limit = 10,
	};

	expect_write_command(t, form, IB_USER_VERBS_CMD_CREATE_SRQ, &in,
			     sizeof(in), err);
}

static void expect_xsrq(struct kernel_test *t, enum test_form form,
			enum ibv_srq_type type, const struct verbs_srq *vsrq,
			int err)
{
	const struct ib_uverbs_create_xsrq in = {
		.user_handle = (uintptr_t)vsrq,
		.srq_type = type,
		.pd_handle = 7,
		.max_wr = 100,
		.max_sge = 2,
		.srq_limit = 10,
		.max_num_tags = type == IBV_SRQT_TM ? 64 : 0,
		.xrcd_handle = type == IBV_SRQT_XRC ? 31 : 0,
		.cq_handle = 81,
	};

	expect_write_command(t, form, IB_USER_VERBS_CMD_CREATE_XSRQ, &in,
			     sizeof(in), err);
}

static void check_created(struct kernel_test *t, enum ibv_srq_type type,
			  struct verbs_srq *vsrq)
{
	struct ibv_srq_init_attr_ex attr = attr_of(t, type);

	memset(t->driver_out, 0, sizeof(t->driver_out));
	assert_int_equal(verbs_cmd_create_srq(t->ctx, vsrq, &attr, &t->udata),
			 0);
	assert_int_equal(vsrq->srq.handle, 91);
	assert_int_equal(vsrq->srq_num, type == IBV_SRQT_XRC ? 0x9191 : 0);
	assert_int_equal(attr.attr.max_wr, 127);
	assert_int_equal(attr.attr.max_sge, 4);
	assert_int_equal(attr.attr.srq_limit, 10);
	assert_memory_equal(t->driver_out, kernel_test_driver_resp,
			    sizeof(kernel_test_driver_resp));
}

static void create_srq_sends_ioctl_for_each_type(void **state)
{
	for (int type = IBV_SRQT_BASIC; type <= IBV_SRQT_TM; type++) {
		struct verbs_srq vsrq = {};

		expect_ioctl(*state, type, &vsrq, 0);
		check_created(*state, type, &vsrq);
	}
}

static void check_fallback(struct kernel_test *t, enum test_form form)
{
	for (int type = IBV_SRQT_BASIC; type <= IBV_SRQT_TM; type++) {
		struct verbs_srq vsrq = {};

		t->state.refused = 0;
		expect_ioctl(t, type, &vsrq,
			     form == FORM_WRITE ? ENOTTY : EPROTONOSUPPORT);
		if (type == IBV_SRQT_BASIC)
			expect_basic(t, form, &vsrq, 0);
		else
			expect_xsrq(t, form, type, &vsrq, 0);
		check_created(t, type, &vsrq);
	}
}

static void create_srq_ioctl_refused_falls_back_to_invoke_write(void **state)
{
	check_fallback(*state, FORM_INVOKE_WRITE);
}

static void create_srq_without_ioctl_falls_back_to_write(void **state)
{
	check_fallback(*state, FORM_WRITE);
}

static void create_srq_without_type_creates_basic(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_srq_init_attr_ex attr = attr_of(t, IBV_SRQT_BASIC);
	struct verbs_srq vsrq = {};

	attr.comp_mask = IBV_SRQ_INIT_ATTR_PD;
	attr.srq_type = IBV_SRQT_XRC; /* without its mask bit */
	expect_ioctl(t, IBV_SRQT_BASIC, &vsrq, 0);
	assert_int_equal(verbs_cmd_create_srq(t->ctx, &vsrq, &attr, &t->udata),
			 0);
}

static void create_srq_error_leaves_outputs_unchanged(void **state)
{
	struct kernel_test *t = *state;
	const struct verbs_srq before = { .srq.handle = 99, .srq_num = 98 };

	for (int form = FORM_IOCTL; form <= FORM_WRITE; form++) {
		struct ibv_srq_init_attr_ex attr = attr_of(t, IBV_SRQT_XRC);
		struct verbs_srq vsrq = before;

		kernel_test_force(t, form);
		if (form == FORM_IOCTL)
			expect_ioctl(t, IBV_SRQT_XRC, &vsrq, ENOMEM);
		else
			expect_xsrq(t, form, IBV_SRQT_XRC, &vsrq, ENOMEM);
		assert_int_equal(
			verbs_cmd_create_srq(t->ctx, &vsrq, &attr, &t->udata),
			-ENOMEM);
		assert_memory_equal(&vsrq, &before, sizeof(vsrq));
		assert_int_equal(attr.attr.max_wr, 100);
		assert_int_equal(attr.attr.max_sge, 2);
	}
}

static void create_srq_missing_attr_of_type_is_refused(void **state)
{
	static const struct {
		enum ibv_srq_type type;
		uint32_t without;
	} cases[] = {
		{ IBV_SRQT_BASIC, IBV_SRQ_INIT_ATTR_PD },
		{ IBV_SRQT_XRC, IBV_SRQ_INIT_ATTR_PD },
		{ IBV_SRQT_XRC, IBV_SRQ_INIT_ATTR_XRCD },
		{ IBV_SRQT_XRC, IBV_SRQ_INIT_ATTR_CQ },
		{ IBV_SRQT_TM, IBV_SRQ_INIT_ATTR_CQ },
		{ IBV_SRQT_TM, IBV_SRQ_INIT_ATTR_TM },
	};
	struct kernel_test *t = *state;
	struct verbs_srq vsrq = {};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct ibv_srq_init_attr_ex attr = attr_of(t, cases[i].type);

		attr.comp_mask &= ~cases[i].without;
		assert_int_equal(
			verbs_cmd_create_srq(t->ctx, &vsrq, &attr, NULL),
			-EINVAL);
	}
}

static void create_srq_unknown_attrs_are_refused(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_srq_init_attr_ex attr = attr_of(t, IBV_SRQT_TM);
	struct verbs_srq vsrq = {};

	attr.tm_cap.max_num_tags = 0;
	assert_int_equal(verbs_cmd_create_srq(t->ctx, &vsrq, &attr, NULL),
			 -EINVAL);
	attr = attr_of(t, IBV_SRQT_BASIC);
	attr.srq_type = (enum ibv_srq_type)3;
	assert_int_equal(verbs_cmd_create_srq(t->ctx, &vsrq, &attr, NULL),
			 -EINVAL);
	attr.comp_mask |= 32;
	assert_int_equal(verbs_cmd_create_srq(t->ctx, &vsrq, &attr, NULL),
			 -EOPNOTSUPP);
}

/* ------------------------------------------------------------------------ */
/* Commands on an existing SRQ                                               */
/* ------------------------------------------------------------------------ */

static void modify_srq_sends_both_write_forms(void **state)
{
	struct kernel_test *t = *state;
	const struct ibv_srq_attr attr = { .max_wr = 200, .srq_limit = 20 };
	struct ibv_srq srq = { .context = t->ctx, .handle = 91 };
	static const struct ib_uverbs_modify_srq in = {
		.srq_handle = 91,
		.attr_mask = IBV_SRQ_MAX_WR | IBV_SRQ_LIMIT,
		.max_wr = 200,
		.srq_limit = 20,
	};
	struct fake_write cmd = {
		.command = IB_USER_VERBS_CMD_MODIFY_SRQ,
		.in = &in,
		.in_len = sizeof(in),
		.driver_in = t->driver_in,
		.driver_in_len = sizeof(t->driver_in),
	};

	t->udata.out_len = 0;
	for (int form = FORM_INVOKE_WRITE; form <= FORM_WRITE; form++) {
		kernel_test_force(t, form);
		for (int err = 0; err <= EINVAL; err += EINVAL) {
			cmd.err = err;
			kernel_test_expect(form, &cmd);
			assert_int_equal(verbs_cmd_modify_srq(
						 &srq, &attr,
						 IBV_SRQ_MAX_WR | IBV_SRQ_LIMIT,
						 &t->udata),
					 -err);
		}
	}
}

static void query_srq_sends_both_write_forms(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_srq srq = { .context = t->ctx, .handle = 91 };
	static const struct ib_uverbs_query_srq in = { .srq_handle = 91 };
	static const struct ib_uverbs_query_srq_resp out = {
		.max_wr = 127,
		.max_sge = 4,
		.srq_limit = 9,
	};
	struct fake_write cmd = {
		.command = IB_USER_VERBS_CMD_QUERY_SRQ,
		.in = &in,
		.in_len = sizeof(in),
		.out = &out,
		.out_len = sizeof(out),
	};

	for (int form = FORM_INVOKE_WRITE; form <= FORM_WRITE; form++) {
		struct ibv_srq_attr attr = { .max_wr = 55 };

		kernel_test_force(t, form);
		cmd.err = EINVAL;
		kernel_test_expect(form, &cmd);
		assert_int_equal(verbs_cmd_query_srq(&srq, &attr), -EINVAL);
		assert_int_equal(attr.max_wr, 55);
		cmd.err = 0;
		kernel_test_expect(form, &cmd);
		assert_int_equal(verbs_cmd_query_srq(&srq, &attr), 0);
		assert_int_equal(attr.max_wr, 127);
		assert_int_equal(attr.max_sge, 4);
		assert_int_equal(attr.srq_limit, 9);
	}
}

/* ------------------------------------------------------------------------ */
/* Destruction                                                               */
/* ------------------------------------------------------------------------ */

static void expect_destroy(enum test_form form, int err)
{
	static const struct ib_uverbs_destroy_srq in = { .srq_handle = 91 };
	static const struct ib_uverbs_destroy_srq_resp out = { 5 };
	const struct fake_ioctl ioctl_cmd = {
		.object = UVERBS_OBJECT_SRQ,
		.method = UVERBS_METHOD_SRQ_DESTROY,
		FAKE_ATTRS(FAKE_NUM_IN(UVERBS_ATTR_DESTROY_SRQ_HANDLE, 91),
			   FAKE_BYTES_OUT(UVERBS_ATTR_DESTROY_SRQ_RESP,
					  sizeof(out), &out)),
		.err = err,
	};
	const struct fake_write write = {
		.command = IB_USER_VERBS_CMD_DESTROY_SRQ,
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
	struct ibv_srq srq = {
		.context = t->ctx,
		.handle = 91,
		.mutex = PTHREAD_MUTEX_INITIALIZER,
		.events_completed = 2,
	};

	return verbs_cmd_destroy_srq(&srq, count);
}

static const struct destroy_events_case destroy_srq_case = {
	.expect = expect_destroy,
	.destroy = run_destroy,
	.raised = { 0, 5 },
	.acked = { 0, 2 },
};

DESTROY_EVENTS_TESTS(destroy_srq)

int main(void)
{
	const struct CMUnitTest tests[] = {
		KERNEL_TEST(create_srq_sends_ioctl_for_each_type),
		KERNEL_TEST(
			create_srq_ioctl_refused_falls_back_to_invoke_write),
		KERNEL_TEST(create_srq_without_ioctl_falls_back_to_write),
		KERNEL_TEST(create_srq_without_type_creates_basic),
		KERNEL_TEST(create_srq_error_leaves_outputs_unchanged),
		KERNEL_TEST(create_srq_missing_attr_of_type_is_refused),
		KERNEL_TEST(create_srq_unknown_attrs_are_refused),
		KERNEL_TEST(modify_srq_sends_both_write_forms),
		KERNEL_TEST(query_srq_sends_both_write_forms),
		DESTROY_EVENTS_TEST_LIST(destroy_srq),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
