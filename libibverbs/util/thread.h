/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Threads of the library. They block all signals, so that threads of the
 * application run its signal handlers.
 */
#ifndef UTIL_THREAD_H
#define UTIL_THREAD_H

#include <pthread.h>
#include <signal.h>
#include <stddef.h>

/** signals_block() - block all signals; @ret_before: for signals_restore() */
static inline void signals_block(sigset_t *ret_before)
{
	sigset_t all;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, ret_before); /* cannot fail */
}

/** signals_restore() - @before: of signals_block() */
static inline void signals_restore(const sigset_t *before)
{
	(void)pthread_sigmask(SIG_SETMASK, before, NULL); /* cannot fail */
}

/**
 * verbs_thread_start() - start a thread that has all signals blocked
 * @run: its function, which receives @arg
 * @ret_thread: for pthread_join(3); NULL: the thread is detached
 *
 * Return: 0, or the -errno of pthread_create(3).
 */
int verbs_thread_start(void *(*run)(void *arg), void *arg,
		       pthread_t *ret_thread);

/** verbs_thread_join() - wait for the end of a thread; no cancellation point */
void verbs_thread_join(pthread_t thread);

#endif
