/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Commands of DMA handles. */
#include "libibverbs/kernel/kernel_test.h"

#include <errno.h>
#include <string.h>

#include "kernel/uapi_newer.h"

#define ALL_HINTS                                                      \
	(IBV_DMAH_INIT_ATTR_MASK_CPU_ID | IBV_DMAH_INIT_ATTR_MASK_PH | \
	 IBV_DMAH_INIT_ATTR_MASK_TPH_MEM_TYPE)

static struct ibv_dmah_init_attr attr_of(uint32_t mask)
{
	return (struct ibv_dmah_init_attr){
		.comp_mask = mask,
		.cpu_id = 5,
		.ph = 3,
		.tph_mem_type = IBV_TPH_MEM_TYPE_PM,
	};
}

static void expect_alloc(uint32_t mask, int err)
{
	const struct fake_attr cpu =
		FAKE_U32_IN(VERBS_UAPI_UVERBS_ATTR_ALLOC_DMAH_CPU_ID, 5);
	const struct fake_attr type = {
		.id = VERBS_UAPI_UVERBS_ATTR_ALLOC_DMAH_TPH_MEM_TYPE,
		.kind = FAKE_IN_BYTES, /* no data, only the element */
		.elem = 1,
	};
	const struct fake_attr ph =
		FAKE_U8_IN(VERBS_UAPI_UVERBS_ATTR_ALLOC_DMAH_PH, 3);
	struct fake_attr attrs[4] = {
		FAKE_NUM_OUT(VERBS_UAPI_UVERBS_ATTR_ALLOC_DMAH_HANDLE, 45),
	};
	struct fake_ioctl cmd = {
		.object = VERBS_UAPI_UVERBS_OBJECT_DMAH,
		.method = VERBS_UAPI_UVERBS_METHOD_DMAH_ALLOC,
		.attrs = attrs,
		.nr_attrs = 1,
		.err = err,
	};

	if (mask & IBV_DMAH_INIT_ATTR_MASK_CPU_ID)
		attrs[cmd.nr_attrs++] = cpu;
	if (mask & IBV_DMAH_INIT_ATTR_MASK_TPH_MEM_TYPE)
		attrs[cmd.nr_attrs++] = type;
	if (mask & IBV_DMAH_INIT_ATTR_MASK_PH)
		attrs[cmd.nr_attrs++] = ph;
	fake_kernel_expect_ioctl(&cmd);
}

static void alloc_dmah_sends_hints_of_mask(void **state)
{
	struct kernel_test *t = *state;

	for (uint32_t mask = 0; mask <= ALL_HINTS; mask++) {
		const struct ibv_dmah_init_attr attr = attr_of(mask);
		struct verbs_dmah dmah = {};

		expect_alloc(mask, 0);
		assert_int_equal(verbs_cmd_alloc_dmah(t->ctx, &attr, &dmah), 0);
		assert_int_equal(dmah.handle, 45);
		assert_ptr_equal(dmah.dmah.context, t->ctx);
	}
}

static void alloc_dmah_error_leaves_object_unchanged(void **state)
{
	const struct ibv_dmah_init_attr attr = attr_of(ALL_HINTS);
	const struct ibv_dmah_init_attr unknown = attr_of(ALL_HINTS + 1);
	const struct verbs_dmah before = { .handle = 99 };
	struct kernel_test *t = *state;
	struct verbs_dmah dmah = before;

	for (int i = 0; i < KERNEL_TEST_NR_ERRORS; i++) {
		expect_alloc(ALL_HINTS, kernel_test_errors[i]);
		assert_int_equal(verbs_cmd_alloc_dmah(t->ctx, &attr, &dmah),
				 -kernel_test_errors[i]);
	}
	assert_int_equal(verbs_cmd_alloc_dmah(t->ctx, &unknown, &dmah),
			 -EOPNOTSUPP);
	expect_alloc(ALL_HINTS, EPROTONOSUPPORT);
	for (int i = 0; i < 2; i++)
		assert_int_equal(verbs_cmd_alloc_dmah(t->ctx, &attr, &dmah),
				 -EOPNOTSUPP);
	assert_memory_equal(&dmah, &before, sizeof(before));
}

static int run_dealloc(struct kernel_test *t)
{
	struct verbs_dmah dmah = { .dmah.context = t->ctx, .handle = 45 };

	return verbs_cmd_dealloc_dmah(&dmah);
}

static const struct destroy_case dealloc_dmah_case = {
	.cap = KERNEL_CAP_FREE_DMAH,
	.handle_attr = VERBS_UAPI_UVERBS_ATTR_FREE_DMA_HANDLE,
	.ioctl_only = true,
	.handle = 45,
	.run = run_dealloc,
};

DESTROY_IOCTL_ONLY_TESTS(dealloc_dmah)

int main(void)
{
	const struct CMUnitTest tests[] = {
		KERNEL_TEST(alloc_dmah_sends_hints_of_mask),
		KERNEL_TEST(alloc_dmah_error_leaves_object_unchanged),
		DESTROY_IOCTL_ONLY_TEST_LIST(dealloc_dmah),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
