/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_reg_mr(3) in its forms, ibv_rereg_mr(3), ibv_advise_mr(3):
 * libibverbs/api/mr.c.
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

static struct ibv_mr *reg(void)
{
	struct ibv_mr *mr = ibv_reg_mr(api.pd, memory, LENGTH, ACCESS);

	assert_non_null(mr);
	return mr;
}

static void dereg(struct ibv_mr *mr)
{
	fake_provider.ret = 0;
	assert_int_equal(ibv_dereg_mr(mr), 0);
}

static void kernel_knows_optional_access(bool does)
{
	verbs_priv(api.ctx)->kernel.core_support = does ? 1 : 0;
}

/* ------------------------------------------------------------------------ */
/* Registering                                                               */
/* ------------------------------------------------------------------------ */

static void mr_gets_what_the_application_said(void **state)
{
	struct ibv_mr *mr;

	errno = SOME_ERRNO;
	mr = reg();
	assert_int_equal(errno, SOME_ERRNO);
	assert_ptr_equal(mr->context, api.ctx);
	assert_ptr_equal(mr->pd, api.pd);
	assert_ptr_equal(mr->addr, memory);
	assert_int_equal(mr->length, LENGTH);
	dereg(mr);
}

static void provider_gets_what_the_application_said(void **state)
{
	struct ibv_mr *mr = reg();

	ASSERT_OP("reg_mr");
	assert_ptr_equal(fake_provider.args.pd, api.pd);
	assert_ptr_equal(fake_provider.args.addr, memory);
	assert_int_equal(fake_provider.args.length, LENGTH);
	assert_int_equal(fake_provider.args.access, ACCESS);
	dereg(mr);
}

static void iova_is_the_address_if_nothing_else_is_said(void **state)
{
	struct ibv_mr *mr = reg();

	assert_int_equal(fake_provider.args.iova, (uintptr_t)memory);
	dereg(mr);
}

static void exported_reg_mr_is_the_same(void **state)
{
	struct ibv_mr *mr = (ibv_reg_mr)(api.pd, memory, LENGTH, ACCESS);

	assert_non_null(mr);
	assert_int_equal(fake_provider.args.iova, (uintptr_t)memory);
	assert_int_equal(fake_provider.args.access, ACCESS);
	dereg(mr);
}

static void iova_may_be_said(void **state)
{
	struct ibv_mr *mr =
		ibv_reg_mr_iova(api.pd, memory, LENGTH, IOVA, ACCESS);

	assert_non_null(mr);
	assert_int_equal(fake_provider.args.iova, IOVA);
	assert_ptr_equal(mr->addr, memory);
	dereg(mr);
}

static void exported_reg_mr_iova_is_the_same(void **state)
{
	struct ibv_mr *mr =
		(ibv_reg_mr_iova)(api.pd, memory, LENGTH, IOVA, ACCESS);

	assert_non_null(mr);
	assert_int_equal(fake_provider.args.iova, IOVA);
	dereg(mr);
}

static void failure_of_reg_is_null(void **state)
{
	fake_provider.ret = -EFAULT;
	ASSERT_NULL(ibv_reg_mr(api.pd, memory, LENGTH, ACCESS), EFAULT);
	ASSERT_NULL(ibv_reg_mr_iova(api.pd, memory, LENGTH, IOVA, ACCESS),
		    EFAULT);
	ASSERT_NULL(ibv_reg_mr_iova2(api.pd, memory, LENGTH, IOVA, ACCESS),
		    EFAULT);
}

static void optional_access_is_dropped_for_older_kernels(void **state)
{
	struct ibv_mr *mr;

	kernel_knows_optional_access(false);
	mr = ibv_reg_mr_iova2(api.pd, memory, LENGTH, IOVA, ACCESS | OPTIONAL);
	assert_non_null(mr);
	assert_int_equal(fake_provider.args.access, ACCESS);
	dereg(mr);
}

static void optional_access_reaches_kernels_that_know_it(void **state)
{
	struct ibv_mr *mr;

	kernel_knows_optional_access(true);
	mr = ibv_reg_mr_iova2(api.pd, memory, LENGTH, IOVA, ACCESS | OPTIONAL);
	assert_non_null(mr);
	assert_int_equal(fake_provider.args.access, ACCESS | OPTIONAL);
	dereg(mr);
}

