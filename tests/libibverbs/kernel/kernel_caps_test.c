/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The capability table, without any kernel. */
#include "libibverbs/kernel/kernel_test.h"

#include <errno.h>
#include <string.h>

static void each_row_has_a_name_a_release_and_a_refusal(void **state)
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

static void no_two_rows_name_the_same_method(void **state)
{
	for (int cap = 0; cap < KERNEL_CAP_NR; cap++) {
		const struct kernel_cap *row = kernel_cap_row(cap);

		if (row->kind != KERNEL_CAP_KIND_METHOD)
			continue;
		for (int i = 0; i < cap; i++) {
			const struct kernel_cap *other = kernel_cap_row(i);

			/* one method, of which a part came later */
			if (cap == KERNEL_CAP_CREATE_CQ_BUF &&
			    i == KERNEL_CAP_CREATE_CQ)
				continue;
			assert_false(other->kind == KERNEL_CAP_KIND_METHOD &&
				     other->object == row->object &&
				     other->method == row->method);
		}
	}
}

static void everything_is_offered_at_first(void **state)
{
	struct verbs_kernel_state kernel = {};

	for (int cap = 0; cap < KERNEL_CAP_NR; cap++)
		assert_true(kernel_cap_offered(&kernel, cap));
}

static void each_row_is_refused_by_its_own_errno_and_alone(void **state)
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

static void enotty_refuses_all_methods_and_leaves_write(void **state)
{
	struct verbs_kernel_state kernel = {};

	assert_true(kernel_cap_learn(&kernel, KERNEL_CAP_DEALLOC_PD, ENOTTY));
	for (int cap = 0; cap < KERNEL_CAP_NR; cap++)
		assert_int_equal(kernel_cap_offered(&kernel, cap),
				 cap != KERNEL_CAP_IOCTL &&
					 kernel_cap_row(cap)->kind !=
						 KERNEL_CAP_KIND_METHOD);
}

static void other_errors_are_results(void **state)
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

static void a_method_is_not_refused_by_eopnotsupp_or_enosys(void **state)
{
	struct verbs_kernel_state kernel = {};

	for (int cap = 0; cap < KERNEL_CAP_NR; cap++) {
		if (kernel_cap_row(cap)->kind != KERNEL_CAP_KIND_METHOD)
			continue;
		assert_false(kernel_cap_learn(&kernel, cap, EOPNOTSUPP));
		assert_false(kernel_cap_learn(&kernel, cap, ENOSYS));
	}
}

static void extended_query_is_refused_by_enosys_of_old_kernels(void **state)
{
	struct verbs_kernel_state kernel = {};

	assert_true(
		kernel_cap_learn(&kernel, KERNEL_CAP_EX_QUERY_DEVICE, ENOSYS));
	assert_false(kernel_cap_offered(&kernel, KERNEL_CAP_EX_QUERY_DEVICE));
}

static void an_imported_context_never_writes(void **state)
{
	struct verbs_kernel_state kernel = { .imported = true };

	assert_false(kernel_cap_offered(&kernel, KERNEL_CAP_WRITE));
}

static void an_imported_context_always_tries_its_methods(void **state)
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
		cmocka_unit_test(each_row_has_a_name_a_release_and_a_refusal),
		cmocka_unit_test(no_two_rows_name_the_same_method),
		cmocka_unit_test(everything_is_offered_at_first),
		cmocka_unit_test(
			each_row_is_refused_by_its_own_errno_and_alone),
		cmocka_unit_test(enotty_refuses_all_methods_and_leaves_write),
		cmocka_unit_test(other_errors_are_results),
		cmocka_unit_test(
			a_method_is_not_refused_by_eopnotsupp_or_enosys),
		cmocka_unit_test(
			extended_query_is_refused_by_enosys_of_old_kernels),
		cmocka_unit_test(an_imported_context_never_writes),
		cmocka_unit_test(an_imported_context_always_tries_its_methods),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
