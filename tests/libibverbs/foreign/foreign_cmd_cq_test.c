/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Creation of completion queues by foreign providers:
 * libibverbs/foreign/foreign_cmd_cq.c.
 */
#include <string.h>

#include "kernel/uapi_newer.h"
#include "libibverbs/foreign/foreign_cmd_test.h"

#define EXTENDED      IB_USER_VERBS_CMD_FLAG_EXTENDED
#define TIMESTAMP     IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION
#define TS_WC_FLAG    IBV_WC_EX_WITH_COMPLETION_TIMESTAMP
#define CQE_REQUESTED 100
#define CQE_CREATED   127

/* -- expected commands -- */

#define CQ_ATTRS(cq)                                                   \
	FAKE_NUM_OUT(UVERBS_ATTR_CREATE_CQ_HANDLE, 31),                \
		FAKE_U32_IN(UVERBS_ATTR_CREATE_CQ_CQE, CQE_REQUESTED), \
		FAKE_U64_IN(UVERBS_ATTR_CREATE_CQ_USER_HANDLE,         \
			    (uintptr_t)(cq)),                          \
		FAKE_NUM_IN(UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL,        \
			    TEST_CHANNEL_FD),                          \
		FAKE_U32_IN(UVERBS_ATTR_CREATE_CQ_COMP_VECTOR, 2),     \
		FAKE_NUM_IN_OPTIONAL(UVERBS_ATTR_CREATE_CQ_EVENT_FD,   \
				     TEST_ASYNC_FD),                   \
		FAKE_U32_OUT(UVERBS_ATTR_CREATE_CQ_RESP_CQE, CQE_CREATED)
#define CQ_DRIVER(t) CALLER_ATTR_IN(t), CALLER_ATTR_OUT
#define CQ_FLAGS     FAKE_U32_IN(UVERBS_ATTR_CREATE_CQ_FLAGS, TIMESTAMP)

#define EXPECT_NATIVE(_err, ...)                             \
	fake_kernel_expect_ioctl(&(const struct fake_ioctl){ \
		.object = UVERBS_OBJECT_CQ,                  \
		.method = UVERBS_METHOD_CQ_CREATE,           \
		FAKE_ATTRS(__VA_ARGS__),                     \
		.err = (_err),                               \
	})

static void expect_create_cq(struct foreign_cmd_test *t, enum test_form form,
			     const struct ibv_cq *cq, int err)
{
	const struct ib_uverbs_create_cq in = {
		.user_handle = (uintptr_t)cq,
		.cqe = CQE_REQUESTED,
		.comp_vector = 2,
		.comp_channel = TEST_CHANNEL_FD,
	};
	const struct ib_uverbs_create_cq_resp out = {
		.cq_handle = 31,
		.cqe = CQE_CREATED,
	};

	foreign_cmd_test_expect(t, form,
				(struct fake_write){
					.command = IB_USER_VERBS_CMD_CREATE_CQ,
					.in = &in,
					.in_len = sizeof(in),
					.out = &out,
					.out_len = sizeof(out),
					.err = err,
				});
}

static void expect_create_cq_ex(struct foreign_cmd_test *t, enum test_form form,
				const struct ibv_cq *cq, uint32_t flags,
				int err)
{
	const struct ib_uverbs_ex_create_cq in = {
		.user_handle = (uintptr_t)cq,
		.cqe = CQE_REQUESTED,
		.comp_vector = 2,
		.comp_channel = TEST_CHANNEL_FD,
		.flags = flags,
	};
	const struct ib_uverbs_ex_create_cq_resp out = {
		.base = { .cq_handle = 31, .cqe = CQE_CREATED },
		.response_length = sizeof(out),
	};

	foreign_cmd_test_expect(
		t, form,
		(struct fake_write){
			.command = IB_USER_VERBS_EX_CMD_CREATE_CQ | EXTENDED,
			.in = &in,
			.in_len = sizeof(in),
			.out = &out,
			.out_len = sizeof(out),
			.err = err,
		});
}

static struct ibv_comp_channel channel = { .fd = TEST_CHANNEL_FD };

static void check_cq(struct foreign_cmd_test *t, const struct ibv_cq *cq)
{
	assert_ptr_equal(cq->context, t->ctx);
	assert_int_equal(cq->handle, 31);
	assert_int_equal(cq->cqe, CQE_CREATED);
	caller_check_response(&t->caller);
}

