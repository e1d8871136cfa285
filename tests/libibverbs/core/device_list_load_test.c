/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tests when libibverbs/core/device_list.c loads providers, and how it uses
 * the loaded providers. Each test runs in its own process. Linked with WRAP
 * verbs_warn.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/foreign_hooks.h"
#include "core/provider_registry.h"
#include "libibverbs/core/fake_load.h"
#include "libibverbs/core/list_fixture.h"
#include "libibverbs/core/own_process.h"
#include "support/fake_discover.h"
#include "support/fake_provider.h"

/* A driver different from that of verbs_provider_fake. */
#define LATE_DRIVER_ID 1001

static const struct verbs_match late_match[] = {
	{ .kind = VERBS_MATCH_DRIVER_ID, .driver_id = LATE_DRIVER_ID },
	{ .kind = VERBS_MATCH_END },
};

/* A provider that registers only when it is loaded. */
static const struct verbs_device_ops late = {
	.provider_abi = VERBS_PROVIDER_ABI,
	.name = "late",
	.max_abi_version = 100,
	.match = late_match,
};

static unsigned int nr_warnings;

void __wrap_verbs_warn(const char *fmt, ...);

void __wrap_verbs_warn(const char *fmt, ...)
{
	nr_warnings++;
}

static struct verbs_kernel_device late_record(unsigned int n)
{
	struct verbs_kernel_device record = fake_discover_record(n);

	record.driver_id = LATE_DRIVER_ID;
	return record;
}

static void discover_add_late_device(unsigned int n)
{
	struct verbs_kernel_device record = late_record(n);

	fake_discover_add(&record);
}

static void device_list_without_devices_loads_nothing(void **state)
{
	list_start();
	list_assert_names_now(NO_NAMES);
	assert_int_equal(fake_load.nr_load_for, 0);
	assert_int_equal(fake_load.nr_load_all, 0);
}

static void device_list_claimed_device_loads_nothing(void **state)
{
	list_start();
	list_appear(0, 0);
	list_assert_names_now(NAMES("fake0"));
	assert_int_equal(fake_load.nr_load_for, 0);
	assert_int_equal(fake_load.nr_load_all, 0);
	assert_int_equal(nr_warnings, 0);
}

static void device_list_unclaimed_device_loads_provider_of_driver(void **state)
{
	list_start();
	fake_load.for_driver = &late;
	discover_add_late_device(0);
	list_assert_names_now(NAMES("fake0"));
	assert_int_equal(fake_load.nr_load_for, 1);
	assert_int_equal(fake_load.last_driver_id, LATE_DRIVER_ID);
	assert_int_equal(nr_warnings, 0);
}

/* -- a provider that claims a device and then fails to make it -- */

static int refusal; /* result of make_device() */

static const void *refuser_origin(const struct verbs_device_ops *provider)
{
	return provider;
}

static bool refuser_claims(const struct verbs_device_ops *provider,
			   enum verbs_match_kind kind,
			   struct verbs_candidate *candidate)
{
	return true;
}

static int refuser_make_device(struct verbs_device *dev,
			       struct verbs_candidate *candidate)
{
	return refusal;
}

static const struct verbs_foreign_hooks refuser_hooks = {
	.origin = refuser_origin,
	.claims = refuser_claims,
	.make_device = refuser_make_device,
};

static const struct verbs_device_ops refuser = {
	.provider_abi = VERBS_PROVIDER_ABI,
	.name = "refuser",
	.foreign = &refuser_hooks,
};

static void device_list_failed_make_device_tries_next_provider(void **state)
{
	list_start();
	refusal = -ENODEV;
	assert_int_equal(verbs_provider_register(&refuser), 0);
	fake_load.for_driver = &late;
	discover_add_late_device(0);
	discover_add_late_device(1);
	list_assert_names_now(NAMES("fake0", "fake1"));
	assert_int_equal(nr_warnings, 0);
}

static void device_list_device_that_no_provider_makes_is_omitted(void **state)
{
	list_start();
	refusal = -ENODEV;
	assert_int_equal(verbs_provider_register(&refuser), 0);
	discover_add_late_device(0);
	list_assert_names_now(NAMES(NULL));
	assert_int_equal(fake_load.nr_load_all, 1);
	assert_int_equal(nr_warnings, 1);
}

