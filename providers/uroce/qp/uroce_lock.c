/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Slow paths of the biased lock: the mutex, and the grant and withdrawal of the
 * privilege (uroce_lock.h).
 */
#include "uroce/qp/uroce_lock.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/*
 * The withdrawal of the privilege takes half a microsecond, as long as taking
 * the mutex about 30 times. Each withdrawal doubles the number of consecutive
 * takes that the next grant needs.
 */
#define PATIENCE     32
#define MAX_PATIENCE 256

/* Waits until @word is no longer @value, for @ns at most (0: no limit). */
static void futex_wait(uint32_t *word, uint32_t value, long ns)
{
	/* the type of SYS_futex on all machines; not a cancellation point */
	const struct {
		long sec, nsec;
	} limit = { .nsec = ns };

	(void)syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value,
		      ns ? &limit : NULL, NULL, 0);
}

/*
 * Replaces membarrier(): no store buffer of a CPU keeps a store for this long.
 */
#define SETTLE_NS 100000

static long membarrier(int command)
{
	return syscall(SYS_membarrier, command, 0, 0);
}

static uint32_t patience = UINT32_MAX; /* atomic; start value of new locks */

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
	lock->patience = __atomic_load_n(&patience, __ATOMIC_RELAXED);
}

void uroce_lock_fini(struct uroce_lock *lock)
{
	memset(lock, 0, sizeof(*lock));
}

/* Thread numbers are aligned addresses, so the lowest bit is free. */
#define MUTEX_HAS_SLEEPERS ((uintptr_t)1)

/* The half of the word with the lowest bit: a futex has 32 bits. */
static uint32_t *mutex_futex(struct uroce_lock *lock)
{
	uint32_t *half = (uint32_t *)&lock->mutex;

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	half += sizeof(lock->mutex) / sizeof(*half) - 1;
#endif
	return half;
}

/* @thread: the caller; with MUTEX_HAS_SLEEPERS if it may have slept. */
static bool mutex_try(struct uroce_lock *lock, uintptr_t thread)
{
	uintptr_t unowned = 0;

	return __atomic_compare_exchange_n(&lock->mutex, &unowned, thread,
					   false, __ATOMIC_SEQ_CST,
					   __ATOMIC_SEQ_CST);
}

/*
 * Waits for the mutex, unless thread @own has it (0: no such thread).
 *
 * Return: whether it was taken; if not, @own has it.
 */
static bool mutex_lock(struct uroce_lock *lock, uintptr_t own)
{
	uintptr_t self = uroce_lock_self();

	if (mutex_try(lock, self))
		return true;
	while (!mutex_try(lock, self | MUTEX_HAS_SLEEPERS)) {
		uintptr_t seen =
			__atomic_load_n(&lock->mutex, __ATOMIC_SEQ_CST);

		if (own && (seen & ~MUTEX_HAS_SLEEPERS) == own)
			return false;
		if (seen &&
		    ((seen & MUTEX_HAS_SLEEPERS) ||
		     __atomic_compare_exchange_n(
			     &lock->mutex, &seen, seen | MUTEX_HAS_SLEEPERS,
			     false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)))
			futex_wait(mutex_futex(lock),
				   (uint32_t)(seen | MUTEX_HAS_SLEEPERS), 0);
	}
	return true;
}

static void mutex_unlock(struct uroce_lock *lock)
{
	int saved;

	if (!(__atomic_exchange_n(&lock->mutex, 0, __ATOMIC_SEQ_CST) &
	      MUTEX_HAS_SLEEPERS))
		return;
	saved = errno;
	(void)syscall(SYS_futex, mutex_futex(lock), FUTEX_WAKE_PRIVATE, 1, NULL,
		      NULL, 0);
	errno = saved;
}

static bool is_inside(const struct uroce_seat *seat)
{
	/* pairs with the release in uroce_lock_drop() */
	return __atomic_load_n(&seat->inside, __ATOMIC_ACQUIRE);
}

