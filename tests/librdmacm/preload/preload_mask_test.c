/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Waits with a signal mask in a process that has loaded librspreload.so, for
 * rsockets and for pipes, which show what the kernel does.
 */
#include "librdmacm/preload/preload_connection.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <unistd.h>

#include <cmocka.h>

/* Waits until a descriptor is readable. */
static int wait_by_ppoll(int fd, int timeout_ms, const sigset_t *mask)
{
	const struct timespec timeout = { .tv_nsec = timeout_ms * 1000000L };
	struct pollfd fds = { .fd = fd, .events = POLLIN };

	return ppoll(&fds, 1, timeout_ms < 0 ? NULL : &timeout, mask);
}

static int wait_by_pselect(int fd, int timeout_ms, const sigset_t *mask)
{
	const struct timespec timeout = { .tv_nsec = timeout_ms * 1000000L };
	fd_set set;

	FD_ZERO(&set);
	FD_SET(fd, &set);
	return pselect(fd + 1, &set, NULL, NULL,
		       timeout_ms < 0 ? NULL : &timeout, mask);
}

static int set_new_with(int fd)
{
	int set = epoll_create1(EPOLL_CLOEXEC);

	epoll_add(set, fd, EPOLLIN);
	return set;
}

static void set_close(int set)
{
	int saved_errno = errno;

	assert_int_equal(close(set), 0);
	errno = saved_errno;
}

static int wait_by_epoll_pwait(int fd, int timeout_ms, const sigset_t *mask)
{
	int set = set_new_with(fd);
	struct epoll_event event;
	int ret = epoll_pwait(set, &event, 1, timeout_ms, mask);

	set_close(set);
	return ret;
}

#if __GLIBC_PREREQ(2, 35)
static int wait_by_epoll_pwait2(int fd, int timeout_ms, const sigset_t *mask)
{
	const struct timespec timeout = { .tv_nsec = timeout_ms * 1000000L };
	int set = set_new_with(fd);
	struct epoll_event event;
	int ret = epoll_pwait2(set, &event, 1, timeout_ms < 0 ? NULL : &timeout,
			       mask);

	set_close(set);
	return ret;
}
#endif

static int (*const masked_waits[])(int, int, const sigset_t *) = {
	wait_by_ppoll,
	wait_by_pselect,
	wait_by_epoll_pwait,
#if __GLIBC_PREREQ(2, 35)
	wait_by_epoll_pwait2,
#endif
};

#define NR_MASKED_WAITS (sizeof(masked_waits) / sizeof(masked_waits[0]))

/*
 * A blocked signal with a handler, and a mask that unblocks it. A pipe shows
 * what the kernel does.
 */
struct signal_setup {
	struct connection connection;
	int pipe_fds[2];
	int fds[2]; /* readable ends: the pipe, the rsocket */
	struct sigaction before;
	sigset_t none, blocked;
};

static volatile sig_atomic_t nr_signals;

static void signal_setup_begin(struct signal_setup *setup,
			       void (*handler)(int number))
{
	struct sigaction action = { .sa_handler = handler };

	setup->connection = connection_new();
	assert_int_equal(pipe(setup->pipe_fds), 0);
	setup->fds[0] = setup->pipe_fds[0];
	setup->fds[1] = setup->connection.server;
	nr_signals = 0;
	(void)sigemptyset(&setup->none);
	(void)sigemptyset(&setup->blocked);
	(void)sigaddset(&setup->blocked, SIGUSR1);
	assert_int_equal(sigaction(SIGUSR1, &action, &setup->before), 0);
	assert_int_equal(pthread_sigmask(SIG_BLOCK, &setup->blocked, NULL), 0);
}

static void signal_setup_end(const struct signal_setup *setup)
{
	assert_int_equal(pthread_sigmask(SIG_UNBLOCK, &setup->blocked, NULL),
			 0);
	assert_int_equal(sigaction(SIGUSR1, &setup->before, NULL), 0);
	assert_int_equal(close(setup->pipe_fds[0]), 0);
	assert_int_equal(close(setup->pipe_fds[1]), 0);
	connection_close(setup->connection);
}

static void count_signal(int number)
{
	nr_signals++;
}

static bool signal_is_pending(void)
{
	sigset_t pending;

	assert_int_equal(sigpending(&pending), 0);
	return sigismember(&pending, SIGUSR1) == 1;
}

static void masked_wait_ends_with_pending_signal(void **state)
{
	struct signal_setup setup;
	sigset_t now;

	signal_setup_begin(&setup, count_signal);
	for (unsigned int i = 0; i < 2 * NR_MASKED_WAITS; i++) {
		assert_int_equal(raise(SIGUSR1), 0);
		errno = 0;
		assert_int_equal(
			masked_waits[i / 2](setup.fds[i % 2], -1, &setup.none),
			-1);
		assert_int_equal(errno, EINTR);
		assert_int_equal(nr_signals, i + 1);
		assert_int_equal(pthread_sigmask(SIG_BLOCK, NULL, &now), 0);
		assert_int_equal(sigismember(&now, SIGUSR1), 1);
	}
	signal_setup_end(&setup);
}

static void masked_wait_with_data_leaves_signal_pending(void **state)
{
	struct signal_setup setup;

	signal_setup_begin(&setup, count_signal);
	assert_int_equal(raise(SIGUSR1), 0);
	assert_int_equal(write(setup.pipe_fds[1], "x", 1), 1);
	assert_int_equal(write(setup.connection.client, "x", 1), 1);
	assert_int_equal(wait_by_ppoll(setup.fds[1], -1, NULL), 1);
	for (unsigned int i = 0; i < 2 * NR_MASKED_WAITS; i++) {
		assert_int_equal(
			masked_waits[i / 2](setup.fds[i % 2], -1, &setup.none),
			1);
		assert_int_equal(nr_signals, 0);
	}
	signal_setup_end(&setup);
	assert_int_equal(nr_signals, 1);
}