/* -- ibv_cmd_create_cq() -- */

static int call_create_cq(struct foreign_cmd_test *t, struct ibv_cq *cq)
{
	return foreign_cmd_create_cq(t->ctx, CQE_REQUESTED, &channel, 2, cq,
				     CALLER_CMD(t), CALLER_RESP(t));
}

static void foreign_cmd_create_cq_sends_every_form(void **state)
{
	struct foreign_cmd_test *t = *state;

	for (enum test_form form = NATIVE; form <= WRITE; form++) {
		struct ibv_cq cq = {};

		foreign_cmd_test_force_form(t, form);
		caller_init(&t->caller, 40, 8);
		if (form == NATIVE)
			EXPECT_NATIVE(0, CQ_ATTRS(&cq), CQ_DRIVER(t));
		else
			expect_create_cq(t, form, &cq, 0);
		assert_succeeds(call_create_cq(t, &cq));
		check_cq(t, &cq);
	}
}

static void foreign_cmd_create_cq_without_driver_data_succeeds(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct ibv_cq cq = {};

	caller_init(&t->caller, 40, 8);
	EXPECT_NATIVE(0, CQ_ATTRS(&cq));
	assert_succeeds(foreign_cmd_create_cq(t->ctx, CQE_REQUESTED, &channel,
					      2, &cq, t->caller.cmd, 40,
					      (void *)t->caller.resp, 8));
	EXPECT_NATIVE(0, CQ_ATTRS(&cq));
	assert_succeeds(foreign_cmd_create_cq(t->ctx, CQE_REQUESTED, &channel,
					      2, &cq, NULL, 0, NULL, 0));
	caller_check_untouched(&t->caller);
}

static void foreign_cmd_create_cq_failure_sets_errno(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct ibv_cq cq = { .handle = 55, .cqe = 66 };

	caller_init(&t->caller, 40, 8);
	EXPECT_NATIVE(EOPNOTSUPP, CQ_ATTRS(&cq), CQ_DRIVER(t));
	assert_fails(call_create_cq(t, &cq), EOPNOTSUPP);
	foreign_cmd_test_force_form(t, WRITE);
	expect_create_cq(t, WRITE, &cq, ENOMEM);
	assert_fails(call_create_cq(t, &cq), ENOMEM);
	t->caller.cmd_size = 39;
	assert_fails(call_create_cq(t, &cq), EINVAL);
	t->caller.cmd_size = 40;
	t->caller.resp_size = 7;
	assert_fails(call_create_cq(t, &cq), EINVAL);
	assert_int_equal(cq.handle, 55);
	assert_int_equal(cq.cqe, 66);
}

/* -- ibv_cmd_create_cq_ex(), ibv_cmd_create_cq_ex2() -- */

static struct ibv_cq_init_attr_ex cq_attr_ex(uint64_t wc_flags)
{
	return (struct ibv_cq_init_attr_ex){
		.cqe = CQE_REQUESTED,
		.channel = &channel,
		.comp_vector = 2,
		.wc_flags = wc_flags,
	};
}

/* Call one of the four functions; @flags: cmd_flags */
static int call_create_cq_ex(struct foreign_cmd_test *t, int function,
			     const struct ibv_cq_init_attr_ex *attr,
			     struct verbs_cq *cq, uint32_t flags)
{
	switch (function) {
	case 0:
		return foreign_cmd_create_cq_ex_34(
			t->ctx, attr, cq, CALLER_CMD(t), CALLER_RESP(t), flags);
	case 1:
		return foreign_cmd_create_cq_ex2_34(
			t->ctx, attr, cq, CALLER_CMD(t), CALLER_RESP(t), flags,
			NULL);
	case 2:
		return foreign_cmd_create_cq_ex(t->ctx, attr, NULL, cq,
						CALLER_CMD(t), CALLER_RESP(t),
						flags);
	default:
		return foreign_cmd_create_cq_ex2(t->ctx, attr, NULL, cq,
						 CALLER_CMD(t), CALLER_RESP(t),
						 flags, NULL);
	}
}

