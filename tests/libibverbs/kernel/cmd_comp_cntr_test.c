/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Commands of completion counters. */
#include "libibverbs/kernel/kernel_test.h"

#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <string.h>

#include "kernel/uapi_newer.h"

#define OBJECT	VERBS_UAPI_UVERBS_OBJECT_COMP_CNTR
#define ATTR(x) VERBS_UAPI_UVERBS_ATTR_##x

/* ------------------------------------------------------------------------ */
/* Capabilities                                                              */
/* ------------------------------------------------------------------------ */

static void expect_caps(uint32_t ops, int err)
{
	const struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_DEVICE,
		.method = VERBS_UAPI_UVERBS_METHOD_QUERY_COMP_CNTR_CAPS,
		FAKE_ATTRS(
			FAKE_U32_OUT(ATTR(QUERY_COMP_CNTR_CAPS_MAX_COUNTERS),
				     1000),
			FAKE_U64_OUT(ATTR(QUERY_COMP_CNTR_CAPS_MAX_VALUE),
				     UINT64_C(1) << 40),
			FAKE_U32_OUT(
				ATTR(QUERY_COMP_CNTR_CAPS_SUPPORTED_QP_ATTACH_OPS),
				ops)),
		.err = err,
	};

	fake_kernel_expect_ioctl(&cmd);
}

static void query_comp_cntr_caps_fills_all_fields(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_comp_cntr_caps caps = {};

	expect_caps(IBV_QP_ATTACH_COMP_CNTR_OP_RECV |
			    IBV_QP_ATTACH_COMP_CNTR_OP_RDMA_WRITE,
		    0);
	assert_int_equal(verbs_cmd_query_comp_cntr_caps(t->ctx, &caps), 0);
	assert_int_equal(caps.max_value, UINT64_C(1) << 40);
	assert_int_equal(caps.max_counters, 1000);
	assert_int_equal(caps.supported_qp_attach_ops,
			 IBV_QP_ATTACH_COMP_CNTR_OP_RECV |
				 IBV_QP_ATTACH_COMP_CNTR_OP_RDMA_WRITE);
}

static void query_comp_cntr_caps_drops_unknown_operations(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_comp_cntr_caps caps = {};

	expect_caps(UINT32_MAX, 0);
	assert_int_equal(verbs_cmd_query_comp_cntr_caps(t->ctx, &caps), 0);
	assert_int_equal(caps.supported_qp_attach_ops, 0x3f);
}

static void query_comp_cntr_caps_error_leaves_output_unchanged(void **state)
{
	const struct ibv_comp_cntr_caps before = { 1, 2, 3 };
	struct kernel_test *t = *state;
	struct ibv_comp_cntr_caps caps = before;

	expect_caps(1, EINVAL);
	assert_int_equal(verbs_cmd_query_comp_cntr_caps(t->ctx, &caps),
			 -EINVAL);
	expect_caps(1, EPROTONOSUPPORT);
	for (int i = 0; i < 2; i++)
		assert_int_equal(verbs_cmd_query_comp_cntr_caps(t->ctx, &caps),
				 -EOPNOTSUPP);
	assert_memory_equal(&caps, &before, sizeof(before));
}

/* ------------------------------------------------------------------------ */
/* Creation and destruction                                                  */
/* ------------------------------------------------------------------------ */

static void expect_create(bool driver_attrs, int err)
{
	const struct fake_attr attrs[] = {
		FAKE_NUM_OUT(ATTR(CREATE_COMP_CNTR_HANDLE), 47),
		TEST_DRIVER_ATTRS,
	};
	const struct fake_ioctl cmd = {
		.object = OBJECT,
		.method = VERBS_UAPI_UVERBS_METHOD_COMP_CNTR_CREATE,
		.attrs = attrs,
		.nr_attrs = driver_attrs ? 3 : 1,
		.err = err,
	};

	fake_kernel_expect_ioctl(&cmd);
}

static void create_comp_cntr_sends_ioctl(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_comp_cntr cntr = {};

	expect_create(false, 0);
	assert_int_equal(verbs_cmd_create_comp_cntr(t->ctx, &cntr, NULL), 0);
	assert_int_equal(cntr.handle, 47);
	assert_ptr_equal(cntr.context, t->ctx);
}

