/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Channels that watch a descriptor, in one thread: readiness, order, counts. */
#include "channel/event_channel.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

/* Events have these numbers in their status. */
#define FIRST_QUEUED  1
#define FIRST_WATCHED 100

static struct channel *channel;
static struct channel_source source;
/* In place of the kernel's descriptor: the number of its events */
static int watched_fd;
static int next_watched;
static int read_error;
static bool is_discarding;

static int read_watched(int fd, struct channel_event **ret_event,
			struct channel_source **ret_source)
{
	struct channel_event *event;
	eventfd_t count;

	assert_int_equal(fd, watched_fd);
	if (read_error)
		return read_error;
	if (eventfd_read(fd, &count) != 0)
		return -errno;
	if (is_discarding) {
		channel_source_discard(&source);
		return -EAGAIN;
	}
	event = channel_event_new();
	assert_non_null(event);
	event->public.status = next_watched++;
	*ret_event = event;
	*ret_source = &source;
	return 0;
}

static int setup_watch(void **state)
{
	next_watched = FIRST_WATCHED;
	read_error = 0;
	is_discarding = false;
	source = (struct channel_source){};
	watched_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
	if (watched_fd < 0 || event_channel_new(&channel) != 0)
		return -1;
	source.channel = channel;
	if (fcntl(channel->public.fd, F_SETFL, O_NONBLOCK) != 0)
		return -1;
	return channel_watch(channel, watched_fd, read_watched);
}

static int teardown_watch(void **state)
{
	event_channel_free(channel);
	/* The channel has not closed it. */
	return close(watched_fd);
}

static void raise_watched(unsigned int nr)
{
	assert_int_equal(eventfd_write(watched_fd, nr), 0);
}

static void post_event(int status)
{
	struct channel_event *event = channel_event_new();

	assert_non_null(event);
	event->public.status = status;
	channel_post(&source, event);
}

static void expect_event(int status)
{
	struct channel_event *event = NULL;

	assert_int_equal(channel_fetch(channel, &event), 0);
	assert_int_equal(event->public.status, status);
	channel_ack(event);
}

static void expect_result(int expected)
{
	struct channel_event *event = NULL;

	assert_int_equal(channel_fetch(channel, &event), expected);
	assert_null(event);
}

static bool channel_is_readable(void)
{
	struct pollfd wait = { .fd = channel->public.fd, .events = POLLIN };

	return poll(&wait, 1, 0) == 1 && (wait.revents & POLLIN);
}

static void watched_event_makes_channel_readable(void **state)
{
	assert_false(channel_is_readable());
	raise_watched(2);
	assert_true(channel_is_readable());
	expect_event(FIRST_WATCHED);
	assert_true(channel_is_readable());
	expect_event(FIRST_WATCHED + 1);
	assert_false(channel_is_readable());
	expect_result(-EAGAIN);
}

static void watched_event_belongs_to_source(void **state)
{
	struct list_node events = LIST_INIT(events);
	struct channel_event *event = NULL;

	raise_watched(1);
	assert_int_equal(channel_fetch(channel, &event), 0);
	assert_ptr_equal(event->source, &source);
	assert_int_equal(source.nr_fetched, 1);
	channel_ack(event);
	channel_source_close(&source, &events);
	assert_true(list_empty(&events));
}

static void queued_events_precede_watched_events(void **state)
{
	raise_watched(1);
	post_event(FIRST_QUEUED);
	post_event(FIRST_QUEUED + 1);
	expect_event(FIRST_QUEUED);
	expect_event(FIRST_QUEUED + 1);
	expect_event(FIRST_WATCHED);
	expect_result(-EAGAIN);
}

