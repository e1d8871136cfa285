/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ibv_alloc_pd(3) and ibv_import_pd(3): libibverbs/api/pd.c. */
#include "libibverbs/api/api_fixture.h"

static void alloc_pd_returns_pd_of_context(void **state)
{
	struct ibv_pd *pd;

	errno = SOME_ERRNO;
	pd = ibv_alloc_pd(api.ctx);
	assert_non_null(pd);
	assert_int_equal(errno, SOME_ERRNO);
	assert_ptr_equal(pd->context, api.ctx);
	assert_int_equal(fake_provider.nr_objects, 2);
	ASSERT_OK(ibv_dealloc_pd(pd));
	assert_int_equal(fake_provider.nr_objects, 1);
}

static void alloc_pd_provider_failure_returns_null(void **state)
{
	fake_provider.ret = -ENOMEM;
	ASSERT_NULL(ibv_alloc_pd(api.ctx), ENOMEM);
}

static void dealloc_pd_provider_failure_returns_positive_errno(void **state)
{
	fake_provider.ret = -EBUSY;
	ASSERT_ERRNO(ibv_dealloc_pd(api.pd), EBUSY);
}

static void dealloc_pd_provider_failure_keeps_pd_usable(void **state)
{
	fake_provider.ret = -EBUSY;
	ASSERT_ERRNO(ibv_dealloc_pd(api.pd), EBUSY);
	assert_ptr_equal(api.pd->context, api.ctx);
}

static void import_pd_returns_pd_of_context(void **state)
{
	struct ibv_pd *pd;

	errno = SOME_ERRNO;
	pd = ibv_import_pd(api.ctx, 9);
	assert_non_null(pd);
	assert_int_equal(errno, SOME_ERRNO);
	ASSERT_OP("import_pd");
	assert_int_equal(fake_provider.args.handle, 9);
	assert_ptr_equal(pd->context, api.ctx);
	assert_int_equal(pd->handle, 9);
	ibv_unimport_pd(pd);
	ASSERT_OP("unimport_pd");
	assert_int_equal(fake_provider.nr_objects, 1);
}

static void import_pd_provider_failure_returns_null(void **state)
{
	fake_provider.ret = -ENOENT;
	ASSERT_NULL(ibv_import_pd(api.ctx, 9), ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		API_TEST(alloc_pd_returns_pd_of_context),
		API_TEST(alloc_pd_provider_failure_returns_null),
		API_TEST(dealloc_pd_provider_failure_returns_positive_errno),
		API_TEST(dealloc_pd_provider_failure_keeps_pd_usable),
		API_TEST(import_pd_returns_pd_of_context),
		API_TEST(import_pd_provider_failure_returns_null),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
