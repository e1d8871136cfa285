/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ibv_alloc_td(3) and ibv_dealloc_td(3): libibverbs/api/td.c. */
#include "libibverbs/api/api_fixture.h"

static void alloc_td_returns_td_of_context(void **state)
{
	struct ibv_td_init_attr attr = {};
	struct ibv_td *td;

	errno = SOME_ERRNO;
	td = ibv_alloc_td(api.ctx, &attr);
	assert_non_null(td);
	assert_int_equal(errno, SOME_ERRNO);
	ASSERT_OP("alloc_td");
	assert_ptr_equal(fake_provider.args.attr, &attr);
	assert_ptr_equal(td->context, api.ctx);
	ASSERT_OK(ibv_dealloc_td(td));
	ASSERT_OP("dealloc_td");
}

static void alloc_td_missing_or_unknown_attribute_is_refused(void **state)
{
	struct ibv_td_init_attr attr = { .comp_mask = 1 };

	ASSERT_NULL(ibv_alloc_td(api.ctx, &attr), EOPNOTSUPP);
	ASSERT_NULL(ibv_alloc_td(api.ctx, NULL), EINVAL);
	ASSERT_OP("alloc_pd");
}

static void td_provider_failure_is_reported(void **state)
{
	struct ibv_td_init_attr attr = {};
	struct ibv_td *td = ibv_alloc_td(api.ctx, &attr);

	fake_provider.ret = -EBUSY;
	ASSERT_NULL(ibv_alloc_td(api.ctx, &attr), EBUSY);
	ASSERT_ERRNO(ibv_dealloc_td(td), EBUSY);
	fake_provider.ret = 0;
	ASSERT_OK(ibv_dealloc_td(td));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		API_TEST(alloc_td_returns_td_of_context),
		API_TEST(alloc_td_missing_or_unknown_attribute_is_refused),
		API_TEST(td_provider_failure_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