/* epoll(7) does not look for signals when the time is over, poll(2) does. */
static void masked_wait_without_time_is_like_that_of_kernel(void **state)
{
	struct signal_setup setup;

	signal_setup_begin(&setup, count_signal);
	for (unsigned int i = 0; i < 2 * NR_MASKED_WAITS; i++) {
		int ret[2], nr[2];

		for (unsigned int k = 0; k < 2; k++) {
			nr_signals = 0;
			if (i % 2)
				assert_int_equal(raise(SIGUSR1), 0);
			ret[k] = masked_waits[i / 2](setup.fds[k], 0,
						     &setup.none);
			nr[k] = nr_signals;
			if (signal_is_pending())
				(void)sigwaitinfo(&setup.blocked, NULL);
		}
		assert_int_equal(ret[1], ret[0]);
		assert_int_equal(nr[1], nr[0]);
	}
	signal_setup_end(&setup);
}

/* The kernel discards the signal, and the wait continues. */
static void masked_poll_ignores_signal_without_handler(void **state)
{
	struct signal_setup setup;

	signal_setup_begin(&setup, SIG_DFL);
	(void)sigaddset(&setup.blocked, SIGCHLD);
	assert_int_equal(pthread_sigmask(SIG_BLOCK, &setup.blocked, NULL), 0);
	for (unsigned int i = 0; i < 4; i++) {
		assert_int_equal(raise(SIGCHLD), 0);
		assert_int_equal(
			masked_waits[i / 2](setup.fds[i % 2], 1, &setup.none),
			0);
	}
	signal_setup_end(&setup);
}

/* The mask blocks a signal that was not blocked before. */
static void masked_wait_blocks_signal_of_mask(void **state)
{
	struct signal_setup setup;

	signal_setup_begin(&setup, count_signal);
	assert_int_equal(pthread_sigmask(SIG_UNBLOCK, &setup.blocked, NULL), 0);
	for (unsigned int i = 0; i < 2 * NR_MASKED_WAITS; i++) {
		nr_signals = 0;
		assert_int_equal(raise(SIGUSR1), 0);
		assert_int_equal(nr_signals, 1);
		assert_int_equal(masked_waits[i / 2](setup.fds[i % 2], 1,
						     &setup.blocked),
				 0);
		assert_int_equal(raise(SIGUSR1), 0);
		assert_int_equal(nr_signals, 2);
	}
	signal_setup_end(&setup);
}

static int handler_fd;

static void write_in_handler(int number)
{
	nr_signals += write(handler_fd, "x", 1) == 1;
}

static void handler_of_masked_wait_sends(void **state)
{
	struct signal_setup setup;
	char byte;

	signal_setup_begin(&setup, write_in_handler);
	handler_fd = setup.connection.client;
	for (unsigned int i = 0; i < NR_MASKED_WAITS; i++) {
		assert_int_equal(raise(SIGUSR1), 0);
		errno = 0;
		assert_int_equal(masked_waits[i](setup.fds[1], -1, &setup.none),
				 -1);
		assert_int_equal(errno, EINTR);
		assert_int_equal(nr_signals, i + 1);
		assert_int_equal(read(setup.fds[1], &byte, 1), 1);
	}
	signal_setup_end(&setup);
}

#define NR_ROUNDS 1000

struct signaller {
	pthread_t receiver;
	int pipe_fd;
};

/* Sends a signal each time a byte arrives, and does not look at the receiver */
static void *signaller_run(void *arg)
{
	const struct signaller *signaller = arg;
	char byte;

	while (read(signaller->pipe_fd, &byte, 1) == 1)
		(void)pthread_kill(signaller->receiver, SIGUSR1);
	return NULL;
}

/*
 * Signals arrive before and during the wait, since the time of each round
 * differs. After a signal that is lost, the wait has no end.
 */
static void masked_wait_loses_no_signal(void **state)
{
	struct signal_setup setup;
	struct signaller signaller = { .receiver = pthread_self() };
	pthread_t thread;
	int fds[2], set;

	signal_setup_begin(&setup, count_signal);
	assert_int_equal(pipe(fds), 0);
	signaller.pipe_fd = fds[0];
	set = set_new_with(setup.fds[1]);
	assert_int_equal(
		pthread_create(&thread, NULL, signaller_run, &signaller), 0);
	for (int i = 0; i < NR_ROUNDS; i++) {
		struct epoll_event event;

		assert_int_equal(write(fds[1], "x", 1), 1);
		for (volatile int spin = 0; spin < i * 50; spin++)
			continue;
		errno = 0;
		assert_int_equal(epoll_pwait(set, &event, 1, -1, &setup.none),
				 -1);
		assert_int_equal(errno, EINTR);
		assert_int_equal(nr_signals, i + 1);
	}
	assert_int_equal(close(fds[1]), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(close(fds[0]), 0);
	assert_int_equal(close(set), 0);
	signal_setup_end(&setup);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(masked_wait_ends_with_pending_signal),
		cmocka_unit_test(masked_wait_with_data_leaves_signal_pending),
		cmocka_unit_test(
			masked_wait_without_time_is_like_that_of_kernel),
		cmocka_unit_test(masked_poll_ignores_signal_without_handler),
		cmocka_unit_test(masked_wait_blocks_signal_of_mask),
		cmocka_unit_test(handler_of_masked_wait_sends),
		cmocka_unit_test(masked_wait_loses_no_signal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
