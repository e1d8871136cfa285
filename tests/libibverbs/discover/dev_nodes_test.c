/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The device node filter: each method, its number of system calls, and when a
 * cached listing is reused. The tests set the clock and the modification time
 * of the directory.
 */
#include "discover/dev_nodes.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "discover/records.h"
#include "libibverbs/discover/count_calls.h"
#include "support/fake_netlink.h"
#include "support/fake_sysfs.h"

static struct fake_sysfs fake;
static struct verbs_node_listing listing;
static struct verbs_device_records records;

static int setup(void **state)
{
	fake_sysfs_init(&fake);
	fake_netlink_reset();
	count_calls_reset();
	count_calls.modified.tv_sec = count_calls.now.tv_sec - 100;
	listing = (struct verbs_node_listing){};
	records = (struct verbs_device_records){};
	return 0;
}

static int teardown(void **state)
{
	verbs_node_listing_free(&listing);
	verbs_device_records_free(&records);
	count_calls_reset();
	fake_sysfs_fini(&fake);
	return 0;
}

static void add_nodes(unsigned int from, unsigned int count)
{
	char name[32];

	for (unsigned int i = from; i < from + count; i++) {
		snprintf(name, sizeof(name), "uverbs%u", i);
		fake_sysfs_node(&fake, name);
	}
}

/* Sets the modification time of the directory to the current time. */
static void set_mtime_to_now(void)
{
	count_calls.modified = count_calls.now;
}

static void advance_clock_ms(long ms)
{
	count_calls.now.tv_nsec += ms * 1000000;
	while (count_calls.now.tv_nsec >= 1000000000) {
		count_calls.now.tv_nsec -= 1000000000;
		count_calls.now.tv_sec++;
	}
}

/* Filters uverbs0 to uverbs<count - 1>; returns the number that remain. */
static size_t filter_devices(unsigned int count)
{
	verbs_device_records_free(&records);
	for (unsigned int i = 0; i < count; i++) {
		struct verbs_kernel_device device = { .ibdev_index = (int)i };

		snprintf(device.uverbs_name, sizeof(device.uverbs_name),
			 "uverbs%u", i);
		assert_int_equal(verbs_records_add(&records, &device), 0);
	}
	fake_calls = 0;
	assert_int_equal(verbs_nodes_filter(fake.dev, &listing, &records), 0);
	return records.count;
}

static void dev_nodes_no_device_makes_no_call(void **state)
{
	assert_int_equal(filter_devices(0), 0);
	assert_int_equal(fake_calls, 0);
}

static void dev_nodes_single_device_makes_1_call(void **state)
{
	add_nodes(0, 1);
	assert_int_equal(filter_devices(1), 1);
	assert_int_equal(fake_calls, 1);
	fake_sysfs_remove(&fake, "dev/uverbs0");
	assert_int_equal(filter_devices(1), 0);
	assert_int_equal(fake_calls, 1);
}

static void dev_nodes_many_devices_make_1_listing(void **state)
{
	add_nodes(0, 200);
	assert_int_equal(filter_devices(200), 200);
	assert_int_equal(fake_calls, 5);
}

static void dev_nodes_unchanged_directory_reuses_listing(void **state)
{
	add_nodes(0, 200);
	assert_int_equal(filter_devices(200), 200);
	assert_int_equal(filter_devices(200), 200);
	assert_int_equal(fake_calls, 1);
	assert_int_equal(filter_devices(100), 100);
	assert_int_equal(fake_calls, 1);
}

static void dev_nodes_filter_removes_device_and_keeps_order(void **state)
{
	add_nodes(0, 1);
	add_nodes(3, 1);
	add_nodes(5, 2);
	assert_int_equal(filter_devices(7), 4);
	assert_int_equal(records.devices[0].ibdev_index, 0);
	assert_int_equal(records.devices[1].ibdev_index, 3);
	assert_int_equal(records.devices[2].ibdev_index, 5);
	assert_int_equal(records.devices[3].ibdev_index, 6);
}

static void dev_nodes_changed_directory_is_listed_again(void **state)
{
	add_nodes(0, 2);
	assert_int_equal(filter_devices(3), 2);
	advance_clock_ms(1000);
	add_nodes(2, 1);
	set_mtime_to_now();
	assert_int_equal(filter_devices(3), 3);
	advance_clock_ms(1000);
	fake_sysfs_remove(&fake, "dev/uverbs1");
	set_mtime_to_now();
	assert_int_equal(filter_devices(3), 2);
}

/* Both changes, before and after the listing, set the same time. */
static void dev_nodes_change_in_tick_of_listing_is_detected(void **state)
{
	add_nodes(0, 2);
	set_mtime_to_now();
	assert_int_equal(filter_devices(3), 2);
	assert_false(listing.mtime_reliable);
	add_nodes(2, 1);
	set_mtime_to_now();
	assert_int_equal(filter_devices(3), 3);
}

static void dev_nodes_listing_is_reused_after_some_ticks(void **state)
{
	add_nodes(0, 2);
	set_mtime_to_now();
	advance_clock_ms(20);
	assert_int_equal(filter_devices(2), 2);
	assert_int_equal(filter_devices(2), 2);
	assert_true(fake_calls > 1);
	advance_clock_ms(1);
	assert_int_equal(filter_devices(2), 2);
	assert_true(fake_calls > 1);
	assert_int_equal(filter_devices(2), 2);
	assert_int_equal(fake_calls, 1);
}

