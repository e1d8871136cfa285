/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A mutex that costs nothing for a thread that has it to itself: neither a
 * locked instruction nor a fence, as long as no other thread wants it. It is
 * what the callers of the engine guard it and their queues with; the engine
 * itself takes none.
 *
 * A thread that takes the lock many times in a row gets the privilege to come
 * in without the mutex. It says that it is inside, and then looks whether the
 * privilege is still there. Whoever else wants the lock has the mutex first,
 * takes the privilege away, and lets membarrier(2) put a barrier between the
 * two steps of the other thread: then either that one sees that it has lost the
 * privilege, or it is seen to be inside. It is waited for without the mutex,
 * and nobody gets the privilege meanwhile: who has it wakes nobody.
 *
 * A word "inside" is written by one thread only, for as long as the lock exists
 * (a seat): the late store of a thread that was stopped between the two steps
 * hides nobody else. So only the first few threads can get the privilege.
 *
 * Where there is no membarrier it is a mutex.
 *
 * A signal handler may interrupt the thread that has the lock, at any
 * instruction. For the handler the lock is then taken: it never enters a second
 * time, uroce_lock_try() fails, and uroce_lock_take_unless_own() as well
 * instead of waiting for ever. So the word of the mutex holds the number of its
 * thread from the instruction on that takes it, and the privilege is granted by
 * the last step of uroce_lock_drop(), not while its thread has the mutex.
 */
#ifndef UROCE_LOCK_H
#define UROCE_LOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define UROCE_LOCK_SEATS 4

/* Of one thread, once it has a number; of nobody before. */
struct uroce_seat {
	uintptr_t thread; /* changed with the mutex; atomic */
	uint32_t inside;  /* atomic; written by the thread */
};

struct uroce_lock {
	struct uroce_seat *privileged; /* changed with the mutex; atomic */
	struct uroce_seat *leaving;    /* who was; with the mutex */
	uint32_t waiting;	       /* for that one; with the mutex */
	/* Of who has the lock. */
	struct uroce_seat *entered; /* without the mutex; NULL: with it */
	uintptr_t last;		    /* who had it before, with the mutex */
	uint32_t in_a_row;	    /* so many times */
	uint32_t patience;	    /* after so many it gets the privilege */
	uintptr_t mutex; /* atomic: its thread, and whether others sleep */
	struct uroce_seat seats[UROCE_LOCK_SEATS];
};

/**
 * uroce_lock_prepare() - find out whether there is membarrier
 *
 * Once in a process, and in a child of fork() again, before locks are made:
 * those that were made without it stay mutexes.
 */
void uroce_lock_prepare(void);

/** uroce_lock_init() - @lock: memory of the caller; nobody has it */
void uroce_lock_init(struct uroce_lock *lock);

/** uroce_lock_fini() - nobody has it, or ever will */
void uroce_lock_fini(struct uroce_lock *lock);

/* The parts that are not worth inlining. */
void uroce_lock_take_mutex(struct uroce_lock *lock);
bool uroce_lock_take_mutex_unless_own(struct uroce_lock *lock);
bool uroce_lock_try_mutex(struct uroce_lock *lock);
void uroce_lock_drop_mutex(struct uroce_lock *lock);
void uroce_lock_leave(struct uroce_seat *seat);

/** uroce_lock_self() - a number that no other thread has */
static inline uintptr_t uroce_lock_self(void)
{
#if (defined(__x86_64__) || defined(__aarch64__)) && \
	(defined(__clang__) || __GNUC__ >= 11)
	return (uintptr_t)__builtin_thread_pointer();
#else
	return (uintptr_t)pthread_self();
#endif
}

/** uroce_lock_enter() - take it if we have the privilege to; whether we had */
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
	/* for the compiler; the CPU's is the membarrier of who takes it away */
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

/** uroce_lock_take() - wait for the lock, and have it */
static inline void uroce_lock_take(struct uroce_lock *lock)
{
	if (!uroce_lock_enter(lock))
		uroce_lock_take_mutex(lock);
}

/**
 * uroce_lock_take_unless_own() - wait for the lock, unless this thread has it
 *
 * For functions that a signal handler may call.
 *
 * Return: whether it was taken; if not, the caller is a signal handler that has
 * interrupted its thread between uroce_lock_take() and uroce_lock_drop().
 */
static inline bool uroce_lock_take_unless_own(struct uroce_lock *lock)
{
	return uroce_lock_enter(lock) || uroce_lock_take_mutex_unless_own(lock);
}

/**
 * uroce_lock_try() - have it, unless somebody else has
 *
 * Nor if the calling thread has it, which a signal handler has interrupted.
 *
 * If this returns false, uroce_lock_drop() will return true for whoever has it.
 */
static inline bool uroce_lock_try(struct uroce_lock *lock)
{
	return uroce_lock_enter(lock) || uroce_lock_try_mutex(lock);
}

/**
 * uroce_lock_drop() - give it back
 *
 * Return: whether somebody may have tried in vain to get it. What that one did
 * before, with seq_cst, a load with seq_cst sees then.
 */
static inline bool uroce_lock_drop(struct uroce_lock *lock)
{
	struct uroce_seat *seat = lock->entered;

	if (!seat) {
		uroce_lock_drop_mutex(lock);
		return true;
	}
	/* pairs with the acquire in uroce_lock.c */
	__atomic_store_n(&seat->inside, 0, __ATOMIC_RELEASE);
	__atomic_signal_fence(__ATOMIC_SEQ_CST); /* as above */
	if (__builtin_expect(__atomic_load_n(&lock->privileged,
					     __ATOMIC_RELAXED) == seat,
			     1))
		return false;
	uroce_lock_leave(seat);
	return true;
}

/**
 * uroce_lock_is_own() - whether the calling thread has it
 *
 * For signal handlers, before they call what takes the lock.
 */
bool uroce_lock_is_own(const struct uroce_lock *lock);

/**
 * uroce_lock_seize() - take it with the mutex, before a fork()
 *
 * The child, in which all threads but one are gone, can drop it.
 */
void uroce_lock_seize(struct uroce_lock *lock);

#endif
