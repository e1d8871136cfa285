/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* See fault_helper.h. */
#include "layers/fault/fault_helper.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

#define HELPER_PERIOD_NS 500000
#define NS_PER_S	 UINT64_C(1000000000)

bool fault_helper_start(void *(*run)(void *unused))
{
	sigset_t all, before;
	pthread_attr_t attr;
	pthread_t thread;
	bool is_started;

	if (pthread_attr_init(&attr) != 0)
		return false;
	(void)pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_BLOCK, &all, &before); /* cannot fail */
	is_started = pthread_create(&thread, &attr, run, NULL) == 0;
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	(void)pthread_attr_destroy(&attr);
	return is_started;
}

void fault_helper_sleep(void)
{
	const struct timespec period = { .tv_nsec = HELPER_PERIOD_NS };

	(void)nanosleep(&period, NULL); /* no signal arrives here */
}

void fault_helper_sleep_until(uint64_t time_ns)
{
	const struct timespec time = {
		.tv_sec = (time_t)(time_ns / NS_PER_S),
		.tv_nsec = (long)(time_ns % NS_PER_S),
	};

	(void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
}
