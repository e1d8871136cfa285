/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tests of libibverbs/core/device_match.c. */
#include "core/device_match.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* last: cmocka.h needs the headers above */
#include <cmocka.h>

#define NR(array) (sizeof(array) / sizeof((array)[0]))

static const struct verbs_match rxe_match[] = {
	{ .kind = VERBS_MATCH_DRIVER_ID, .driver_id = RDMA_DRIVER_RXE },
	{ .kind = VERBS_MATCH_END },
};
static const struct verbs_match two_ids_match[] = {
	{ .kind = VERBS_MATCH_DRIVER_ID, .driver_id = RDMA_DRIVER_SIW },
	{ .kind = VERBS_MATCH_DRIVER_ID, .driver_id = RDMA_DRIVER_RXE },
	{ .kind = VERBS_MATCH_END },
};
static const struct verbs_match name_match[] = {
	{ .kind = VERBS_MATCH_NAME, .prefix = "rxe" },
	{ .kind = VERBS_MATCH_END },
};
static const struct verbs_match unknown_id_match[] = {
	{ .kind = VERBS_MATCH_DRIVER_ID, .driver_id = RDMA_DRIVER_UNKNOWN },
	{ .kind = VERBS_MATCH_END },
};
static const struct verbs_match end_first_match[] = {
	{ .kind = VERBS_MATCH_END },
	{ .kind = VERBS_MATCH_NAME, .prefix = "rxe" },
};

static const struct verbs_device_ops by_id = {
	.name = "by_id",
	.min_abi_version = 2,
	.max_abi_version = 4,
	.match = rxe_match,
};
static const struct verbs_device_ops by_id_too = {
	.name = "by_id_too",
	.min_abi_version = 2,
	.max_abi_version = 4,
	.match = two_ids_match,
};
static const struct verbs_device_ops by_name = {
	.name = "by_name",
	.min_abi_version = 2,
	.max_abi_version = 4,
	.match = name_match,
};
static const struct verbs_device_ops by_name_abi_9 = {
	.name = "by_name_abi_9",
	.min_abi_version = 9,
	.max_abi_version = 9,
	.match = name_match,
};
static const struct verbs_device_ops without_table = {
	.name = "without_table",
	.max_abi_version = 100,
};
static const struct verbs_device_ops by_unknown_id = {
	.name = "by_unknown_id",
	.max_abi_version = 100,
	.match = unknown_id_match,
};
static const struct verbs_device_ops end_first = {
	.name = "end_first",
	.max_abi_version = 100,
	.match = end_first_match,
};

static struct verbs_kernel_device
match_record(const char *name, uint32_t driver_id, uint32_t abi_version)
{
	struct verbs_kernel_device dev = {
		.driver_id = driver_id,
		.abi_version = abi_version,
	};

	(void)strncpy(dev.ibdev_name, name, sizeof(dev.ibdev_name) - 1);
	return dev;
}

static const struct verbs_device_ops *
match_provider(const struct verbs_kernel_device *dev,
	       const struct verbs_device_ops *const *providers, size_t count)
{
	struct verbs_candidate candidate = { .kernel = dev };

	return verbs_match_device(&candidate, providers, count);
}

static const struct verbs_device_ops *
match_single_provider(const struct verbs_kernel_device *dev,
		      const struct verbs_device_ops *provider)
{
	return match_provider(dev, &provider, 1);
}

static void match_equal_driver_id_matches(void **state)
{
	struct verbs_kernel_device dev = match_record("a", RDMA_DRIVER_RXE, 2);

	assert_ptr_equal(match_single_provider(&dev, &by_id), &by_id);
}

static void match_different_driver_id_is_rejected(void **state)
{
	struct verbs_kernel_device dev =
		match_record("rxe0", RDMA_DRIVER_MLX5, 2);

	assert_null(match_single_provider(&dev, &by_id));
}

static void match_later_table_entries_are_compared(void **state)
{
	struct verbs_kernel_device dev = match_record("a", RDMA_DRIVER_RXE, 2);

	assert_ptr_equal(match_single_provider(&dev, &by_id_too), &by_id_too);
}

