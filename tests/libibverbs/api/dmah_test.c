/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ibv_alloc_dmah(3) and ibv_dealloc_dmah(3): libibverbs/api/dmah.c. */
#include "libibverbs/api/api_fixture.h"

#define ALL                                                            \
	(IBV_DMAH_INIT_ATTR_MASK_CPU_ID | IBV_DMAH_INIT_ATTR_MASK_PH | \
	 IBV_DMAH_INIT_ATTR_MASK_TPH_MEM_TYPE)

static struct ibv_dmah_init_attr attr;

static int start(void **state)
{
	attr = (struct ibv_dmah_init_attr){
		.comp_mask = ALL,
		.cpu_id = 3,
		.ph = 3,
		.tph_mem_type = IBV_TPH_MEM_TYPE_PM,
	};
	return api_open(state);
}

static void hints_belong_to_their_context(void **state)
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

static void failures_are_told(void **state)
{
	struct ibv_dmah *dmah = ibv_alloc_dmah(api.ctx, &attr);

	fake_provider.ret = -EBUSY;
	ASSERT_NULL(ibv_alloc_dmah(api.ctx, &attr), EBUSY);
	ASSERT_ERRNO(ibv_dealloc_dmah(dmah), EBUSY);
	fake_provider.ret = 0;
	ASSERT_OK(ibv_dealloc_dmah(dmah));
}

static void unknown_attributes_are_eopnotsupp(void **state)
{
	attr.comp_mask = ALL + 1;
	ASSERT_NULL(ibv_alloc_dmah(api.ctx, &attr), EOPNOTSUPP);
	attr.comp_mask = 1U << 31;
	ASSERT_NULL(ibv_alloc_dmah(api.ctx, &attr), EOPNOTSUPP);
}

static void hint_of_more_than_two_bits_is_einval(void **state)
{
	attr.ph = 4;
	ASSERT_NULL(ibv_alloc_dmah(api.ctx, &attr), EINVAL);
}

static void unknown_kind_of_memory_is_einval(void **state)
{
	attr.tph_mem_type = IBV_TPH_MEM_TYPE_PM + 1;
	ASSERT_NULL(ibv_alloc_dmah(api.ctx, &attr), EINVAL);
}

static void what_the_mask_does_not_name_may_be_anything(void **state)
{
	struct ibv_dmah *dmah;

	attr.comp_mask = IBV_DMAH_INIT_ATTR_MASK_CPU_ID;
	attr.ph = 200;
	attr.tph_mem_type = 200;
	dmah = ibv_alloc_dmah(api.ctx, &attr);
	assert_non_null(dmah);
	ASSERT_OK(ibv_dealloc_dmah(dmah));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, api_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(hints_belong_to_their_context),
		TEST(failures_are_told),
		TEST(unknown_attributes_are_eopnotsupp),
		TEST(hint_of_more_than_two_bits_is_einval),
		TEST(unknown_kind_of_memory_is_einval),
		TEST(what_the_mask_does_not_name_may_be_anything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
