/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Threads of the library and their signal masks. */
#include "util/thread.h"

#include <errno.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include <cmocka.h>

static int create_error;
static sem_t detached_done;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
			  void *(*run)(void *arg), void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
			  void *(*run)(void *arg), void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
			  void *(*run)(void *arg), void *arg)
{
	return create_error ? create_error
			    : __real_pthread_create(thread, attr, run, arg);
}

static bool thread_blocks(int signal)
{
	sigset_t blocked;

	(void)pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	return sigismember(&blocked, signal) == 1;
}

static int setup(void **state)
{
	sigset_t blocked;

	(void)state;
	create_error = 0;
	(void)sigemptyset(&blocked);
	(void)sigaddset(&blocked, SIGUSR1);
	return pthread_sigmask(SIG_SETMASK, &blocked, NULL);
}

static void assert_mask_unchanged(void)
{
	assert_true(thread_blocks(SIGUSR1));
	assert_false(thread_blocks(SIGUSR2));
	assert_false(thread_blocks(SIGTERM));
}

static void *record_mask(void *arg)
{
	bool *ret_blocks = arg;

	*ret_blocks = thread_blocks(SIGUSR1) && thread_blocks(SIGUSR2) &&
		      thread_blocks(SIGTERM);
	return arg;
}

static void *post_detached(void *arg)
{
	(void)sem_post(&detached_done);
	return arg;
}

static void thread_start_joinable_blocks_signals(void **state)
{
	bool blocks = false;
	pthread_t thread;

	(void)state;
	assert_int_equal(verbs_thread_start(record_mask, &blocks, &thread), 0);
	assert_mask_unchanged();
	verbs_thread_join(thread);
	assert_true(blocks);
}

static void thread_start_detached_runs(void **state)
{
	(void)state;
	assert_int_equal(sem_init(&detached_done, 0, 0), 0);
	assert_int_equal(verbs_thread_start(post_detached, NULL, NULL), 0);
	assert_int_equal(sem_wait(&detached_done), 0);
	assert_mask_unchanged();
}

static void thread_start_failed_restores_mask(void **state)
{
	pthread_t thread = pthread_self();

	(void)state;
	create_error = EAGAIN;
	assert_int_equal(verbs_thread_start(post_detached, NULL, &thread),
			 -EAGAIN);
	assert_true(pthread_equal(thread, pthread_self()));
	assert_mask_unchanged();
}

/* A cancellation that is pending has its effect after the join. */
static void *join_cancelled(void *arg)
{
	pthread_t thread;
	bool blocks = false;

	(void)pthread_cancel(pthread_self());
	if (verbs_thread_start(record_mask, &blocks, &thread) == 0)
		verbs_thread_join(thread);
	*(bool *)arg = blocks;
	return NULL;
}

static void thread_join_is_no_cancellation_point(void **state)
{
	bool joined = false;
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, join_cancelled, &joined),
			 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(joined);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(thread_start_joinable_blocks_signals,
				       setup),
		cmocka_unit_test_setup(thread_start_detached_runs, setup),
		cmocka_unit_test_setup(thread_start_failed_restores_mask,
				       setup),
		cmocka_unit_test_setup(thread_join_is_no_cancellation_point,
				       setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