static void match_unknown_driver_id_is_rejected(void **state)
{
	struct verbs_kernel_device dev =
		match_record("a", RDMA_DRIVER_UNKNOWN, 2);

	assert_null(match_single_provider(&dev, &by_unknown_id));
}

static void match_name_prefix_matches(void **state)
{
	struct verbs_kernel_device dev = match_record("rxe17", 0, 2);

	assert_ptr_equal(match_single_provider(&dev, &by_name), &by_name);
}

static void match_name_equal_to_prefix_matches(void **state)
{
	struct verbs_kernel_device dev = match_record("rxe", 0, 2);

	assert_ptr_equal(match_single_provider(&dev, &by_name), &by_name);
}

static void match_prefix_inside_name_is_rejected(void **state)
{
	struct verbs_kernel_device dev = match_record("my_rxe0", 0, 2);

	assert_null(match_single_provider(&dev, &by_name));
}

static void match_name_shorter_than_prefix_is_rejected(void **state)
{
	struct verbs_kernel_device dev = match_record("rx", 0, 2);

	assert_null(match_single_provider(&dev, &by_name));
}

static void match_name_with_known_driver_matches(void **state)
{
	struct verbs_kernel_device dev =
		match_record("rxe0", RDMA_DRIVER_MLX5, 2);

	assert_ptr_equal(match_single_provider(&dev, &by_name), &by_name);
}

static void match_driver_id_precedes_name(void **state)
{
	const struct verbs_device_ops *providers[] = { &by_name, &by_id };
	struct verbs_kernel_device dev =
		match_record("rxe0", RDMA_DRIVER_RXE, 2);

	assert_ptr_equal(match_provider(&dev, providers, NR(providers)),
			 &by_id);
}

static void match_earlier_provider_precedes_later(void **state)
{
	const struct verbs_device_ops *providers[] = { &by_id_too, &by_id };
	struct verbs_kernel_device dev =
		match_record("rxe0", RDMA_DRIVER_RXE, 2);

	assert_ptr_equal(match_provider(&dev, providers, NR(providers)),
			 &by_id_too);
}

static void match_abi_bounds_are_inclusive(void **state)
{
	struct verbs_kernel_device lowest =
		match_record("rxe0", RDMA_DRIVER_RXE, 2);
	struct verbs_kernel_device highest =
		match_record("rxe0", RDMA_DRIVER_RXE, 4);

	assert_ptr_equal(match_single_provider(&lowest, &by_id), &by_id);
	assert_ptr_equal(match_single_provider(&highest, &by_id), &by_id);
}

static void match_abi_below_range_is_rejected(void **state)
{
	struct verbs_kernel_device dev =
		match_record("rxe0", RDMA_DRIVER_RXE, 1);

	assert_null(match_single_provider(&dev, &by_id));
}

static void match_abi_above_range_is_rejected(void **state)
{
	struct verbs_kernel_device dev =
		match_record("rxe0", RDMA_DRIVER_RXE, 5);

	assert_null(match_single_provider(&dev, &by_id));
}

static void match_provider_with_wrong_abi_is_skipped(void **state)
{
	const struct verbs_device_ops *providers[] = { &by_name_abi_9,
						       &by_name };
	struct verbs_kernel_device dev = match_record("rxe0", 0, 2);

	assert_ptr_equal(match_provider(&dev, providers, NR(providers)),
			 &by_name);
}

static void match_provider_without_table_is_skipped(void **state)
{
	struct verbs_kernel_device dev =
		match_record("rxe0", RDMA_DRIVER_RXE, 2);

	assert_null(match_single_provider(&dev, &without_table));
}

static void match_entries_behind_end_are_ignored(void **state)
{
	struct verbs_kernel_device dev = match_record("rxe0", 0, 2);

	assert_null(match_single_provider(&dev, &end_first));
}

static void match_without_providers_is_null(void **state)
{
	struct verbs_kernel_device dev =
		match_record("rxe0", RDMA_DRIVER_RXE, 2);

	assert_null(match_provider(&dev, NULL, 0));
}

/* ------------------------------------------------------------------------ */
/* Foreign providers                                                        */
/* ------------------------------------------------------------------------ */

static enum verbs_match_kind asked[4];
static size_t nr_asked;
static enum verbs_match_kind claimed_as;

