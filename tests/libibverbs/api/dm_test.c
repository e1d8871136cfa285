/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_alloc_dm(3), ibv_reg_dm_mr(3), ibv_import_dm(3),
 * ibv_dm_export_dmabuf_fd(3): libibverbs/api/dm.c.
 */
#include "libibverbs/api/api_fixture.h"

#define ACCESS (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ZERO_BASED)

static struct ibv_alloc_dm_attr attr;

static struct ibv_dm *alloc_test_dm(void)
{
	struct ibv_dm *dm;

	attr = (struct ibv_alloc_dm_attr){ .length = 64, .log_align_req = 3 };
	dm = ibv_alloc_dm(api.ctx, &attr);
	assert_non_null(dm);
	return dm;
}

static void alloc_dm_returns_dm_of_context(void **state)
{
	struct ibv_dm *dm;

	errno = SOME_ERRNO;
	dm = alloc_test_dm();
	assert_int_equal(errno, SOME_ERRNO);
	ASSERT_OP("alloc_dm");
	assert_ptr_equal(fake_provider.args.ctx, api.ctx);
	assert_ptr_equal(fake_provider.args.attr, &attr);
	assert_ptr_equal(dm->context, api.ctx);
	ASSERT_OK(ibv_free_dm(dm));
	ASSERT_OP("free_dm");
}

static void alloc_dm_unknown_attribute_is_eopnotsupp(void **state)
{
	attr = (struct ibv_alloc_dm_attr){ .length = 64, .comp_mask = 1 };
	ASSERT_NULL(ibv_alloc_dm(api.ctx, &attr), EOPNOTSUPP);
	ASSERT_OP("alloc_pd");
}

static void alloc_dm_without_attributes_is_einval(void **state)
{
	ASSERT_NULL(ibv_alloc_dm(api.ctx, NULL), EINVAL);
}

static void dm_provider_failure_is_reported(void **state)
{
	struct ibv_dm *dm = alloc_test_dm();

	fake_provider.ret = -ENOMEM;
	ASSERT_NULL(ibv_alloc_dm(api.ctx, &attr), ENOMEM);
	ASSERT_ERRNO(ibv_free_dm(dm), ENOMEM);
	ASSERT_NULL(ibv_reg_dm_mr(api.pd, dm, 0, 64, ACCESS), ENOMEM);
	ASSERT_NULL(ibv_import_dm(api.ctx, 5), ENOMEM);
	ASSERT_MINUS1(ibv_dm_export_dmabuf_fd(dm), ENOMEM);
	fake_provider.ret = 0;
	ASSERT_OK(ibv_free_dm(dm));
}

static void reg_dm_mr_calls_provider(void **state)
{
	struct ibv_dm *dm = alloc_test_dm();
	struct ibv_mr *mr;

	errno = SOME_ERRNO;
	mr = ibv_reg_dm_mr(api.pd, dm, 8, 16, ACCESS);
	assert_non_null(mr);
	assert_int_equal(errno, SOME_ERRNO);
	ASSERT_OP("reg_dm_mr");
	assert_ptr_equal(fake_provider.args.pd, api.pd);
	assert_ptr_equal(fake_provider.args.attr, dm);
	assert_int_equal(fake_provider.args.offset, 8);
	assert_int_equal(fake_provider.args.length, 16);
	assert_int_equal(fake_provider.args.access, ACCESS);
	ASSERT_OK(ibv_dereg_mr(mr));
	ASSERT_OK(ibv_free_dm(dm));
}

static void reg_dm_mr_dm_of_another_context_is_einval(void **state)
{
	struct ibv_context *other = api_open_another();
	struct ibv_dm *dm = ibv_alloc_dm(other, &attr);

	assert_non_null(dm);
	ASSERT_NULL(ibv_reg_dm_mr(api.pd, dm, 0, 8, ACCESS), EINVAL);
	ASSERT_NULL(ibv_reg_dm_mr(api.pd, NULL, 0, 8, ACCESS), EINVAL);
	ASSERT_OP("alloc_dm");
	ASSERT_OK(ibv_free_dm(dm));
	ASSERT_OK(ibv_close_device(other));
}

static void reg_dm_mr_dm_of_imported_context_succeeds(void **state)
{
	struct ibv_context *other = api_open_another();
	struct ibv_dm *dm;
	struct ibv_mr *mr;

	api_pretend_import(other);
	dm = ibv_alloc_dm(other, &attr);
	assert_non_null(dm);
	mr = ibv_reg_dm_mr(api.pd, dm, 0, 8, ACCESS);
	assert_non_null(mr);
	ASSERT_OK(ibv_dereg_mr(mr));
	ASSERT_OK(ibv_free_dm(dm));
	ASSERT_OK(ibv_close_device(other));
}

static void import_dm_returns_dm_of_context(void **state)
{
	struct ibv_dm *dm;

	errno = SOME_ERRNO;
	dm = ibv_import_dm(api.ctx, 5);
	assert_non_null(dm);
	assert_int_equal(errno, SOME_ERRNO);
	ASSERT_OP("import_dm");
	assert_int_equal(fake_provider.args.handle, 5);
	assert_ptr_equal(dm->context, api.ctx);
	ibv_unimport_dm(dm);
	ASSERT_OP("unimport_dm");
	assert_int_equal(fake_provider.nr_objects, 1);
}

static void dm_export_dmabuf_fd_returns_descriptor(void **state)
{
	struct ibv_dm *dm = alloc_test_dm();

	fake_provider.value = 44;
	errno = SOME_ERRNO;
	assert_int_equal(ibv_dm_export_dmabuf_fd(dm), 44);
	assert_int_equal(errno, SOME_ERRNO);
	ASSERT_OP("dm_export_dmabuf_fd");
	assert_ptr_equal(fake_provider.args.attr, dm);
	ASSERT_OK(ibv_free_dm(dm));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		API_TEST(alloc_dm_returns_dm_of_context),
		API_TEST(alloc_dm_unknown_attribute_is_eopnotsupp),
		API_TEST(alloc_dm_without_attributes_is_einval),
		API_TEST(dm_provider_failure_is_reported),
		API_TEST(reg_dm_mr_calls_provider),
		API_TEST(reg_dm_mr_dm_of_another_context_is_einval),
		API_TEST(reg_dm_mr_dm_of_imported_context_succeeds),
		API_TEST(import_dm_returns_dm_of_context),
		API_TEST(dm_export_dmabuf_fd_returns_descriptor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
