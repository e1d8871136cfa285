/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Creation of queue pairs by foreign providers:
 * libibverbs/foreign/foreign_cmd_qp.c.
 */
#include <pthread.h>
#include <string.h>

#include "libibverbs/foreign/foreign_cmd_test.h"

#define EXTENDED IB_USER_VERBS_CMD_FLAG_EXTENDED

static const struct ib_uverbs_qp_cap cap_asked = { 10, 11, 2, 3, 64 };
static const struct ib_uverbs_qp_cap cap_answered = { 16, 32, 4, 5, 96 };

#define QP_ATTRS(qp)                                                        \
	FAKE_NUM_OUT(UVERBS_ATTR_CREATE_QP_HANDLE, 31),                     \
		FAKE_NUM_IN(UVERBS_ATTR_CREATE_QP_PD_HANDLE, 7),            \
		FAKE_NUM_IN(UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE, 51),      \
		FAKE_NUM_IN(UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE, 52),      \
		FAKE_NUM_IN(UVERBS_ATTR_CREATE_QP_SRQ_HANDLE, 53),          \
		FAKE_U64_IN(UVERBS_ATTR_CREATE_QP_USER_HANDLE,              \
			    (uintptr_t)(qp)),                               \
		FAKE_BYTES_IN(UVERBS_ATTR_CREATE_QP_CAP, sizeof(cap_asked), \
			      &cap_asked),                                  \
		FAKE_U64_IN(UVERBS_ATTR_CREATE_QP_TYPE, IBV_QPT_RC),        \
		FAKE_NUM_IN_OPTIONAL(UVERBS_ATTR_CREATE_QP_EVENT_FD,        \
				     TEST_ASYNC_FD),                        \
		FAKE_BYTES_OUT(UVERBS_ATTR_CREATE_QP_RESP_CAP,              \
			       sizeof(cap_answered), &cap_answered),        \
		FAKE_U32_OUT(UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, 777),       \
		CALLER_ATTR_IN(t), CALLER_ATTR_OUT

#define EXPECT_NATIVE(_err, ...)                             \
	fake_kernel_expect_ioctl(&(const struct fake_ioctl){ \
		.object = UVERBS_OBJECT_QP,                  \
		.method = UVERBS_METHOD_QP_CREATE,           \
		FAKE_ATTRS(__VA_ARGS__),                     \
		.err = (_err),                               \
	})

static const struct ib_uverbs_create_qp_resp answer = {
	.qp_handle = 31,
	.qpn = 777,
	.max_send_wr = 16,
	.max_recv_wr = 32,
	.max_send_sge = 4,
	.max_recv_sge = 5,
	.max_inline_data = 96,
};

static void expect_create_qp(struct foreign_cmd_test *t, enum test_form form,
			     const struct ibv_qp *qp, int err)
{
	const struct ib_uverbs_create_qp in = {
		.user_handle = (uintptr_t)qp,
		.pd_handle = 7,
		.send_cq_handle = 51,
		.recv_cq_handle = 52,
		.srq_handle = 53,
		.max_send_wr = 10,
		.max_recv_wr = 11,
		.max_send_sge = 2,
		.max_recv_sge = 3,
		.max_inline_data = 64,
		.qp_type = IBV_QPT_RC,
		.is_srq = 1,
	};

	foreign_cmd_test_expect(t, form,
				(struct fake_write){
					.command = IB_USER_VERBS_CMD_CREATE_QP,
					.in = &in,
					.in_len = sizeof(in),
					.out = &answer,
					.out_len = sizeof(answer),
					.err = err,
				});
}

static void expect_create_qp_ex(struct foreign_cmd_test *t, enum test_form form,
				const struct verbs_qp *qp)
{
	const struct ib_uverbs_ex_create_qp in = {
		.user_handle = (uintptr_t)qp,
		.pd_handle = 7,
		.send_cq_handle = 51,
		.recv_cq_handle = 52,
		.srq_handle = 53,
		.max_send_wr = 10,
		.max_recv_wr = 11,
		.max_send_sge = 2,
		.max_recv_sge = 3,
		.max_inline_data = 64,
		.qp_type = IBV_QPT_RC,
		.is_srq = 1,
		.create_flags = IBV_QP_CREATE_SCATTER_FCS,
	};
	const struct ib_uverbs_ex_create_qp_resp out = {
		.base = answer,
		.response_length = sizeof(out),
	};

	foreign_cmd_test_expect(
		t, form,
		(struct fake_write){
			.command = IB_USER_VERBS_EX_CMD_CREATE_QP | EXTENDED,
			.in = &in,
			.in_len = sizeof(in),
			.out = &out,
			.out_len = sizeof(out),
		});
}

