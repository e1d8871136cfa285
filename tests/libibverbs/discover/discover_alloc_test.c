/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Each allocation of a scan fails in turn: the scan returns -ENOMEM, leaks
 * nothing, and the next scan with the same state succeeds.
 */
#include <errno.h>
#include <netlink/msg.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "discover/discover.h"
#include "discover/discover_internal.h"
#include "support/fake_netlink.h"
#include "support/fake_sysfs.h"

static struct fake_sysfs fake;
static struct verbs_discover_paths paths;

/* Allocations since the reset; number @fail_at fails, counted from 1. */
static unsigned int nr_allocs, fail_at;
static long nr_live;

static bool alloc_fails(void)
{
	nr_allocs++;
	return nr_allocs == fail_at;
}

static void *count_alloc(void *memory)
{
	if (memory)
		nr_live++;
	return memory;
}

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
	return alloc_fails() ? NULL : count_alloc(__real_malloc(size));
}

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size)
{
	return alloc_fails() ? NULL : count_alloc(__real_calloc(count, size));
}

void *__real_reallocarray(void *old, size_t count, size_t size);
void *__wrap_reallocarray(void *old, size_t count, size_t size);
void *__wrap_reallocarray(void *old, size_t count, size_t size)
{
	void *memory;

	if (alloc_fails())
		return NULL;
	memory = __real_reallocarray(old, count, size);
	return old ? memory : count_alloc(memory);
}

void __real_free(void *memory);
void __wrap_free(void *memory);
void __wrap_free(void *memory)
{
	if (memory)
		nr_live--;
	__real_free(memory);
}

/*
 * libnl-route also calls these two functions, so they must be visible to the
 * dynamic linker, although its calls are not wrapped.
 */
#define VISIBLE __attribute__((visibility("default")))

struct nl_msg *__real_nlmsg_alloc_size(size_t size);
VISIBLE struct nl_msg *__wrap_nlmsg_alloc_size(size_t size);
struct nl_msg *__wrap_nlmsg_alloc_size(size_t size)
{
	return alloc_fails() ? NULL
			     : count_alloc(__real_nlmsg_alloc_size(size));
}

void __real_nlmsg_free(struct nl_msg *msg);
VISIBLE void __wrap_nlmsg_free(struct nl_msg *msg);
void __wrap_nlmsg_free(struct nl_msg *msg)
{
	if (msg)
		nr_live--;
	__real_nlmsg_free(msg);
}

static int setup(void **state)
{
	fake_sysfs_init(&fake);
	paths = (struct verbs_discover_paths){
		.sysfs = fake.sysfs,
		.dev_dir = fake.dev,
	};
	fake_netlink_reset();
	fail_at = 0;
	nr_live = 0;
	return 0;
}

static int teardown(void **state)
{
	fail_at = 0;
	fake_netlink_check_closed();
	fake_sysfs_fini(&fake);
	return 0;
}

static void add_devices(unsigned int count)
{
	char name[32];

	fake_sysfs_class(&fake, "6\n");
	for (unsigned int i = 0; i < count; i++) {
		(void)fake_netlink_add(i); /* with default values */
		fake_sysfs_device(&fake, i);
		snprintf(name, sizeof(name), "uverbs%u", i);
		fake_sysfs_node(&fake, name);
	}
}

static void scan_ok(struct verbs_discover_cache **memory, size_t count)
{
	struct verbs_device_records records = {};

	assert_int_equal(verbs_discover_at(&paths, memory, &records), 0);
	assert_int_equal(records.count, count);
	verbs_device_records_free(&records);
}

/*
 * Runs one scan for each allocation, which fails in that scan. With @again, the
 * second scan fails.
 */
static void fail_each_alloc(size_t count, bool again)
{
	for (unsigned int i = 1;; i++) {
		struct verbs_discover_cache *memory = NULL;
		struct verbs_device_records records = {};
		int ret;

		if (again)
			scan_ok(&memory, count);
		nr_allocs = 0;
		fail_at = i;
		ret = verbs_discover_at(&paths, &memory, &records);
		fail_at = 0;
		if (nr_allocs < i) {
			/* No allocation failed: all have been tested. */
			assert_int_equal(ret, 0);
			assert_int_equal(records.count, count);
			assert_true(i > 1);
			verbs_device_records_free(&records);
			verbs_discover_cache_free(memory);
			assert_int_equal(nr_live, 0);
			return;
		}
		assert_int_equal(ret, -ENOMEM);
		assert_null(records.devices);
		assert_int_equal(nr_allocs, i);

		scan_ok(&memory, count);
		verbs_discover_cache_free(memory);
		assert_int_equal(nr_live, 0);
	}
}

static void
discover_alloc_netlink_1_device_each_failure_returns_enomem(void **state)
{
	add_devices(1);
	fail_each_alloc(1, false);
	fail_each_alloc(1, true);
}

static void
discover_alloc_netlink_many_devices_each_failure_returns_enomem(void **state)
{
	add_devices(70);
	fail_each_alloc(70, false);
	fail_each_alloc(70, true);
}

static void
discover_alloc_netlink_no_device_each_failure_returns_enomem(void **state)
{
	fail_each_alloc(0, false);
	fail_each_alloc(0, true);
}

static void discover_alloc_sysfs_each_failure_returns_enomem(void **state)
{
	add_devices(5);
	fake_netlink.socket_errno = EPERM;
	fail_each_alloc(5, false);
	fail_each_alloc(5, true);
}

static void
discover_alloc_sysfs_after_failed_dump_each_failure_returns_enomem(void **state)
{
	add_devices(5);
	fake_netlink.nr_dump_interrupted = INT32_MAX;
	fail_each_alloc(5, false);
}

static void
discover_alloc_sysfs_for_single_device_each_failure_returns_enomem(void **state)
{
	add_devices(3);
	fake_netlink.devices[1].uverbs_name = NULL;
	fake_sysfs_parent(&fake, "rxe1", "uverbs1", "231:193\n", "2\n");
	fail_each_alloc(3, false);
	fail_each_alloc(3, true);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(discover_alloc_netlink_1_device_each_failure_returns_enomem),
		TEST(discover_alloc_netlink_many_devices_each_failure_returns_enomem),
		TEST(discover_alloc_netlink_no_device_each_failure_returns_enomem),
		TEST(discover_alloc_sysfs_each_failure_returns_enomem),
		TEST(discover_alloc_sysfs_after_failed_dump_each_failure_returns_enomem),
		TEST(discover_alloc_sysfs_for_single_device_each_failure_returns_enomem),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
