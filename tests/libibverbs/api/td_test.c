/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ibv_alloc_td(3) and ibv_dealloc_td(3): libibverbs/api/td.c. */
#include "libibverbs/api/api_fixture.h"

static void td_belongs_to_its_context(void **state)
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

static void attributes_are_checked(void **state)
{
	struct ibv_td_init_attr attr = { .comp_mask = 1 };

	ASSERT_NULL(ibv_alloc_td(api.ctx, &attr), EOPNOTSUPP);
	ASSERT_NULL(ibv_alloc_td(api.ctx, NULL), EINVAL);
	ASSERT_OP("alloc_pd");
}

static void failures_are_told(void **state)
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
		API_TEST(td_belongs_to_its_context),
		API_TEST(attributes_are_checked),
		API_TEST(failures_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