static struct ibv_cq send_cq = { .handle = 51 }, recv_cq = { .handle = 52 };
static struct ibv_srq srq = { .handle = 53 };

static struct ibv_qp_init_attr_ex qp_init_attr_ex(struct foreign_cmd_test *t)
{
	return (struct ibv_qp_init_attr_ex){
		.qp_context = t,
		.send_cq = &send_cq,
		.recv_cq = &recv_cq,
		.srq = &srq,
		.cap = { 10, 11, 2, 3, 64 },
		.qp_type = IBV_QPT_RC,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = &t->pd,
	};
}

static void check_qp_cap(const struct ibv_qp_cap *cap)
{
	assert_int_equal(cap->max_send_wr, 16);
	assert_int_equal(cap->max_recv_wr, 32);
	assert_int_equal(cap->max_send_sge, 4);
	assert_int_equal(cap->max_recv_sge, 5);
	assert_int_equal(cap->max_inline_data, 96);
}

static void check_qp_events(struct ibv_qp *qp)
{
	assert_int_equal(qp->events_completed, 0);
	assert_int_equal(pthread_mutex_trylock(&qp->mutex), 0);
	assert_int_equal(pthread_mutex_unlock(&qp->mutex), 0);
	assert_int_equal(pthread_cond_signal(&qp->cond), 0);
}

static void check_qp(struct foreign_cmd_test *t, struct ibv_qp *qp)
{
	assert_int_equal(qp->handle, 31);
	assert_int_equal(qp->qp_num, 777);
	assert_ptr_equal(qp->context, t->ctx);
	assert_ptr_equal(qp->qp_context, t);
	assert_ptr_equal(qp->pd, &t->pd);
	assert_ptr_equal(qp->send_cq, &send_cq);
	assert_ptr_equal(qp->recv_cq, &recv_cq);
	assert_ptr_equal(qp->srq, &srq);
	assert_int_equal(qp->qp_type, IBV_QPT_RC);
	assert_int_equal(qp->state, IBV_QPS_RESET);
	check_qp_events(qp);
	caller_check_response(&t->caller);
}

/* -- ibv_cmd_create_qp() -- */

/* A provider may have its own data behind a plain ibv_qp. */
struct plain_qp {
	struct ibv_qp qp;
	uint8_t behind[sizeof(struct verbs_qp) - sizeof(struct ibv_qp)];
};

static struct ibv_qp_init_attr qp_init_attr(struct foreign_cmd_test *t)
{
	return (struct ibv_qp_init_attr){
		.qp_context = t,
		.send_cq = &send_cq,
		.recv_cq = &recv_cq,
		.srq = &srq,
		.cap = { 10, 11, 2, 3, 64 },
		.qp_type = IBV_QPT_RC,
	};
}

static void foreign_cmd_create_qp_sends_every_form(void **state)
{
	struct foreign_cmd_test *t = *state;

	for (enum test_form form = NATIVE; form <= WRITE; form++) {
		struct ibv_qp_init_attr attr = qp_init_attr(t);
		struct plain_qp qp;

		memset(&qp, 0xdd, sizeof(qp));
		foreign_cmd_test_force_form(t, form);
		caller_init(&t->caller, 64, 32);
		if (form == NATIVE)
			EXPECT_NATIVE(0, QP_ATTRS(&qp));
		else
			expect_create_qp(t, form, &qp.qp, 0);
		assert_succeeds(foreign_cmd_create_qp(
			&t->pd, &qp.qp, &attr, CALLER_CMD(t), CALLER_RESP(t)));
		check_qp(t, &qp.qp);
		check_qp_cap(&attr.cap);
		for (size_t i = 0; i < sizeof(qp.behind); i++)
			assert_int_equal(qp.behind[i], 0xdd);
	}
}

