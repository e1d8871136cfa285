/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_create_counters(3), ibv_attach_counters_point_flow(3),
 * ibv_read_counters(3): libibverbs/api/counters.c.
 */
#include "libibverbs/api/api_fixture.h"

static struct ibv_counters *counters;

static int counters_setup(void **state)
{
	struct ibv_counters_init_attr attr = {};
	int ret = api_open(state);

	errno = SOME_ERRNO;
	counters = ibv_create_counters(api.ctx, &attr);
	assert_non_null(counters);
	assert_int_equal(errno, SOME_ERRNO);
	ASSERT_OP("create_counters");
	assert_ptr_equal(fake_provider.args.attr, &attr);
	return ret;
}

static int counters_teardown(void **state)
{
	fake_provider.ret = 0;
	ASSERT_OK(ibv_destroy_counters(counters));
	ASSERT_OP("destroy_counters");
	return api_close(state);
}

static void counters_create_sets_context(void **state)
{
	assert_ptr_equal(counters->context, api.ctx);
}

static void counters_attach_reaches_provider(void **state)
{
	struct ibv_counter_attach_attr attr = { .index = 1 };
	struct ibv_flow flow = { .context = api.ctx };

	ASSERT_OK(ibv_attach_counters_point_flow(counters, &attr, &flow));
	ASSERT_OP("attach_counters_point_flow");
	assert_ptr_equal(fake_provider.args.attr, &attr);
	assert_ptr_equal(fake_provider.args.object, &flow);
}

/* Flows that are created later refer to the counters themselves. */
static void counters_attach_without_flow_is_allowed(void **state)
{
	struct ibv_counter_attach_attr attr = {};

	ASSERT_OK(ibv_attach_counters_point_flow(counters, &attr, NULL));
	ASSERT_OP("attach_counters_point_flow");
	assert_null(fake_provider.args.object);
}

static void counters_attach_flow_of_different_context_is_einval(void **state)
{
	struct ibv_context *other = api_open_another();
	struct ibv_counter_attach_attr attr = {};
	struct ibv_flow flow = { .context = other };

	ASSERT_ERRNO(ibv_attach_counters_point_flow(counters, &attr, &flow),
		     EINVAL);
	ASSERT_OK(ibv_close_device(other));
}

static void counters_read_returns_values(void **state)
{
	uint64_t values[3] = { 0, 0, 5 };

	fake_provider.value = 100;
	ASSERT_OK(ibv_read_counters(counters, values, 2,
				    IBV_READ_COUNTERS_ATTR_PREFER_CACHED));
	ASSERT_OP("read_counters");
	assert_ptr_equal(fake_provider.args.object, counters);
	assert_int_equal(fake_provider.args.flags,
			 IBV_READ_COUNTERS_ATTR_PREFER_CACHED);
	assert_int_equal(values[0], 100);
	assert_int_equal(values[1], 101);
	assert_int_equal(values[2], 5);
}

static void counters_arguments_are_checked(void **state)
{
	struct ibv_counters_init_attr init = { .comp_mask = 1 };
	struct ibv_counter_attach_attr attr = { .comp_mask = 1 };

	ASSERT_NULL(ibv_create_counters(api.ctx, &init), EOPNOTSUPP);
	ASSERT_NULL(ibv_create_counters(api.ctx, NULL), EINVAL);
	ASSERT_ERRNO(ibv_attach_counters_point_flow(counters, &attr, NULL),
		     EOPNOTSUPP);
	ASSERT_ERRNO(ibv_attach_counters_point_flow(counters, NULL, NULL),
		     EINVAL);
	ASSERT_ERRNO(ibv_read_counters(counters, NULL, 1, 0), EINVAL);
	ASSERT_OP("create_counters");
}

static void counters_failures_are_errno(void **state)
{
	struct ibv_counters_init_attr init = {};
	struct ibv_counter_attach_attr attr = {};
	uint64_t value = 5;

	fake_provider.ret = -EBUSY;
	ASSERT_NULL(ibv_create_counters(api.ctx, &init), EBUSY);
	ASSERT_ERRNO(ibv_attach_counters_point_flow(counters, &attr, NULL),
		     EBUSY);
	ASSERT_ERRNO(ibv_read_counters(counters, &value, 1, 0), EBUSY);
	assert_int_equal(value, 5);
	ASSERT_ERRNO(ibv_destroy_counters(counters), EBUSY);
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, counters_setup, counters_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(counters_create_sets_context),
		TEST(counters_attach_reaches_provider),
		TEST(counters_attach_without_flow_is_allowed),
		TEST(counters_attach_flow_of_different_context_is_einval),
		TEST(counters_read_returns_values),
		TEST(counters_arguments_are_checked),
		TEST(counters_failures_are_errno),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
