/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The heap of deadlines, compared with a linear search. */
#include "cm/cm_timer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define NR_TIMERS 200

static struct cm_timer timers[NR_TIMERS];

static uint64_t earliest_ns(void)
{
	uint64_t earliest = UINT64_MAX;

	for (int i = 0; i < NR_TIMERS; i++)
		if (timers[i].armed && timers[i].deadline_ns < earliest)
			earliest = timers[i].deadline_ns;
	return earliest;
}

static void timer_random_operations_keep_earliest_first(void **state)
{
	struct cm_timers heap = { .first = NULL };
	uint32_t random = 1;

	for (int step = 0; step < 20000; step++) {
		struct cm_timer *timer;

		random = random * 1664525 + 1013904223;
		timer = &timers[(random >> 8) % NR_TIMERS];
		if (random >> 31)
			cm_timer_arm(&heap, timer, random >> 16 & 0x3ff);
		else
			cm_timer_disarm(&heap, timer);
		assert_true(!heap.first == (earliest_ns() == UINT64_MAX));
		if (heap.first)
			assert_int_equal(heap.first->deadline_ns,
					 earliest_ns());
	}
	while (heap.first) {
		assert_int_equal(heap.first->deadline_ns, earliest_ns());
		cm_timer_disarm(&heap, heap.first);
	}
	assert_true(earliest_ns() == UINT64_MAX);
}

static void timer_ascending_deadlines_expire_in_order(void **state)
{
	struct cm_timers heap = { .first = NULL };

	for (uint64_t i = 0; i < NR_TIMERS; i++)
		cm_timer_arm(&heap, &timers[i], i);
	for (uint64_t i = 0; i < NR_TIMERS; i++) {
		assert_ptr_equal(heap.first, &timers[i]);
		cm_timer_disarm(&heap, heap.first);
		assert_false(timers[i].armed);
	}
	assert_null(heap.first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(timer_random_operations_keep_earliest_first),
		cmocka_unit_test(timer_ascending_deadlines_expire_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
