/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_query_port(3) for callers that were built with older, current and newer
 * headers, ibv_query_pkey(3) and ibv_get_pkey_index(3): libibverbs/api/port.c.
 */
#include <string.h>

#include "libibverbs/api/api_fixture.h"

/* Size of struct ibv_port_attr when the exported function was frozen. */
#define FROZEN_SIZE 48

static unsigned char buffer[256];

static int port_setup(void **state)
{
	int ret = api_open(state);

	memset(buffer, 0xee, sizeof(buffer));
	memset(&fake_provider.port_attr, 0x11, sizeof(fake_provider.port_attr));
	return ret;
}

/* The provider fills @known bytes, zeroes follow up to @size. */
static void assert_filled(size_t known, size_t size)
{
	for (size_t i = 0; i < sizeof(buffer); i++)
		assert_int_equal(buffer[i], i < known  ? 0x11
					    : i < size ? 0
						       : 0xee);
}

/* Programs with the frozen struct call the exported function. */
static int query_port_exported(void)
{
	return (ibv_query_port)(api.ctx, 1,
				(struct _compat_ibv_port_attr *)buffer);
}

/* The inline function of a release calls the op with its struct size. */
static int query_port_with_size(size_t size)
{
	struct verbs_context *vctx = verbs_get_ctx_op(api.ctx, query_port);

	return vctx->query_port(api.ctx, 1, (void *)buffer, size);
}

static void query_port_exported_function_writes_48_bytes(void **state)
{
	ASSERT_OK(query_port_exported());
	assert_filled(FROZEN_SIZE, FROZEN_SIZE);
}

static void query_port_compat_op_writes_48_bytes(void **state)
{
	ASSERT_OK(api.ctx->ops._compat_query_port(
		api.ctx, 1, (struct _compat_ibv_port_attr *)buffer));
	assert_filled(FROZEN_SIZE, FROZEN_SIZE);
}

static void query_port_exported_function_failure_writes_nothing(void **state)
{
	fake_provider.ret = -EINVAL;
	ASSERT_ERRNO(query_port_exported(), EINVAL);
	assert_filled(0, 0);
}

static void query_port_size_48_writes_48_bytes(void **state)
{
	ASSERT_OK(query_port_with_size(48));
	assert_filled(48, 48);
}

/* Up to port_cap_flags2 and its padding. */
static void query_port_size_52_writes_52_bytes(void **state)
{
	ASSERT_OK(query_port_with_size(52));
	assert_filled(52, 52);
}

static void query_port_size_56_writes_all(void **state)
{
	assert_int_equal(sizeof(struct ibv_port_attr), 56);
	ASSERT_OK(query_port_with_size(56));
	assert_filled(56, 56);
}

static void query_port_newer_size_is_filled_with_zeroes(void **state)
{
	ASSERT_OK(query_port_with_size(100));
	assert_filled(sizeof(struct ibv_port_attr), 100);
}

static void query_port_size_0_writes_nothing(void **state)
{
	ASSERT_OK(query_port_with_size(0));
	assert_filled(0, 0);
}

static void query_port_provider_failure_writes_nothing(void **state)
{
	fake_provider.ret = -ENODEV;
	ASSERT_ERRNO(query_port_with_size(100), ENODEV);
	assert_filled(0, 0);
}

static void query_port_inline_function_writes_all(void **state)
{
	ASSERT_OK(ibv_query_port(api.ctx, 1, (void *)buffer));
	assert_filled(sizeof(struct ibv_port_attr),
		      sizeof(struct ibv_port_attr));
}

static void query_port_passes_port_number_to_provider(void **state)
{
	ASSERT_OK(ibv_query_port(api.ctx, 255, (void *)buffer));
	ASSERT_OP("query_port");
	assert_int_equal(fake_provider.args.port_num, 255);
	assert_ptr_equal(fake_provider.args.ctx, api.ctx);
}

/* ------------------------------------------------------------------------ */
/* P_Keys                                                                    */
/* ------------------------------------------------------------------------ */

static const __be16 pkeys[] = {
	/* network order */
	0xffff,
	0x1234,
	0x8001,
	0x1234,
};

static void set_pkeys(void)
{
	fake_provider.pkeys = pkeys;
	fake_provider.nr_pkeys = sizeof(pkeys) / sizeof(pkeys[0]);
}

static void query_pkey_returns_pkey_in_network_order(void **state)
{
	__be16 pkey = 0;

	set_pkeys();
	ASSERT_OK(ibv_query_pkey(api.ctx, 1, 2, &pkey));
	assert_int_equal(pkey, 0x8001);
	assert_int_equal(fake_provider.args.port_num, 1);
}

static void query_pkey_index_out_of_range_returns_minus_1(void **state)
{
	__be16 pkey = 0x5a5a;

	set_pkeys();
	ASSERT_MINUS1(ibv_query_pkey(api.ctx, 1, 4, &pkey), EINVAL);
	ASSERT_MINUS1(ibv_query_pkey(api.ctx, 1, -1, &pkey), EINVAL);
	assert_int_equal(pkey, 0x5a5a);
}

static void get_pkey_index_returns_first_index(void **state)
{
	set_pkeys();
	assert_int_equal(ibv_get_pkey_index(api.ctx, 1, 0xffff), 0);
	assert_int_equal(ibv_get_pkey_index(api.ctx, 1, 0x1234), 1);
}

static void get_pkey_index_missing_pkey_returns_minus_1(void **state)
{
	set_pkeys();
	ASSERT_MINUS1(ibv_get_pkey_index(api.ctx, 1, 0x4321), EINVAL);
}

static void get_pkey_index_unreadable_table_returns_minus_1(void **state)
{
	set_pkeys();
	fake_provider.ret = -EIO;
	ASSERT_MINUS1(ibv_get_pkey_index(api.ctx, 1, 0xffff), EIO);
}

static void query_port_speed_returns_speed_or_errno(void **state)
{
	uint64_t speed = 0;

	fake_provider.value = UINT64_C(0x100000001);
	ASSERT_OK(ibv_query_port_speed(api.ctx, 300, &speed));
	ASSERT_OP("query_port_speed");
	assert_int_equal(fake_provider.args.port_num, 300);
	assert_int_equal(speed, UINT64_C(0x100000001));
	fake_provider.ret = -EIO;
	ASSERT_ERRNO(ibv_query_port_speed(api.ctx, 300, &speed), EIO);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, port_setup, api_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(query_port_speed_returns_speed_or_errno),
		TEST(query_port_exported_function_writes_48_bytes),
		TEST(query_port_compat_op_writes_48_bytes),
		TEST(query_port_exported_function_failure_writes_nothing),
		TEST(query_port_size_48_writes_48_bytes),
		TEST(query_port_size_52_writes_52_bytes),
		TEST(query_port_size_56_writes_all),
		TEST(query_port_newer_size_is_filled_with_zeroes),
		TEST(query_port_size_0_writes_nothing),
		TEST(query_port_provider_failure_writes_nothing),
		TEST(query_port_inline_function_writes_all),
		TEST(query_port_passes_port_number_to_provider),
		TEST(query_pkey_returns_pkey_in_network_order),
		TEST(query_pkey_index_out_of_range_returns_minus_1),
		TEST(get_pkey_index_returns_first_index),
		TEST(get_pkey_index_missing_pkey_returns_minus_1),
		TEST(get_pkey_index_unreadable_table_returns_minus_1),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
