/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sets of rsockets and other descriptors. */
#include "librdmacm/rsocket/rsocket_ends.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

static int set_new(void)
{
	int set = repoll_create(EPOLL_CLOEXEC);

	assert_true(set >= 0);
	return set;
}

static void set_add(int set, int fd, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.fd = fd };

	assert_int_equal(repoll_ctl(set, EPOLL_CTL_ADD, fd, &event), 0);
}

static void set_remove(int set, int fd)
{
	assert_int_equal(repoll_ctl(set, EPOLL_CTL_DEL, fd, NULL), 0);
}

/* Errors are results, without errno. */
static void repoll_ctl_with_invalid_argument_returns_error(void **state)
{
	int set = set_new(), fd = stream_new();
	struct epoll_event event = { .events = EPOLLIN };

	errno = 0;
	assert_int_equal(repoll_create(~0), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(repoll_ctl(fd, EPOLL_CTL_ADD, set, &event), EBADF);
	assert_int_equal(repoll_ctl(-1, EPOLL_CTL_ADD, fd, &event), EBADF);
	assert_int_equal(repoll_ctl(set, EPOLL_CTL_ADD, 1000, &event), EBADF);
	assert_int_equal(repoll_ctl(set, EPOLL_CTL_ADD, fd, NULL), EINVAL);
	assert_int_equal(repoll_ctl(set, EPOLL_CTL_ADD, set, &event), EINVAL);
	assert_int_equal(repoll_ctl(set, 77, fd, &event), EINVAL);
	assert_int_equal(repoll_ctl(set, EPOLL_CTL_MOD, fd, &event), ENOENT);
	assert_int_equal(repoll_ctl(set, EPOLL_CTL_DEL, fd, NULL), ENOENT);
	set_add(set, fd, EPOLLIN);
	assert_int_equal(repoll_ctl(set, EPOLL_CTL_ADD, fd, &event), EEXIST);
	assert_int_equal(repoll_wait(set, &event, 0, 0), EINVAL);
	assert_int_equal(repoll_wait(fd, &event, 1, 0), EBADF);
	errno = 0;
	assert_int_equal(rsend(set, "x", 1, 0), -1);
	assert_int_equal(errno, EOPNOTSUPP);
	assert_int_equal(rclose(set), EBUSY);
	set_remove(set, fd);
	assert_int_equal(rclose(set), 0);
	assert_int_equal(rclose(fd), 0);
}

static void repoll_wait_reports_socket_and_pipe(void **state)
{
	struct pair pair = pair_new();
	struct epoll_event events[4];
	int set = set_new(), fds[2];
	char byte;

	assert_int_equal(pipe(fds), 0);
	set_add(set, pair.server, EPOLLIN);
	set_add(set, fds[0], EPOLLIN);
	assert_int_equal(repoll_wait(set, events, 4, 0), 0);
	assert_int_equal(rsend(pair.client, "x", 1, 0), 1);
	assert_int_equal(repoll_wait(set, events, 4, -1), 1);
	assert_int_equal(events[0].data.fd, pair.server);
	assert_int_equal(events[0].events, EPOLLIN);
	assert_int_equal(write(fds[1], "x", 1), 1);
	assert_int_equal(repoll_wait(set, events, 4, -1), 2);
	/* Both get their turn. */
	assert_int_equal(repoll_wait(set, &events[0], 1, -1), 1);
	assert_int_equal(repoll_wait(set, &events[1], 1, -1), 1);
	assert_int_not_equal(events[0].data.fd, events[1].data.fd);
	assert_int_equal(rrecv(pair.server, &byte, 1, 0), 1);
	assert_int_equal(repoll_wait(set, events, 4, -1), 1);
	assert_int_equal(events[0].data.fd, fds[0]);
	set_remove(set, pair.server);
	set_remove(set, fds[0]);
	assert_int_equal(rclose(set), 0);
	assert_int_equal(close(fds[0]), 0);
	assert_int_equal(close(fds[1]), 0);
	pair_close(pair);
}

static void repoll_oneshot_reports_once(void **state)
{
	struct pair pair = pair_new();
	struct epoll_event event = { .events = EPOLLOUT,
				     .data.fd = pair.client };
	int set = set_new();

	set_add(set, pair.client, EPOLLOUT | EPOLLONESHOT);
	assert_int_equal(repoll_wait(set, &event, 1, -1), 1);
	assert_int_equal(repoll_wait(set, &event, 1, 0), 0);
	event.events = EPOLLOUT;
	assert_int_equal(repoll_ctl(set, EPOLL_CTL_MOD, pair.client, &event),
			 0);
	assert_int_equal(repoll_wait(set, &event, 1, -1), 1);
	assert_int_equal(repoll_wait(set, &event, 1, -1), 1);
	set_remove(set, pair.client);
	assert_int_equal(rclose(set), 0);
	pair_close(pair);
}

static void repoll_edge_reports_once_for_each_change(void **state)
{
	struct pair pair = pair_new();
	struct epoll_event event;
	int set = set_new();
	char bytes[2];

	set_add(set, pair.server, EPOLLIN | EPOLLOUT | EPOLLET);
	assert_int_equal(repoll_wait(set, &event, 1, -1), 1);
	assert_int_equal(event.events, EPOLLOUT);
	assert_int_equal(repoll_wait(set, &event, 1, 0), 0);
	for (int i = 0; i < 2; i++) {
		/* The second message arrives before the first one is read. */
		assert_int_equal(rsend(pair.client, "x", 1, 0), 1);
		assert_int_equal(repoll_wait(set, &event, 1, -1), 1);
		assert_int_equal(event.events, EPOLLIN | EPOLLOUT);
		assert_int_equal(repoll_wait(set, &event, 1, 0), 0);
	}
	assert_int_equal(rrecv(pair.server, bytes, 2, 0), 2);
	assert_int_equal(repoll_wait(set, &event, 1, 0), 0);
	event.events = EPOLLOUT | EPOLLET;
	assert_int_equal(repoll_ctl(set, EPOLL_CTL_MOD, pair.server, &event),
			 0);
	assert_int_equal(repoll_wait(set, &event, 1, -1), 1);
	assert_int_equal(repoll_wait(set, &event, 1, 0), 0);
	set_remove(set, pair.server);
	assert_int_equal(rclose(set), 0);
	pair_close(pair);
}

/* A full socket becomes writable again, and a listener gets a connection. */
static void repoll_edge_reports_room_and_connection(void **state)
{
	static char bytes[1 << 20];
	struct pair pair = pair_new();
	int listener = listener_new(), client, server;
	struct epoll_event event;
	int set = set_new();
	ssize_t nr, nr_sent = 0;

	set_nonblocking(pair.client);
	set_nonblocking(listener);
	set_add(set, pair.client, EPOLLOUT | EPOLLET);
	set_add(set, listener, EPOLLIN | EPOLLET);
	assert_int_equal(repoll_wait(set, &event, 1, -1), 1);
	do {
		while ((nr = rsend(pair.client, bytes, sizeof(bytes), 0)) > 0)
			nr_sent += nr;
		assert_int_equal(errno, EAGAIN);
	} while (repoll_wait(set, &event, 1, 0) == 1);
	for (; nr_sent > 0; nr_sent -= nr) {
		nr = rrecv(pair.server, bytes, sizeof(bytes), 0);
		assert_true(nr > 0);
	}
	assert_int_equal(repoll_wait(set, &event, 1, -1), 1);
	assert_int_equal(event.data.fd, pair.client);
	assert_int_equal(event.events, EPOLLOUT);
	client = stream_new();
	assert_int_equal(stream_connect(client), 0);
	do
		assert_int_equal(repoll_wait(set, &event, 1, -1), 1);
	while (event.data.fd == pair.client);
	assert_int_equal(event.data.fd, listener);
	server = raccept(listener, NULL, NULL);
	assert_true(server >= 0);
	set_remove(set, pair.client);
	set_remove(set, listener);
	assert_int_equal(rclose(set), 0);
	assert_int_equal(rclose(listener), 0);
	pair_close((struct pair){ client, server });
	pair_close(pair);
}

static void *wait_run(void *arg)
{
	struct epoll_event event = { .data.fd = -1 };

	assert_int_equal(repoll_wait((int)(intptr_t)arg, &event, 1, -1), 1);
	return (void *)(intptr_t)event.data.fd;
}

static void repoll_wait_sees_socket_that_is_added_later(void **state)
{
	struct pair pair = pair_new();
	int set = set_new();
	pthread_t thread;
	void *result;

	assert_int_equal(
		pthread_create(&thread, NULL, wait_run, (void *)(intptr_t)set),
		0);
	set_add(set, pair.server, EPOLLIN);
	assert_int_equal(rsend(pair.client, "x", 1, 0), 1);
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_int_equal((intptr_t)result, pair.server);
	set_remove(set, pair.server);
	assert_int_equal(rclose(set), 0);
	pair_close(pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			repoll_ctl_with_invalid_argument_returns_error),
		cmocka_unit_test(repoll_wait_reports_socket_and_pipe),
		cmocka_unit_test(repoll_oneshot_reports_once),
		cmocka_unit_test(repoll_edge_reports_once_for_each_change),
		cmocka_unit_test(repoll_edge_reports_room_and_connection),
		cmocka_unit_test(repoll_wait_sees_socket_that_is_added_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
