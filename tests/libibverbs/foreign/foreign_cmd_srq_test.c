/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared receive queue commands of foreign providers:
 * libibverbs/foreign/foreign_cmd_srq.c.
 */
#include <pthread.h>
#include <string.h>

#include "libibverbs/foreign/foreign_cmd_test.h"

#define SRQ_ATTRS(srq, type)                                           \
	FAKE_NUM_OUT(UVERBS_ATTR_CREATE_SRQ_HANDLE, 31),               \
		FAKE_NUM_IN(UVERBS_ATTR_CREATE_SRQ_PD_HANDLE, 7),      \
		FAKE_U64_IN(UVERBS_ATTR_CREATE_SRQ_TYPE, type),        \
		FAKE_U64_IN(UVERBS_ATTR_CREATE_SRQ_USER_HANDLE,        \
			    (uintptr_t)(srq)),                         \
		FAKE_U32_IN(UVERBS_ATTR_CREATE_SRQ_MAX_WR, 100),       \
		FAKE_U32_IN(UVERBS_ATTR_CREATE_SRQ_MAX_SGE, 3),        \
		FAKE_U32_IN(UVERBS_ATTR_CREATE_SRQ_LIMIT, 5),          \
		FAKE_NUM_IN_OPTIONAL(UVERBS_ATTR_CREATE_SRQ_EVENT_FD,  \
				     TEST_ASYNC_FD),                   \
		FAKE_U32_OUT(UVERBS_ATTR_CREATE_SRQ_RESP_MAX_WR, 127), \
		FAKE_U32_OUT(UVERBS_ATTR_CREATE_SRQ_RESP_MAX_SGE, 4),  \
		CALLER_ATTR_IN(t), CALLER_ATTR_OUT

#define EXPECT_NATIVE(_err, ...)                             \
	fake_kernel_expect_ioctl(&(const struct fake_ioctl){ \
		.object = UVERBS_OBJECT_SRQ,                 \
		.method = UVERBS_METHOD_SRQ_CREATE,          \
		FAKE_ATTRS(__VA_ARGS__),                     \
		.err = (_err),                               \
	})

static const struct ib_uverbs_create_srq_resp answer = {
	.srq_handle = 31,
	.max_wr = 127,
	.max_sge = 4,
	.srqn = 777,
};

static void expect_create_basic_srq(struct foreign_cmd_test *t,
				    enum test_form form,
				    const struct ibv_srq *srq, int err)
{
	const struct ib_uverbs_create_srq in = {
		.user_handle = (uintptr_t)srq,
		.pd_handle = 7,
		.max_wr = 100,
		.max_sge = 3,
		.srq_limit = 5,
	};

	foreign_cmd_test_expect(t, form,
				(struct fake_write){
					.command = IB_USER_VERBS_CMD_CREATE_SRQ,
					.in = &in,
					.in_len = sizeof(in),
					.out = &answer,
					.out_len = sizeof(answer),
					.err = err,
				});
}

/*
 * The memory of the object is not zeroed before, so a mutex that can be locked
 * has been initialised.
 */
static void check_srq(struct foreign_cmd_test *t, struct ibv_srq *srq)
{
	assert_ptr_equal(srq->context, t->ctx);
	assert_ptr_equal(srq->pd, &t->pd);
	assert_ptr_equal(srq->srq_context, t);
	assert_int_equal(srq->handle, 31);
	assert_int_equal(srq->events_completed, 0);
	assert_int_equal(pthread_mutex_trylock(&srq->mutex), 0);
	assert_int_equal(pthread_mutex_unlock(&srq->mutex), 0);
	assert_int_equal(pthread_cond_signal(&srq->cond), 0);
}

/* -- ibv_cmd_create_srq() -- */

/* A provider may have its own data behind a plain ibv_srq. */
struct plain_srq {
	struct ibv_srq srq;
	uint8_t behind[sizeof(struct verbs_srq) - sizeof(struct ibv_srq)];
};