static void withdraw(struct uroce_lock *lock, struct uroce_seat *seat)
{
	uint32_t unowned = 0;
	int saved = errno;

	__atomic_store_n(&lock->privileged, NULL, __ATOMIC_SEQ_CST);
	/* seccomp may have forbidden it after uroce_lock_prepare() */
	if (membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED))
		futex_wait(&unowned, 0, SETTLE_NS); /* a part suffices */
	lock->leaving = seat;
	if (lock->patience < MAX_PATIENCE)
		lock->patience *= 2;
	errno = saved;
}

/*
 * Called with the mutex; withdraws the privilege. Returns the seat of a thread
 * that is inside, or NULL if the caller has the lock.
 */
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

/* The seat of a thread, or a free one for it; NULL if all are in use. */
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

/*
 * Counts takes in a row and grants the privilege. Last step before the mutex is
 * released: a signal handler after the grant may enter with the privilege.
 */
static void lock_count(struct uroce_lock *lock)
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

/* @own: as for mutex_lock(). */
static bool lock_take(struct uroce_lock *lock, uintptr_t own)
{
	struct uroce_seat *seat;
	int saved = errno;
	bool taken = mutex_lock(lock, own);

	while (taken && (seat = who_is_inside(lock))) {
		taken = seat->thread != own;
		if (taken)
			lock->waiting++;
		mutex_unlock(lock);
		if (!taken)
			break;
		/* returns at once if the thread has left meanwhile */
		futex_wait(&seat->inside, 1, 0);
		(void)mutex_lock(lock, 0); /* without own: never fails */
		lock->waiting--;
	}
	errno = saved;
	return taken;
}

void uroce_lock_take_mutex(struct uroce_lock *lock)
{
	(void)lock_take(lock, 0); /* without own: never fails */
}

bool uroce_lock_take_mutex_unless_own(struct uroce_lock *lock)
{
	return lock_take(lock, uroce_lock_self());
}

bool uroce_lock_try_mutex(struct uroce_lock *lock)
{
	struct uroce_seat *seat;

	do {
		if (!mutex_try(lock, uroce_lock_self()))
			return false;
		seat = who_is_inside(lock);
		if (!seat)
			return true;
		mutex_unlock(lock);
		/*
		 * Other threads may have failed because this thread had the
		 * mutex. Fail only if the thread is still inside: its
		 * uroce_lock_drop() is later and returns true.
		 */
	} while (!__atomic_load_n(&seat->inside, __ATOMIC_SEQ_CST));
	return false;
}

void uroce_lock_drop_mutex(struct uroce_lock *lock)
{
	lock_count(lock);
	mutex_unlock(lock);
}

void uroce_lock_leave(struct uroce_seat *seat)
{
	int saved = errno;

	(void)__atomic_exchange_n(&seat->inside, 0, __ATOMIC_SEQ_CST);
	(void)syscall(SYS_futex, &seat->inside, FUTEX_WAKE_PRIVATE, INT_MAX,
		      NULL, NULL, 0);
	errno = saved;
}

bool uroce_lock_is_own(const struct uroce_lock *lock)
{
	uintptr_t self = uroce_lock_self();
	uintptr_t mutex = __atomic_load_n(&lock->mutex, __ATOMIC_RELAXED);

	if ((mutex & ~MUTEX_HAS_SLEEPERS) == self)
		return true;
	for (int i = 0; i < UROCE_LOCK_SEATS; i++)
		if (__atomic_load_n(&lock->seats[i].thread, __ATOMIC_RELAXED) ==
			    self &&
		    is_inside(&lock->seats[i]))
			return true;
	return false;
}

void uroce_lock_seize(struct uroce_lock *lock)
{
	(void)lock_take(lock, 0); /* without own: never fails */
	/* takes in the child do not continue those of the parent */
	lock->in_a_row = 0;
}