static void foreign_cmd_create_cq_ex_sends_every_form(void **state)
{
	struct foreign_cmd_test *t = *state;
	const struct ibv_cq_init_attr_ex plain = cq_attr_ex(0);
	const struct ibv_cq_init_attr_ex with_timestamp =
		cq_attr_ex(TS_WC_FLAG);

	for (int function = 0; function < 4; function++) {
		struct verbs_cq cq = {};

		foreign_cmd_test_force_form(t, NATIVE);
		caller_init(&t->caller, 56, 16);
		EXPECT_NATIVE(0, CQ_ATTRS(&cq), CQ_FLAGS, CQ_DRIVER(t));
		assert_succeeds(call_create_cq_ex(t, function, &with_timestamp,
						  &cq, 0));
		check_cq(t, &cq.cq);
		for (enum test_form form = WRAPPED; form <= WRITE; form++) {
			foreign_cmd_test_force_form(t, form);
			memset(&cq, 0, sizeof(cq));
			caller_init(&t->caller, 56, 16);
			expect_create_cq(t, form, &cq.cq, 0);
			assert_succeeds(
				call_create_cq_ex(t, function, &plain, &cq, 0));
			check_cq(t, &cq.cq);

			memset(&cq, 0, sizeof(cq));
			caller_init(&t->caller, 56, 16);
			expect_create_cq_ex(t, form, &cq.cq, TIMESTAMP, 0);
			assert_succeeds(call_create_cq_ex(
				t, function, &with_timestamp, &cq, 0));
			check_cq(t, &cq.cq);
		}
	}
}

static void
foreign_cmd_create_cq_ts_ignored_falls_back_without_timestamp(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct ibv_cq_init_attr_ex with_timestamp = cq_attr_ex(TS_WC_FLAG);
	struct verbs_cq cq = {};

	/* The ioctl method carries the flag. */
	caller_init(&t->caller, 56, 16);
	EXPECT_NATIVE(0, CQ_ATTRS(&cq), CQ_FLAGS, CQ_DRIVER(t));
	assert_succeeds(call_create_cq_ex(t, 2, &with_timestamp, &cq,
					  FOREIGN_CQ_TS_IGNORED_EX));
	check_cq(t, &cq.cq);
	/* An error of the ioctl method itself is final. */
	EXPECT_NATIVE(EOPNOTSUPP, CQ_ATTRS(&cq), CQ_FLAGS, CQ_DRIVER(t));
	assert_fails(call_create_cq_ex(t, 2, &with_timestamp, &cq,
				       FOREIGN_CQ_TS_IGNORED_EX),
		     EOPNOTSUPP);

	/*
	 * Without the ioctl method, the write command without the flag is sent,
	 * in the first call already.
	 */
	for (enum test_form form = WRAPPED; form <= WRITE; form++) {
		foreign_cmd_test_force_form(t, NATIVE);
		caller_init(&t->caller, 56, 16);
		EXPECT_NATIVE(form == WRITE ? ENOTTY : EPROTONOSUPPORT,
			      CQ_ATTRS(&cq), CQ_FLAGS, CQ_DRIVER(t));
		for (int i = 0; i < 2; i++) {
			memset(&cq, 0, sizeof(cq));
			expect_create_cq(t, form, &cq.cq, 0);
			assert_succeeds(
				call_create_cq_ex(t, 2, &with_timestamp, &cq,
						  FOREIGN_CQ_TS_IGNORED_EX));
			check_cq(t, &cq.cq);
		}
	}

	/* Without FOREIGN_CQ_TS_IGNORED_EX, time stamps are required. */
	expect_create_cq_ex(t, WRITE, &cq.cq, TIMESTAMP, ENOSYS);
	assert_fails(call_create_cq_ex(t, 2, &with_timestamp, &cq, 0),
		     EOPNOTSUPP);
	/*
	 * A second flag would be lost in the write command, so both are
	 * required.
	 */
	with_timestamp.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS;
	with_timestamp.flags = IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN;
	expect_create_cq_ex(t, WRITE, &cq.cq,
			    TIMESTAMP | IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN, 0);
	assert_succeeds(call_create_cq_ex(t, 2, &with_timestamp, &cq,
					  FOREIGN_CQ_TS_IGNORED_EX));
}

/*
 * Only a trial shows whether the kernel supports the attribute of the provider.
 */