static struct ibv_srq_init_attr srq_init_attr(void *srq_context)
{
	return (struct ibv_srq_init_attr){
		.srq_context = srq_context,
		.attr = { .max_wr = 100, .max_sge = 3, .srq_limit = 5 },
	};
}

static void foreign_cmd_create_srq_sends_every_form(void **state)
{
	struct foreign_cmd_test *t = *state;

	for (enum test_form form = NATIVE; form <= WRITE; form++) {
		struct ibv_srq_init_attr attr = srq_init_attr(t);
		struct plain_srq srq;

		memset(&srq, 0xdd, sizeof(srq));
		foreign_cmd_test_force_form(t, form);
		caller_init(&t->caller, 40, 16);
		if (form == NATIVE)
			EXPECT_NATIVE(0, SRQ_ATTRS(&srq, IBV_SRQT_BASIC));
		else
			expect_create_basic_srq(t, form, &srq.srq, 0);
		assert_succeeds(foreign_cmd_create_srq(&t->pd, &srq.srq, &attr,
						       CALLER_CMD(t),
						       CALLER_RESP(t)));
		check_srq(t, &srq.srq);
		assert_int_equal(attr.attr.max_wr, 127);
		assert_int_equal(attr.attr.max_sge, 4);
		assert_int_equal(attr.attr.srq_limit, 5);
		for (size_t i = 0; i < sizeof(srq.behind); i++)
			assert_int_equal(srq.behind[i], 0xdd);
		caller_check_response(&t->caller);
	}
}

static void foreign_cmd_create_srq_failure_sets_errno(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct ibv_srq_init_attr attr = srq_init_attr(t);
	struct plain_srq srq = { .srq.handle = 9 };

	caller_init(&t->caller, 40, 16);
	EXPECT_NATIVE(ENOMEM, SRQ_ATTRS(&srq, IBV_SRQT_BASIC));
	assert_fails(foreign_cmd_create_srq(&t->pd, &srq.srq, &attr,
					    CALLER_CMD(t), CALLER_RESP(t)),
		     ENOMEM);
	assert_int_equal(srq.srq.handle, 9);
	assert_int_equal(attr.attr.max_wr, 100);
	assert_fails(foreign_cmd_create_srq(&t->pd, &srq.srq, &attr,
					    t->caller.cmd, 39, CALLER_RESP(t)),
		     EINVAL);
	assert_fails(foreign_cmd_create_srq(&t->pd, &srq.srq, &attr,
					    CALLER_CMD(t),
					    (void *)t->caller.resp, 15),
		     EINVAL);
}

/* -- ibv_cmd_create_srq_ex() -- */

static struct ibv_srq_init_attr_ex srq_init_attr_ex(struct foreign_cmd_test *t,
						    enum ibv_srq_type type)
{
	return (struct ibv_srq_init_attr_ex){
		.srq_context = t,
		.attr = { .max_wr = 100, .max_sge = 3, .srq_limit = 5 },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD,
		.srq_type = type,
		.pd = &t->pd,
	};
}

static void foreign_cmd_create_srq_ex_basic_sends_every_form(void **state)
{
	struct foreign_cmd_test *t = *state;

	for (enum test_form form = NATIVE; form <= WRITE; form++) {
		struct ibv_srq_init_attr_ex attr =
			srq_init_attr_ex(t, IBV_SRQT_BASIC);
		struct verbs_srq srq = { .srq_type = 99 };

		foreign_cmd_test_force_form(t, form);
		caller_init(&t->caller, 56, 16);
		if (form == NATIVE)
			EXPECT_NATIVE(0, SRQ_ATTRS(&srq, IBV_SRQT_BASIC));
		else
			expect_create_basic_srq(t, form, &srq.srq, 0);
		assert_succeeds(foreign_cmd_create_srq_ex(
			t->ctx, &srq, &attr, CALLER_CMD(t), CALLER_RESP(t)));
		check_srq(t, &srq.srq);
		assert_int_equal(srq.srq_type, IBV_SRQT_BASIC);
		assert_int_equal(attr.attr.max_wr, 127);
		caller_check_response(&t->caller);
	}
}

