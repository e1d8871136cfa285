/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Completion counter commands of foreign providers:
 * libibverbs/foreign/foreign_cmd_comp_cntr.c.
 */
#include <string.h>

#include "kernel/uapi_newer.h"
#include "libibverbs/foreign/foreign_cmd_test.h"

#define CAPS(name)   VERBS_UAPI_UVERBS_ATTR_QUERY_COMP_CNTR_CAPS_##name
#define MODIFY(name) VERBS_UAPI_UVERBS_ATTR_MODIFY_COMP_CNTR_##name
#define READ(name)   VERBS_UAPI_UVERBS_ATTR_READ_COMP_CNTR_##name
#define ATTACH(name) VERBS_UAPI_UVERBS_ATTR_QP_ATTACH_COMP_CNTR_##name

static void foreign_cmd_query_comp_cntr_caps_fills_caps(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_DEVICE,
		.method = VERBS_UAPI_UVERBS_METHOD_QUERY_COMP_CNTR_CAPS,
		FAKE_ATTRS(FAKE_U32_OUT(CAPS(MAX_COUNTERS), 64),
			   FAKE_U64_OUT(CAPS(MAX_VALUE), 0xffffffffffff),
			   FAKE_U32_OUT(CAPS(SUPPORTED_QP_ATTACH_OPS), 0x103)),
	};
	struct {
		struct ibv_comp_cntr_caps caps;
		uint64_t newer;
	} got = { .newer = 5 };

	fake_kernel_expect_ioctl(&cmd);
	assert_succeeds(foreign_cmd_query_comp_cntr_caps(t->ctx, &got.caps,
							 sizeof(got)));
	assert_int_equal(got.caps.max_counters, 64);
	assert_int_equal(got.caps.max_value, 0xffffffffffff);
	assert_int_equal(got.caps.supported_qp_attach_ops, 3);
	assert_int_equal(got.newer, 5);

	assert_fails(foreign_cmd_query_comp_cntr_caps(t->ctx, &got.caps, 15),
		     EINVAL);
	cmd.err = EPROTONOSUPPORT;
	fake_kernel_expect_ioctl(&cmd);
	assert_fails(foreign_cmd_query_comp_cntr_caps(t->ctx, &got.caps,
						      sizeof(got.caps)),
		     EOPNOTSUPP);
	assert_int_equal(got.caps.max_counters, 64);
}

static void foreign_cmd_create_comp_cntr_fills_object(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct fake_ioctl cmd = {
		.object = VERBS_UAPI_UVERBS_OBJECT_COMP_CNTR,
		.method = VERBS_UAPI_UVERBS_METHOD_COMP_CNTR_CREATE,
		FAKE_ATTRS(
			FAKE_NUM_OUT(
				VERBS_UAPI_UVERBS_ATTR_CREATE_COMP_CNTR_HANDLE,
				31),
			TEST_LINK_EXPECTED),
	};
	struct ibv_comp_cntr cntr = {};
	struct caller_buffer link;

	foreign_cmd_test_link(&link, cmd.object, cmd.method);
	cmd.err = ENOSPC;
	fake_kernel_expect_ioctl(&cmd);
	assert_fails(
		foreign_cmd_create_comp_cntr(t->ctx, &cntr, TEST_LINK(&link)),
		ENOSPC);
	assert_null(cntr.context);
	cmd.err = 0;
	fake_kernel_expect_ioctl(&cmd);
	assert_succeeds(
		foreign_cmd_create_comp_cntr(t->ctx, &cntr, TEST_LINK(&link)));
	assert_ptr_equal(cntr.context, t->ctx);
	assert_int_equal(cntr.handle, 31);
	foreign_cmd_test_check_link(&link);
	link.flags = CALLER_BUFFER_ERROR;
	assert_fails(
		foreign_cmd_create_comp_cntr(t->ctx, &cntr, TEST_LINK(&link)),
		EINVAL);
}

