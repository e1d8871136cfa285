/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Channels that watch a descriptor, with several threads. */
#include "channel/event_channel.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

#define NR_EVENTS  1000
#define NR_THREADS 3

static struct channel *channel;
static struct channel_source source;
static int watched_fd;
static atomic_int nr_received;

static int read_watched(int fd, struct channel_event **ret_event,
			struct channel_source **ret_source)
{
	struct channel_event *event;
	eventfd_t count;

	if (eventfd_read(fd, &count) != 0)
		return -errno;
	event = channel_event_new();
	if (!event)
		return -ENOMEM;
	event->public.status = 1;
	*ret_event = event;
	*ret_source = &source;
	return 0;
}

static int setup_watch(void **state)
{
	nr_received = 0;
	source = (struct channel_source){};
	watched_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
	if (watched_fd < 0 || event_channel_new(&channel) != 0)
		return -1;
	source.channel = channel;
	return 0;
}

static int teardown_watch(void **state)
{
	event_channel_free(channel);
	return close(watched_fd);
}

static void post_event(int status)
{
	struct channel_event *event = channel_event_new();

	assert_non_null(event);
	event->public.status = status;
	channel_post(&source, event);
}

/* Fetches events up to one of status 0. */
static void *receive_events(void *arg)
{
	struct channel_event *event;
	int status;

	do {
		if (channel_fetch(channel, &event) != 0)
			return arg;
		status = event->public.status;
		if (status)
			nr_received++;
		channel_ack(event);
	} while (status);
	return NULL;
}

static void start_threads(pthread_t threads[NR_THREADS])
{
	for (int i = 0; i < NR_THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL,
						receive_events, &source),
				 0);
}

static void join_threads(pthread_t threads[NR_THREADS])
{
	void *failed;

	for (int i = 0; i < NR_THREADS; i++)
		post_event(0);
	for (int i = 0; i < NR_THREADS; i++) {
		assert_int_equal(pthread_join(threads[i], &failed), 0);
		assert_null(failed);
	}
}

static void watched_events_by_several_threads_return_each_once(void **state)
{
	pthread_t threads[NR_THREADS];

	assert_int_equal(channel_watch(channel, watched_fd, read_watched), 0);
	start_threads(threads);
	for (int i = 0; i < NR_EVENTS; i++) {
		assert_int_equal(eventfd_write(watched_fd, 1), 0);
		post_event(1);
	}
	/* All events of the descriptor, before the threads end */
	channel_source_wait(&source, NR_EVENTS);
	join_threads(threads);
	assert_int_equal(nr_received, 2 * NR_EVENTS);
}

static void channel_watch_during_fetch_is_noticed(void **state)
{
	pthread_t threads[NR_THREADS];

	start_threads(threads);
	assert_int_equal(eventfd_write(watched_fd, NR_EVENTS), 0);
	assert_int_equal(channel_watch(channel, watched_fd, read_watched), 0);
	channel_source_wait(&source, NR_EVENTS);
	join_threads(threads);
	assert_int_equal(nr_received, NR_EVENTS);
}

static atomic_bool is_acked;

static void *ack_event(void *event)
{
	is_acked = true;
	channel_ack(event);
	return NULL;
}

static void source_wait_with_fetched_event_waits_for_ack(void **state)
{
	struct channel_event *event = NULL;
	pthread_t thread;

	assert_int_equal(channel_watch(channel, watched_fd, read_watched), 0);
	assert_int_equal(eventfd_write(watched_fd, 1), 0);
	assert_int_equal(channel_fetch(channel, &event), 0);
	is_acked = false;
	assert_int_equal(pthread_create(&thread, NULL, ack_event, event), 0);
	channel_source_wait(&source, 1);
	assert_true(is_acked);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

#define WATCH_TEST(name) \
	cmocka_unit_test_setup_teardown(name, setup_watch, teardown_watch)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WATCH_TEST(watched_events_by_several_threads_return_each_once),
		WATCH_TEST(channel_watch_during_fetch_is_noticed),
		WATCH_TEST(source_wait_with_fetched_event_waits_for_ack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
