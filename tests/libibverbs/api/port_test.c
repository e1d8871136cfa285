/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_query_port(3) for callers of all ages, ibv_query_pkey(3) and
 * ibv_get_pkey_index(3): libibverbs/api/port.c.
 */
#include <string.h>

#include "libibverbs/api/api_fixture.h"

/* What struct ibv_port_attr was when the exported function was frozen. */
#define FROZEN_SIZE 48

static unsigned char buffer[256];

static int start(void **state)
{
	int ret = api_open(state);

	memset(buffer, 0xee, sizeof(buffer));
	memset(&fake_provider.port_attr, 0x11, sizeof(fake_provider.port_attr));
	return ret;
}

/* The first @known bytes are the provider's, zeroes follow up to @size. */
static void assert_filled(size_t known, size_t size)
{
	for (size_t i = 0; i < sizeof(buffer); i++)
		assert_int_equal(buffer[i], i < known  ? 0x11
					    : i < size ? 0
						       : 0xee);
}

/* The exported function, as programs of its time call it. */
static int query_exported(void)
{
	return (ibv_query_port)(api.ctx, 1,
				(struct _compat_ibv_port_attr *)buffer);
}

/* What the inline function of a release with that size calls. */
static int query_sized(size_t size)
{
	struct verbs_context *vctx = verbs_get_ctx_op(api.ctx, query_port);

	return vctx->query_port(api.ctx, 1, (void *)buffer, size);
}

static void exported_function_writes_48_bytes(void **state)
{
	ASSERT_OK(query_exported());
	assert_filled(FROZEN_SIZE, FROZEN_SIZE);
}

static void exported_function_is_in_the_compat_slot(void **state)
{
	ASSERT_OK(api.ctx->ops._compat_query_port(
		api.ctx, 1, (struct _compat_ibv_port_attr *)buffer));
	assert_filled(FROZEN_SIZE, FROZEN_SIZE);
}

static void exported_function_that_fails_touches_nothing(void **state)
{
	fake_provider.ret = -EINVAL;
	ASSERT_ERRNO(query_exported(), EINVAL);
	assert_filled(0, 0);
}

static void caller_with_48_bytes_gets_48(void **state)
{
	ASSERT_OK(query_sized(48));
	assert_filled(48, 48);
}

/* Up to port_cap_flags2 and its padding. */
static void caller_with_52_bytes_gets_52(void **state)
{
	ASSERT_OK(query_sized(52));
	assert_filled(52, 52);
}

static void caller_with_56_bytes_gets_all(void **state)
{
	assert_int_equal(sizeof(struct ibv_port_attr), 56);
	ASSERT_OK(query_sized(56));
	assert_filled(56, 56);
}

static void newer_caller_gets_zeroes_for_what_we_do_not_know(void **state)
{
	ASSERT_OK(query_sized(100));
	assert_filled(sizeof(struct ibv_port_attr), 100);
}

static void caller_with_no_bytes_gets_none(void **state)
{
	ASSERT_OK(query_sized(0));
	assert_filled(0, 0);
}

static void failure_touches_nothing(void **state)
{
	fake_provider.ret = -ENODEV;
	ASSERT_ERRNO(query_sized(100), ENODEV);
	assert_filled(0, 0);
}

static void inline_query_gets_all(void **state)
{
	ASSERT_OK(ibv_query_port(api.ctx, 1, (void *)buffer));
	assert_filled(sizeof(struct ibv_port_attr),
		      sizeof(struct ibv_port_attr));
}

static void port_number_reaches_the_provider(void **state)
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

static void pkey_of_an_index_is_told(void **state)
{
	__be16 pkey = 0;

	set_pkeys();
	ASSERT_OK(ibv_query_pkey(api.ctx, 1, 2, &pkey));
	assert_int_equal(pkey, 0x8001);
	assert_int_equal(fake_provider.args.port_num, 1);
}

static void pkey_behind_the_table_is_minus_1(void **state)
{
	__be16 pkey = 0x5a5a;

	set_pkeys();
	ASSERT_MINUS1(ibv_query_pkey(api.ctx, 1, 4, &pkey), EINVAL);
	ASSERT_MINUS1(ibv_query_pkey(api.ctx, 1, -1, &pkey), EINVAL);
	assert_int_equal(pkey, 0x5a5a);
}

static void index_of_a_pkey_is_the_first(void **state)
{
	set_pkeys();
	assert_int_equal(ibv_get_pkey_index(api.ctx, 1, 0xffff), 0);
	assert_int_equal(ibv_get_pkey_index(api.ctx, 1, 0x1234), 1);
}

static void pkey_that_is_not_there_has_no_index(void **state)
{
	set_pkeys();
	ASSERT_MINUS1(ibv_get_pkey_index(api.ctx, 1, 0x4321), EINVAL);
}

static void pkeys_that_cannot_be_read_have_no_index(void **state)
{
	set_pkeys();
	fake_provider.ret = -EIO;
	ASSERT_MINUS1(ibv_get_pkey_index(api.ctx, 1, 0xffff), EIO);
}

static void speed_of_a_port_is_told(void **state)
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, api_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(speed_of_a_port_is_told),
		TEST(exported_function_writes_48_bytes),
		TEST(exported_function_is_in_the_compat_slot),
		TEST(exported_function_that_fails_touches_nothing),
		TEST(caller_with_48_bytes_gets_48),
		TEST(caller_with_52_bytes_gets_52),
		TEST(caller_with_56_bytes_gets_all),
		TEST(newer_caller_gets_zeroes_for_what_we_do_not_know),
		TEST(caller_with_no_bytes_gets_none),
		TEST(failure_touches_nothing),
		TEST(inline_query_gets_all),
		TEST(port_number_reaches_the_provider),
		TEST(pkey_of_an_index_is_told),
		TEST(pkey_behind_the_table_is_minus_1),
		TEST(index_of_a_pkey_is_the_first),
		TEST(pkey_that_is_not_there_has_no_index),
		TEST(pkeys_that_cannot_be_read_have_no_index),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
