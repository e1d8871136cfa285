/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_reg_mr(3) and its variants, ibv_dereg_mr(3), ibv_rereg_mr(3) and
 * ibv_advise_mr(3): libibverbs/api/mr.c.
 */
#include <string.h>

#include "core/core_context.h"
#include "libibverbs/api/api_fixture.h"

#define ACCESS	      (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ)
#define OPTIONAL      IBV_ACCESS_RELAXED_ORDERING
#define LENGTH	      sizeof(memory)
#define IOVA	      UINT64_C(0x123456789abcdef0)
#define ALL_TRANSLATE IBV_REREG_MR_CHANGE_TRANSLATION

static char memory[64];

static struct ibv_mr *reg_test_mr(void)
{
	struct ibv_mr *mr = ibv_reg_mr(api.pd, memory, LENGTH, ACCESS);

	assert_non_null(mr);
	return mr;
}

static void dereg_test_mr(struct ibv_mr *mr)
{
	fake_provider.ret = 0;
	assert_int_equal(ibv_dereg_mr(mr), 0);
}

static void set_kernel_optional_access(bool supported)
{
	verbs_priv(api.ctx)->kernel.core_support = supported ? 1 : 0;
}

/* ------------------------------------------------------------------------ */
/* Register                                                                  */
/* ------------------------------------------------------------------------ */

static void reg_mr_stores_attributes_in_mr(void **state)
{
	struct ibv_mr *mr;

	errno = SOME_ERRNO;
	mr = reg_test_mr();
	assert_int_equal(errno, SOME_ERRNO);
	assert_ptr_equal(mr->context, api.ctx);
	assert_ptr_equal(mr->pd, api.pd);
	assert_ptr_equal(mr->addr, memory);
	assert_int_equal(mr->length, LENGTH);
	dereg_test_mr(mr);
}

static void reg_mr_passes_attributes_to_provider(void **state)
{
	struct ibv_mr *mr = reg_test_mr();

	ASSERT_OP("reg_mr");
	assert_ptr_equal(fake_provider.args.pd, api.pd);
	assert_ptr_equal(fake_provider.args.addr, memory);
	assert_int_equal(fake_provider.args.length, LENGTH);
	assert_int_equal(fake_provider.args.access, ACCESS);
	dereg_test_mr(mr);
}

static void reg_mr_uses_address_as_iova(void **state)
{
	struct ibv_mr *mr = reg_test_mr();

	assert_int_equal(fake_provider.args.iova, (uintptr_t)memory);
	dereg_test_mr(mr);
}

static void reg_mr_exported_function_matches_inline_function(void **state)
{
	struct ibv_mr *mr = (ibv_reg_mr)(api.pd, memory, LENGTH, ACCESS);

	assert_non_null(mr);
	assert_int_equal(fake_provider.args.iova, (uintptr_t)memory);
	assert_int_equal(fake_provider.args.access, ACCESS);
	dereg_test_mr(mr);
}

static void reg_mr_iova_passes_iova_to_provider(void **state)
{
	struct ibv_mr *mr =
		ibv_reg_mr_iova(api.pd, memory, LENGTH, IOVA, ACCESS);

	assert_non_null(mr);
	assert_int_equal(fake_provider.args.iova, IOVA);
	assert_ptr_equal(mr->addr, memory);
	dereg_test_mr(mr);
}

static void reg_mr_iova_exported_function_matches_inline_function(void **state)
{
	struct ibv_mr *mr =
		(ibv_reg_mr_iova)(api.pd, memory, LENGTH, IOVA, ACCESS);

	assert_non_null(mr);
	assert_int_equal(fake_provider.args.iova, IOVA);
	dereg_test_mr(mr);
}

static void reg_mr_provider_failure_returns_null(void **state)
{
	fake_provider.ret = -EFAULT;
	ASSERT_NULL(ibv_reg_mr(api.pd, memory, LENGTH, ACCESS), EFAULT);
	ASSERT_NULL(ibv_reg_mr_iova(api.pd, memory, LENGTH, IOVA, ACCESS),
		    EFAULT);
	ASSERT_NULL(ibv_reg_mr_iova2(api.pd, memory, LENGTH, IOVA, ACCESS),
		    EFAULT);
}

