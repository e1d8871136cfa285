/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which provider takes a device: libibverbs/core/device_match.c. */
#include "core/device_match.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* last: it needs those above */
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

static struct verbs_kernel_device device(const char *name, uint32_t driver_id,
					 uint32_t abi_version)
{
	struct verbs_kernel_device dev = {
		.driver_id = driver_id,
		.abi_version = abi_version,
	};

	(void)strncpy(dev.ibdev_name, name, sizeof(dev.ibdev_name) - 1);
	return dev;
}

static const struct verbs_device_ops *
match(const struct verbs_kernel_device *dev,
      const struct verbs_device_ops *const *providers, size_t count)
{
	struct verbs_candidate candidate = { .kernel = dev };

	return verbs_match_device(&candidate, providers, count);
}

static const struct verbs_device_ops *
match_one(const struct verbs_kernel_device *dev,
	  const struct verbs_device_ops *provider)
{
	return match(dev, &provider, 1);
}

static void driver_id_matches(void **state)
{
	struct verbs_kernel_device dev = device("a", RDMA_DRIVER_RXE, 2);

	assert_ptr_equal(match_one(&dev, &by_id), &by_id);
}

static void another_driver_id_does_not_match(void **state)
{
	struct verbs_kernel_device dev = device("rxe0", RDMA_DRIVER_MLX5, 2);

	assert_null(match_one(&dev, &by_id));
}

static void later_entries_of_a_table_match(void **state)
{
	struct verbs_kernel_device dev = device("a", RDMA_DRIVER_RXE, 2);

	assert_ptr_equal(match_one(&dev, &by_id_too), &by_id_too);
}

static void unknown_driver_id_never_matches(void **state)
{
	struct verbs_kernel_device dev = device("a", RDMA_DRIVER_UNKNOWN, 2);

	assert_null(match_one(&dev, &by_unknown_id));
}

static void name_matches_as_a_prefix(void **state)
{
	struct verbs_kernel_device dev = device("rxe17", 0, 2);

	assert_ptr_equal(match_one(&dev, &by_name), &by_name);
}

static void name_equal_to_the_prefix_matches(void **state)
{
	struct verbs_kernel_device dev = device("rxe", 0, 2);

	assert_ptr_equal(match_one(&dev, &by_name), &by_name);
}

static void prefix_elsewhere_in_the_name_does_not_match(void **state)
{
	struct verbs_kernel_device dev = device("my_rxe0", 0, 2);

	assert_null(match_one(&dev, &by_name));
}

static void name_shorter_than_the_prefix_does_not_match(void **state)
{
	struct verbs_kernel_device dev = device("rx", 0, 2);

	assert_null(match_one(&dev, &by_name));
}

static void name_matches_also_with_a_known_driver(void **state)
{
	struct verbs_kernel_device dev = device("rxe0", RDMA_DRIVER_MLX5, 2);

	assert_ptr_equal(match_one(&dev, &by_name), &by_name);
}

static void driver_id_goes_before_name(void **state)
{
	const struct verbs_device_ops *providers[] = { &by_name, &by_id };
	struct verbs_kernel_device dev = device("rxe0", RDMA_DRIVER_RXE, 2);

	assert_ptr_equal(match(&dev, providers, NR(providers)), &by_id);
}

static void earlier_provider_goes_before_later_one(void **state)
{
	const struct verbs_device_ops *providers[] = { &by_id_too, &by_id };
	struct verbs_kernel_device dev = device("rxe0", RDMA_DRIVER_RXE, 2);

	assert_ptr_equal(match(&dev, providers, NR(providers)), &by_id_too);
}

static void lowest_and_highest_abi_match(void **state)
{
	struct verbs_kernel_device lowest = device("rxe0", RDMA_DRIVER_RXE, 2);
	struct verbs_kernel_device highest = device("rxe0", RDMA_DRIVER_RXE, 4);

	assert_ptr_equal(match_one(&lowest, &by_id), &by_id);
	assert_ptr_equal(match_one(&highest, &by_id), &by_id);
}

static void abi_below_the_range_does_not_match(void **state)
{
	struct verbs_kernel_device dev = device("rxe0", RDMA_DRIVER_RXE, 1);

	assert_null(match_one(&dev, &by_id));
}

static void abi_above_the_range_does_not_match(void **state)
{
	struct verbs_kernel_device dev = device("rxe0", RDMA_DRIVER_RXE, 5);

	assert_null(match_one(&dev, &by_id));
}

