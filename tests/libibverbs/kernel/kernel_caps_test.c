/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The capability table. Sends no commands. */
#include "libibverbs/kernel/kernel_test.h"

#include <errno.h>
#include <string.h>

static void kernel_cap_row_has_name_release_and_refusal(void **state)
{
	for (int cap = 0; cap < KERNEL_CAP_NR; cap++) {
		const struct kernel_cap *row = kernel_cap_row(cap);

		assert_non_null(row->name);
		assert_non_null(row->since);
		assert_int_not_equal(row->refusal, 0);
		for (int other = 0; other < cap; other++)
			assert_string_not_equal(row->name,
						kernel_cap_row(other)->name);
	}
}

static void kernel_cap_rows_have_distinct_methods(void **state)
{
	for (int cap = 0; cap < KERNEL_CAP_NR; cap++) {
		const struct kernel_cap *row = kernel_cap_row(cap);

		if (row->kind != KERNEL_CAP_KIND_METHOD)
			continue;
		for (int i = 0; i < cap; i++) {
			const struct kernel_cap *other = kernel_cap_row(i);

			/* attributes that later kernels added to the method */
			if (cap == KERNEL_CAP_CREATE_CQ_BUF &&
			    i == KERNEL_CAP_CREATE_CQ)
				continue;
			assert_false(other->kind == KERNEL_CAP_KIND_METHOD &&
				     other->object == row->object &&
				     other->method == row->method);
		}
	}
}

static void kernel_cap_all_are_offered_initially(void **state)
{
	struct verbs_kernel_state kernel = {};

	for (int cap = 0; cap < KERNEL_CAP_NR; cap++)
		assert_true(kernel_cap_offered(&kernel, cap));
}

static void kernel_cap_refusal_errno_refuses_only_that_row(void **state)
{
	for (int cap = 0; cap < KERNEL_CAP_NR; cap++) {
		struct verbs_kernel_state kernel = {};
		const struct kernel_cap *row = kernel_cap_row(cap);

		if (cap == KERNEL_CAP_IOCTL)
			continue;
		assert_true(kernel_cap_learn(&kernel, cap, row->refusal));
		for (int other = 0; other < KERNEL_CAP_NR; other++)
			assert_int_equal(kernel_cap_offered(&kernel, other),
					 other != cap);
	}
}

static void kernel_cap_enotty_refuses_all_methods_but_not_write(void **state)
{
	struct verbs_kernel_state kernel = {};

	assert_true(kernel_cap_learn(&kernel, KERNEL_CAP_DEALLOC_PD, ENOTTY));
	for (int cap = 0; cap < KERNEL_CAP_NR; cap++)
		assert_int_equal(kernel_cap_offered(&kernel, cap),
				 cap != KERNEL_CAP_IOCTL &&
					 kernel_cap_row(cap)->kind !=
						 KERNEL_CAP_KIND_METHOD);
}

static void kernel_cap_unrelated_errors_are_not_refusals(void **state)
{
	static const int errors[] = { EINVAL, EIO,    EAGAIN, ENOMEM, EPERM,
				      ENOENT, ENOSPC, EBUSY,  EFAULT, ENODATA };
	struct verbs_kernel_state kernel = {};

	for (int cap = 0; cap < KERNEL_CAP_NR; cap++) {
		for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++)
			assert_false(kernel_cap_learn(&kernel, cap, errors[i]));
		assert_true(kernel_cap_offered(&kernel, cap));
	}
}

static void
kernel_cap_method_is_not_refused_by_eopnotsupp_or_enosys(void **state)
{
	struct verbs_kernel_state kernel = {};

	for (int cap = 0; cap < KERNEL_CAP_NR; cap++) {
		if (kernel_cap_row(cap)->kind != KERNEL_CAP_KIND_METHOD)
			continue;
		assert_false(kernel_cap_learn(&kernel, cap, EOPNOTSUPP));
		assert_false(kernel_cap_learn(&kernel, cap, ENOSYS));
	}
}

static void kernel_cap_ex_query_device_is_refused_by_enosys(void **state)
{
	struct verbs_kernel_state kernel = {};

	assert_true(
		kernel_cap_learn(&kernel, KERNEL_CAP_EX_QUERY_DEVICE, ENOSYS));
	assert_false(kernel_cap_offered(&kernel, KERNEL_CAP_EX_QUERY_DEVICE));
}

static void kernel_cap_imported_context_does_not_offer_write(void **state)
{
	struct verbs_kernel_state kernel = { .imported = true };

	assert_false(kernel_cap_offered(&kernel, KERNEL_CAP_WRITE));
}

static void kernel_cap_imported_context_offers_refused_methods(void **state)
{
	struct verbs_kernel_state kernel = {
		.imported = true,
		.refused = UINT64_MAX,
	};

	for (int cap = 0; cap < KERNEL_CAP_NR; cap++)
		if (kernel_cap_row(cap)->kind == KERNEL_CAP_KIND_METHOD)
			assert_true(kernel_cap_offered(&kernel, cap));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernel_cap_row_has_name_release_and_refusal),
		cmocka_unit_test(kernel_cap_rows_have_distinct_methods),
		cmocka_unit_test(kernel_cap_all_are_offered_initially),
		cmocka_unit_test(
			kernel_cap_refusal_errno_refuses_only_that_row),
		cmocka_unit_test(
			kernel_cap_enotty_refuses_all_methods_but_not_write),
		cmocka_unit_test(kernel_cap_unrelated_errors_are_not_refusals),
		cmocka_unit_test(
			kernel_cap_method_is_not_refused_by_eopnotsupp_or_enosys),
		cmocka_unit_test(
			kernel_cap_ex_query_device_is_refused_by_enosys),
		cmocka_unit_test(
			kernel_cap_imported_context_does_not_offer_write),
		cmocka_unit_test(
			kernel_cap_imported_context_offers_refused_methods),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