static void
reg_mr_optional_access_unsupported_by_kernel_is_dropped(void **state)
{
	struct ibv_mr *mr;

	set_kernel_optional_access(false);
	mr = ibv_reg_mr_iova2(api.pd, memory, LENGTH, IOVA, ACCESS | OPTIONAL);
	assert_non_null(mr);
	assert_int_equal(fake_provider.args.access, ACCESS);
	dereg_test_mr(mr);
}

static void reg_mr_optional_access_supported_by_kernel_is_kept(void **state)
{
	struct ibv_mr *mr;

	set_kernel_optional_access(true);
	mr = ibv_reg_mr_iova2(api.pd, memory, LENGTH, IOVA, ACCESS | OPTIONAL);
	assert_non_null(mr);
	assert_int_equal(fake_provider.args.access, ACCESS | OPTIONAL);
	dereg_test_mr(mr);
}

static void reg_mr_inline_function_keeps_optional_access(void **state)
{
	struct ibv_mr *mr;

	set_kernel_optional_access(true);
	mr = ibv_reg_mr(api.pd, memory, LENGTH, ACCESS | OPTIONAL);
	assert_non_null(mr);
	assert_int_equal(fake_provider.args.access, ACCESS | OPTIONAL);
	dereg_test_mr(mr);
}

static void reg_dmabuf_mr_stores_offset_as_address(void **state)
{
	struct ibv_mr *mr =
		ibv_reg_dmabuf_mr(api.pd, 0x1000, LENGTH, IOVA, 33, ACCESS);

	assert_non_null(mr);
	ASSERT_OP("reg_dmabuf_mr");
	assert_int_equal(fake_provider.args.offset, 0x1000);
	assert_int_equal(fake_provider.args.length, LENGTH);
	assert_int_equal(fake_provider.args.iova, IOVA);
	assert_int_equal(fake_provider.args.fd, 33);
	assert_int_equal(fake_provider.args.access, ACCESS);
	assert_ptr_equal(mr->context, api.ctx);
	assert_ptr_equal(mr->pd, api.pd);
	assert_ptr_equal(mr->addr, (void *)0x1000);
	assert_int_equal(mr->length, LENGTH);
	dereg_test_mr(mr);
}

static void reg_dmabuf_mr_provider_failure_returns_null(void **state)
{
	fake_provider.ret = -EOPNOTSUPP;
	ASSERT_NULL(ibv_reg_dmabuf_mr(api.pd, 0, LENGTH, IOVA, 33, ACCESS),
		    EOPNOTSUPP);
}

static void dereg_mr_provider_failure_returns_positive_errno(void **state)
{
	struct ibv_mr *mr = reg_test_mr();

	fake_provider.ret = -EBUSY;
	ASSERT_ERRNO(ibv_dereg_mr(mr), EBUSY);
	assert_ptr_equal(mr->addr, memory); /* still valid */
	dereg_test_mr(mr);
}

static void dereg_mr_success_keeps_errno(void **state)
{
	struct ibv_mr *mr = reg_test_mr();

	ASSERT_OK(ibv_dereg_mr(mr));
}

/* ------------------------------------------------------------------------ */
/* Reregister: the result is enum ibv_rereg_mr_err_code, not an errno        */
/* ------------------------------------------------------------------------ */

/* Check that the request fails before the provider is called. */
static void assert_rereg_refused(int flags, struct ibv_pd *pd, void *addr,
				 size_t length, int access)
{
	struct ibv_mr *mr = reg_test_mr();
	struct ibv_mr before;

	memcpy(&before, mr, sizeof(before));
	errno = SOME_ERRNO;
	assert_int_equal(ibv_rereg_mr(mr, flags, pd, addr, length, access),
			 IBV_REREG_MR_ERR_INPUT);
	assert_int_equal(errno, EINVAL);
	assert_memory_equal(mr, &before, sizeof(before));
	ASSERT_OP("reg_mr");
	dereg_test_mr(mr);
}

