/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ibv_alloc_dmah(3) and ibv_dealloc_dmah(3): libibverbs/api/dmah.c. */
#include "libibverbs/api/api_fixture.h"

#define ALL                                                            \
	(IBV_DMAH_INIT_ATTR_MASK_CPU_ID | IBV_DMAH_INIT_ATTR_MASK_PH | \
	 IBV_DMAH_INIT_ATTR_MASK_TPH_MEM_TYPE)

#define NOTHING NULL

static struct ibv_dmah_init_attr attr;

static int dmah_setup(void **state)
{
	attr = (struct ibv_dmah_init_attr){
		.comp_mask = ALL,
		.cpu_id = 3,
		.ph = 3,
		.tph_mem_type = IBV_TPH_MEM_TYPE_PM,
	};
	return api_open(state);
}

static void alloc_dmah_returns_dmah_of_context(void **state)
{
	struct ibv_dmah *dmah;

	errno = SOME_ERRNO;
	dmah = ibv_alloc_dmah(api.ctx, &attr);
	assert_non_null(dmah);
	assert_int_equal(errno, SOME_ERRNO);
	ASSERT_OP("alloc_dmah");
	assert_ptr_equal(fake_provider.args.attr, &attr);
	assert_ptr_equal(dmah->context, api.ctx);
	ASSERT_OK(ibv_dealloc_dmah(dmah));
	ASSERT_OP("dealloc_dmah");
}

static void dmah_provider_failure_is_reported(void **state)
{
	struct ibv_dmah *dmah = ibv_alloc_dmah(api.ctx, &attr);

	fake_provider.ret = -EBUSY;
	ASSERT_NULL(ibv_alloc_dmah(api.ctx, &attr), EBUSY);
	ASSERT_ERRNO(ibv_dealloc_dmah(dmah), EBUSY);
	fake_provider.ret = 0;
	ASSERT_OK(ibv_dealloc_dmah(dmah));
}

static void misuse_dmah_null_is_einval(void **state)
{
	fake_provider.last_op = "none";
	ASSERT_NULL(ibv_alloc_dmah(NOTHING, &attr), EINVAL);
	ASSERT_NULL(ibv_alloc_dmah(api.ctx, NOTHING), EINVAL);
	ASSERT_ERRNO(ibv_dealloc_dmah(NOTHING), EINVAL);
	ASSERT_OP("none");
}

static void misuse_dmah_unknown_attribute_is_eopnotsupp(void **state)
{
	fake_provider.last_op = "none";
	attr.comp_mask = ALL + 1;
	ASSERT_NULL(ibv_alloc_dmah(api.ctx, &attr), EOPNOTSUPP);
	attr.comp_mask = 1U << 31;
	ASSERT_NULL(ibv_alloc_dmah(api.ctx, &attr), EOPNOTSUPP);
	ASSERT_OP("none");
}

static void misuse_dmah_hint_above_2_bits_is_einval(void **state)
{
	fake_provider.last_op = "none";
	attr.ph = 4;
	ASSERT_NULL(ibv_alloc_dmah(api.ctx, &attr), EINVAL);
	attr.comp_mask = IBV_DMAH_INIT_ATTR_MASK_PH;
	ASSERT_NULL(ibv_alloc_dmah(api.ctx, &attr), EINVAL);
	ASSERT_OP("none");
}

static void misuse_dmah_unknown_memory_type_is_einval(void **state)
{
	fake_provider.last_op = "none";
	attr.tph_mem_type = IBV_TPH_MEM_TYPE_PM + 1;
	ASSERT_NULL(ibv_alloc_dmah(api.ctx, &attr), EINVAL);
	attr.comp_mask = IBV_DMAH_INIT_ATTR_MASK_TPH_MEM_TYPE;
	ASSERT_NULL(ibv_alloc_dmah(api.ctx, &attr), EINVAL);
	ASSERT_OP("none");
}

static void alloc_dmah_members_outside_mask_are_ignored(void **state)
{
	struct ibv_dmah *dmah;

	attr.comp_mask = IBV_DMAH_INIT_ATTR_MASK_CPU_ID;
	attr.ph = 200;
	attr.tph_mem_type = 200;
	dmah = ibv_alloc_dmah(api.ctx, &attr);
	assert_non_null(dmah);
	ASSERT_OK(ibv_dealloc_dmah(dmah));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, dmah_setup, api_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(alloc_dmah_returns_dmah_of_context),
		TEST(dmah_provider_failure_is_reported),
		TEST(misuse_dmah_null_is_einval),
		TEST(misuse_dmah_unknown_attribute_is_eopnotsupp),
		TEST(misuse_dmah_hint_above_2_bits_is_einval),
		TEST(misuse_dmah_unknown_memory_type_is_einval),
		TEST(alloc_dmah_members_outside_mask_are_ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
