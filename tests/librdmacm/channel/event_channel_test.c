/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Event channels in one thread: order, readiness, acknowledgement, migration.
 */
#include "channel/event_channel.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static struct channel *new_channel(void)
{
	struct channel *channel = NULL;

	assert_int_equal(event_channel_new(&channel), 0);
	assert_int_equal(fcntl(channel->public.fd, F_SETFL, O_NONBLOCK), 0);
	return channel;
}

static void post_event(struct channel_source *source, int status)
{
	struct channel_event *event = channel_event_new();

	assert_non_null(event);
	event->public.status = status;
	channel_post(source, event);
}

/* Fetches the next event, which must have this status, and acknowledges it. */
static void expect_event(struct channel *channel, int status)
{
	struct channel_event *event = NULL;

	assert_int_equal(channel_fetch(channel, &event), 0);
	assert_int_equal(event->public.status, status);
	channel_ack(event);
}

static void expect_nothing(struct channel *channel)
{
	struct channel_event *event = NULL;

	assert_int_equal(channel_fetch(channel, &event), -EAGAIN);
	assert_null(event);
}

static bool fd_is_readable(int fd)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };

	return poll(&wait, 1, 0) == 1 && (wait.revents & POLLIN);
}

static void channel_new_fd_blocks_and_closes_on_exec(void **state)
{
	struct channel *channel = NULL;

	assert_int_equal(event_channel_new(&channel), 0);
	assert_false(fcntl(channel->public.fd, F_GETFL) & O_NONBLOCK);
	assert_true(fcntl(channel->public.fd, F_GETFD) & FD_CLOEXEC);
	event_channel_free(channel);
}

static void channel_fetch_empty_nonblocking_returns_eagain(void **state)
{
	struct channel *channel = new_channel();

	expect_nothing(channel);
	event_channel_free(channel);
}

static void channel_fetch_several_events_keeps_order(void **state)
{
	struct channel *channel = new_channel();
	struct channel_source left = { .channel = channel };
	struct channel_source right = { .channel = channel };

	post_event(&left, 1);
	post_event(&right, 2);
	post_event(&left, 3);
	expect_event(channel, 1);
	expect_event(channel, 2);
	expect_event(channel, 3);
	expect_nothing(channel);
	event_channel_free(channel);
}

static void channel_fd_is_readable_while_events_queued(void **state)
{
	struct channel *channel = new_channel();
	struct channel_source source = { .channel = channel };

	assert_false(fd_is_readable(channel->public.fd));
	post_event(&source, 1);
	post_event(&source, 2);
	assert_true(fd_is_readable(channel->public.fd));
	expect_event(channel, 1);
	assert_true(fd_is_readable(channel->public.fd));
	expect_event(channel, 2);
	assert_false(fd_is_readable(channel->public.fd));
	event_channel_free(channel);
}

static void channel_fd_in_epoll_and_select_is_ready(void **state)
{
	struct channel *channel = new_channel();
	struct channel_source source = { .channel = channel };
	struct epoll_event interest = { .events = EPOLLIN };
	struct timeval now = { 0 };
	int epoll = epoll_create1(EPOLL_CLOEXEC);
	fd_set set;

	assert_true(epoll >= 0);
	assert_int_equal(
		epoll_ctl(epoll, EPOLL_CTL_ADD, channel->public.fd, &interest),
		0);
	assert_int_equal(epoll_wait(epoll, &interest, 1, 0), 0);
	post_event(&source, 1);
	assert_int_equal(epoll_wait(epoll, &interest, 1, 0), 1);
	FD_ZERO(&set);
	FD_SET(channel->public.fd, &set);
	assert_int_equal(select(channel->public.fd + 1, &set, NULL, NULL, &now),
			 1);
	expect_event(channel, 1);
	assert_int_equal(epoll_wait(epoll, &interest, 1, 0), 0);
	(void)close(epoll);
	event_channel_free(channel);
}

static void source_close_with_queued_events_returns_only_own(void **state)
{
	struct channel *channel = new_channel();
	struct channel_source left = { .channel = channel };
	struct channel_source right = { .channel = channel };
	struct list_node events = LIST_INIT(events);
	struct list_node *node, *next;
	int status = 1;

	post_event(&left, 1);
	post_event(&right, 2);
	post_event(&left, 3);
	channel_source_close(&left, &events);
	list_for_each_safe (node, next, &events) {
		struct channel_event *event =
			list_entry(node, struct channel_event, node);

		assert_int_equal(event->public.status, status);
		status += 2;
		free(event);
	}
	assert_int_equal(status, 5);
	expect_event(channel, 2);
	expect_nothing(channel);
	assert_false(fd_is_readable(channel->public.fd));
	event_channel_free(channel);
}

