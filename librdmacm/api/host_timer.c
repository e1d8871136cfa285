/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The timer thread of the connection manager. Called by cm_host.c, with its
 * lock; the thread calls back without the lock of this file.
 */
#include "api/host_clock.h"

#include "util/clock.h"
#include "util/lock.h"
#include "util/thread.h"

#include <stdbool.h>

static struct verbs_mutex timer_mutex = VERBS_MUTEX_INIT;
static pthread_cond_t timer_changed; /* of CLOCK_MONOTONIC */
static uint64_t timer_deadline_ns GUARDED_BY(timer_mutex) = UINT64_MAX;
static bool timer_is_running GUARDED_BY(timer_mutex);
static void (*timer_expire)(void) GUARDED_BY(timer_mutex);

/* Waits until the deadline or until another deadline is set. */
static void timer_wait_locked(void) REQUIRES(timer_mutex)
{
	struct timespec until;

	if (timer_deadline_ns == UINT64_MAX) {
		verbs_mutex_wait(&timer_mutex, &timer_changed);
		return;
	}
	until = verbs_timespec(timer_deadline_ns);
	verbs_mutex_timedwait(&timer_mutex, &timer_changed, &until);
}

static void *timer_thread_run(void *arg)
{
	void (*expire)(void);

	for (;;) {
		verbs_mutex_lock(&timer_mutex);
		while (host_clock_now_ns() < timer_deadline_ns)
			timer_wait_locked();
		timer_deadline_ns = UINT64_MAX;
		expire = timer_expire;
		verbs_mutex_unlock(&timer_mutex);
		expire();
	}
	return arg;
}

static int timer_thread_start(void)
{
	pthread_condattr_t clock;

	(void)pthread_condattr_init(&clock);
	(void)pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&timer_changed, &clock);
	(void)pthread_condattr_destroy(&clock);
	return verbs_thread_start(timer_thread_run, NULL, NULL);
}

int host_timer_set(uint64_t deadline_ns, void (*expire)(void))
{
	int ret = 0;

	verbs_mutex_lock(&timer_mutex);
	if (!timer_is_running && deadline_ns != UINT64_MAX) {
		ret = timer_thread_start();
		timer_is_running = ret == 0;
	}
	if (!ret) {
		timer_expire = expire;
		/* A later deadline has effect when the earlier one is over. */
		if (deadline_ns < timer_deadline_ns) {
			timer_deadline_ns = deadline_ns;
			if (timer_is_running)
				(void)pthread_cond_signal(&timer_changed);
		}
	}
	verbs_mutex_unlock(&timer_mutex);
	return ret;
}
