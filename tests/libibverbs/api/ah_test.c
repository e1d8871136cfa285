/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ibv_create_ah(3) and ibv_destroy_ah(3): libibverbs/api/ah.c. */
#include "libibverbs/api/api_fixture.h"

static void ah_create_sets_pd_and_context(void **state)
{
	struct ibv_ah_attr attr = { .port_num = 1 };
	struct ibv_ah *ah;

	errno = SOME_ERRNO;
	ah = ibv_create_ah(api.pd, &attr);
	assert_non_null(ah);
	assert_int_equal(errno, SOME_ERRNO);
	ASSERT_OP("create_ah");
	assert_ptr_equal(fake_provider.args.attr, &attr);
	assert_ptr_equal(ah->context, api.ctx);
	assert_ptr_equal(ah->pd, api.pd);
	ASSERT_OK(ibv_destroy_ah(ah));
}

static void ah_create_failure_is_null(void **state)
{
	struct ibv_ah_attr attr = {};

	fake_provider.ret = -EINVAL;
	ASSERT_NULL(ibv_create_ah(api.pd, &attr), EINVAL);
}

static void ah_destroy_failure_is_errno(void **state)
{
	struct ibv_ah_attr attr = {};
	struct ibv_ah *ah = ibv_create_ah(api.pd, &attr);

	assert_non_null(ah);
	fake_provider.ret = -EIO;
	ASSERT_ERRNO(ibv_destroy_ah(ah), EIO);
	fake_provider.ret = 0;
	ASSERT_OK(ibv_destroy_ah(ah));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		API_TEST(ah_create_sets_pd_and_context),
		API_TEST(ah_create_failure_is_null),
		API_TEST(ah_destroy_failure_is_errno),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
