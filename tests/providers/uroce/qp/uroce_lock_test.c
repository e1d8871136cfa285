/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The lock that is biased towards its usual owner: how a thread gets the bias,
 * how another thread revokes it, and mutual exclusion. membarrier() may be
 * denied from the beginning, or later by a sandbox.
 */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "uroce/qp/uroce_lock.h"

#define MANY	 4096 /* takes in a row that always suffice for the bias */
#define CROWD	 6
#define ROUNDS	 20000
#define HANDOVER 50

static bool denied; /* membarrier() fails */
static struct uroce_lock lock;

/* If set, a thread that is about to sleep stops here twice. */
static pthread_barrier_t *before_sleep;

static void stop_twice(pthread_barrier_t *barrier)
{
	for (int i = 0; barrier && i < 2; i++)
		(void)pthread_barrier_wait(barrier);
}

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

/* membarrier() has three arguments, futex() six. */
long __wrap_syscall(long number, ...)
{
	int nr = number == SYS_membarrier ? 3 : 6;
	long arg[6] = {};
	va_list args;

	va_start(args, number);
	for (int i = 0; i < nr; i++)
		arg[i] = va_arg(args, long);
	va_end(args);
	if (number == SYS_membarrier && denied) {
		errno = EPERM;
		return -1;
	}
	if (number == SYS_futex && arg[1] == FUTEX_WAIT_PRIVATE)
		stop_twice(__atomic_load_n(&before_sleep, __ATOMIC_ACQUIRE));
	return __real_syscall(number, arg[0], arg[1], arg[2], arg[3], arg[4],
			      arg[5]);
}

static int setup(void **state)
{
	denied = false;
	uroce_lock_prepare();
	uroce_lock_init(&lock);
	return 0;
}

static int teardown(void **state)
{
	uroce_lock_fini(&lock);
	return 0;
}

static void take_often(void)
{
	for (int i = 0; i < MANY; i++) {
		uroce_lock_take(&lock);
		(void)uroce_lock_drop(&lock);
	}
}

static bool is_biased_to_self(void)
{
	const struct uroce_seat *seat = lock.privileged;

	return seat && seat->thread == uroce_lock_self();
}

/* Runs @fn to its end in a thread of its own. */
static void run_in_thread(void *(*fn)(void *arg), void *arg)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, fn, arg), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

static void *take_once(void *arg)
{
	uroce_lock_take(&lock);
	*(bool *)arg = !lock.entered;
	(void)uroce_lock_drop(&lock);
	return NULL;
}

static void *try_once(void *arg)
{
	*(bool *)arg = uroce_lock_try(&lock);
	if (*(bool *)arg)
		(void)uroce_lock_drop(&lock);
	return NULL;
}

static void *earn_bias(void *arg)
{
	take_often();
	*(bool *)arg = is_biased_to_self();
	return NULL;
}

static void lock_frequent_owner_takes_no_mutex(void **state)
{
	uroce_lock_take(&lock);
	assert_null(lock.entered);
	assert_true(uroce_lock_drop(&lock));
	assert_false(is_biased_to_self());
	take_often();
	assert_true(is_biased_to_self());
	uroce_lock_take(&lock);
	assert_non_null(lock.entered);
	assert_int_equal(lock.mutex, 0);
	assert_false(uroce_lock_drop(&lock));
	assert_true(uroce_lock_try(&lock));
	assert_non_null(lock.entered);
	assert_false(uroce_lock_drop(&lock));
}

static void lock_second_thread_revokes_bias(void **state)
{
	bool with_mutex = false;

	take_often();
	run_in_thread(take_once, &with_mutex);
	assert_true(with_mutex);
	assert_null(lock.privileged);
	/* the bias can be obtained again */
	take_often();
	assert_true(is_biased_to_self());
}

static void lock_try_fails_while_biased_owner_is_inside(void **state)
{
	bool got = true;

	take_often();
	uroce_lock_take(&lock);
	run_in_thread(try_once, &got);
	assert_false(got);
	run_in_thread(try_once, &got);
	assert_false(got);
	/* the owner must look for the failed thread */
	assert_true(uroce_lock_drop(&lock));
	run_in_thread(try_once, &got);
	assert_true(got);
}