static void foreign_cmd_create_qp_failure_sets_errno(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct ibv_qp_init_attr attr = qp_init_attr(t);
	struct plain_qp qp = { .qp.handle = 9 };

	caller_init(&t->caller, 64, 32);
	EXPECT_NATIVE(ENOMEM, QP_ATTRS(&qp));
	assert_fails(foreign_cmd_create_qp(&t->pd, &qp.qp, &attr, CALLER_CMD(t),
					   CALLER_RESP(t)),
		     ENOMEM);
	assert_int_equal(qp.qp.handle, 9);
	assert_int_equal(attr.cap.max_send_wr, 10);
	attr.qp_type = IBV_QPT_XRC_RECV;
	assert_fails(foreign_cmd_create_qp(&t->pd, &qp.qp, &attr, CALLER_CMD(t),
					   CALLER_RESP(t)),
		     EINVAL);
	attr.qp_type = IBV_QPT_RC;
	assert_fails(foreign_cmd_create_qp(&t->pd, &qp.qp, &attr, t->caller.cmd,
					   63, CALLER_RESP(t)),
		     EINVAL);
	assert_fails(foreign_cmd_create_qp(&t->pd, &qp.qp, &attr, CALLER_CMD(t),
					   (void *)t->caller.resp, 31),
		     EINVAL);
}

/* -- ibv_cmd_create_qp_ex(), ibv_cmd_create_qp_ex2() -- */

/* Fill the bytes behind ibv_qp; older releases had other members there. */
static void fill_qp(struct verbs_qp *qp)
{
	memset(qp, 0xdd, sizeof(*qp));
}

static void check_behind_qp(const struct verbs_qp *qp)
{
	const uint8_t *bytes = (const uint8_t *)qp;

	for (size_t i = sizeof(qp->qp); i < sizeof(*qp); i++)
		assert_int_equal(bytes[i], 0xdd);
}

static void foreign_cmd_create_qp_ex_sends_every_form(void **state)
{
	struct foreign_cmd_test *t = *state;

	for (enum test_form form = NATIVE; form <= WRITE; form++) {
		struct ibv_qp_init_attr_ex attr = qp_init_attr_ex(t);
		struct verbs_qp qp;

		fill_qp(&qp);
		attr.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
		attr.send_ops_flags = IBV_QP_EX_WITH_SEND;
		/*
		 * Its bit in comp_mask is not set, so the value is arbitrary.
		 */
		attr.xrcd = (void *)&qp;
		foreign_cmd_test_force_form(t, form);
		caller_init(&t->caller, 64, 32);
		if (form == NATIVE)
			EXPECT_NATIVE(0, QP_ATTRS(&qp));
		else
			expect_create_qp(t, form, &qp.qp, 0);
		assert_succeeds(foreign_cmd_create_qp_ex(
			t->ctx, &qp, &attr, CALLER_CMD(t), CALLER_RESP(t)));
		check_qp(t, &qp.qp);
		check_qp_cap(&attr.cap);
		assert_int_equal(qp.comp_mask, 0);
	}
}

/*
 * In some of these releases, comp_mask is at the offset of a later wr_*
 * function.
 */
static void
foreign_cmd_create_qp_ex_abi_34_writes_nothing_behind_qp(void **state)
{
	static const unsigned int releases[] = { 0, 36, 44, 45, 56 };
	struct foreign_cmd_test *t = *state;

	for (size_t i = 0; i < sizeof(releases) / sizeof(releases[0]); i++) {
		struct ibv_qp_init_attr_ex attr = qp_init_attr_ex(t);
		struct verbs_qp qp;

		foreign_cmd_test_set_release(t, FOREIGN_34, releases[i]);
		fill_qp(&qp);
		caller_init(&t->caller, 64, 32);
		EXPECT_NATIVE(0, QP_ATTRS(&qp));
		assert_succeeds(foreign_cmd_create_qp_ex(
			t->ctx, &qp, &attr, CALLER_CMD(t), CALLER_RESP(t)));
		check_qp(t, &qp.qp);
		check_behind_qp(&qp);

		fill_qp(&qp);
		attr = qp_init_attr_ex(t);
		caller_init(&t->caller, 88, 40);
		EXPECT_NATIVE(0, QP_ATTRS(&qp));
		assert_succeeds(foreign_cmd_create_qp_ex2_34(
			t->ctx, &qp, &attr, CALLER_CMD(t), CALLER_RESP(t)));
		check_qp(t, &qp.qp);
		check_behind_qp(&qp);
	}
}

