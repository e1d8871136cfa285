/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Event channels with several threads: waiting for events and for acks. */
#include "channel/event_channel.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define NR_EVENTS  1000
#define NR_THREADS 3

static struct channel *channel;
static struct channel_source source;
static atomic_int nr_received, sum;

static int setup_channel(void **state)
{
	nr_received = 0;
	sum = 0;
	memset(&source, 0, sizeof(source));
	if (event_channel_new(&channel) != 0)
		return -1;
	source.channel = channel;
	return 0;
}

static int teardown_channel(void **state)
{
	event_channel_free(channel);
	return 0;
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
		sum += status;
		channel_ack(event);
	} while (status);
	return NULL;
}

static void channel_fetch_by_several_threads_returns_each_once(void **state)
{
	pthread_t threads[NR_THREADS];
	void *failed;
	int i;

	for (i = 0; i < NR_THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL,
						receive_events, &source),
				 0);
	for (i = 1; i <= NR_EVENTS; i++)
		post_event(i);
	for (i = 0; i < NR_THREADS; i++)
		post_event(0);
	for (i = 0; i < NR_THREADS; i++) {
		assert_int_equal(pthread_join(threads[i], &failed), 0);
		assert_null(failed);
	}
	assert_int_equal(nr_received, NR_EVENTS);
	assert_int_equal(sum, NR_EVENTS * (NR_EVENTS + 1) / 2);
}

static atomic_bool is_acked;

static void *ack_event(void *event)
{
	is_acked = true;
	channel_ack(event);
	return NULL;
}

static void source_close_with_fetched_event_waits_for_ack(void **state)
{
	struct list_node events = LIST_INIT(events);
	struct channel_event *event = NULL;
	pthread_t thread;

	post_event(1);
	assert_int_equal(channel_fetch(channel, &event), 0);
	is_acked = false;
	assert_int_equal(pthread_create(&thread, NULL, ack_event, event), 0);
	channel_source_close(&source, &events);
	assert_true(is_acked);
	assert_true(list_empty(&events));
	assert_int_equal(pthread_join(thread, NULL), 0);
}

static void part_close_with_fetched_event_waits_for_ack(void **state)
{
	struct channel_source part = { .whole = &source };
	struct channel_event *event = channel_event_new();
	struct list_node events = LIST_INIT(events);
	pthread_t thread;

	assert_non_null(event);
	channel_post(&part, event);
	assert_int_equal(channel_fetch(channel, &event), 0);
	is_acked = false;
	assert_int_equal(pthread_create(&thread, NULL, ack_event, event), 0);
	channel_source_close(&part, &events);
	assert_true(is_acked);
	assert_true(list_empty(&events));
	assert_int_equal(pthread_join(thread, NULL), 0);
	/* The event was also one of the whole, which has no other. */
	channel_source_close(&source, &events);
}

static void source_move_with_fetched_event_waits_for_ack(void **state)
{
	struct channel_event *event = NULL;
	struct channel *to = NULL;
	pthread_t thread;

	assert_int_equal(event_channel_new(&to), 0);
	post_event(1);
	assert_int_equal(channel_fetch(channel, &event), 0);
	is_acked = false;
	assert_int_equal(pthread_create(&thread, NULL, ack_event, event), 0);
	channel_source_move(&source, to);
	assert_true(is_acked);
	assert_int_equal(pthread_join(thread, NULL), 0);
	event_channel_free(to);
}

static atomic_int nr_signals;

static void count_signal(int signal)
{
	nr_signals++;
}

static void *fetch_interrupted(void *arg)
{
	struct channel_event *event;

	*(atomic_int *)arg = channel_fetch(channel, &event);
	return NULL;
}

static void channel_fetch_interrupted_returns_eintr(void **state)
{
	struct sigaction action = { .sa_handler = count_signal }, before;
	atomic_int result = 1;
	pthread_t thread;

	assert_int_equal(sigaction(SIGUSR1, &action, &before), 0);
	assert_int_equal(
		pthread_create(&thread, NULL, fetch_interrupted, &result), 0);
	/* A signal before the wait has no effect on it. */
	while (result == 1)
		(void)pthread_kill(thread, SIGUSR1);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(result, -EINTR);
	(void)sigaction(SIGUSR1, &before, NULL);
}

static void *signal_channel(void *arg)
{
	channel_signal(channel);
	return arg;
}

static void fetch_before_signal_waits_for_signal(void **state)
{
	struct pollfd wait = { .fd = channel->public.fd, .events = POLLIN };
	struct channel_event *event = channel_event_new();
	pthread_t thread;

	assert_non_null(event);
	assert_ptr_equal(channel_queue(&source, event), channel);
	assert_int_equal(poll(&wait, 1, 0), 0);
	assert_int_equal(pthread_create(&thread, NULL, signal_channel, NULL),
			 0);
	assert_int_equal(channel_fetch(channel, &event), 0);
	assert_int_equal(poll(&wait, 1, 0), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	channel_ack(event);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			fetch_before_signal_waits_for_signal, setup_channel,
			teardown_channel),
		cmocka_unit_test_setup_teardown(
			channel_fetch_by_several_threads_returns_each_once,
			setup_channel, teardown_channel),
		cmocka_unit_test_setup_teardown(
			source_close_with_fetched_event_waits_for_ack,
			setup_channel, teardown_channel),
		cmocka_unit_test_setup_teardown(
			part_close_with_fetched_event_waits_for_ack,
			setup_channel, teardown_channel),
		cmocka_unit_test_setup_teardown(
			source_move_with_fetched_event_waits_for_ack,
			setup_channel, teardown_channel),
		cmocka_unit_test_setup_teardown(
			channel_fetch_interrupted_returns_eintr, setup_channel,
			teardown_channel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