static bool foreign_claims(const struct verbs_device_ops *provider,
			   enum verbs_match_kind kind,
			   struct verbs_candidate *candidate)
{
	assert_string_equal(provider->name, "foreign");
	assert_string_equal(candidate->kernel->ibdev_name, "rxe0");
	asked[nr_asked++] = kind;
	return kind == claimed_as;
}

static const struct verbs_foreign_hooks foreign_hooks = {
	.claims = foreign_claims,
};
static const struct verbs_device_ops foreign = {
	.name = "foreign",
	.foreign = &foreign_hooks,
};

static void match_foreign_provider_is_called_for_both_kinds(void **state)
{
	struct verbs_kernel_device dev =
		match_record("rxe0", RDMA_DRIVER_SIW, 3);

	nr_asked = 0;
	claimed_as = VERBS_MATCH_END;
	assert_null(match_single_provider(&dev, &foreign));
	assert_int_equal(nr_asked, 2);
	assert_int_equal(asked[0], VERBS_MATCH_DRIVER_ID);
	assert_int_equal(asked[1], VERBS_MATCH_NAME);
}

static void match_foreign_driver_precedes_name(void **state)
{
	const struct verbs_device_ops *const providers[] = { &by_name,
							     &foreign };
	struct verbs_kernel_device dev =
		match_record("rxe0", RDMA_DRIVER_SIW, 3);

	claimed_as = VERBS_MATCH_DRIVER_ID;
	nr_asked = 0;
	assert_ptr_equal(match_provider(&dev, providers, NR(providers)),
			 &foreign);
	claimed_as = VERBS_MATCH_NAME;
	assert_ptr_equal(match_provider(&dev, providers, NR(providers)),
			 &by_name);
}

/*
 * One entry for each driver of linux/include/uapi/rdma/ib_user_ioctl_verbs.h.
 */
static void driver_names_equal_those_of_packages(void **state)
{
	assert_string_equal(verbs_driver_name(RDMA_DRIVER_RXE), "rxe");
	assert_string_equal(verbs_driver_name(RDMA_DRIVER_SIW), "siw");
	assert_string_equal(verbs_driver_name(RDMA_DRIVER_MLX5), "mlx5");
	assert_string_equal(verbs_driver_name(RDMA_DRIVER_HFI1), "hfi1verbs");
	assert_string_equal(verbs_driver_name(RDMA_DRIVER_QIB), "ipathverbs");
}

static void driver_name_of_unknown_id_is_null(void **state)
{
	assert_null(verbs_driver_name(RDMA_DRIVER_UNKNOWN));
	assert_null(verbs_driver_name(UINT32_MAX));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(match_equal_driver_id_matches),
		cmocka_unit_test(match_different_driver_id_is_rejected),
		cmocka_unit_test(match_later_table_entries_are_compared),
		cmocka_unit_test(match_unknown_driver_id_is_rejected),
		cmocka_unit_test(match_name_prefix_matches),
		cmocka_unit_test(match_name_equal_to_prefix_matches),
		cmocka_unit_test(match_prefix_inside_name_is_rejected),
		cmocka_unit_test(match_name_shorter_than_prefix_is_rejected),
		cmocka_unit_test(match_name_with_known_driver_matches),
		cmocka_unit_test(match_driver_id_precedes_name),
		cmocka_unit_test(match_earlier_provider_precedes_later),
		cmocka_unit_test(match_abi_bounds_are_inclusive),
		cmocka_unit_test(match_abi_below_range_is_rejected),
		cmocka_unit_test(match_abi_above_range_is_rejected),
		cmocka_unit_test(match_provider_with_wrong_abi_is_skipped),
		cmocka_unit_test(match_provider_without_table_is_skipped),
		cmocka_unit_test(match_entries_behind_end_are_ignored),
		cmocka_unit_test(match_without_providers_is_null),
		cmocka_unit_test(driver_names_equal_those_of_packages),
		cmocka_unit_test(driver_name_of_unknown_id_is_null),
		cmocka_unit_test(
			match_foreign_provider_is_called_for_both_kinds),
		cmocka_unit_test(match_foreign_driver_precedes_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