static void create_comp_cntr_passes_driver_attrs(void **state)
{
	struct kernel_test *t = *state;
	struct ibv_comp_cntr cntr = {};

	expect_create(true, 0);
	assert_int_equal(
		verbs_cmd_create_comp_cntr(t->ctx, &cntr, &t->attrs_only), 0);
	assert_true(kernel_test_driver_attrs_updated(t));
	assert_int_equal(verbs_cmd_create_comp_cntr(t->ctx, &cntr, &t->udata),
			 -EOPNOTSUPP);
}

static void create_comp_cntr_error_leaves_object_unchanged(void **state)
{
	const struct ibv_comp_cntr before = { .handle = 99 };
	struct kernel_test *t = *state;
	struct ibv_comp_cntr cntr = before;

	for (int i = 0; i < KERNEL_TEST_NR_ERRORS; i++) {
		expect_create(false, kernel_test_errors[i]);
		assert_int_equal(
			verbs_cmd_create_comp_cntr(t->ctx, &cntr, NULL),
			-kernel_test_errors[i]);
	}
	expect_create(false, EPROTONOSUPPORT);
	for (int i = 0; i < 2; i++)
		assert_int_equal(
			verbs_cmd_create_comp_cntr(t->ctx, &cntr, NULL),
			-EOPNOTSUPP);
	assert_memory_equal(&cntr, &before, sizeof(before));
}

static struct ibv_comp_cntr cntr_of(struct kernel_test *t)
{
	return (struct ibv_comp_cntr){ .context = t->ctx, .handle = 47 };
}

static int run_destroy(struct kernel_test *t)
{
	struct ibv_comp_cntr cntr = cntr_of(t);

	return verbs_cmd_destroy_comp_cntr(&cntr);
}

static const struct destroy_case destroy_comp_cntr_case = {
	.cap = KERNEL_CAP_DESTROY_COMP_CNTR,
	.handle_attr = ATTR(DESTROY_COMP_CNTR_HANDLE),
	.ioctl_only = true,
	.handle = 47,
	.run = run_destroy,
};

DESTROY_IOCTL_ONLY_TESTS(destroy_comp_cntr)

/* ------------------------------------------------------------------------ */
/* Values                                                                    */
/* ------------------------------------------------------------------------ */

#define VALUE UINT64_C(0x1234567890abcdef)

static void expect_modify(uint64_t entry, uint64_t op, int err)
{
	const struct fake_ioctl cmd = {
		.object = OBJECT,
		.method = VERBS_UAPI_UVERBS_METHOD_COMP_CNTR_MODIFY,
		FAKE_ATTRS(FAKE_NUM_IN(ATTR(MODIFY_COMP_CNTR_HANDLE), 47),
			   FAKE_U64_IN(ATTR(MODIFY_COMP_CNTR_ENTRY), entry),
			   FAKE_U64_IN(ATTR(MODIFY_COMP_CNTR_OP), op),
			   FAKE_U64_IN(ATTR(MODIFY_COMP_CNTR_VALUE), VALUE)),
		.err = err,
	};

	fake_kernel_expect_ioctl(&cmd);
}

static void modify_comp_cntr_sends_entry_and_operation(void **state)
{
	static const struct {
		int (*run)(struct ibv_comp_cntr *cntr, uint64_t value);
		uint64_t entry, op;
	} cases[] = {
		{ verbs_cmd_set_comp_cntr, 0, 0 },
		{ verbs_cmd_set_err_comp_cntr, 1, 0 },
		{ verbs_cmd_inc_comp_cntr, 0, 1 },
		{ verbs_cmd_inc_err_comp_cntr, 1, 1 },
	};
	struct kernel_test *t = *state;
	struct ibv_comp_cntr cntr = cntr_of(t);

	for (int i = 0; i < 4; i++) {
		t->state.refused = 0;
		expect_modify(cases[i].entry, cases[i].op, 0);
		assert_int_equal(cases[i].run(&cntr, VALUE), 0);
		expect_modify(cases[i].entry, cases[i].op, EINVAL);
		assert_int_equal(cases[i].run(&cntr, VALUE), -EINVAL);
		expect_modify(cases[i].entry, cases[i].op, EPROTONOSUPPORT);
		assert_int_equal(cases[i].run(&cntr, VALUE), -EOPNOTSUPP);
		assert_int_equal(cases[i].run(&cntr, VALUE), -EOPNOTSUPP);
	}
}

static void expect_read(uint64_t entry, int err)
{
	const struct fake_ioctl cmd = {
		.object = OBJECT,
		.method = VERBS_UAPI_UVERBS_METHOD_COMP_CNTR_READ,
		FAKE_ATTRS(
			FAKE_NUM_IN(ATTR(READ_COMP_CNTR_HANDLE), 47),
			FAKE_U64_IN(ATTR(READ_COMP_CNTR_ENTRY), entry),
			FAKE_U64_OUT(ATTR(READ_COMP_CNTR_RESP_VALUE), VALUE)),
		.err = err,
	};

	fake_kernel_expect_ioctl(&cmd);
}