static void *wait_and_mark(void *arg)
{
	uroce_lock_take(&lock);
	*(int *)arg += 1;
	(void)uroce_lock_drop(&lock);
	return NULL;
}

static void lock_waiter_is_woken_by_biased_owner(void **state)
{
	int marks = 0;
	pthread_t thread;

	for (int i = 0; i < HANDOVER; i++) {
		take_often();
		uroce_lock_take(&lock);
		assert_non_null(lock.entered);
		assert_int_equal(
			pthread_create(&thread, NULL, wait_and_mark, &marks),
			0);
		/* wait, in half of the rounds, until the thread sleeps */
		while (i % 2 &&
		       __atomic_load_n(&lock.privileged, __ATOMIC_ACQUIRE))
			continue;
		assert_int_equal(marks, i);
		(void)uroce_lock_drop(&lock);
		assert_int_equal(pthread_join(thread, NULL), 0);
		assert_int_equal(marks, i + 1);
	}
}

/*
 * The owner often takes the lock between the test and the sleep of the waiter.
 * If it got the bias there, it would not wake the waiter.
 */
static void lock_late_sleeper_is_woken(void **state)
{
	int marks = 0;
	pthread_barrier_t barrier;
	pthread_t thread;

	assert_int_equal(pthread_barrier_init(&barrier, NULL, 2), 0);
	take_often();
	uroce_lock_take(&lock);
	__atomic_store_n(&before_sleep, &barrier, __ATOMIC_RELEASE);
	assert_int_equal(pthread_create(&thread, NULL, wait_and_mark, &marks),
			 0);
	(void)pthread_barrier_wait(&barrier);
	(void)uroce_lock_drop(&lock);
	take_often();
	uroce_lock_take(&lock);
	assert_null(lock.entered);
	__atomic_store_n(&before_sleep, NULL, __ATOMIC_RELEASE);
	(void)pthread_barrier_wait(&barrier);
	(void)uroce_lock_drop(&lock);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(marks, 1);
	take_often();
	assert_true(is_biased_to_self());
	(void)pthread_barrier_destroy(&barrier);
}

/* Seats belong to threads; threads of the test may have equal numbers. */
static void *earn_bias_and_wait(void *arg)
{
	pthread_barrier_t *barrier = arg;

	(void)pthread_barrier_wait(barrier);
	take_often();
	(void)pthread_barrier_wait(barrier);
	return NULL;
}

static void lock_more_threads_than_seats_works(void **state)
{
	pthread_t threads[CROWD];
	pthread_barrier_t barrier;

	assert_int_equal(pthread_barrier_init(&barrier, NULL, CROWD), 0);
	for (int i = 0; i < CROWD; i++)
		assert_int_equal(pthread_create(&threads[i], NULL,
						earn_bias_and_wait, &barrier),
				 0);
	for (int i = 0; i < CROWD; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	(void)pthread_barrier_destroy(&barrier);
	for (int i = 0; i < UROCE_LOCK_SEATS; i++)
		lock.seats[i].thread =
			1 + (uintptr_t)i; /* not the number of a real thread */
	take_often();
	assert_false(is_biased_to_self());
	uroce_lock_take(&lock);
	assert_true(uroce_lock_drop(&lock));
}

static struct {
	uint64_t a, b;
	unsigned int failed;
} guarded;

/* Takes the lock in bursts, so that each thread gets the bias sometimes. */
static void *count_up(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		if (i % 3 || !uroce_lock_try(&lock))
			uroce_lock_take(&lock);
		guarded.failed += guarded.a != guarded.b;
		guarded.a++;
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		guarded.b++;
		(void)uroce_lock_drop(&lock);
	}
	return NULL;
}

