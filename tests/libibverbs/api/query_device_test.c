/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_query_device(3) and ibv_query_device_ex(3) for callers of all ages:
 * libibverbs/api/query_device.c.
 */
#include <string.h>

#include "libibverbs/api/api_fixture.h"

/* A caller that is newer than the library, and a guard behind its struct. */
struct newer_attr {
	struct ibv_device_attr_ex known;
	unsigned char unknown[64];
	unsigned char guard[64];
};

static struct newer_attr buffer;

static int query_ex(size_t size)
{
	struct verbs_context *vctx = verbs_get_ctx_op(api.ctx, query_device_ex);

	return vctx->query_device_ex(api.ctx, NULL, &buffer.known, size);
}

static int start(void **state)
{
	int ret = api_open(state);

	memset(&buffer, 0xee, sizeof(buffer));
	memset(&fake_provider.device_attr, 0x11,
	       sizeof(fake_provider.device_attr));
	return ret;
}

/* The first @known bytes are the provider's, zeroes follow up to @size. */
static void assert_filled(size_t known, size_t size)
{
	const unsigned char *bytes = (const unsigned char *)&buffer;

	for (size_t i = 0; i < sizeof(buffer); i++)
		assert_int_equal(bytes[i], i < known  ? 0x11
					   : i < size ? 0
						      : 0xee);
}

static void basic_query_fills_the_basic_attributes(void **state)
{
	ASSERT_OK(ibv_query_device(api.ctx, &buffer.known.orig_attr));
	ASSERT_OP("query_device");
	assert_filled(sizeof(struct ibv_device_attr),
		      sizeof(struct ibv_device_attr));
}

static void basic_query_asks_for_no_more(void **state)
{
	ASSERT_OK(ibv_query_device(api.ctx, &buffer.known.orig_attr));
	assert_int_equal(fake_provider.args.size,
			 sizeof(struct ibv_device_attr));
	assert_null(fake_provider.args.input);
}

static void basic_query_that_fails_touches_nothing(void **state)
{
	fake_provider.ret = -EIO;
	ASSERT_ERRNO(ibv_query_device(api.ctx, &buffer.known.orig_attr), EIO);
	assert_filled(0, 0);
}

static void present_caller_gets_all(void **state)
{
	ASSERT_OK(query_ex(sizeof(struct ibv_device_attr_ex)));
	assert_int_equal(fake_provider.args.size,
			 sizeof(struct ibv_device_attr_ex));
	assert_filled(sizeof(struct ibv_device_attr_ex),
		      sizeof(struct ibv_device_attr_ex));
}

static void older_caller_gets_what_it_knows(void **state)
{
	size_t size = offsetof(struct ibv_device_attr_ex, tso_caps);

	ASSERT_OK(query_ex(size));
	assert_int_equal(fake_provider.args.size, size);
	assert_filled(size, size);
}

static void newer_caller_gets_zeroes_for_what_we_do_not_know(void **state)
{
	size_t size = offsetof(struct newer_attr, guard);

	ASSERT_OK(query_ex(size));
	assert_filled(sizeof(struct ibv_device_attr_ex), size);
}

static void smallest_size_is_that_of_the_basic_attributes(void **state)
{
	ASSERT_OK(query_ex(sizeof(struct ibv_device_attr)));
	assert_filled(sizeof(struct ibv_device_attr),
		      sizeof(struct ibv_device_attr));
}

static void smaller_size_is_einval(void **state)
{
	ASSERT_ERRNO(query_ex(sizeof(struct ibv_device_attr) - 1), EINVAL);
	assert_filled(0, 0);
}

static void size_0_is_einval(void **state)
{
	ASSERT_ERRNO(query_ex(0), EINVAL);
	assert_filled(0, 0);
}

static void failure_touches_nothing(void **state)
{
	fake_provider.ret = -ENODEV;
	ASSERT_ERRNO(query_ex(sizeof(struct ibv_device_attr_ex)), ENODEV);
	assert_filled(0, 0);
}

static void input_reaches_the_provider(void **state)
{
	const struct ibv_query_device_ex_input input = {};

	ASSERT_OK(ibv_query_device_ex(api.ctx, &input, &buffer.known));
	assert_ptr_equal(fake_provider.args.input, &input);
}

static void unknown_input_is_einval(void **state)
{
	const struct ibv_query_device_ex_input input = { .comp_mask = 1 };
	struct verbs_context *vctx = verbs_get_ctx_op(api.ctx, query_device_ex);

	ASSERT_ERRNO(vctx->query_device_ex(api.ctx, &input, &buffer.known,
					   sizeof(buffer.known)),
		     EINVAL);
	assert_filled(0, 0);
}

static void inline_query_is_the_same(void **state)
{
	ASSERT_OK(ibv_query_device_ex(api.ctx, NULL, &buffer.known));
	assert_filled(sizeof(struct ibv_device_attr_ex),
		      sizeof(struct ibv_device_attr_ex));
}

static void values_that_change_are_told(void **state)
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, api_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(values_that_change_are_told),
		TEST(basic_query_fills_the_basic_attributes),
		TEST(basic_query_asks_for_no_more),
		TEST(basic_query_that_fails_touches_nothing),
		TEST(present_caller_gets_all),
		TEST(older_caller_gets_what_it_knows),
		TEST(newer_caller_gets_zeroes_for_what_we_do_not_know),
		TEST(smallest_size_is_that_of_the_basic_attributes),
		TEST(smaller_size_is_einval),
		TEST(size_0_is_einval),
		TEST(failure_touches_nothing),
		TEST(input_reaches_the_provider),
		TEST(unknown_input_is_einval),
		TEST(inline_query_is_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