static void expect_create_xrc_srq_write(struct foreign_cmd_test *t,
					enum test_form form,
					const struct verbs_srq *srq)
{
	const struct ib_uverbs_create_xsrq in = {
		.user_handle = (uintptr_t)srq,
		.srq_type = IBV_SRQT_XRC,
		.pd_handle = 7,
		.max_wr = 100,
		.max_sge = 3,
		.srq_limit = 5,
		.xrcd_handle = 41,
		.cq_handle = 51,
	};

	foreign_cmd_test_expect(
		t, form,
		(struct fake_write){
			.command = IB_USER_VERBS_CMD_CREATE_XSRQ,
			.in = &in,
			.in_len = sizeof(in),
			.out = &answer,
			.out_len = sizeof(answer),
		});
}

static void foreign_cmd_create_srq_ex_xrc_stores_xrcd_and_cq(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct verbs_xrcd xrcd = { .handle = 41 };
	struct ibv_cq cq = { .handle = 51 };

	for (enum test_form form = NATIVE; form <= WRITE; form++) {
		struct ibv_srq_init_attr_ex attr =
			srq_init_attr_ex(t, IBV_SRQT_XRC);
		struct verbs_srq srq = {};

		attr.comp_mask |= IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ;
		attr.xrcd = &xrcd.xrcd;
		attr.cq = &cq;
		foreign_cmd_test_force_form(t, form);
		caller_init(&t->caller, 56, 16);
		if (form == NATIVE)
			EXPECT_NATIVE(
				0, SRQ_ATTRS(&srq, IBV_SRQT_XRC),
				FAKE_NUM_IN(UVERBS_ATTR_CREATE_SRQ_CQ_HANDLE,
					    51),
				FAKE_NUM_IN(UVERBS_ATTR_CREATE_SRQ_XRCD_HANDLE,
					    41),
				FAKE_U32_OUT(
					UVERBS_ATTR_CREATE_SRQ_RESP_SRQ_NUM,
					777));
		else
			expect_create_xrc_srq_write(t, form, &srq);
		assert_succeeds(foreign_cmd_create_srq_ex(
			t->ctx, &srq, &attr, CALLER_CMD(t), CALLER_RESP(t)));
		check_srq(t, &srq.srq);
		assert_int_equal(srq.srq_type, IBV_SRQT_XRC);
		assert_int_equal(srq.srq_num, 777);
		assert_ptr_equal(srq.xrcd, &xrcd);
		assert_ptr_equal(srq.cq, &cq);
		caller_check_response(&t->caller);
	}
}

static void foreign_cmd_create_srq_ex_failure_sets_errno(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct ibv_srq_init_attr_ex attr = srq_init_attr_ex(t, IBV_SRQT_BASIC);
	struct verbs_srq srq = { .srq_type = 99 };

	caller_init(&t->caller, 56, 16);
	EXPECT_NATIVE(EINVAL, SRQ_ATTRS(&srq, IBV_SRQT_BASIC));
	assert_fails(foreign_cmd_create_srq_ex(t->ctx, &srq, &attr,
					       CALLER_CMD(t), CALLER_RESP(t)),
		     EINVAL);
	assert_int_equal(srq.srq_type, 99);
	attr.comp_mask = 1 << 5;
	assert_fails(foreign_cmd_create_srq_ex(t->ctx, &srq, &attr,
					       CALLER_CMD(t), CALLER_RESP(t)),
		     EOPNOTSUPP);
	attr.comp_mask = IBV_SRQ_INIT_ATTR_TYPE;
	assert_fails(foreign_cmd_create_srq_ex(t->ctx, &srq, &attr,
					       CALLER_CMD(t), CALLER_RESP(t)),
		     EINVAL);
	assert_fails(foreign_cmd_create_srq_ex(t->ctx, &srq, &attr,
					       t->caller.cmd, 55,
					       CALLER_RESP(t)),
		     EINVAL);
}