/* Each verbs_provider_load_for() reads configuration files. */
static void device_list_devices_of_same_driver_load_provider_once(void **state)
{
	list_start();
	fake_load.for_driver = &late;
	for (unsigned int n = 0; n < 5; n++)
		discover_add_late_device(n);
	list_assert_names_now(
		NAMES("fake0", "fake1", "fake2", "fake3", "fake4"));
	assert_int_equal(fake_load.nr_load_for, 1);
}

static void device_list_each_unclaimed_driver_loads_provider(void **state)
{
	struct verbs_kernel_device record = fake_discover_record(9);

	list_start();
	fake_load.for_driver = &late;
	discover_add_late_device(0);
	record.driver_id = LATE_DRIVER_ID + 1;
	fake_discover_add(&record);
	list_assert_names_now(NAMES("fake0"));
	assert_int_equal(fake_load.nr_load_for, 2);
	assert_int_equal(fake_load.last_driver_id, LATE_DRIVER_ID + 1);
}

static void device_list_load_by_driver_success_skips_load_all(void **state)
{
	list_start();
	fake_load.for_driver = &late;
	discover_add_late_device(0);
	list_assert_names_now(NAMES("fake0"));
	assert_int_equal(fake_load.nr_load_all, 0);
}

static void device_list_load_by_driver_failure_loads_all(void **state)
{
	list_start();
	fake_load.for_all = &late;
	discover_add_late_device(0);
	list_assert_names_now(NAMES("fake0"));
	assert_int_equal(fake_load.nr_load_all, 1);
	assert_int_equal(nr_warnings, 0);
}

static void device_list_contains_devices_of_provider_loaded_late(void **state)
{
	list_start();
	fake_load.for_driver = &late;
	list_appear(0, 0);
	discover_add_late_device(1);
	list_appear(2, 2);
	list_assert_names_now(NAMES("fake1", "fake0", "fake2"));
}

static void device_list_unclaimed_device_is_omitted(void **state)
{
	list_start();
	list_appear(0, 0);
	discover_add_late_device(1);
	list_assert_names_now(NAMES("fake0"));
	assert_int_equal(fake_load.nr_load_all, 1);
}

static void device_list_unclaimed_device_is_warned_about(void **state)
{
	list_start();
	discover_add_late_device(0);
	discover_add_late_device(1);
	list_assert_names_now(NO_NAMES);
	assert_int_equal(nr_warnings, 2);
}

static void device_list_unclaimed_device_is_warned_about_each_time(void **state)
{
	list_start();
	discover_add_late_device(0);
	list_assert_names_now(NO_NAMES);
	list_assert_names_now(NO_NAMES);
	assert_int_equal(nr_warnings, 2);
}

static void device_list_after_load_all_loads_nothing(void **state)
{
	unsigned int nr_load_for;

	list_start();
	discover_add_late_device(0);
	list_assert_names_now(NO_NAMES);
	nr_load_for = fake_load.nr_load_for;
	list_assert_names_now(NO_NAMES);
	assert_int_equal(fake_load.nr_load_for, nr_load_for);
	assert_int_equal(fake_load.nr_load_all, 1);
}

static void device_list_device_is_claimed_after_provider_registers(void **state)
{
	list_start();
	discover_add_late_device(0);
	list_assert_names_now(NO_NAMES);
	assert_int_equal(verbs_provider_register(&late), 0);
	list_assert_names_now(NAMES("fake0"));
}

static void device_list_provider_with_wrong_abi_claims_nothing(void **state)
{
	struct verbs_kernel_device record = fake_discover_record(0);

	list_start();
	record.abi_version = FAKE_ABI_VERSION + 1;
	fake_discover_add(&record);
	list_assert_names_now(NO_NAMES);
	assert_int_equal(nr_warnings, 1);
}

/* Lists devices, as a constructor of a module may do. */
static void constructor_list_devices(void)
{
	static bool inside;
	struct list list;

	if (inside)
		return;
	inside = true;
	list = list_get();
	list_put(&list);
	inside = false;
}