static void foreign_cmd_create_qp_ex2_with_flags_sends_every_form(void **state)
{
	struct foreign_cmd_test *t = *state;

	for (enum test_form form = NATIVE; form <= WRITE; form++) {
		struct ibv_qp_init_attr_ex attr = qp_init_attr_ex(t);
		struct verbs_qp qp;

		fill_qp(&qp);
		attr.comp_mask |= IBV_QP_INIT_ATTR_CREATE_FLAGS;
		attr.create_flags = IBV_QP_CREATE_SCATTER_FCS;
		foreign_cmd_test_force_form(t, form);
		caller_init(&t->caller, 88, 40);
		if (form == NATIVE)
			EXPECT_NATIVE(0, QP_ATTRS(&qp),
				      FAKE_U32_IN(UVERBS_ATTR_CREATE_QP_FLAGS,
						  IBV_QP_CREATE_SCATTER_FCS));
		else
			expect_create_qp_ex(t, form, &qp);
		assert_succeeds(foreign_cmd_create_qp_ex2(
			t->ctx, &qp, &attr, CALLER_CMD(t), CALLER_RESP(t),
			NULL));
		check_qp(t, &qp.qp);
		check_qp_cap(&attr.cap);
		assert_int_equal(qp.comp_mask, 0);
	}
}

/*
 * The buffers have the format of the extended command; driver data follows its
 * core struct.
 */
static void
foreign_cmd_create_qp_ex2_without_flags_sends_basic_command(void **state)
{
	struct foreign_cmd_test *t = *state;

	for (enum test_form form = WRAPPED; form <= WRITE; form++) {
		struct ibv_qp_init_attr_ex attr = qp_init_attr_ex(t);
		struct verbs_qp qp = {};

		foreign_cmd_test_force_form(t, form);
		caller_init(&t->caller, 88, 40);
		expect_create_qp(t, form, &qp.qp, 0);
		assert_succeeds(foreign_cmd_create_qp_ex2_34(
			t->ctx, &qp, &attr, CALLER_CMD(t), CALLER_RESP(t)));
		check_qp(t, &qp.qp);
	}
}

static void foreign_cmd_create_qp_ex2_sends_chain(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct ibv_qp_init_attr_ex attr = qp_init_attr_ex(t);
	struct caller_buffer link;
	struct verbs_qp qp = {};

	caller_init(&t->caller, 88, 40);
	foreign_cmd_test_link(&link, UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE);
	EXPECT_NATIVE(0, QP_ATTRS(&qp), TEST_LINK_UHW_EXPECTED);
	assert_succeeds(foreign_cmd_create_qp_ex2(t->ctx, &qp, &attr,
						  CALLER_CMD(t), CALLER_RESP(t),
						  TEST_LINK(&link)));
	foreign_cmd_test_check_link(&link);
	link.flags = CALLER_BUFFER_ERROR;
	assert_fails(foreign_cmd_create_qp_ex2(t->ctx, &qp, &attr,
					       CALLER_CMD(t), CALLER_RESP(t),
					       TEST_LINK(&link)),
		     EINVAL);
}

/*
 * Driver data is in the chain instead of behind the core struct, in write
 * commands too.
 */
static void foreign_cmd_create_qp_ex2_driver_data_in_chain_is_sent(void **state)
{
	struct foreign_cmd_test *t = *state;

	for (enum test_form form = NATIVE; form <= WRITE; form++) {
		struct ibv_qp_init_attr_ex attr = qp_init_attr_ex(t);
		uint8_t out[CALLER_DRIVER_LEN] = {};
		struct caller_buffer link;
		struct verbs_qp qp = {};

		foreign_cmd_test_force_form(t, form);
		caller_init(&t->caller, 88, 40);
		caller_buffer_init(&link, UVERBS_OBJECT_QP,
				   UVERBS_METHOD_QP_CREATE, 2, NULL);
		caller_attr_in(&link, UVERBS_ATTR_UHW_IN, caller_in(&t->caller),
			       CALLER_DRIVER_LEN);
		caller_attr_out(&link, UVERBS_ATTR_UHW_OUT, out, sizeof(out));
		if (form == NATIVE)
			EXPECT_NATIVE(0, QP_ATTRS(&qp));
		else
			expect_create_qp(t, form, &qp.qp, 0);
		assert_succeeds(foreign_cmd_create_qp_ex2(
			t->ctx, &qp, &attr, t->caller.cmd, 88,
			(void *)t->caller.resp, 40, TEST_LINK(&link)));
		assert_memory_equal(out, caller_driver_response, sizeof(out));
	}
}