/* -- an existing SRQ -- */

static void foreign_cmd_modify_srq_sends_driver_data(void **state)
{
	struct foreign_cmd_test *t = *state;
	const struct ib_uverbs_modify_srq in = {
		.srq_handle = 31,
		.attr_mask = IBV_SRQ_LIMIT,
		.max_wr = 100,
		.srq_limit = 5,
	};
	struct fake_write cmd = {
		.command = IB_USER_VERBS_CMD_MODIFY_SRQ,
		.in = &in,
		.in_len = sizeof(in),
	};
	struct ibv_srq srq = { .context = t->ctx, .handle = 31 };
	struct ibv_srq_attr attr = { .max_wr = 100, .srq_limit = 5 };

	caller_init(&t->caller, 24, 0);
	t->caller.resp_core = 0;
	for (enum test_form form = WRAPPED; form <= WRITE; form++) {
		foreign_cmd_test_force_form(t, form);
		cmd.err = 0;
		foreign_cmd_test_expect(t, form, cmd);
		assert_succeeds(foreign_cmd_modify_srq(
			&srq, &attr, IBV_SRQ_LIMIT, CALLER_CMD(t)));
		cmd.err = EINVAL;
		foreign_cmd_test_expect(t, form, cmd);
		assert_fails(foreign_cmd_modify_srq(&srq, &attr, IBV_SRQ_LIMIT,
						    CALLER_CMD(t)),
			     EINVAL);
	}
	assert_fails(foreign_cmd_modify_srq(&srq, &attr, IBV_SRQ_LIMIT,
					    t->caller.cmd, 23),
		     EINVAL);
}

static void foreign_cmd_query_srq_fills_attr(void **state)
{
	struct foreign_cmd_test *t = *state;
	const struct ib_uverbs_query_srq in = { .srq_handle = 31 };
	const struct ib_uverbs_query_srq_resp out = {
		.max_wr = 100,
		.max_sge = 3,
		.srq_limit = 5,
	};
	struct fake_write cmd = {
		.command = IB_USER_VERBS_CMD_QUERY_SRQ,
		.in = &in,
		.in_len = sizeof(in),
		.out = &out,
		.out_len = sizeof(out),
	};
	struct ibv_srq srq = { .context = t->ctx, .handle = 31 };

	for (enum test_form form = WRAPPED; form <= WRITE; form++) {
		struct ibv_srq_attr attr = {};

		foreign_cmd_test_force_form(t, form);
		cmd.err = 0;
		foreign_cmd_test_expect(t, form, cmd);
		assert_succeeds(
			foreign_cmd_query_srq(&srq, &attr, t->caller.cmd, 24));
		assert_int_equal(attr.max_wr, 100);
		assert_int_equal(attr.max_sge, 3);
		assert_int_equal(attr.srq_limit, 5);
		cmd.err = EIO;
		foreign_cmd_test_expect(t, form, cmd);
		assert_fails(
			foreign_cmd_query_srq(&srq, &attr, t->caller.cmd, 24),
			EIO);
		assert_fails(
			foreign_cmd_query_srq(&srq, &attr, t->caller.cmd, 23),
			EINVAL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FOREIGN_CMD_TEST(foreign_cmd_create_srq_sends_every_form),
		FOREIGN_CMD_TEST(foreign_cmd_create_srq_failure_sets_errno),
		FOREIGN_CMD_TEST(
			foreign_cmd_create_srq_ex_basic_sends_every_form),
		FOREIGN_CMD_TEST(
			foreign_cmd_create_srq_ex_xrc_stores_xrcd_and_cq),
		FOREIGN_CMD_TEST(foreign_cmd_create_srq_ex_failure_sets_errno),
		FOREIGN_CMD_TEST(foreign_cmd_modify_srq_sends_driver_data),
		FOREIGN_CMD_TEST(foreign_cmd_query_srq_fills_attr),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
