/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Commands of counters. */
#include "libibverbs/kernel/kernel_test.h"

#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <string.h>

static const struct ibv_counters_init_attr no_attr;

static void expect_create(bool driver_attrs, int err)
{
	const struct fake_attr attrs[] = {
		FAKE_NUM_OUT(UVERBS_ATTR_CREATE_COUNTERS_HANDLE, 41),
		TEST_DRIVER_ATTRS,
	};
	const struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_COUNTERS,
		.method = UVERBS_METHOD_COUNTERS_CREATE,
		.attrs = attrs,
		.nr_attrs = driver_attrs ? 3 : 1,
		.err = err,
	};

	fake_kernel_expect_ioctl(&cmd);
}

static void create_counters_sends_ioctl(void **state)
{
	struct kernel_test *t = *state;
	struct verbs_counters counters = {};

	expect_create(false, 0);
	assert_int_equal(
		verbs_cmd_create_counters(t->ctx, &counters, &no_attr, NULL),
		0);
	assert_ptr_equal(counters.counters.context, t->ctx);
	assert_int_equal(counters.handle, 41);
}

static void create_counters_passes_driver_attrs(void **state)
{
	struct kernel_test *t = *state;
	struct verbs_counters counters = {};

	expect_create(true, 0);
	assert_int_equal(verbs_cmd_create_counters(t->ctx, &counters, &no_attr,
						   &t->attrs_only),
			 0);
	assert_true(kernel_test_driver_attrs_updated(t));
	assert_int_equal(verbs_cmd_create_counters(t->ctx, &counters, &no_attr,
						   &t->udata),
			 -EOPNOTSUPP);
}

static void create_counters_error_leaves_object_unchanged(void **state)
{
	const struct verbs_counters before = { .handle = 99 };
	const struct ibv_counters_init_attr unknown = { .comp_mask = 1 };
	struct kernel_test *t = *state;
	struct verbs_counters counters = before;

	for (int i = 0; i < KERNEL_TEST_NR_ERRORS; i++) {
		expect_create(false, kernel_test_errors[i]);
		assert_int_equal(verbs_cmd_create_counters(t->ctx, &counters,
							   &no_attr, NULL),
				 -kernel_test_errors[i]);
	}
	assert_int_equal(
		verbs_cmd_create_counters(t->ctx, &counters, &unknown, NULL),
		-EOPNOTSUPP);
	assert_memory_equal(&counters, &before, sizeof(before));
}

static void create_counters_ioctl_refused_returns_eopnotsupp(void **state)
{
	struct kernel_test *t = *state;
	struct verbs_counters counters;

	expect_create(false, EPROTONOSUPPORT);
	for (int i = 0; i < 2; i++)
		assert_int_equal(verbs_cmd_create_counters(t->ctx, &counters,
							   &no_attr, NULL),
				 -EOPNOTSUPP);
}

static void expect_read(size_t len, const void *out, uint32_t flags, int err)
{
	const struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_COUNTERS,
		.method = UVERBS_METHOD_COUNTERS_READ,
		FAKE_ATTRS(FAKE_NUM_IN(UVERBS_ATTR_READ_COUNTERS_HANDLE, 41),
			   FAKE_BYTES_OUT(UVERBS_ATTR_READ_COUNTERS_BUFF, len,
					  out),
			   FAKE_U32_IN(UVERBS_ATTR_READ_COUNTERS_FLAGS, flags)),
		.err = err,
	};

	fake_kernel_expect_ioctl(&cmd);
}

static void read_counters_fills_values(void **state)
{
	static const uint64_t out[3] = { 1000, UINT64_MAX, 3000 };
	struct kernel_test *t = *state;
	struct verbs_counters counters = { .counters.context = t->ctx,
					   .handle = 41 };
	uint64_t values[4] = { 0, 0, 0, 77 };

	expect_read(sizeof(out), out, IBV_READ_COUNTERS_ATTR_PREFER_CACHED, 0);
	assert_int_equal(verbs_cmd_read_counters(
				 &counters, values, 3,
				 IBV_READ_COUNTERS_ATTR_PREFER_CACHED, NULL),
			 0);
	assert_memory_equal(values, out, sizeof(out));
	assert_int_equal(values[3], 77);
}