static void provider_of_another_abi_leaves_the_device_to_others(void **state)
{
	const struct verbs_device_ops *providers[] = { &by_name_abi_9,
						       &by_name };
	struct verbs_kernel_device dev = device("rxe0", 0, 2);

	assert_ptr_equal(match(&dev, providers, NR(providers)), &by_name);
}

static void provider_without_a_table_takes_nothing(void **state)
{
	struct verbs_kernel_device dev = device("rxe0", RDMA_DRIVER_RXE, 2);

	assert_null(match_one(&dev, &without_table));
}

static void entries_behind_the_end_are_not_seen(void **state)
{
	struct verbs_kernel_device dev = device("rxe0", 0, 2);

	assert_null(match_one(&dev, &end_first));
}

static void nobody_matches_without_providers(void **state)
{
	struct verbs_kernel_device dev = device("rxe0", RDMA_DRIVER_RXE, 2);

	assert_null(match(&dev, NULL, 0));
}

/* ------------------------------------------------------------------------ */
/* Foreign providers are asked                                               */
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

static void foreign_provider_is_asked_in_both_rounds(void **state)
{
	struct verbs_kernel_device dev = device("rxe0", RDMA_DRIVER_SIW, 3);

	nr_asked = 0;
	claimed_as = VERBS_MATCH_END;
	assert_null(match_one(&dev, &foreign));
	assert_int_equal(nr_asked, 2);
	assert_int_equal(asked[0], VERBS_MATCH_DRIVER_ID);
	assert_int_equal(asked[1], VERBS_MATCH_NAME);
}

static void driver_of_a_foreign_provider_goes_before_a_name(void **state)
{
	const struct verbs_device_ops *const providers[] = { &by_name,
							     &foreign };
	struct verbs_kernel_device dev = device("rxe0", RDMA_DRIVER_SIW, 3);

	claimed_as = VERBS_MATCH_DRIVER_ID;
	nr_asked = 0;
	assert_ptr_equal(match(&dev, providers, NR(providers)), &foreign);
	claimed_as = VERBS_MATCH_NAME;
	assert_ptr_equal(match(&dev, providers, NR(providers)), &by_name);
}

/* One for each driver of linux/include/uapi/rdma/ib_user_ioctl_verbs.h. */
static void drivers_have_the_names_that_packages_use(void **state)
{
	assert_string_equal(verbs_driver_name(RDMA_DRIVER_RXE), "rxe");
	assert_string_equal(verbs_driver_name(RDMA_DRIVER_SIW), "siw");
	assert_string_equal(verbs_driver_name(RDMA_DRIVER_MLX5), "mlx5");
	assert_string_equal(verbs_driver_name(RDMA_DRIVER_HFI1), "hfi1verbs");
	assert_string_equal(verbs_driver_name(RDMA_DRIVER_QIB), "ipathverbs");
}

static void unknown_and_future_drivers_have_no_name(void **state)
{
	assert_null(verbs_driver_name(RDMA_DRIVER_UNKNOWN));
	assert_null(verbs_driver_name(UINT32_MAX));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(driver_id_matches),
		cmocka_unit_test(another_driver_id_does_not_match),
		cmocka_unit_test(later_entries_of_a_table_match),
		cmocka_unit_test(unknown_driver_id_never_matches),
		cmocka_unit_test(name_matches_as_a_prefix),
		cmocka_unit_test(name_equal_to_the_prefix_matches),
		cmocka_unit_test(prefix_elsewhere_in_the_name_does_not_match),
		cmocka_unit_test(name_shorter_than_the_prefix_does_not_match),
		cmocka_unit_test(name_matches_also_with_a_known_driver),
		cmocka_unit_test(driver_id_goes_before_name),
		cmocka_unit_test(earlier_provider_goes_before_later_one),
		cmocka_unit_test(lowest_and_highest_abi_match),
		cmocka_unit_test(abi_below_the_range_does_not_match),
		cmocka_unit_test(abi_above_the_range_does_not_match),
		cmocka_unit_test(
			provider_of_another_abi_leaves_the_device_to_others),
		cmocka_unit_test(provider_without_a_table_takes_nothing),
		cmocka_unit_test(entries_behind_the_end_are_not_seen),
		cmocka_unit_test(nobody_matches_without_providers),
		cmocka_unit_test(drivers_have_the_names_that_packages_use),
		cmocka_unit_test(unknown_and_future_drivers_have_no_name),
		cmocka_unit_test(foreign_provider_is_asked_in_both_rounds),
		cmocka_unit_test(
			driver_of_a_foreign_provider_goes_before_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