static void inline_reg_mr_keeps_optional_access(void **state)
{
	struct ibv_mr *mr;

	kernel_knows_optional_access(true);
	mr = ibv_reg_mr(api.pd, memory, LENGTH, ACCESS | OPTIONAL);
	assert_non_null(mr);
	assert_int_equal(fake_provider.args.access, ACCESS | OPTIONAL);
	dereg(mr);
}

static void dmabuf_mr_has_its_offset_as_address(void **state)
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
	dereg(mr);
}

static void failure_of_dmabuf_is_null(void **state)
{
	fake_provider.ret = -EOPNOTSUPP;
	ASSERT_NULL(ibv_reg_dmabuf_mr(api.pd, 0, LENGTH, IOVA, 33, ACCESS),
		    EOPNOTSUPP);
}

static void failure_of_dereg_is_a_positive_errno(void **state)
{
	struct ibv_mr *mr = reg();

	fake_provider.ret = -EBUSY;
	ASSERT_ERRNO(ibv_dereg_mr(mr), EBUSY);
	assert_ptr_equal(mr->addr, memory); /* still there */
	dereg(mr);
}

static void success_of_dereg_leaves_errno_alone(void **state)
{
	struct ibv_mr *mr = reg();

	ASSERT_OK(ibv_dereg_mr(mr));
}

/* ------------------------------------------------------------------------ */
/* Changing: codes of its own, not errno                                     */
/* ------------------------------------------------------------------------ */

/* Refused before the provider hears of it; nothing changes. */
static void assert_refused(int flags, struct ibv_pd *pd, void *addr,
			   size_t length, int access)
{
	struct ibv_mr *mr = reg();
	struct ibv_mr before;

	memcpy(&before, mr, sizeof(before));
	errno = SOME_ERRNO;
	assert_int_equal(ibv_rereg_mr(mr, flags, pd, addr, length, access),
			 IBV_REREG_MR_ERR_INPUT);
	assert_int_equal(errno, EINVAL);
	assert_memory_equal(mr, &before, sizeof(before));
	ASSERT_OP("reg_mr");
	dereg(mr);
}

static void rereg_of_unknown_flags_is_refused(void **state)
{
	assert_refused(IBV_REREG_MR_CHANGE_ACCESS | (1 << 3), NULL, NULL, 0,
		       ACCESS);
}

static void rereg_of_an_address_needs_one(void **state)
{
	assert_refused(ALL_TRANSLATE, NULL, NULL, LENGTH, 0);
}

static void rereg_of_an_address_needs_a_length(void **state)
{
	assert_refused(ALL_TRANSLATE, NULL, memory, 0, 0);
}

static void rereg_of_access_needs_its_flag(void **state)
{
	assert_refused(ALL_TRANSLATE, NULL, memory, LENGTH, ACCESS);
}

static void rereg_of_a_pd_needs_one(void **state)
{
	assert_refused(IBV_REREG_MR_CHANGE_PD, NULL, NULL, 0, 0);
}

static void rereg_of_a_pd_of_another_context_is_refused(void **state)
{
	struct ibv_context *other = api_open_another();
	struct ibv_pd *other_pd = ibv_alloc_pd(other);

	assert_refused(IBV_REREG_MR_CHANGE_PD, other_pd, NULL, 0, 0);
	ASSERT_OK(ibv_dealloc_pd(other_pd));
	ASSERT_OK(ibv_close_device(other));
}

static void assert_type_is_refused(enum verbs_mr_type type)
{
	struct ibv_mr *mr = reg();

	verbs_container_of(mr, struct verbs_mr, ibv_mr)->mr_type = type;
	errno = SOME_ERRNO;
	assert_int_equal(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL,
				      NULL, 0, ACCESS),
			 IBV_REREG_MR_ERR_INPUT);
	assert_int_equal(errno, EINVAL);
	dereg(mr);
}

static void rereg_is_for_plain_regions_only(void **state)
{
	assert_type_is_refused(VERBS_MR_TYPE_NULL_MR);
	assert_type_is_refused(VERBS_MR_TYPE_IMPORTED_MR);
	assert_type_is_refused(VERBS_MR_TYPE_DMABUF_MR);
}

