/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tests of support/fake_discover.c, which takes the place of discover/. */
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

static struct verbs_discover_memory *memory;

static int start(void **state)
{
	fake_discover_reset();
	return 0;
}

static void add(unsigned int n)
{
	struct verbs_kernel_device record = fake_discover_record(n);

	fake_discover_add(&record);
}

static struct verbs_device_records scan(void)
{
	struct verbs_device_records records;

	assert_int_equal(verbs_discover(&memory, &records), 0);
	return records;
}

static void no_device_is_an_empty_scan(void **state)
{
	struct verbs_device_records records = scan();

	assert_int_equal(records.count, 0);
	verbs_device_records_free(&records);
}

static void devices_come_in_the_order_they_were_added(void **state)
{
	struct verbs_device_records records;

	add(3);
	add(1);
	records = scan();
	assert_int_equal(records.count, 2);
	assert_string_equal(records.devices[0].ibdev_name, "fake3");
	assert_string_equal(records.devices[0].uverbs_name, "uverbs3");
	assert_int_equal(records.devices[0].ibdev_index, 3);
	assert_string_equal(records.devices[1].ibdev_name, "fake1");
	verbs_device_records_free(&records);
	assert_null(records.devices);
	assert_int_equal(records.count, 0);
}

static void removed_device_is_gone(void **state)
{
	struct verbs_device_records records;

	add(0);
	add(1);
	assert_true(fake_discover_remove("fake0"));
	assert_false(fake_discover_remove("fake0"));
	records = scan();
	assert_int_equal(records.count, 1);
	assert_string_equal(records.devices[0].ibdev_name, "fake1");
	verbs_device_records_free(&records);
}

static void failure_lasts_until_it_is_taken_back(void **state)
{
	struct verbs_device_records records;

	add(0);
	fake_discover_fail(-EPERM);
	assert_int_equal(verbs_discover(&memory, &records), -EPERM);
	assert_int_equal(verbs_discover(&memory, &records), -EPERM);
	fake_discover_fail(0);
	records = scan();
	assert_int_equal(records.count, 1);
	verbs_device_records_free(&records);
}

static void records_without_memory_are_enomem(void **state)
{
	struct verbs_device_records records;

	add(0);
	alloc_fail_at(1);
	assert_int_equal(verbs_discover(&memory, &records), -ENOMEM);
	assert_true(alloc_fail_done());
}

static void scans_are_counted(void **state)
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

static void hook_is_called_by_each_scan(void **state)
{
	struct verbs_device_records records;
	unsigned int nr_calls = 0;

	fake_discover_on_scan(count_call, &nr_calls);
	records = scan();
	verbs_device_records_free(&records);
	records = scan();
	verbs_device_records_free(&records);
	assert_int_equal(nr_calls, 2);
}

/* Runs it in a child, since it is to end that. */
static bool aborts(void (*fn)(void))
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
	struct verbs_discover_memory *other = (void *)&memory;
	struct verbs_device_records records;

	(void)verbs_discover(&other, &records);
}

static void another_memory_aborts(void **state)
{
	assert_true(aborts(scan_with_another_memory));
}

static void add_too_many(void)
{
	for (unsigned int n = 0; n <= FAKE_DISCOVER_MAX; n++)
		add(n);
}

static void too_many_devices_abort(void **state)
{
	assert_true(aborts(add_too_many));
}

#define TEST(name) cmocka_unit_test_setup(name, start)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(no_device_is_an_empty_scan),
		TEST(devices_come_in_the_order_they_were_added),
		TEST(removed_device_is_gone),
		TEST(failure_lasts_until_it_is_taken_back),
		TEST(records_without_memory_are_enomem),
		TEST(scans_are_counted),
		TEST(hook_is_called_by_each_scan),
		TEST(another_memory_aborts),
		TEST(too_many_devices_abort),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