static void
foreign_cmd_create_cq_ts_ignored_with_chain_retries_without_timestamp(
	void **state)
{
	struct foreign_cmd_test *t = *state;
	const struct ibv_cq_init_attr_ex with_timestamp =
		cq_attr_ex(TS_WC_FLAG);
	struct caller_buffer link;
	struct verbs_cq cq = {};

	caller_init(&t->caller, 56, 16);
	foreign_cmd_test_link(&link, UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE);
	link.attrs[0].flags = 0;
	for (int stamps = 1; stamps >= 0; stamps--) {
		const struct fake_attr optional = { .id = TEST_LINK_UHW_ATTR,
						    .kind = FAKE_OUT_NUM,
						    .optional = true };
		const struct fake_attr with[] = { CQ_ATTRS(&cq), CQ_DRIVER(t),
						  optional, CQ_FLAGS };
		const struct fake_ioctl refused = {
			.object = UVERBS_OBJECT_CQ,
			.method = UVERBS_METHOD_CQ_CREATE,
			.attrs = with,
			.nr_attrs = sizeof(with) / sizeof(with[0]) - !stamps,
			.err = EPROTONOSUPPORT,
		};

		fake_kernel_expect_ioctl(&refused);
	}
	expect_create_cq(t, WRAPPED, &cq.cq, 0);
	assert_succeeds(foreign_cmd_create_cq_ex2(
		t->ctx, &with_timestamp, NULL, &cq, CALLER_CMD(t),
		CALLER_RESP(t), FOREIGN_CQ_TS_IGNORED_EX, TEST_LINK(&link)));
	check_cq(t, &cq.cq);

	foreign_cmd_test_force_form(t, WRITE);
	expect_create_cq(t, WRITE, &cq.cq, 0);
	assert_succeeds(foreign_cmd_create_cq_ex2(
		t->ctx, &with_timestamp, NULL, &cq, CALLER_CMD(t),
		CALLER_RESP(t), FOREIGN_CQ_TS_IGNORED_EX, TEST_LINK(&link)));
	check_cq(t, &cq.cq);
	link.attrs[0].flags = UVERBS_ATTR_F_MANDATORY;
	assert_fails(foreign_cmd_create_cq_ex2(
			     t->ctx, &with_timestamp, NULL, &cq, CALLER_CMD(t),
			     CALLER_RESP(t), FOREIGN_CQ_TS_IGNORED_EX,
			     TEST_LINK(&link)),
		     EOPNOTSUPP);
}

static void foreign_cmd_create_cq_ex2_sends_chain(void **state)
{
	struct foreign_cmd_test *t = *state;
	const struct ibv_cq_init_attr_ex attr = cq_attr_ex(0);
	struct caller_buffer link;
	struct verbs_cq cq = {};

	caller_init(&t->caller, 56, 16);
	foreign_cmd_test_link(&link, UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE);
	EXPECT_NATIVE(0, CQ_ATTRS(&cq), CQ_DRIVER(t), TEST_LINK_UHW_EXPECTED);
	assert_succeeds(foreign_cmd_create_cq_ex2(t->ctx, &attr, NULL, &cq,
						  CALLER_CMD(t), CALLER_RESP(t),
						  0, TEST_LINK(&link)));
	foreign_cmd_test_check_link(&link);

	foreign_cmd_test_link(&link, UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE);
	EXPECT_NATIVE(0, CQ_ATTRS(&cq), CQ_DRIVER(t), TEST_LINK_UHW_EXPECTED);
	assert_succeeds(foreign_cmd_create_cq_ex2_34(
		t->ctx, &attr, &cq, CALLER_CMD(t), CALLER_RESP(t), 0,
		TEST_LINK(&link)));
	foreign_cmd_test_check_link(&link);
}

static void
foreign_cmd_create_cq_ex2_mandatory_chain_forbids_write(void **state)
{
	struct foreign_cmd_test *t = *state;
	const struct ibv_cq_init_attr_ex attr = cq_attr_ex(0);
	struct caller_buffer link;
	struct verbs_cq cq = {};

	caller_init(&t->caller, 56, 16);
	foreign_cmd_test_force_form(t, WRITE);
	foreign_cmd_test_link(&link, UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE);
	/* The write command cannot carry a mandatory attribute. */
	assert_fails(foreign_cmd_create_cq_ex2(t->ctx, &attr, NULL, &cq,
					       CALLER_CMD(t), CALLER_RESP(t), 0,
					       TEST_LINK(&link)),
		     EOPNOTSUPP);
	/* An optional attribute is dropped. */
	link.attrs[0].flags = 0;
	expect_create_cq(t, WRITE, &cq.cq, 0);
	assert_succeeds(foreign_cmd_create_cq_ex2(t->ctx, &attr, NULL, &cq,
						  CALLER_CMD(t), CALLER_RESP(t),
						  0, TEST_LINK(&link)));
	check_cq(t, &cq.cq);
	/* An optional attribute in a buffer that forbids the write command. */
	link.flags = CALLER_IOCTL_ONLY;
	assert_fails(foreign_cmd_create_cq_ex2(t->ctx, &attr, NULL, &cq,
					       CALLER_CMD(t), CALLER_RESP(t), 0,
					       TEST_LINK(&link)),
		     EOPNOTSUPP);
}