static void foreign_cmd_comp_cntr_is_set_and_incremented(void **state)
{
	static const struct {
		int (*call)(struct ibv_comp_cntr *cntr, uint64_t value);
		uint64_t entry, op;
	} cases[] = {
		{ foreign_cmd_set_comp_cntr, 0, 0 },
		{ foreign_cmd_set_err_comp_cntr, 1, 0 },
		{ foreign_cmd_inc_comp_cntr, 0, 1 },
		{ foreign_cmd_inc_err_comp_cntr, 1, 1 },
	};
	struct foreign_cmd_test *t = *state;
	struct ibv_comp_cntr cntr = { .context = t->ctx, .handle = 31 };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fake_ioctl cmd = {
			.object = VERBS_UAPI_UVERBS_OBJECT_COMP_CNTR,
			.method = VERBS_UAPI_UVERBS_METHOD_COMP_CNTR_MODIFY,
			FAKE_ATTRS(FAKE_NUM_IN(MODIFY(HANDLE), 31),
				   FAKE_U64_IN(MODIFY(ENTRY), cases[i].entry),
				   FAKE_U64_IN(MODIFY(OP), cases[i].op),
				   FAKE_U64_IN(MODIFY(VALUE), 9)),
		};

		fake_kernel_expect_ioctl(&cmd);
		assert_succeeds(cases[i].call(&cntr, 9));
		cmd.err = EINVAL;
		fake_kernel_expect_ioctl(&cmd);
		assert_fails(cases[i].call(&cntr, 9), EINVAL);
	}
}

static void foreign_cmd_comp_cntr_is_read(void **state)
{
	static const struct {
		int (*call)(struct ibv_comp_cntr *cntr, uint64_t *value);
		uint64_t entry;
	} cases[] = {
		{ foreign_cmd_read_comp_cntr, 0 },
		{ foreign_cmd_read_err_comp_cntr, 1 },
	};
	struct foreign_cmd_test *t = *state;
	struct ibv_comp_cntr cntr = { .context = t->ctx, .handle = 31 };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fake_ioctl cmd = {
			.object = VERBS_UAPI_UVERBS_OBJECT_COMP_CNTR,
			.method = VERBS_UAPI_UVERBS_METHOD_COMP_CNTR_READ,
			FAKE_ATTRS(FAKE_NUM_IN(READ(HANDLE), 31),
				   FAKE_U64_IN(READ(ENTRY), cases[i].entry),
				   FAKE_U64_OUT(READ(RESP_VALUE), 1000)),
		};
		uint64_t value = 0;

		fake_kernel_expect_ioctl(&cmd);
		assert_succeeds(cases[i].call(&cntr, &value));
		assert_int_equal(value, 1000);
		value = 4;
		cmd.err = EIO;
		fake_kernel_expect_ioctl(&cmd);
		assert_fails(cases[i].call(&cntr, &value), EIO);
		assert_int_equal(value, 4);
	}
}

static void foreign_cmd_qp_attach_comp_cntr_sends_handles(void **state)
{
	struct foreign_cmd_test *t = *state;
	struct ibv_comp_cntr cntr = { .context = t->ctx, .handle = 31 };
	struct ibv_qp qp = { .context = t->ctx, .handle = 41 };
	struct ibv_qp_attach_comp_cntr_attr attr = { .op_mask = 5 };
	const struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_QP,
		.method = VERBS_UAPI_UVERBS_METHOD_QP_ATTACH_COMP_CNTR,
		FAKE_ATTRS(FAKE_NUM_IN(ATTACH(HANDLE), 41),
			   FAKE_NUM_IN(ATTACH(CNTR_HANDLE), 31),
			   FAKE_U32_IN(ATTACH(OP_MASK), 5)),
	};

	fake_kernel_expect_ioctl(&cmd);
	assert_succeeds(foreign_cmd_qp_attach_comp_cntr(&qp, &cntr, &attr));
	attr.comp_mask = 1;
	assert_fails(foreign_cmd_qp_attach_comp_cntr(&qp, &cntr, &attr),
		     EOPNOTSUPP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FOREIGN_CMD_TEST(foreign_cmd_query_comp_cntr_caps_fills_caps),
		FOREIGN_CMD_TEST(foreign_cmd_create_comp_cntr_fills_object),
		FOREIGN_CMD_TEST(foreign_cmd_comp_cntr_is_set_and_incremented),
		FOREIGN_CMD_TEST(foreign_cmd_comp_cntr_is_read),
		FOREIGN_CMD_TEST(foreign_cmd_qp_attach_comp_cntr_sends_handles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
