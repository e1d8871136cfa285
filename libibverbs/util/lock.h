/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A mutex for clang's thread-safety analysis, which checks variables marked
 * GUARDED_BY and functions marked REQUIRES at compile time. With gcc it is a
 * pthread mutex without checks.
 *
 * A thread that holds it cannot be cancelled by pthread_cancel(3), whatever
 * functions it calls. Mutexes must be unlocked in the reverse order.
 */
#ifndef UTIL_LOCK_H
#define UTIL_LOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#include "util/cancel.h"

#ifdef __clang__
#define LOCK_ATTRIBUTE(x) __attribute__((x))
#else
#define LOCK_ATTRIBUTE(x)
#endif

#define GUARDED_BY(lock) LOCK_ATTRIBUTE(guarded_by(lock))
#define REQUIRES(lock)	 LOCK_ATTRIBUTE(requires_capability(lock))

struct LOCK_ATTRIBUTE(capability("mutex")) verbs_mutex {
	pthread_mutex_t mutex;
	int cancel_state; /* of the thread that holds it */
};

#define VERBS_MUTEX_INIT                            \
	{                                           \
		.mutex = PTHREAD_MUTEX_INITIALIZER, \
	}

static inline void verbs_mutex_lock(struct verbs_mutex *lock)
	LOCK_ATTRIBUTE(acquire_capability(lock))
		LOCK_ATTRIBUTE(no_thread_safety_analysis)
{
	int state = cancel_disable();

	(void)pthread_mutex_lock(&lock->mutex); /* fails on misuse only */
	lock->cancel_state = state;
}

/* Returns whether the lock was free, and is held now. */
static inline bool verbs_mutex_trylock(struct verbs_mutex *lock)
	LOCK_ATTRIBUTE(try_acquire_capability(true, lock))
		LOCK_ATTRIBUTE(no_thread_safety_analysis)
{
	int state = cancel_disable();

	if (pthread_mutex_trylock(&lock->mutex)) {
		cancel_restore(state);
		return false;
	}
	lock->cancel_state = state;
	return true;
}

static inline void verbs_mutex_unlock(struct verbs_mutex *lock)
	LOCK_ATTRIBUTE(release_capability(lock))
		LOCK_ATTRIBUTE(no_thread_safety_analysis)
{
	int state = lock->cancel_state;

	(void)pthread_mutex_unlock(&lock->mutex);
	cancel_restore(state);
}

/* Waits for @cond. */
static inline void verbs_mutex_wait(struct verbs_mutex *lock,
				    pthread_cond_t *cond) REQUIRES(lock)
	LOCK_ATTRIBUTE(no_thread_safety_analysis)
{
	int state = lock->cancel_state;

	(void)pthread_cond_wait(cond, &lock->mutex);
	lock->cancel_state = state;
}

/* Waits for @cond until the time @until of its clock. */
static inline void verbs_mutex_timedwait(struct verbs_mutex *lock,
					 pthread_cond_t *cond,
					 const struct timespec *until)
	REQUIRES(lock) LOCK_ATTRIBUTE(no_thread_safety_analysis)
{
	int state = lock->cancel_state;

	(void)pthread_cond_timedwait(cond, &lock->mutex, until);
	lock->cancel_state = state;
}

#endif