static void dev_nodes_mtime_in_future_prevents_reuse(void **state)
{
	add_nodes(0, 2);
	count_calls.modified.tv_sec = count_calls.now.tv_sec + 5;
	assert_int_equal(filter_devices(2), 2);
	assert_int_equal(filter_devices(2), 2);
	assert_true(fake_calls > 1);
}

static void dev_nodes_clock_set_back_prevents_reuse(void **state)
{
	add_nodes(0, 2);
	assert_int_equal(filter_devices(2), 2);
	count_calls.now.tv_sec -= 1;
	assert_int_equal(filter_devices(2), 2);
	assert_true(fake_calls > 1);
}

static void dev_nodes_replaced_directory_is_listed_again(void **state)
{
	char to[512];

	add_nodes(0, 2);
	assert_int_equal(filter_devices(2), 2);
	snprintf(to, sizeof(to), "%s/old", fake.root);
	assert_int_equal(rename(fake.dev, to), 0);
	fake_sysfs_write(&fake, "dev", NULL);
	assert_int_equal(filter_devices(2), 0);
}

static void dev_nodes_missing_directory_has_no_nodes(void **state)
{
	add_nodes(0, 2);
	assert_int_equal(filter_devices(2), 2);
	fake_sysfs_remove(&fake, "dev");
	assert_int_equal(filter_devices(2), 0);
	assert_int_equal(filter_devices(200), 0);
	assert_in_range(fake_calls, 1, 2);
	add_nodes(0, 2);
	assert_int_equal(filter_devices(2), 2);
}

static void dev_nodes_file_as_directory_has_no_nodes(void **state)
{
	fake_sysfs_remove(&fake, "dev");
	fake_sysfs_write(&fake, "dev", "");
	assert_int_equal(filter_devices(2), 0);
}

static void dev_nodes_unreadable_directory_uses_stat(void **state)
{
	const int errors[] = { EACCES, EMFILE, ENFILE };

	add_nodes(1, 1);
	count_calls.fail_path = "/dev";
	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
		count_calls.fail_errno = errors[i];
		assert_int_equal(filter_devices(3), 1);
		assert_int_equal(records.devices[0].ibdev_index, 1);
	}
}

static void dev_nodes_partial_listing_is_not_used(void **state)
{
	add_nodes(0, 2);
	count_calls.getdents_errno = EIO;
	assert_int_equal(filter_devices(3), 2);
	assert_null(listing.names.entries);
}

static void dev_nodes_allocation_failure_returns_enomem(void **state)
{
	add_nodes(0, 2);
	assert_int_equal(filter_devices(2), 2);
	verbs_node_listing_free(&listing);
	count_calls.fail_path = "/dev";
	count_calls.fail_errno = ENOMEM;
	assert_int_equal(verbs_nodes_filter(fake.dev, &listing, &records),
			 -ENOMEM);
	records.count = 1;
	count_calls.fail_path = "/uverbs0";
	assert_int_equal(verbs_nodes_filter(fake.dev, &listing, &records),
			 -ENOMEM);
	count_calls.fail_path = NULL;
}

static void dev_nodes_symlink_needs_existing_target(void **state)
{
	char path[512];

	add_nodes(0, 1);
	snprintf(path, sizeof(path), "%s/uverbs1", fake.dev);
	assert_int_equal(symlink("../elsewhere", path), 0);
	assert_int_equal(filter_devices(2), 1);
	/* The directory itself does not change. */
	fake_sysfs_write(&fake, "elsewhere", "");
	assert_int_equal(filter_devices(2), 2);
	fake_sysfs_remove(&fake, "elsewhere");
	assert_int_equal(filter_devices(2), 1);
}

static void dev_nodes_mtime_is_reliable_after_20_ms(void **state)
{
	const struct timespec modified = { 10, 990000000 };
	const struct timespec same = modified;
	const struct timespec at_limit = { 11, 10000000 };
	const struct timespec beyond = { 11, 10000001 };
	const struct timespec before = { 9, 999999999 };
	const struct timespec long_after = { 1000, 0 };

	assert_false(verbs_nodes_mtime_is_reliable(&modified, &same));
	assert_false(verbs_nodes_mtime_is_reliable(&modified, &at_limit));
	assert_true(verbs_nodes_mtime_is_reliable(&modified, &beyond));
	assert_false(verbs_nodes_mtime_is_reliable(&modified, &before));
	assert_true(verbs_nodes_mtime_is_reliable(&modified, &long_after));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(dev_nodes_no_device_makes_no_call),
		TEST(dev_nodes_single_device_makes_1_call),
		TEST(dev_nodes_many_devices_make_1_listing),
		TEST(dev_nodes_unchanged_directory_reuses_listing),
		TEST(dev_nodes_filter_removes_device_and_keeps_order),
		TEST(dev_nodes_changed_directory_is_listed_again),
		TEST(dev_nodes_change_in_tick_of_listing_is_detected),
		TEST(dev_nodes_listing_is_reused_after_some_ticks),
		TEST(dev_nodes_mtime_in_future_prevents_reuse),
		TEST(dev_nodes_clock_set_back_prevents_reuse),
		TEST(dev_nodes_replaced_directory_is_listed_again),
		TEST(dev_nodes_missing_directory_has_no_nodes),
		TEST(dev_nodes_file_as_directory_has_no_nodes),
		TEST(dev_nodes_unreadable_directory_uses_stat),
		TEST(dev_nodes_partial_listing_is_not_used),
		TEST(dev_nodes_allocation_failure_returns_enomem),
		TEST(dev_nodes_symlink_needs_existing_target),
		TEST(dev_nodes_mtime_is_reliable_after_20_ms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
