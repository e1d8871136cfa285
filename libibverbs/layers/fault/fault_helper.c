/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* See fault_helper.h. */
#include "layers/fault/fault_helper.h"

#include <stddef.h>
#include <time.h>

#include "util/clock.h"

#define HELPER_PERIOD_NS 500000

void fault_helper_sleep(void)
{
	const struct timespec period = { .tv_nsec = HELPER_PERIOD_NS };

	(void)nanosleep(&period, NULL); /* no signal arrives here */
}

void fault_helper_sleep_until(uint64_t time_ns)
{
	const struct timespec time = verbs_timespec(time_ns);

	(void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
}
