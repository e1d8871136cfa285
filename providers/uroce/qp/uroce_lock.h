/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A biased mutex. While a single thread uses the lock, taking and dropping it
 * needs neither a locked instruction nor a fence. The callers of the engine
 * guard the engine and their queues with such locks; the engine takes none.
 *
 * A thread that takes the lock many times in a row gets the privilege to enter
 * without the mutex. It stores "inside" and then checks that it still has the
 * privilege. Any other thread first takes the mutex, withdraws the privilege,
 * and calls membarrier(2), which puts a barrier between the two steps of the
 * privileged thread: then either the privileged thread sees the withdrawal, or
 * the other thread sees "inside". The other thread waits for it without the
 * mutex. No thread gets the privilege during this wait, because a privileged
 * thread wakes no waiter.
 *
 * A seat belongs to one thread for as long as the lock exists, and only that
 * thread writes its word "inside": a delayed store of a thread that was stopped
 * between the two steps does not overwrite the word of another thread. So only
 * the first UROCE_LOCK_SEATS threads can get the privilege.
 *
 * Without membarrier(2) the lock is a plain mutex.
 *
 * A signal handler may interrupt the lock holder at any instruction. For the
 * handler the lock is then taken: the handler never enters a second time,
 * uroce_lock_try() fails, and uroce_lock_take_unless_own() fails instead of
 * waiting forever. So the instruction that takes the mutex also stores the
 * number of its thread, and uroce_lock_drop() grants the privilege only after
 * the critical section.
 */
#ifndef UROCE_LOCK_H
#define UROCE_LOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define UROCE_LOCK_SEATS 4

/* Belongs to one thread from the first use on; free while @thread is 0. */
struct uroce_seat {
	uintptr_t thread; /* changed with the mutex; atomic */
	uint32_t inside;  /* atomic; written by the thread */
};

struct uroce_lock {
	struct uroce_seat *privileged; /* changed with the mutex; atomic */
	struct uroce_seat *leaving;    /* privilege withdrawn; with the mutex */
	uint32_t waiting; /* threads that wait for leaving; with the mutex */
	/* The lock holder uses these. */
	struct uroce_seat *entered; /* of the holder; NULL: has the mutex */
	uintptr_t last;		    /* last thread that had the mutex */
	uint32_t in_a_row;	    /* times that it took the mutex again */
	uint32_t patience; /* value of in_a_row that grants the privilege */
	uintptr_t mutex;   /* atomic: its thread and MUTEX_HAS_SLEEPERS */
	struct uroce_seat seats[UROCE_LOCK_SEATS];
};

/**
 * uroce_lock_prepare() - register the process for membarrier(2)
 *
 * Call it once in a process, and again in a child of fork(), before
 * uroce_lock_init(): a lock that was initialized without membarrier(2) stays a
 * plain mutex.
 */
void uroce_lock_prepare(void);

/** uroce_lock_init() - initialize @lock, which is then free */
void uroce_lock_init(struct uroce_lock *lock);

/** uroce_lock_fini() - end the use of a lock that is free */
void uroce_lock_fini(struct uroce_lock *lock);

/* Slow paths of the inline functions below; not for other callers. */
void uroce_lock_take_mutex(struct uroce_lock *lock);
bool uroce_lock_take_mutex_unless_own(struct uroce_lock *lock);
bool uroce_lock_try_mutex(struct uroce_lock *lock);
void uroce_lock_drop_mutex(struct uroce_lock *lock);
void uroce_lock_leave(struct uroce_seat *seat);

/** uroce_lock_self() - number of the calling thread; unique, even, not 0 */
static inline uintptr_t uroce_lock_self(void)
{
#if (defined(__x86_64__) || defined(__aarch64__)) && \
	(defined(__clang__) || __GNUC__ >= 11)
	return (uintptr_t)__builtin_thread_pointer();
#else
	return (uintptr_t)pthread_self();
#endif
}

/** uroce_lock_enter() - take the lock if privileged; whether it was taken */
static inline bool uroce_lock_enter(struct uroce_lock *lock)
{
	struct uroce_seat *seat =
		__atomic_load_n(&lock->privileged, __ATOMIC_RELAXED);

	if (!seat || __atomic_load_n(&seat->thread, __ATOMIC_RELAXED) !=
			     uroce_lock_self())
		return false;
	/* the caller is a signal handler: its thread has the lock */
	if (__builtin_expect(__atomic_load_n(&seat->inside, __ATOMIC_RELAXED),
			     0))
		return false;
	__atomic_store_n(&seat->inside, 1, __ATOMIC_RELAXED);
	/* compiler barrier; membarrier() in withdraw() is that of the CPU */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (__builtin_expect(__atomic_load_n(&lock->privileged,
					     __ATOMIC_RELAXED) != seat,
			     0)) {
		uroce_lock_leave(seat);
		return false;
	}
	lock->entered = seat;
	return true;
}

/** uroce_lock_take() - wait for the lock and take it */
static inline void uroce_lock_take(struct uroce_lock *lock)
{
	if (!uroce_lock_enter(lock))
		uroce_lock_take_mutex(lock);
}

/**
 * uroce_lock_take_unless_own() - take the lock, unless this thread has it
 *
 * For functions that a signal handler may call. Waits for other threads.
 *
 * Return: whether it was taken; if not, the caller is a signal handler that has
 * interrupted its thread between uroce_lock_take() and uroce_lock_drop().
 */
static inline bool uroce_lock_take_unless_own(struct uroce_lock *lock)
{
	return uroce_lock_enter(lock) || uroce_lock_take_mutex_unless_own(lock);
}

/**
 * uroce_lock_try() - take the lock if it is free
 *
 * In a signal handler that has interrupted the lock holder it returns false.
 *
 * Return: whether it was taken; if not, the uroce_lock_drop() of the lock
 * holder will return true.
 */
static inline bool uroce_lock_try(struct uroce_lock *lock)
{
	return uroce_lock_enter(lock) || uroce_lock_try_mutex(lock);
}

/**
 * uroce_lock_drop() - release the lock
 *
 * Return: whether another thread may have failed in uroce_lock_try(). A seq_cst
 * load after this call sees the seq_cst stores of that thread before its try.
 */
static inline bool uroce_lock_drop(struct uroce_lock *lock)
{
	struct uroce_seat *seat = lock->entered;

	if (!seat) {
		uroce_lock_drop_mutex(lock);
		return true;
	}
	/* pairs with the acquire in is_inside() of uroce_lock.c */
	__atomic_store_n(&seat->inside, 0, __ATOMIC_RELEASE);
	__atomic_signal_fence(__ATOMIC_SEQ_CST); /* as in enter */
	if (__builtin_expect(__atomic_load_n(&lock->privileged,
					     __ATOMIC_RELAXED) == seat,
			     1))
		return false;
	uroce_lock_leave(seat);
	return true;
}

/**
 * uroce_lock_is_own() - whether the calling thread has the lock
 *
 * A signal handler checks it before it calls a function that takes the lock.
 */
bool uroce_lock_is_own(const struct uroce_lock *lock);

/**
 * uroce_lock_seize() - take the lock, always with the mutex, before fork()
 *
 * The only thread of the child can drop it.
 */
void uroce_lock_seize(struct uroce_lock *lock);

#endif