static void rereg_mr_unknown_flag_is_refused(void **state)
{
	assert_rereg_refused(IBV_REREG_MR_CHANGE_ACCESS | (1 << 3), NULL, NULL,
			     0, ACCESS);
}

static void rereg_mr_translation_without_address_is_refused(void **state)
{
	assert_rereg_refused(ALL_TRANSLATE, NULL, NULL, LENGTH, 0);
}

static void rereg_mr_translation_without_length_is_refused(void **state)
{
	assert_rereg_refused(ALL_TRANSLATE, NULL, memory, 0, 0);
}

static void rereg_mr_access_without_flag_is_refused(void **state)
{
	assert_rereg_refused(ALL_TRANSLATE, NULL, memory, LENGTH, ACCESS);
}

static void rereg_mr_change_pd_without_pd_is_refused(void **state)
{
	assert_rereg_refused(IBV_REREG_MR_CHANGE_PD, NULL, NULL, 0, 0);
}

static void rereg_mr_pd_of_another_context_is_refused(void **state)
{
	struct ibv_context *other = api_open_another();
	struct ibv_pd *other_pd = ibv_alloc_pd(other);

	assert_rereg_refused(IBV_REREG_MR_CHANGE_PD, other_pd, NULL, 0, 0);
	ASSERT_OK(ibv_dealloc_pd(other_pd));
	ASSERT_OK(ibv_close_device(other));
}

static void assert_rereg_of_type_refused(enum verbs_mr_type type)
{
	struct ibv_mr *mr = reg_test_mr();

	verbs_container_of(mr, struct verbs_mr, ibv_mr)->mr_type = type;
	errno = SOME_ERRNO;
	assert_int_equal(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL,
				      NULL, 0, ACCESS),
			 IBV_REREG_MR_ERR_INPUT);
	assert_int_equal(errno, EINVAL);
	dereg_test_mr(mr);
}

static void rereg_mr_of_special_mr_is_refused(void **state)
{
	assert_rereg_of_type_refused(VERBS_MR_TYPE_NULL_MR);
	assert_rereg_of_type_refused(VERBS_MR_TYPE_IMPORTED_MR);
	assert_rereg_of_type_refused(VERBS_MR_TYPE_DMABUF_MR);
}

static void rereg_mr_changes_address_and_length(void **state)
{
	struct ibv_mr *mr = reg_test_mr();

	ASSERT_OK(ibv_rereg_mr(mr, ALL_TRANSLATE, NULL, memory + 8, 16, 0));
	ASSERT_OP("rereg_mr");
	assert_int_equal(fake_provider.args.flags, ALL_TRANSLATE);
	assert_ptr_equal(fake_provider.args.addr, memory + 8);
	assert_int_equal(fake_provider.args.length, 16);
	assert_ptr_equal(mr->addr, memory + 8);
	assert_int_equal(mr->length, 16);
	assert_ptr_equal(mr->pd, api.pd);
	dereg_test_mr(mr);
}

static void rereg_mr_changes_pd(void **state)
{
	struct ibv_pd *other = ibv_alloc_pd(api.ctx);
	struct ibv_mr *mr = reg_test_mr();

	assert_non_null(other);
	ASSERT_OK(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_PD, other, NULL, 0, 0));
	assert_ptr_equal(fake_provider.args.pd, other);
	assert_ptr_equal(mr->pd, other);
	assert_ptr_equal(mr->addr, memory);
	assert_int_equal(mr->length, LENGTH);
	dereg_test_mr(mr);
	assert_int_equal(ibv_dealloc_pd(other), 0);
}

static void rereg_mr_access_keeps_pd_and_address(void **state)
{
	struct ibv_mr *mr = reg_test_mr();

	ASSERT_OK(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
			       ACCESS));
	assert_int_equal(fake_provider.args.access, ACCESS);
	assert_ptr_equal(mr->pd, api.pd);
	assert_ptr_equal(mr->addr, memory);
	assert_int_equal(mr->length, LENGTH);
	dereg_test_mr(mr);
}

