/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The clock, random numbers and the timer thread of the connection manager. */
#ifndef API_HOST_CLOCK_H
#define API_HOST_CLOCK_H

#include <stdint.h>

/* Nanoseconds of CLOCK_MONOTONIC */
uint64_t host_clock_now_ns(void);

/* Random bits of the kernel */
uint32_t host_random(void);

/**
 * host_timer_set() - set the time of the next call of @expire
 * @deadline_ns: UINT64_MAX: none
 *
 * The first deadline starts a thread, which sleeps until the deadline, and
 * without a deadline until the next call of this function. @expire is called
 * without a lock of the timer, and calls this function with the next deadline.
 *
 * Context: any thread; never blocks.
 * Return: 0, or the -errno of pthread_create(3).
 */
int host_timer_set(uint64_t deadline_ns, void (*expire)(void));

#endif