static void read_comp_cntr_sends_entry(void **state)
{
	int (*const reads[])(struct ibv_comp_cntr *, uint64_t *) = {
		verbs_cmd_read_comp_cntr,
		verbs_cmd_read_err_comp_cntr,
	};
	struct kernel_test *t = *state;
	struct ibv_comp_cntr cntr = cntr_of(t);

	for (uint64_t i = 0; i < 2; i++) {
		uint64_t value = 7;

		t->state.refused = 0;
		expect_read(i, EINVAL);
		assert_int_equal(reads[i](&cntr, &value), -EINVAL);
		expect_read(i, EPROTONOSUPPORT);
		assert_int_equal(reads[i](&cntr, &value), -EOPNOTSUPP);
		assert_int_equal(value, 7);
		t->state.refused = 0;
		expect_read(i, 0);
		assert_int_equal(reads[i](&cntr, &value), 0);
		assert_int_equal(value, VALUE);
	}
}

/* ------------------------------------------------------------------------ */
/* Attaching to a QP                                                         */
/* ------------------------------------------------------------------------ */

static void expect_attach(uint32_t ops, int err)
{
	const struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_QP,
		.method = VERBS_UAPI_UVERBS_METHOD_QP_ATTACH_COMP_CNTR,
		FAKE_ATTRS(
			FAKE_NUM_IN(ATTR(QP_ATTACH_COMP_CNTR_HANDLE), 61),
			FAKE_NUM_IN(ATTR(QP_ATTACH_COMP_CNTR_CNTR_HANDLE), 47),
			FAKE_U32_IN(ATTR(QP_ATTACH_COMP_CNTR_OP_MASK), ops)),
		.err = err,
	};

	fake_kernel_expect_ioctl(&cmd);
}

static int run_attach(struct kernel_test *t, uint32_t comp_mask, uint32_t ops)
{
	const struct ibv_qp_attach_comp_cntr_attr attr = {
		.comp_mask = comp_mask,
		.op_mask = ops,
	};
	struct ibv_comp_cntr cntr = cntr_of(t);
	struct ibv_qp qp = { .context = t->ctx, .handle = 61 };

	return verbs_cmd_qp_attach_comp_cntr(&qp, &cntr, &attr);
}

static void attach_comp_cntr_sends_operations(void **state)
{
	for (uint32_t ops = 1; ops <= 0x3f; ops++) {
		expect_attach(ops, 0);
		assert_int_equal(run_attach(*state, 0, ops), 0);
	}
}

static void attach_comp_cntr_returns_kernel_error(void **state)
{
	for (int i = 0; i < KERNEL_TEST_NR_ERRORS; i++) {
		expect_attach(1, kernel_test_errors[i]);
		assert_int_equal(run_attach(*state, 0, 1),
				 -kernel_test_errors[i]);
	}
	expect_attach(1, EPROTONOSUPPORT);
	assert_int_equal(run_attach(*state, 0, 1), -EOPNOTSUPP);
}

static void attach_comp_cntr_unknown_attrs_are_refused(void **state)
{
	assert_int_equal(run_attach(*state, 1, 1), -EOPNOTSUPP);
	assert_int_equal(run_attach(*state, 0, 0x41), -EOPNOTSUPP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KERNEL_TEST(query_comp_cntr_caps_fills_all_fields),
		KERNEL_TEST(query_comp_cntr_caps_drops_unknown_operations),
		KERNEL_TEST(query_comp_cntr_caps_error_leaves_output_unchanged),
		KERNEL_TEST(create_comp_cntr_sends_ioctl),
		KERNEL_TEST(create_comp_cntr_passes_driver_attrs),
		KERNEL_TEST(create_comp_cntr_error_leaves_object_unchanged),
		DESTROY_IOCTL_ONLY_TEST_LIST(destroy_comp_cntr),
		KERNEL_TEST(modify_comp_cntr_sends_entry_and_operation),
		KERNEL_TEST(read_comp_cntr_sends_entry),
		KERNEL_TEST(attach_comp_cntr_sends_operations),
		KERNEL_TEST(attach_comp_cntr_returns_kernel_error),
		KERNEL_TEST(attach_comp_cntr_unknown_attrs_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