static void check_exclusion(void)
{
	pthread_t threads[CROWD];

	memset(&guarded, 0, sizeof(guarded));
	for (int i = 0; i < CROWD; i++)
		assert_int_equal(
			pthread_create(&threads[i], NULL, count_up, NULL), 0);
	for (int i = 0; i < CROWD; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_int_equal(guarded.a, CROWD * ROUNDS);
	assert_int_equal(guarded.b, CROWD * ROUNDS);
	assert_int_equal(guarded.failed, 0);
}

static void lock_mutex_excludes_all_threads(void **state)
{
	check_exclusion();
}

/* Stops the disturbing thread. */
static bool over;

static void *take_sometimes(void *arg)
{
	bool got;

	while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
		(void)try_once(&got);
		(void)usleep(100);
	}
	return NULL;
}

/*
 * One thread has the bias most of the time; another takes the lock sometimes.
 */
static void lock_biased_owner_excludes_all_threads(void **state)
{
	pthread_t thread;

	memset(&guarded, 0, sizeof(guarded));
	over = false;
	assert_int_equal(pthread_create(&thread, NULL, take_sometimes, NULL),
			 0);
	for (int i = 0; i < CROWD; i++)
		(void)count_up(NULL);
	run_in_thread(count_up, NULL);
	__atomic_store_n(&over, true, __ATOMIC_RELAXED);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(guarded.a, (CROWD + 1) * ROUNDS);
	assert_int_equal(guarded.failed, 0);
}

static void lock_without_membarrier_is_mutex(void **state)
{
	denied = true;
	uroce_lock_fini(&lock);
	errno = 0;
	uroce_lock_prepare();
	uroce_lock_init(&lock);
	assert_int_equal(errno, 0);
	take_often();
	assert_null(lock.privileged);
	check_exclusion();
	assert_null(lock.privileged);
}

static void lock_membarrier_denied_later_still_excludes(void **state)
{
	bool with_mutex = false, got = true;

	take_often();
	denied = true;
	uroce_lock_take(&lock);
	run_in_thread(try_once, &got);
	assert_false(got);
	(void)uroce_lock_drop(&lock);
	take_often();
	run_in_thread(take_once, &with_mutex);
	assert_true(with_mutex);
}

/* As a signal handler calls them that has interrupted its thread. */
static void assert_no_reentry(void)
{
	assert_true(uroce_lock_is_own(&lock));
	assert_false(uroce_lock_try(&lock));
	assert_false(uroce_lock_take_unless_own(&lock));
	assert_false(uroce_lock_try(&lock));
	/* the owner must look what the handler has left to it */
	assert_true(uroce_lock_drop(&lock));
	assert_false(uroce_lock_is_own(&lock));
}

static void lock_handler_never_enters_again(void **state)
{
	/* with the mutex, also at the moment at which the bias is due */
	for (int i = 0; i < MANY && !is_biased_to_self(); i++) {
		assert_true(uroce_lock_take_unless_own(&lock));
		assert_null(lock.entered);
		assert_no_reentry();
	}
	/* with the bias */
	assert_true(is_biased_to_self());
	uroce_lock_take(&lock);
	assert_non_null(lock.entered);
	assert_no_reentry();
	assert_true(uroce_lock_try(&lock));
	assert_no_reentry();
}

static void lock_works_in_child_after_fork(void **state)
{
	bool mine = false;
	pid_t pid;
	int status;

	run_in_thread(earn_bias, &mine);
	assert_true(mine);
	uroce_lock_seize(&lock);
	pid = fork();
	assert_true(pid >= 0);
	assert_null(lock.entered);
	(void)uroce_lock_drop(&lock);
	take_often();
	if (pid == 0)
		_exit(is_biased_to_self() && lock.seats[0].inside == 0 ? 0 : 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(lock_frequent_owner_takes_no_mutex),
		TEST(lock_second_thread_revokes_bias),
		TEST(lock_try_fails_while_biased_owner_is_inside),
		TEST(lock_waiter_is_woken_by_biased_owner),
		TEST(lock_late_sleeper_is_woken),
		TEST(lock_more_threads_than_seats_works),
		TEST(lock_mutex_excludes_all_threads),
		TEST(lock_biased_owner_excludes_all_threads),
		TEST(lock_without_membarrier_is_mutex),
		TEST(lock_membarrier_denied_later_still_excludes),
		TEST(lock_handler_never_enters_again),
		TEST(lock_works_in_child_after_fork),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
