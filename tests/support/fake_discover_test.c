/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tests of support/fake_discover.c, which replaces libibverbs/discover/. */
#include "support/fake_discover.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "discover/discover.h"
#include "libibverbs/core/own_process.h"
#include "support/alloc_fail.h"

static struct verbs_discover_cache *memory;

static int setup(void **state)
{
	fake_discover_reset();
	return 0;
}

static void add_device(unsigned int n)
{
	struct verbs_kernel_device record = fake_discover_record(n);

	fake_discover_add(&record);
}

static struct verbs_device_records scan_devices(void)
{
	struct verbs_device_records records;

	assert_int_equal(verbs_discover(&memory, &records), 0);
	return records;
}

static void fake_discover_without_devices_returns_no_records(void **state)
{
	struct verbs_device_records records = scan_devices();

	assert_int_equal(records.count, 0);
	verbs_device_records_free(&records);
}

static void fake_discover_records_keep_the_order_of_addition(void **state)
{
	struct verbs_device_records records;

	add_device(3);
	add_device(1);
	records = scan_devices();
	assert_int_equal(records.count, 2);
	assert_string_equal(records.devices[0].ibdev_name, "fake3");
	assert_string_equal(records.devices[0].uverbs_name, "uverbs3");
	assert_int_equal(records.devices[0].ibdev_index, 3);
	assert_string_equal(records.devices[1].ibdev_name, "fake1");
	verbs_device_records_free(&records);
	assert_null(records.devices);
	assert_int_equal(records.count, 0);
}

static void fake_discover_removed_device_has_no_record(void **state)
{
	struct verbs_device_records records;

	add_device(0);
	add_device(1);
	assert_true(fake_discover_remove("fake0"));
	assert_false(fake_discover_remove("fake0"));
	records = scan_devices();
	assert_int_equal(records.count, 1);
	assert_string_equal(records.devices[0].ibdev_name, "fake1");
	verbs_device_records_free(&records);
}

static void fake_discover_failure_lasts_until_cleared(void **state)
{
	struct verbs_device_records records;

	add_device(0);
	fake_discover_fail(-EPERM);
	assert_int_equal(verbs_discover(&memory, &records), -EPERM);
	assert_int_equal(verbs_discover(&memory, &records), -EPERM);
	fake_discover_fail(0);
	records = scan_devices();
	assert_int_equal(records.count, 1);
	verbs_device_records_free(&records);
}

static void fake_discover_without_memory_returns_enomem(void **state)
{
	struct verbs_device_records records;

	add_device(0);
	alloc_fail_at(1);
	assert_int_equal(verbs_discover(&memory, &records), -ENOMEM);
	assert_true(alloc_fail_done());
}

static void fake_discover_scans_are_counted(void **state)
{
	struct verbs_device_records records;

	fake_discover_fail(-EPERM);
	(void)verbs_discover(&memory, &records);
	(void)verbs_discover(&memory, &records);
	assert_int_equal(fake_discover_nr_scans(), 2);
	fake_discover_reset();
	assert_int_equal(fake_discover_nr_scans(), 0);
}

static void count_call(void *arg)
{
	unsigned int *nr_calls = arg;

	(*nr_calls)++;
}

static void fake_discover_hook_is_called_by_each_scan(void **state)
{
	struct verbs_device_records records;
	unsigned int nr_calls = 0;

	fake_discover_on_scan(count_call, &nr_calls);
	records = scan_devices();
	verbs_device_records_free(&records);
	records = scan_devices();
	verbs_device_records_free(&records);
	assert_int_equal(nr_calls, 2);
}

/* Runs @fn in a child process, which @fn function_aborts. */
static bool function_aborts(void (*fn)(void))
{
	const struct rlimit no_core = {};
	pid_t child;
	int status;

	(void)fflush(NULL);
	child = fork();
	if (child == 0) {
		(void)setrlimit(RLIMIT_CORE, &no_core);
		(void)signal(SIGABRT, SIG_DFL);
		fn();
		_exit(0);
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void scan_with_another_memory(void)
{
	struct verbs_discover_cache *other = (void *)&memory;
	struct verbs_device_records records;

	(void)verbs_discover(&other, &records);
}

static void fake_discover_foreign_memory_pointer_aborts(void **state)
{
	assert_true(function_aborts(scan_with_another_memory));
}

static void add_too_many_devices(void)
{
	for (unsigned int n = 0; n <= FAKE_DISCOVER_MAX; n++)
		add_device(n);
}

static void fake_discover_surplus_device_aborts(void **state)
{
	assert_true(function_aborts(add_too_many_devices));
}

#define TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(fake_discover_without_devices_returns_no_records),
		TEST(fake_discover_records_keep_the_order_of_addition),
		TEST(fake_discover_removed_device_has_no_record),
		TEST(fake_discover_failure_lasts_until_cleared),
		TEST(fake_discover_without_memory_returns_enomem),
		TEST(fake_discover_scans_are_counted),
		TEST(fake_discover_hook_is_called_by_each_scan),
		TEST(fake_discover_foreign_memory_pointer_aborts),
		TEST(fake_discover_surplus_device_aborts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