/*
 * Driver data is in the chain instead of behind the core struct, in write
 * commands too.
 */
static void foreign_cmd_create_cq_ex2_driver_data_in_chain_is_sent(void **state)
{
	struct foreign_cmd_test *t = *state;
	const struct ibv_cq_init_attr_ex attr = cq_attr_ex(0);

	for (enum test_form form = NATIVE; form <= WRITE; form++) {
		uint8_t out[CALLER_DRIVER_LEN] = {};
		struct caller_buffer link;
		struct verbs_cq cq = {};

		foreign_cmd_test_force_form(t, form);
		caller_init(&t->caller, 56, 16);
		caller_buffer_init(&link, UVERBS_OBJECT_CQ,
				   UVERBS_METHOD_CQ_CREATE, 2, NULL);
		caller_attr_in(&link, UVERBS_ATTR_UHW_IN, caller_in(&t->caller),
			       CALLER_DRIVER_LEN);
		caller_attr_out(&link, UVERBS_ATTR_UHW_OUT, out, sizeof(out));
		if (form == NATIVE)
			EXPECT_NATIVE(0, CQ_ATTRS(&cq), CQ_DRIVER(t));
		else
			expect_create_cq(t, form, &cq.cq, 0);
		assert_succeeds(foreign_cmd_create_cq_ex2(
			t->ctx, &attr, NULL, &cq, t->caller.cmd, 56,
			(void *)t->caller.resp, 16, 0, TEST_LINK(&link)));
		assert_memory_equal(out, caller_driver_response, sizeof(out));
	}
}

/* -- rings in memory that the provider allocated -- */

static void foreign_cmd_create_cq_ex_provider_buffer_is_sent(void **state)
{
	struct foreign_cmd_test *t = *state;
	const struct ibv_cq_init_attr_ex attr = cq_attr_ex(0);
	struct foreign_cq_prov_attr va = {
		.buffer = { .length = 8192, .ptr = (void *)0x7f0000 },
	};
	struct foreign_cq_prov_attr dmabuf = {
		.buffer = { .length = 8192,
			    .dmabuf = { .offset = 64, .fd = 6 } },
	};
	struct verbs_cq cq = {};

	caller_init(&t->caller, 56, 16);
	EXPECT_NATIVE(
		0, CQ_ATTRS(&cq), CQ_DRIVER(t),
		FAKE_U64_IN(VERBS_UAPI_UVERBS_ATTR_CREATE_CQ_BUFFER_VA,
			    0x7f0000),
		FAKE_U64_IN(VERBS_UAPI_UVERBS_ATTR_CREATE_CQ_BUFFER_LENGTH,
			    8192));
	assert_succeeds(foreign_cmd_create_cq_ex(t->ctx, &attr, &va, &cq,
						 CALLER_CMD(t), CALLER_RESP(t),
						 FOREIGN_CQ_WITH_MEM_VA));
	check_cq(t, &cq.cq);

	caller_init(&t->caller, 56, 16);
	EXPECT_NATIVE(
		0, CQ_ATTRS(&cq), CQ_DRIVER(t),
		FAKE_NUM_IN(VERBS_UAPI_UVERBS_ATTR_CREATE_CQ_BUFFER_FD, 6),
		FAKE_U64_IN(VERBS_UAPI_UVERBS_ATTR_CREATE_CQ_BUFFER_OFFSET, 64),
		FAKE_U64_IN(VERBS_UAPI_UVERBS_ATTR_CREATE_CQ_BUFFER_LENGTH,
			    8192));
	assert_succeeds(foreign_cmd_create_cq_ex(t->ctx, &attr, &dmabuf, &cq,
						 CALLER_CMD(t), CALLER_RESP(t),
						 FOREIGN_CQ_WITH_MEM_DMABUF));
	check_cq(t, &cq.cq);

	/* The write command cannot carry a buffer. */
	foreign_cmd_test_force_form(t, WRITE);
	assert_fails(foreign_cmd_create_cq_ex(t->ctx, &attr, &va, &cq,
					      CALLER_CMD(t), CALLER_RESP(t),
					      FOREIGN_CQ_WITH_MEM_VA),
		     EOPNOTSUPP);
}