static void rereg_changes_the_address(void **state)
{
	struct ibv_mr *mr = reg();

	ASSERT_OK(ibv_rereg_mr(mr, ALL_TRANSLATE, NULL, memory + 8, 16, 0));
	ASSERT_OP("rereg_mr");
	assert_int_equal(fake_provider.args.flags, ALL_TRANSLATE);
	assert_ptr_equal(fake_provider.args.addr, memory + 8);
	assert_int_equal(fake_provider.args.length, 16);
	assert_ptr_equal(mr->addr, memory + 8);
	assert_int_equal(mr->length, 16);
	assert_ptr_equal(mr->pd, api.pd);
	dereg(mr);
}

static void rereg_changes_the_pd(void **state)
{
	struct ibv_pd *other = ibv_alloc_pd(api.ctx);
	struct ibv_mr *mr = reg();

	assert_non_null(other);
	ASSERT_OK(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_PD, other, NULL, 0, 0));
	assert_ptr_equal(fake_provider.args.pd, other);
	assert_ptr_equal(mr->pd, other);
	assert_ptr_equal(mr->addr, memory);
	assert_int_equal(mr->length, LENGTH);
	dereg(mr);
	assert_int_equal(ibv_dealloc_pd(other), 0);
}

static void rereg_of_access_leaves_the_rest(void **state)
{
	struct ibv_mr *mr = reg();

	ASSERT_OK(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
			       ACCESS));
	assert_int_equal(fake_provider.args.access, ACCESS);
	assert_ptr_equal(mr->pd, api.pd);
	assert_ptr_equal(mr->addr, memory);
	assert_int_equal(mr->length, LENGTH);
	dereg(mr);
}

static void assert_rereg_fails(int op_ret, int result, int err)
{
	struct ibv_mr *mr = reg();

	fake_provider.ret = op_ret;
	errno = SOME_ERRNO;
	assert_int_equal(
		ibv_rereg_mr(mr, ALL_TRANSLATE, NULL, memory + 8, 16, 0),
		result);
	assert_int_equal(errno, err);
	assert_ptr_equal(mr->addr, memory);
	assert_int_equal(mr->length, LENGTH);
	dereg(mr);
}

static void failed_command_has_a_code_of_its_own(void **state)
{
	assert_rereg_fails(-ENOMEM, IBV_REREG_MR_ERR_CMD, ENOMEM);
}

static void rereg_that_is_not_supported_is_a_failed_command(void **state)
{
	assert_rereg_fails(-EOPNOTSUPP, IBV_REREG_MR_ERR_CMD, EOPNOTSUPP);
}

/* ------------------------------------------------------------------------ */
/* Advice                                                                    */
/* ------------------------------------------------------------------------ */

static void advice_reaches_the_provider(void **state)
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

static void failure_of_advice_is_a_positive_errno(void **state)
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
		API_TEST(mr_gets_what_the_application_said),
		API_TEST(provider_gets_what_the_application_said),
		API_TEST(iova_is_the_address_if_nothing_else_is_said),
		API_TEST(exported_reg_mr_is_the_same),
		API_TEST(iova_may_be_said),
		API_TEST(exported_reg_mr_iova_is_the_same),
		API_TEST(failure_of_reg_is_null),
		API_TEST(optional_access_is_dropped_for_older_kernels),
		API_TEST(optional_access_reaches_kernels_that_know_it),
		API_TEST(inline_reg_mr_keeps_optional_access),
		API_TEST(dmabuf_mr_has_its_offset_as_address),
		API_TEST(failure_of_dmabuf_is_null),
		API_TEST(failure_of_dereg_is_a_positive_errno),
		API_TEST(success_of_dereg_leaves_errno_alone),
		API_TEST(rereg_of_unknown_flags_is_refused),
		API_TEST(rereg_of_an_address_needs_one),
		API_TEST(rereg_of_an_address_needs_a_length),
		API_TEST(rereg_of_access_needs_its_flag),
		API_TEST(rereg_of_a_pd_needs_one),
		API_TEST(rereg_of_a_pd_of_another_context_is_refused),
		API_TEST(rereg_is_for_plain_regions_only),
		API_TEST(rereg_changes_the_address),
		API_TEST(rereg_changes_the_pd),
		API_TEST(rereg_of_access_leaves_the_rest),
		API_TEST(failed_command_has_a_code_of_its_own),
		API_TEST(rereg_that_is_not_supported_is_a_failed_command),
		API_TEST(advice_reaches_the_provider),
		API_TEST(failure_of_advice_is_a_positive_errno),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
