/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Granting and withdrawing the privilege of uroce_lock.h. */
#include "uroce/engine/uroce_lock.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/*
 * To withdraw the privilege takes half a microsecond, and as long as to take
 * the mutex some 30 times. One who is disturbed often gets it back later.
 */
#define PATIENCE     32
#define MAX_PATIENCE 256

/*
 * What membarrier() is to bring about happens by itself in so much time: it is
 * none of a CPU's buffers that keeps a store for so long.
 */
#define SETTLE_NS 100000

static long membarrier(int command)
{
	return syscall(SYS_membarrier, command, 0, 0);
}

static uint32_t patience = UINT32_MAX; /* atomic; of new locks */

void uroce_lock_prepare(void)
{
	int saved = errno;
	bool may = !membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);

	__atomic_store_n(&patience, may ? PATIENCE : UINT32_MAX,
			 __ATOMIC_RELAXED);
	errno = saved;
}

void uroce_lock_init(struct uroce_lock *lock)
{
	memset(lock, 0, sizeof(*lock));
	(void)pthread_mutex_init(&lock->mutex, NULL); /* cannot fail */
	lock->patience = __atomic_load_n(&patience, __ATOMIC_RELAXED);
}

void uroce_lock_fini(struct uroce_lock *lock)
{
	(void)pthread_mutex_destroy(&lock->mutex);
}

static bool is_inside(const struct uroce_seat *seat)
{
	/* pairs with the release in uroce_lock_drop() */
	return __atomic_load_n(&seat->inside, __ATOMIC_ACQUIRE);
}

static void withdraw(struct uroce_lock *lock, struct uroce_seat *seat)
{
	const struct timespec settle = { .tv_nsec = SETTLE_NS };
	int saved = errno;

	__atomic_store_n(&lock->privileged, NULL, __ATOMIC_SEQ_CST);
	/* a sandbox that came later may have forbidden it */
	if (membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED))
		(void)nanosleep(&settle, NULL); /* even a part would do */
	lock->leaving = seat;
	if (lock->patience < MAX_PATIENCE)
		lock->patience *= 2;
	errno = saved;
}

/* The mutex is ours. Is the lock? If not: who is inside. */
static struct uroce_seat *who_is_inside(struct uroce_lock *lock)
{
	struct uroce_seat *seat =
		__atomic_load_n(&lock->privileged, __ATOMIC_RELAXED);

	if (seat)
		withdraw(lock, seat);
	if (lock->leaving && is_inside(lock->leaving))
		return lock->leaving;
	lock->leaving = NULL;
	lock->entered = NULL;
	return NULL;
}

/* That of a thread, or a new one; NULL if there is none left. */
static struct uroce_seat *seat_of(struct uroce_lock *lock, uintptr_t thread)
{
	for (int i = 0; i < UROCE_LOCK_SEATS; i++) {
		struct uroce_seat *seat = &lock->seats[i];

		if (!seat->thread)
			__atomic_store_n(&seat->thread, thread,
					 __ATOMIC_RELAXED);
		if (seat->thread == thread)
			return seat;
	}
	return NULL;
}

/* With the lock, which was taken with the mutex. */
static void count(struct uroce_lock *lock)
{
	uintptr_t self = uroce_lock_self();

	if (lock->last != self) {
		lock->last = self;
		lock->in_a_row = 0;
	} else if (++lock->in_a_row >= lock->patience && !lock->waiting) {
		lock->in_a_row = 0;
		__atomic_store_n(&lock->privileged, seat_of(lock, self),
				 __ATOMIC_RELEASE);
	}
}

static void take(struct uroce_lock *lock)
{
	struct uroce_seat *seat;
	int saved = errno;

	(void)pthread_mutex_lock(&lock->mutex); /* misuse only */
	while ((seat = who_is_inside(lock))) {
		lock->waiting++;
		(void)pthread_mutex_unlock(&lock->mutex);
		/* it may have left meanwhile, and then this returns at once */
		(void)syscall(SYS_futex, &seat->inside, FUTEX_WAIT_PRIVATE, 1,
			      NULL, NULL, 0);
		(void)pthread_mutex_lock(&lock->mutex);
		lock->waiting--;
	}
	errno = saved;
}

void uroce_lock_take_mutex(struct uroce_lock *lock)
{
	take(lock);
	count(lock);
}

bool uroce_lock_try_mutex(struct uroce_lock *lock)
{
	struct uroce_seat *seat;

	do {
		if (pthread_mutex_trylock(&lock->mutex))
			return false;
		seat = who_is_inside(lock);
		if (!seat) {
			count(lock);
			return true;
		}
		(void)pthread_mutex_unlock(&lock->mutex);
		/*
		 * Others may have failed because of us. So it is not enough
		 * that somebody was inside: it has to be one who leaves, and
		 * looks what others did, after this.
		 */
	} while (!__atomic_load_n(&seat->inside, __ATOMIC_SEQ_CST));
	return false;
}

void uroce_lock_drop_mutex(struct uroce_lock *lock)
{
	(void)pthread_mutex_unlock(&lock->mutex);
}

void uroce_lock_leave(struct uroce_seat *seat)
{
	int saved = errno;

	(void)__atomic_exchange_n(&seat->inside, 0, __ATOMIC_SEQ_CST);
	(void)syscall(SYS_futex, &seat->inside, FUTEX_WAKE_PRIVATE, INT_MAX,
		      NULL, NULL, 0);
	errno = saved;
}

void uroce_lock_seize(struct uroce_lock *lock)
{
	take(lock);
	/* the next one in the child is no continuation of this */
	lock->in_a_row = 0;
}