static void free_events(struct list_node *events, int first, int count)
{
	struct list_node *node, *next;

	list_for_each_safe (node, next, events) {
		struct channel_event *event =
			list_entry(node, struct channel_event, node);

		assert_int_equal(event->public.status, first++);
		list_del(node);
		free(event);
		count--;
	}
	assert_int_equal(count, 0);
}

static void part_close_with_queued_events_keeps_those_of_whole(void **state)
{
	struct list_node events = LIST_INIT(events);
	struct channel *channel = new_channel();
	struct channel_source whole = { .channel = channel };
	struct channel_source left = { .whole = &whole };
	struct channel_source right = { .whole = &whole };

	post_event(&whole, 1);
	post_event(&left, 2);
	post_event(&right, 3);
	post_event(&whole, 4);
	channel_source_close(&left, &events);
	free_events(&events, 2, 1);
	expect_event(channel, 1);
	channel_source_close(&whole, &events);
	free_events(&events, 3, 2);
	expect_nothing(channel);
	event_channel_free(channel);
}

static void source_move_moves_events_of_parts(void **state)
{
	struct channel *from = new_channel();
	struct channel *to = new_channel();
	struct channel_source whole = { .channel = from };
	struct channel_source part = { .whole = &whole };

	post_event(&part, 1);
	channel_source_move(&whole, to);
	post_event(&part, 2);
	expect_nothing(from);
	expect_event(to, 1);
	expect_event(to, 2);
	event_channel_free(from);
	event_channel_free(to);
}

static void source_move_with_queued_events_keeps_order(void **state)
{
	struct channel *from = new_channel();
	struct channel *to = new_channel();
	struct channel_source moved = { .channel = from };
	struct channel_source rest = { .channel = from };

	post_event(&moved, 1);
	post_event(&rest, 2);
	post_event(&moved, 3);
	channel_source_move(&moved, to);
	assert_ptr_equal(moved.channel, to);
	post_event(&moved, 4);
	assert_true(fd_is_readable(to->public.fd));
	expect_event(to, 1);
	expect_event(to, 3);
	expect_event(to, 4);
	expect_event(from, 2);
	expect_nothing(from);
	assert_false(fd_is_readable(from->public.fd));
	event_channel_free(from);
	event_channel_free(to);
}

static void channel_free_with_queued_events_frees_them(void **state)
{
	struct channel *channel = new_channel();
	struct channel_source source = { .channel = channel };

	post_event(&source, 1);
	post_event(&source, 2);
	event_channel_free(channel); /* checked by AddressSanitizer */
}

static void source_close_in_child_leaves_channel_of_parent_alone(void **state)
{
	struct channel *channel = new_channel();
	struct channel_source source = { .channel = channel };
	struct list_node events = LIST_INIT(events);
	int status;
	pid_t pid;

	post_event(&source, 1);
	pid = fork();
	if (!pid) {
		channel_source_close(&source, &events);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_true(fd_is_readable(channel->public.fd));
	expect_event(channel, 1);
	assert_false(fd_is_readable(channel->public.fd));
	event_channel_free(channel);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(channel_new_fd_blocks_and_closes_on_exec),
		cmocka_unit_test(
			channel_fetch_empty_nonblocking_returns_eagain),
		cmocka_unit_test(channel_fetch_several_events_keeps_order),
		cmocka_unit_test(channel_fd_is_readable_while_events_queued),
		cmocka_unit_test(channel_fd_in_epoll_and_select_is_ready),
		cmocka_unit_test(
			source_close_with_queued_events_returns_only_own),
		cmocka_unit_test(
			source_close_in_child_leaves_channel_of_parent_alone),
		cmocka_unit_test(
			part_close_with_queued_events_keeps_those_of_whole),
		cmocka_unit_test(source_move_moves_events_of_parts),
		cmocka_unit_test(source_move_with_queued_events_keeps_order),
		cmocka_unit_test(channel_free_with_queued_events_frees_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