static void
foreign_cmd_create_cq_ex_invalid_provider_buffer_is_rejected(void **state)
{
	struct foreign_cmd_test *t = *state;
	const struct ibv_cq_init_attr_ex attr = cq_attr_ex(0);
	struct foreign_cq_prov_attr dmabuf = {
		.buffer = { .length = 8192, .dmabuf = { .fd = -1 } },
	};
	struct verbs_cq cq = {};

	caller_init(&t->caller, 56, 16);
	for (int function = 0; function < 4; function++)
		assert_fails(call_create_cq_ex(t, function, &attr, &cq,
					       FOREIGN_CQ_WITH_MEM_VA),
			     EINVAL);
	assert_fails(
		call_create_cq_ex(t, 3, &attr, &cq, FOREIGN_CQ_WITH_MEM_DMABUF),
		EINVAL);
	assert_fails(foreign_cmd_create_cq_ex(t->ctx, &attr, &dmabuf, &cq,
					      CALLER_CMD(t), CALLER_RESP(t),
					      FOREIGN_CQ_WITH_MEM_DMABUF),
		     EBADF);
	assert_fails(foreign_cmd_create_cq_ex(t->ctx, &attr, &dmabuf, &cq,
					      CALLER_CMD(t), CALLER_RESP(t),
					      FOREIGN_CQ_WITH_MEM_DMABUF |
						      FOREIGN_CQ_WITH_MEM_VA),
		     EINVAL);
}

static void foreign_cmd_create_cq_ex_failure_sets_errno(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct ibv_cq_init_attr_ex attr = cq_attr_ex(0);
	struct verbs_cq cq = {};
	struct caller_buffer link;

	caller_init(&t->caller, 56, 16);
	attr.comp_mask = 1 << 2;
	assert_fails(call_create_cq_ex(t, 3, &attr, &cq, 0), EOPNOTSUPP);
	attr.comp_mask = 0;
	EXPECT_NATIVE(EINVAL, CQ_ATTRS(&cq), CQ_DRIVER(t));
	assert_fails(call_create_cq_ex(t, 3, &attr, &cq, 0), EINVAL);
	caller_buffer_init(&link, UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE, 1,
			   NULL);
	link.flags = CALLER_BUFFER_ERROR;
	assert_fails(foreign_cmd_create_cq_ex2(t->ctx, &attr, NULL, &cq,
					       CALLER_CMD(t), CALLER_RESP(t), 0,
					       TEST_LINK(&link)),
		     EINVAL);
	t->caller.cmd_size = 55;
	assert_fails(call_create_cq_ex(t, 3, &attr, &cq, 0), EINVAL);
	t->caller.cmd_size = 56;
	t->caller.resp_size = 15;
	assert_fails(call_create_cq_ex(t, 3, &attr, &cq, 0), EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FOREIGN_CMD_TEST(foreign_cmd_create_cq_sends_every_form),
		FOREIGN_CMD_TEST(
			foreign_cmd_create_cq_without_driver_data_succeeds),
		FOREIGN_CMD_TEST(foreign_cmd_create_cq_failure_sets_errno),
		FOREIGN_CMD_TEST(foreign_cmd_create_cq_ex_sends_every_form),
		FOREIGN_CMD_TEST(
			foreign_cmd_create_cq_ts_ignored_falls_back_without_timestamp),
		FOREIGN_CMD_TEST(
			foreign_cmd_create_cq_ts_ignored_with_chain_retries_without_timestamp),
		FOREIGN_CMD_TEST(foreign_cmd_create_cq_ex2_sends_chain),
		FOREIGN_CMD_TEST(
			foreign_cmd_create_cq_ex2_mandatory_chain_forbids_write),
		FOREIGN_CMD_TEST(
			foreign_cmd_create_cq_ex2_driver_data_in_chain_is_sent),
		FOREIGN_CMD_TEST(
			foreign_cmd_create_cq_ex_provider_buffer_is_sent),
		FOREIGN_CMD_TEST(
			foreign_cmd_create_cq_ex_invalid_provider_buffer_is_rejected),
		FOREIGN_CMD_TEST(foreign_cmd_create_cq_ex_failure_sets_errno),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
