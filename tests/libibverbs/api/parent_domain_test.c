/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ibv_alloc_parent_domain(3): libibverbs/api/parent_domain.c. */
#include "libibverbs/api/api_fixture.h"

static struct ibv_parent_domain_init_attr attr;

static int parent_domain_setup(void **state)
{
	int ret = api_open(state);

	attr = (struct ibv_parent_domain_init_attr){ .pd = api.pd };
	return ret;
}

static void alloc_parent_domain_returns_pd(void **state)
{
	struct ibv_pd *pd;

	errno = SOME_ERRNO;
	pd = ibv_alloc_parent_domain(api.ctx, &attr);
	assert_non_null(pd);
	assert_int_equal(errno, SOME_ERRNO);
	ASSERT_OP("alloc_parent_domain");
	assert_ptr_equal(fake_provider.args.attr, &attr);
	ASSERT_OK(ibv_dealloc_pd(pd));
	ASSERT_OP("dealloc_pd");
}

static void alloc_parent_domain_accepts_td(void **state)
{
	struct ibv_td_init_attr td_attr = {};
	struct ibv_pd *pd;

	attr.td = ibv_alloc_td(api.ctx, &td_attr);
	attr.comp_mask = IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS |
			 IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT |
			 IBV_PARENT_DOMAIN_INIT_ATTR_ALLOW_CC_UNPROTECTED_ALLOC;
	pd = ibv_alloc_parent_domain(api.ctx, &attr);
	assert_non_null(pd);
	ASSERT_OK(ibv_dealloc_pd(pd));
	ASSERT_OK(ibv_dealloc_td(attr.td));
}

static void alloc_parent_domain_without_pd_is_einval(void **state)
{
	attr.pd = NULL;
	ASSERT_NULL(ibv_alloc_parent_domain(api.ctx, &attr), EINVAL);
	ASSERT_NULL(ibv_alloc_parent_domain(api.ctx, NULL), EINVAL);
}

static void
alloc_parent_domain_with_objects_of_another_context_is_einval(void **state)
{
	struct ibv_context *other = api_open_another();
	struct ibv_td_init_attr td_attr = {};

	ASSERT_NULL(ibv_alloc_parent_domain(other, &attr), EINVAL);
	attr.td = ibv_alloc_td(other, &td_attr);
	ASSERT_NULL(ibv_alloc_parent_domain(api.ctx, &attr), EINVAL);
	ASSERT_OK(ibv_dealloc_td(attr.td));
	ASSERT_OK(ibv_close_device(other));
}

static void alloc_parent_domain_unknown_attribute_is_eopnotsupp(void **state)
{
	attr.comp_mask = IBV_PARENT_DOMAIN_INIT_ATTR_ALLOW_CC_UNPROTECTED_ALLOC
			 << 1;
	ASSERT_NULL(ibv_alloc_parent_domain(api.ctx, &attr), EOPNOTSUPP);
}

static void alloc_parent_domain_provider_failure_returns_null(void **state)
{
	fake_provider.ret = -EACCES;
	ASSERT_NULL(ibv_alloc_parent_domain(api.ctx, &attr), EACCES);
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, parent_domain_setup, api_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(alloc_parent_domain_returns_pd),
		TEST(alloc_parent_domain_accepts_td),
		TEST(alloc_parent_domain_without_pd_is_einval),
		TEST(alloc_parent_domain_with_objects_of_another_context_is_einval),
		TEST(alloc_parent_domain_unknown_attribute_is_eopnotsupp),
		TEST(alloc_parent_domain_provider_failure_returns_null),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