static void device_list_nested_call_while_loading_succeeds(void **state)
{
	list_start();
	fake_load.for_driver = &late;
	fake_load.hook = constructor_list_devices;
	discover_add_late_device(0);
	list_assert_names_now(NAMES("fake0"));
}

static void constructor_add_device_and_list(void)
{
	static bool done;

	if (done)
		return;
	done = true;
	fake_discover_remove("fake0");
	discover_add_late_device(5);
	constructor_list_devices();
}

/* Outdated records are not used. */
static void device_list_scan_during_load_restarts_refresh(void **state)
{
	list_start();
	fake_load.for_driver = &late;
	fake_load.hook = constructor_add_device_and_list;
	discover_add_late_device(0);
	list_assert_names_now(NAMES("fake5"));
}

/* Simulates a thread that scans during each load and loads nothing itself. */
static void list_claimed_devices(void)
{
	static unsigned int nr_calls;

	if (++nr_calls > 100)
		fail_msg("the list is made again and again");
	fake_discover_remove("fake0");
	constructor_list_devices();
	discover_add_late_device(0);
}

static void device_list_concurrent_scans_do_not_prevent_return(void **state)
{
	list_start();
	fake_load.hook = list_claimed_devices;
	list_appear(1, 1);
	discover_add_late_device(0);
	list_assert_names_now(NAMES("fake1"));
	assert_int_equal(fake_load.nr_load_all, 1);
}

/* ------------------------------------------------------------------------ */
/* Devices without a kernel driver                                          */
/* ------------------------------------------------------------------------ */

static void provider_scan_device_is_listed(void **state)
{
	struct verbs_device *dev;
	struct list list;

	list_start();
	fake_provider.offers[0] = "soft0";
	fake_provider.offer_guid = htobe64(0x1234);
	list = list_get();
	list_assert_names(&list, NAMES("soft0"));
	dev = verbs_device_of(list.array[0]);
	assert_false(dev->has_node);
	assert_ptr_equal(dev->provider, &verbs_provider_fake);
	assert_string_equal(dev->pub->dev_name, "../full");
	assert_string_equal(dev->pub->dev_path, "");
	assert_string_equal(dev->pub->ibdev_path, "");
	assert_int_equal(dev->pub->transport_type, IBV_TRANSPORT_UNSPECIFIED);
	assert_true(verbs_device_node_guid(dev) == htobe64(0x1234));
	list_put(&list);
}

static void provider_scan_devices_follow_kernel_devices(void **state)
{
	list_start();
	fake_provider.offers[0] = "soft0";
	fake_provider.offers[1] = "soft1";
	list_appear(0, 1);
	list_assert_names_now(NAMES("fake0", "fake1", "soft0", "soft1"));
	list_assert_names_now(NAMES("fake0", "fake1", "soft0", "soft1"));
}

static void provider_scan_known_device_keeps_object(void **state)
{
	struct list first, second;

	list_start();
	fake_provider.offers[0] = "soft0";
	first = list_get();
	fake_provider.offers[0] = "soft1";
	fake_provider.offers[1] = "soft0";
	second = list_get();
	list_assert_names(&second, NAMES("soft1", "soft0"));
	assert_ptr_equal(second.array[1], first.array[0]);
	list_put(&second);
	list_put(&first);
}

static void provider_scan_missing_device_is_removed(void **state)
{
	list_start();
	fake_provider.offers[0] = "soft0";
	fake_provider.offers[1] = "soft1";
	list_assert_names_now(NAMES("soft0", "soft1"));
	fake_provider.offers[1] = NULL;
	list_assert_names_now(NAMES("soft0"));
	fake_provider.offers[0] = NULL;
	list_assert_names_now(NO_NAMES);
}

static void
provider_scan_device_with_name_of_kernel_device_is_separate(void **state)
{
	struct list list;

	list_start();
	fake_provider.offers[0] = "fake0";
	list_appear(0, 0);
	list = list_get();
	list_assert_names(&list, NAMES("fake0", "fake0"));
	assert_ptr_not_equal(list.array[0], list.array[1]);
	list_put(&list);
	list_assert_names_now(NAMES("fake0", "fake0"));
}

