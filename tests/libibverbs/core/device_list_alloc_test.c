/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tests of libibverbs/core/device_list.c in which each allocation fails once.
 * The call fails, leaks nothing, and succeeds when it is repeated. Each test
 * runs in its own process.
 */
#include <errno.h>
#include <stdio.h>

#include "core/provider_registry.h"
#include "libibverbs/core/fake_load.h"
#include "libibverbs/core/list_fixture.h"
#include "libibverbs/core/own_process.h"
#include "support/alloc_fail.h"
#include "support/fake_discover.h"
#include "support/fake_provider.h"
#include "support/leak_check.h"

/* Empties the list, so that the blocks can be counted. */
static void device_list_empty(void)
{
	fake_discover_reset();
	fake_provider.offers[0] = NULL;
	fake_provider.offers[1] = NULL;
	list_assert_names_now(NO_NAMES);
}

/*
 * Repeats the scan with each allocation failing once; returns the number of
 * allocations.
 */
static unsigned int list_fail_each_allocation(void (*set_up)(void),
					      const char *const *names)
{
	unsigned int n;

	device_list_empty();
	for (n = 1;; n++) {
		struct ibv_device **array = NULL;
		struct leak_check check;
		int count = -1;
		int ret;

		leak_check_begin(&check);
		set_up();
		alloc_fail_at(n);
		ret = verbs_device_list_get(&array, &count);
		if (!alloc_fail_done()) {
			assert_int_equal(ret, 0);
			verbs_device_list_put(array);
			break;
		}
		assert_int_equal(ret, -ENOMEM);
		assert_null(array);
		assert_int_equal(count, -1);

		list_assert_names_now(names); /* succeeds now */
		device_list_empty();
		leak_check_end(&check);
	}
	return n - 1;
}

static void discover_three_devices(void)
{
	list_appear(0, 2);
}

static void device_list_first_scan_allocation_failure_is_enomem(void **state)
{
	list_start();
	/* The records, their states, three devices, the array. */
	assert_in_range(
		list_fail_each_allocation(discover_three_devices,
					  NAMES("fake0", "fake1", "fake2")),
		4, 20);
}

static void discover_no_device(void)
{
}

static void device_list_empty_scan_allocation_failure_is_enomem(void **state)
{
	list_start();
	assert_in_range(list_fail_each_allocation(discover_no_device, NO_NAMES),
			1, 20);
}

static void provider_scan_two_devices(void)
{
	fake_provider.offers[0] = "soft0";
	fake_provider.offers[1] = "soft1";
}

static void device_list_provider_scan_allocation_failure_is_enomem(void **state)
{
	list_start();
	assert_in_range(list_fail_each_allocation(provider_scan_two_devices,
						  NAMES("soft0", "soft1")),
			3, 20);
}

/* The adoption after the provider was loaded fails. */
static void device_list_failure_after_loading_leaks_nothing(void **state)
{
	struct leak_check check;

	fake_discover_reset();
	fake_provider_reset();
	leak_check_begin(&check);
	fake_load.for_driver = &verbs_provider_fake;
	list_appear(0, 1);
	alloc_fail_at(4); /* after the records, their states, one device */
	list_assert_error(-ENOMEM);
	assert_true(alloc_fail_done());
	assert_int_equal(fake_load.nr_load_for, 1);
	list_assert_names_now(NAMES("fake0", "fake1"));
	device_list_empty();
	leak_check_end(&check);
}

/* A failed scan keeps the listed devices. */
static void device_list_allocation_failure_keeps_known_devices(void **state)
{
	struct list before;
	unsigned int n;

	list_start();
	list_appear(0, 1);
	before = list_get();
	list_appear(2, 2);
	for (n = 1;; n++) {
		struct list list;
		int ret;

		alloc_fail_at(n);
		ret = verbs_device_list_get(&list.array, &list.count);
		if (!alloc_fail_done()) {
			assert_int_equal(ret, 0);
			list_assert_names(&list,
					  NAMES("fake2", "fake0", "fake1"));
			assert_ptr_equal(list.array[1], before.array[0]);
			list_put(&list);
			break;
		}
		assert_int_equal(ret, -ENOMEM);
	}
	list_put(&before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			device_list_first_scan_allocation_failure_is_enomem),
		cmocka_unit_test(
			device_list_empty_scan_allocation_failure_is_enomem),
		cmocka_unit_test(
			device_list_provider_scan_allocation_failure_is_enomem),
		cmocka_unit_test(
			device_list_failure_after_loading_leaks_nothing),
		cmocka_unit_test(
			device_list_allocation_failure_keeps_known_devices),
	};

	return own_process_run_group_tests(tests);
}