static void queued_events_in_row_let_watched_event_pass(void **state)
{
	raise_watched(2);
	for (int i = 0; i < 34; i++)
		post_event(FIRST_QUEUED + i);
	for (int i = 0; i < 16; i++)
		expect_event(FIRST_QUEUED + i);
	expect_event(FIRST_WATCHED);
	for (int i = 16; i < 32; i++)
		expect_event(FIRST_QUEUED + i);
	expect_event(FIRST_WATCHED + 1);
	/* Without a watched event, queued events follow each other. */
	expect_event(FIRST_QUEUED + 32);
	expect_event(FIRST_QUEUED + 33);
	expect_result(-EAGAIN);
}

static void watched_descriptor_error_is_returned(void **state)
{
	read_error = -EACCES;
	raise_watched(1);
	expect_result(-EACCES);
	/* It does not hide queued events. */
	post_event(FIRST_QUEUED);
	expect_event(FIRST_QUEUED);
	expect_result(-EACCES);
}

static void watched_event_discarded_is_not_fetched(void **state)
{
	is_discarding = true;
	raise_watched(1);
	expect_result(-EAGAIN);
	assert_false(channel_is_readable());
	channel_source_wait(&source, 1);
}

static void channel_watch_second_descriptor_returns_eexist(void **state)
{
	int second = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);

	assert_true(second >= 0);
	assert_int_equal(channel_watch(channel, second, read_watched), -EEXIST);
	assert_int_equal(channel_watched_fd(channel), watched_fd);
	assert_false(channel_is_readable());
	(void)close(second);
}

static void channel_watch_invalid_descriptor_returns_ebadf(void **state)
{
	struct channel *other = NULL;
	struct channel_event *event = NULL;

	assert_int_equal(event_channel_new(&other), 0);
	assert_int_equal(fcntl(other->public.fd, F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(channel_watch(other, -1, read_watched), -EBADF);
	assert_int_equal(channel_watched_fd(other), -1);
	assert_int_equal(channel_fetch(other, &event), -EAGAIN);
	event_channel_free(other);
}

static void source_wait_counts_watched_events_only(void **state)
{
	channel_source_wait(&source, 0);
	post_event(FIRST_QUEUED);
	expect_event(FIRST_QUEUED);
	assert_int_equal(source.nr_watched_acked, 0);
	raise_watched(3);
	for (int i = 0; i < 3; i++)
		expect_event(FIRST_WATCHED + i);
	channel_source_wait(&source, 3);
	/* Fewer than were acknowledged */
	channel_source_wait(&source, 1);
}

static void source_wait_counter_wraps(void **state)
{
	source.nr_watched_acked = UINT32_MAX;
	raise_watched(1);
	expect_event(FIRST_WATCHED);
	channel_source_wait(&source, 0);
}

/* The id of a wildcard listener has events of both kinds, on a new channel. */
static void source_move_keeps_count_of_watched_events(void **state)
{
	struct channel *to = NULL;
	struct channel_event *event = NULL;

	raise_watched(1);
	expect_event(FIRST_WATCHED);
	post_event(FIRST_QUEUED);
	assert_int_equal(event_channel_new(&to), 0);
	channel_source_move(&source, to);
	assert_int_equal(channel_fetch(to, &event), 0);
	assert_int_equal(event->public.status, FIRST_QUEUED);
	channel_ack(event);
	channel_source_wait(&source, 1);
	event_channel_free(to);
}

#define WATCH_TEST(name) \
	cmocka_unit_test_setup_teardown(name, setup_watch, teardown_watch)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WATCH_TEST(watched_event_makes_channel_readable),
		WATCH_TEST(watched_event_belongs_to_source),
		WATCH_TEST(queued_events_precede_watched_events),
		WATCH_TEST(queued_events_in_row_let_watched_event_pass),
		WATCH_TEST(watched_descriptor_error_is_returned),
		WATCH_TEST(watched_event_discarded_is_not_fetched),
		WATCH_TEST(channel_watch_second_descriptor_returns_eexist),
		WATCH_TEST(channel_watch_invalid_descriptor_returns_ebadf),
		WATCH_TEST(source_wait_counts_watched_events_only),
		WATCH_TEST(source_wait_counter_wraps),
		WATCH_TEST(source_move_keeps_count_of_watched_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