static void provider_scan_works_without_kernel_rdma_support(void **state)
{
	list_start();
	fake_provider.offers[0] = "soft0";
	fake_discover_fail(-ENOSYS);
	list_assert_names_now(NAMES("soft0"));
}

static void provider_scan_failure_keeps_known_devices(void **state)
{
	struct list first, second;

	list_start();
	fake_provider.offers[0] = "soft0";
	first = list_get();
	fake_provider.offers[0] = "soft1";
	fake_provider.list_devices_ret = -EIO;
	second = list_get();
	list_assert_names(&second, NAMES("soft0"));
	assert_ptr_equal(second.array[0], first.array[0]);
	list_put(&second);
	list_put(&first);
}

static void provider_scan_without_memory_is_enomem(void **state)
{
	list_start();
	fake_provider.offers[0] = "soft0";
	fake_provider.list_devices_ret = -ENOMEM;
	list_assert_error(-ENOMEM);
}

static void provider_scan_includes_provider_loaded_in_refresh(void **state)
{
	fake_discover_reset();
	fake_provider_reset();
	fake_load.for_driver = &verbs_provider_fake;
	fake_provider.offers[0] = "soft0";
	list_appear(0, 0);
	list_assert_names_now(NAMES("fake0", "soft0"));
}

/* Also if no kernel device lacks a provider. */
static void provider_scan_includes_opt_in_provider(void **state)
{
	fake_discover_reset();
	fake_provider_reset();
	fake_load.for_opt_in = &verbs_provider_fake;
	fake_provider.offers[0] = "soft0";
	fake_discover_fail(-ENOSYS);
	list_assert_names_now(NAMES("soft0"));
	assert_int_equal(fake_load.nr_load_for, 0);
	assert_int_equal(fake_load.nr_load_all, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(device_list_without_devices_loads_nothing),
		cmocka_unit_test(device_list_claimed_device_loads_nothing),
		cmocka_unit_test(
			device_list_unclaimed_device_loads_provider_of_driver),
		cmocka_unit_test(
			device_list_failed_make_device_tries_next_provider),
		cmocka_unit_test(
			device_list_device_that_no_provider_makes_is_omitted),
		cmocka_unit_test(
			device_list_devices_of_same_driver_load_provider_once),
		cmocka_unit_test(
			device_list_each_unclaimed_driver_loads_provider),
		cmocka_unit_test(
			device_list_load_by_driver_success_skips_load_all),
		cmocka_unit_test(device_list_load_by_driver_failure_loads_all),
		cmocka_unit_test(
			device_list_contains_devices_of_provider_loaded_late),
		cmocka_unit_test(device_list_unclaimed_device_is_omitted),
		cmocka_unit_test(device_list_unclaimed_device_is_warned_about),
		cmocka_unit_test(
			device_list_unclaimed_device_is_warned_about_each_time),
		cmocka_unit_test(device_list_after_load_all_loads_nothing),
		cmocka_unit_test(
			device_list_device_is_claimed_after_provider_registers),
		cmocka_unit_test(
			device_list_provider_with_wrong_abi_claims_nothing),
		cmocka_unit_test(
			device_list_nested_call_while_loading_succeeds),
		cmocka_unit_test(device_list_scan_during_load_restarts_refresh),
		cmocka_unit_test(
			device_list_concurrent_scans_do_not_prevent_return),
		cmocka_unit_test(provider_scan_device_is_listed),
		cmocka_unit_test(provider_scan_devices_follow_kernel_devices),
		cmocka_unit_test(provider_scan_known_device_keeps_object),
		cmocka_unit_test(provider_scan_missing_device_is_removed),
		cmocka_unit_test(
			provider_scan_device_with_name_of_kernel_device_is_separate),
		cmocka_unit_test(
			provider_scan_works_without_kernel_rdma_support),
		cmocka_unit_test(provider_scan_failure_keeps_known_devices),
		cmocka_unit_test(provider_scan_without_memory_is_enomem),
		cmocka_unit_test(
			provider_scan_includes_provider_loaded_in_refresh),
		cmocka_unit_test(provider_scan_includes_opt_in_provider),
	};

	return own_process_run_group_tests(tests);
}
