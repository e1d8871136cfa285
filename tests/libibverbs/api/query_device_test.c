/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_query_device(3) and ibv_query_device_ex(3) for callers that were built
 * with older, current and newer headers: libibverbs/api/query_device.c.
 */
#include <string.h>

#include "libibverbs/api/api_fixture.h"

/* The struct of a caller that is newer than the library, and a guard. */
struct newer_attr {
	struct ibv_device_attr_ex known;
	unsigned char unknown[64];
	unsigned char guard[64];
};

static struct newer_attr buffer;

static int query_device_with_size(size_t size)
{
	struct verbs_context *vctx = verbs_get_ctx_op(api.ctx, query_device_ex);

	return vctx->query_device_ex(api.ctx, NULL, &buffer.known, size);
}

static int query_device_setup(void **state)
{
	int ret = api_open(state);

	memset(&buffer, 0xee, sizeof(buffer));
	memset(&fake_provider.device_attr, 0x11,
	       sizeof(fake_provider.device_attr));
	return ret;
}

/* The provider fills @known bytes, zeroes follow up to @size. */
static void assert_filled(size_t known, size_t size)
{
	const unsigned char *bytes = (const unsigned char *)&buffer;

	for (size_t i = 0; i < sizeof(buffer); i++)
		assert_int_equal(bytes[i], i < known  ? 0x11
					   : i < size ? 0
						      : 0xee);
}

static void query_device_fills_basic_attributes(void **state)
{
	ASSERT_OK(ibv_query_device(api.ctx, &buffer.known.orig_attr));
	ASSERT_OP("query_device");
	assert_filled(sizeof(struct ibv_device_attr),
		      sizeof(struct ibv_device_attr));
}

static void query_device_requests_size_of_basic_attributes(void **state)
{
	ASSERT_OK(ibv_query_device(api.ctx, &buffer.known.orig_attr));
	assert_int_equal(fake_provider.args.size,
			 sizeof(struct ibv_device_attr));
	assert_null(fake_provider.args.input);
}

static void query_device_provider_failure_writes_nothing(void **state)
{
	fake_provider.ret = -EIO;
	ASSERT_ERRNO(ibv_query_device(api.ctx, &buffer.known.orig_attr), EIO);
	assert_filled(0, 0);
}

static void query_device_ex_current_size_fills_all(void **state)
{
	ASSERT_OK(query_device_with_size(sizeof(struct ibv_device_attr_ex)));
	assert_int_equal(fake_provider.args.size,
			 sizeof(struct ibv_device_attr_ex));
	assert_filled(sizeof(struct ibv_device_attr_ex),
		      sizeof(struct ibv_device_attr_ex));
}

static void query_device_ex_older_size_fills_prefix(void **state)
{
	size_t size = offsetof(struct ibv_device_attr_ex, tso_caps);

	ASSERT_OK(query_device_with_size(size));
	assert_int_equal(fake_provider.args.size, size);
	assert_filled(size, size);
}

static void query_device_ex_newer_size_is_filled_with_zeroes(void **state)
{
	size_t size = offsetof(struct newer_attr, guard);

	ASSERT_OK(query_device_with_size(size));
	assert_filled(sizeof(struct ibv_device_attr_ex), size);
}

static void query_device_ex_basic_size_fills_basic_attributes(void **state)
{
	ASSERT_OK(query_device_with_size(sizeof(struct ibv_device_attr)));
	assert_filled(sizeof(struct ibv_device_attr),
		      sizeof(struct ibv_device_attr));
}

static void query_device_ex_smaller_than_basic_size_is_einval(void **state)
{
	ASSERT_ERRNO(query_device_with_size(sizeof(struct ibv_device_attr) - 1),
		     EINVAL);
	assert_filled(0, 0);
}

static void query_device_ex_size_0_is_einval(void **state)
{
	ASSERT_ERRNO(query_device_with_size(0), EINVAL);
	assert_filled(0, 0);
}

static void query_device_ex_provider_failure_writes_nothing(void **state)
{
	fake_provider.ret = -ENODEV;
	ASSERT_ERRNO(query_device_with_size(sizeof(struct ibv_device_attr_ex)),
		     ENODEV);
	assert_filled(0, 0);
}

static void query_device_ex_passes_input_to_provider(void **state)
{
	const struct ibv_query_device_ex_input input = {};

	ASSERT_OK(ibv_query_device_ex(api.ctx, &input, &buffer.known));
	assert_ptr_equal(fake_provider.args.input, &input);
}

static void query_device_ex_unknown_input_is_einval(void **state)
{
	const struct ibv_query_device_ex_input input = { .comp_mask = 1 };
	struct verbs_context *vctx = verbs_get_ctx_op(api.ctx, query_device_ex);

	ASSERT_ERRNO(vctx->query_device_ex(api.ctx, &input, &buffer.known,
					   sizeof(buffer.known)),
		     EINVAL);
	assert_filled(0, 0);
}

static void query_device_ex_inline_function_fills_all(void **state)
{
	ASSERT_OK(ibv_query_device_ex(api.ctx, NULL, &buffer.known));
	assert_filled(sizeof(struct ibv_device_attr_ex),
		      sizeof(struct ibv_device_attr_ex));
}

static void query_rt_values_ex_returns_clock(void **state)
{
	struct ibv_values_ex values = {
		.comp_mask = IBV_VALUES_MASK_RAW_CLOCK,
	};

	fake_provider.value = 123;
	ASSERT_OK(ibv_query_rt_values_ex(api.ctx, &values));
	ASSERT_OP("query_rt_values");
	assert_ptr_equal(fake_provider.args.attr, &values);
	assert_int_equal(values.raw_clock.tv_nsec, 123);
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, query_device_setup, api_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(query_rt_values_ex_returns_clock),
		TEST(query_device_fills_basic_attributes),
		TEST(query_device_requests_size_of_basic_attributes),
		TEST(query_device_provider_failure_writes_nothing),
		TEST(query_device_ex_current_size_fills_all),
		TEST(query_device_ex_older_size_fills_prefix),
		TEST(query_device_ex_newer_size_is_filled_with_zeroes),
		TEST(query_device_ex_basic_size_fills_basic_attributes),
		TEST(query_device_ex_smaller_than_basic_size_is_einval),
		TEST(query_device_ex_size_0_is_einval),
		TEST(query_device_ex_provider_failure_writes_nothing),
		TEST(query_device_ex_passes_input_to_provider),
		TEST(query_device_ex_unknown_input_is_einval),
		TEST(query_device_ex_inline_function_fills_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