static void read_counters_passes_driver_attrs(void **state)
{
	static const uint64_t out = 5;
	struct kernel_test *t = *state;
	struct verbs_counters counters = { .counters.context = t->ctx,
					   .handle = 41 };
	const struct fake_ioctl cmd = {
		.object = UVERBS_OBJECT_COUNTERS,
		.method = UVERBS_METHOD_COUNTERS_READ,
		FAKE_ATTRS(FAKE_NUM_IN(UVERBS_ATTR_READ_COUNTERS_HANDLE, 41),
			   FAKE_U64_OUT(UVERBS_ATTR_READ_COUNTERS_BUFF, out),
			   FAKE_U32_IN(UVERBS_ATTR_READ_COUNTERS_FLAGS, 0),
			   TEST_DRIVER_ATTRS),
	};
	uint64_t value = 0;

	fake_kernel_expect_ioctl(&cmd);
	assert_int_equal(verbs_cmd_read_counters(&counters, &value, 1, 0,
						 &t->attrs_only),
			 0);
	assert_int_equal(value, 5);
	assert_true(kernel_test_driver_attrs_updated(t));
	assert_int_equal(
		verbs_cmd_read_counters(&counters, &value, 1, 0, &t->udata),
		-EOPNOTSUPP);
}

static void read_counters_returns_kernel_error(void **state)
{
	struct kernel_test *t = *state;
	struct verbs_counters counters = { .counters.context = t->ctx,
					   .handle = 41 };
	uint64_t value;

	expect_read(sizeof(value), NULL, 0, EINVAL);
	assert_int_equal(verbs_cmd_read_counters(&counters, &value, 1, 0, NULL),
			 -EINVAL);
	expect_read(sizeof(value), NULL, 0, EPROTONOSUPPORT);
	assert_int_equal(verbs_cmd_read_counters(&counters, &value, 1, 0, NULL),
			 -EOPNOTSUPP);
}

static void read_counters_more_values_than_attr_limit_are_refused(void **state)
{
	static const uint32_t counts[] = { 8192, UINT32_MAX };
	static uint64_t values[8191];
	struct kernel_test *t = *state;
	struct verbs_counters counters = { .counters.context = t->ctx,
					   .handle = 41 };

	expect_read(sizeof(values), NULL, 0, 0);
	assert_int_equal(
		verbs_cmd_read_counters(&counters, values, 8191, 0, NULL), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(verbs_cmd_read_counters(&counters, values,
							 counts[i], 0, NULL),
				 -EINVAL);
}

static int run_destroy(struct kernel_test *t)
{
	struct verbs_counters counters = { .counters.context = t->ctx,
					   .handle = 41 };

	return verbs_cmd_destroy_counters(&counters);
}

static const struct destroy_case destroy_counters_case = {
	.cap = KERNEL_CAP_DESTROY_COUNTERS,
	.handle_attr = UVERBS_ATTR_DESTROY_COUNTERS_HANDLE,
	.ioctl_only = true,
	.handle = 41,
	.run = run_destroy,
};

DESTROY_IOCTL_ONLY_TESTS(destroy_counters)

int main(void)
{
	const struct CMUnitTest tests[] = {
		KERNEL_TEST(create_counters_sends_ioctl),
		KERNEL_TEST(create_counters_passes_driver_attrs),
		KERNEL_TEST(create_counters_error_leaves_object_unchanged),
		KERNEL_TEST(create_counters_ioctl_refused_returns_eopnotsupp),
		KERNEL_TEST(read_counters_fills_values),
		KERNEL_TEST(read_counters_passes_driver_attrs),
		KERNEL_TEST(read_counters_returns_kernel_error),
		KERNEL_TEST(
			read_counters_more_values_than_attr_limit_are_refused),
		DESTROY_IOCTL_ONLY_TEST_LIST(destroy_counters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
