/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Clocks as nanoseconds. */
#ifndef UTIL_CLOCK_H
#define UTIL_CLOCK_H

#include <stdint.h>
#include <time.h>

#define VERBS_NS_PER_MS UINT64_C(1000000)
#define VERBS_NS_PER_S	UINT64_C(1000000000)

/** verbs_clock_ns() - read a clock that each kernel has */
static inline uint64_t verbs_clock_ns(clockid_t clock)
{
	struct timespec now;

	(void)clock_gettime(clock, &now); /* cannot fail */
	return (uint64_t)now.tv_sec * VERBS_NS_PER_S + (uint64_t)now.tv_nsec;
}

/** verbs_now_ns() - read CLOCK_MONOTONIC */
static inline uint64_t verbs_now_ns(void)
{
	return verbs_clock_ns(CLOCK_MONOTONIC);
}

/** verbs_timespec() - convert @time_ns */
static inline struct timespec verbs_timespec(uint64_t time_ns)
{
	return (struct timespec){
		.tv_sec = (time_t)(time_ns / VERBS_NS_PER_S),
		.tv_nsec = (long)(time_ns % VERBS_NS_PER_S),
	};
}

#endif
