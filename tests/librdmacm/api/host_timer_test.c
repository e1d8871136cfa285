/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The timer thread, with the real clock: deadlines that have passed, so that no
 * test waits for time.
 */
#include "api/host_clock.h"

#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Longer than any test runs */
#define FAR_NS (3600 * 1000000000ULL)

static sem_t nr_calls;
static atomic_uint nr_passed;

static void count_call(void)
{
	(void)sem_post(&nr_calls);
}

/* Sets another deadline that has passed, three times. */
static void count_call_and_set_again(void)
{
	if (atomic_fetch_add(&nr_passed, 1) < 2)
		assert_int_equal(host_timer_set(host_clock_now_ns(),
						count_call_and_set_again),
				 0);
	else
		(void)sem_post(&nr_calls);
}

static void timer_deadline_passed_calls_once(void **state)
{
	int nr = 1;

	assert_int_equal(host_timer_set(UINT64_MAX, count_call), 0);
	assert_int_equal(host_timer_set(1, count_call), 0);
	assert_int_equal(sem_wait(&nr_calls), 0);
	assert_int_equal(sem_getvalue(&nr_calls, &nr), 0);
	assert_int_equal(nr, 0);
}

static void timer_earlier_deadline_replaces_later(void **state)
{
	assert_int_equal(
		host_timer_set(host_clock_now_ns() + FAR_NS, count_call), 0);
	assert_int_equal(host_timer_set(host_clock_now_ns(), count_call), 0);
	assert_int_equal(sem_wait(&nr_calls), 0);
}

static void timer_deadline_set_by_callback_is_kept(void **state)
{
	nr_passed = 0;
	assert_int_equal(host_timer_set(0, count_call_and_set_again), 0);
	assert_int_equal(sem_wait(&nr_calls), 0);
	assert_int_equal(nr_passed, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(timer_deadline_passed_calls_once),
		cmocka_unit_test(timer_earlier_deadline_replaces_later),
		cmocka_unit_test(timer_deadline_set_by_callback_is_kept),
	};

	if (sem_init(&nr_calls, 0, 0) != 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
