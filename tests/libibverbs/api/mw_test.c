/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ibv_alloc_mw(3) and ibv_dealloc_mw(3): libibverbs/api/mw.c. */
#include "libibverbs/api/api_fixture.h"

static void alloc_mw_passes_type_to_provider(void **state)
{
	struct ibv_mw *mw;

	errno = SOME_ERRNO;
	mw = ibv_alloc_mw(api.pd, IBV_MW_TYPE_2);
	assert_non_null(mw);
	assert_int_equal(errno, SOME_ERRNO);
	ASSERT_OP("alloc_mw");
	assert_int_equal(fake_provider.args.mw_type, IBV_MW_TYPE_2);
	assert_ptr_equal(mw->context, api.ctx);
	assert_ptr_equal(mw->pd, api.pd);
	ASSERT_OK(ibv_dealloc_mw(mw));
}

static void alloc_mw_provider_failure_returns_null(void **state)
{
	fake_provider.ret = -EOPNOTSUPP;
	ASSERT_NULL(ibv_alloc_mw(api.pd, IBV_MW_TYPE_1), EOPNOTSUPP);
}

static void dealloc_mw_provider_failure_returns_positive_errno(void **state)
{
	struct ibv_mw *mw = ibv_alloc_mw(api.pd, IBV_MW_TYPE_1);

	assert_non_null(mw);
	fake_provider.ret = -EBUSY;
	ASSERT_ERRNO(ibv_dealloc_mw(mw), EBUSY);
	fake_provider.ret = 0;
	ASSERT_OK(ibv_dealloc_mw(mw));
}

static void alloc_mw_unknown_type_is_einval(void **state)
{
	ASSERT_NULL(ibv_alloc_mw(api.pd, (enum ibv_mw_type)0), EINVAL);
	ASSERT_NULL(ibv_alloc_mw(api.pd, (enum ibv_mw_type)3), EINVAL);
	ASSERT_OP("alloc_pd");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		API_TEST(alloc_mw_passes_type_to_provider),
		API_TEST(alloc_mw_provider_failure_returns_null),
		API_TEST(alloc_mw_unknown_type_is_einval),
		API_TEST(dealloc_mw_provider_failure_returns_positive_errno),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