static void assert_rereg_fails(int op_ret, int result, int err)
{
	struct ibv_mr *mr = reg_test_mr();

	fake_provider.ret = op_ret;
	errno = SOME_ERRNO;
	assert_int_equal(
		ibv_rereg_mr(mr, ALL_TRANSLATE, NULL, memory + 8, 16, 0),
		result);
	assert_int_equal(errno, err);
	assert_ptr_equal(mr->addr, memory);
	assert_int_equal(mr->length, LENGTH);
	dereg_test_mr(mr);
}

static void rereg_mr_provider_failure_returns_err_cmd(void **state)
{
	assert_rereg_fails(-ENOMEM, IBV_REREG_MR_ERR_CMD, ENOMEM);
}

static void rereg_mr_unsupported_returns_err_cmd(void **state)
{
	assert_rereg_fails(-EOPNOTSUPP, IBV_REREG_MR_ERR_CMD, EOPNOTSUPP);
}

/* ------------------------------------------------------------------------ */
/* Advice                                                                    */
/* ------------------------------------------------------------------------ */

static void advise_mr_calls_provider(void **state)
{
	struct ibv_sge sge = { .addr = (uintptr_t)memory, .length = LENGTH };

	ASSERT_OK(ibv_advise_mr(api.pd, IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE,
				IBV_ADVISE_MR_FLAG_FLUSH, &sge, 1));
	ASSERT_OP("advise_mr");
	assert_int_equal(fake_provider.args.advice,
			 IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE);
	assert_int_equal(fake_provider.args.flags, IBV_ADVISE_MR_FLAG_FLUSH);
	assert_ptr_equal(fake_provider.args.sg_list, &sge);
	assert_int_equal(fake_provider.args.num_sge, 1);
}

static void advise_mr_provider_failure_returns_positive_errno(void **state)
{
	struct ibv_sge sge = {};

	fake_provider.ret = -EOPNOTSUPP;
	ASSERT_ERRNO(ibv_advise_mr(api.pd, IBV_ADVISE_MR_ADVICE_PREFETCH, 0,
				   &sge, 1),
		     EOPNOTSUPP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		API_TEST(reg_mr_stores_attributes_in_mr),
		API_TEST(reg_mr_passes_attributes_to_provider),
		API_TEST(reg_mr_uses_address_as_iova),
		API_TEST(reg_mr_exported_function_matches_inline_function),
		API_TEST(reg_mr_iova_passes_iova_to_provider),
		API_TEST(reg_mr_iova_exported_function_matches_inline_function),
		API_TEST(reg_mr_provider_failure_returns_null),
		API_TEST(
			reg_mr_optional_access_unsupported_by_kernel_is_dropped),
		API_TEST(reg_mr_optional_access_supported_by_kernel_is_kept),
		API_TEST(reg_mr_inline_function_keeps_optional_access),
		API_TEST(reg_dmabuf_mr_stores_offset_as_address),
		API_TEST(reg_dmabuf_mr_provider_failure_returns_null),
		API_TEST(dereg_mr_provider_failure_returns_positive_errno),
		API_TEST(dereg_mr_success_keeps_errno),
		API_TEST(rereg_mr_unknown_flag_is_refused),
		API_TEST(rereg_mr_translation_without_address_is_refused),
		API_TEST(rereg_mr_translation_without_length_is_refused),
		API_TEST(rereg_mr_access_without_flag_is_refused),
		API_TEST(rereg_mr_change_pd_without_pd_is_refused),
		API_TEST(rereg_mr_pd_of_another_context_is_refused),
		API_TEST(rereg_mr_of_special_mr_is_refused),
		API_TEST(rereg_mr_changes_address_and_length),
		API_TEST(rereg_mr_changes_pd),
		API_TEST(rereg_mr_access_keeps_pd_and_address),
		API_TEST(rereg_mr_provider_failure_returns_err_cmd),
		API_TEST(rereg_mr_unsupported_returns_err_cmd),
		API_TEST(advise_mr_calls_provider),
		API_TEST(advise_mr_provider_failure_returns_positive_errno),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