static void foreign_cmd_create_qp_ex_xrc_recv_stores_xrcd(void **state)
{
	struct foreign_cmd_test *t = *state;
	static const struct ib_uverbs_qp_cap none;
	struct verbs_xrcd xrcd = { .handle = 41 };
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_XRC_RECV,
		.comp_mask = IBV_QP_INIT_ATTR_XRCD,
		.xrcd = &xrcd.xrcd,
	};
	struct verbs_qp qp;

	fill_qp(&qp);
	caller_init(&t->caller, 64, 32);
	EXPECT_NATIVE(
		0, FAKE_NUM_OUT(UVERBS_ATTR_CREATE_QP_HANDLE, 31),
		FAKE_NUM_IN(UVERBS_ATTR_CREATE_QP_XRCD_HANDLE, 41),
		FAKE_U64_IN(UVERBS_ATTR_CREATE_QP_USER_HANDLE, (uintptr_t)&qp),
		FAKE_BYTES_IN(UVERBS_ATTR_CREATE_QP_CAP, sizeof(none), &none),
		FAKE_U64_IN(UVERBS_ATTR_CREATE_QP_TYPE, IBV_QPT_XRC_RECV),
		FAKE_NUM_IN_OPTIONAL(UVERBS_ATTR_CREATE_QP_EVENT_FD,
				     TEST_ASYNC_FD),
		FAKE_BYTES_OUT(UVERBS_ATTR_CREATE_QP_RESP_CAP, sizeof(none),
			       &none),
		FAKE_U32_OUT(UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, 777),
		CALLER_ATTR_IN(t), CALLER_ATTR_OUT);
	assert_succeeds(foreign_cmd_create_qp_ex(
		t->ctx, &qp, &attr, CALLER_CMD(t), CALLER_RESP(t)));
	assert_int_equal(qp.comp_mask, VERBS_QP_MASK_XRCD);
	assert_ptr_equal(qp.xrcd, &xrcd);
	assert_null(qp.qp.pd);
	assert_null(qp.qp.send_cq);
}

static void foreign_cmd_create_qp_ex_failure_sets_errno(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct ibv_qp_init_attr_ex attr = qp_init_attr_ex(t);
	struct verbs_qp qp;

	fill_qp(&qp);
	caller_init(&t->caller, 88, 40);
	EXPECT_NATIVE(ENOSPC, QP_ATTRS(&qp));
	assert_fails(foreign_cmd_create_qp_ex2(t->ctx, &qp, &attr,
					       CALLER_CMD(t), CALLER_RESP(t),
					       NULL),
		     ENOSPC);
	assert_fails(foreign_cmd_create_qp_ex2(t->ctx, &qp, &attr,
					       t->caller.cmd, 87,
					       CALLER_RESP(t), NULL),
		     EINVAL);
	assert_fails(
		foreign_cmd_create_qp_ex2(t->ctx, &qp, &attr, CALLER_CMD(t),
					  (void *)t->caller.resp, 39, NULL),
		EINVAL);
	/* An attribute that only the extended command supports. */
	attr.comp_mask |= IBV_QP_INIT_ATTR_CREATE_FLAGS;
	assert_fails(foreign_cmd_create_qp_ex(t->ctx, &qp, &attr, CALLER_CMD(t),
					      CALLER_RESP(t)),
		     EINVAL);
	/* An attribute that no command supports. */
	attr.comp_mask |= 1 << 7;
	assert_fails(foreign_cmd_create_qp_ex2(t->ctx, &qp, &attr,
					       CALLER_CMD(t), CALLER_RESP(t),
					       NULL),
		     EINVAL);
	check_behind_qp(&qp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FOREIGN_CMD_TEST(foreign_cmd_create_qp_sends_every_form),
		FOREIGN_CMD_TEST(foreign_cmd_create_qp_failure_sets_errno),
		FOREIGN_CMD_TEST(foreign_cmd_create_qp_ex_sends_every_form),
		FOREIGN_CMD_TEST(
			foreign_cmd_create_qp_ex_abi_34_writes_nothing_behind_qp),
		FOREIGN_CMD_TEST(
			foreign_cmd_create_qp_ex2_with_flags_sends_every_form),
		FOREIGN_CMD_TEST(
			foreign_cmd_create_qp_ex2_without_flags_sends_basic_command),
		FOREIGN_CMD_TEST(foreign_cmd_create_qp_ex2_sends_chain),
		FOREIGN_CMD_TEST(
			foreign_cmd_create_qp_ex2_driver_data_in_chain_is_sent),
		FOREIGN_CMD_TEST(foreign_cmd_create_qp_ex_xrc_recv_stores_xrcd),
		FOREIGN_CMD_TEST(foreign_cmd_create_qp_ex_failure_sets_errno),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
