/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Event channels. The descriptor of a channel is an epoll descriptor, so that
 * it can cover more than one source of readiness; the eventfd below it is
 * readable while the queue has events. A thread that waits polls the epoll
 * descriptor without the lock.
 *
 * Called by api/. One lock for all channels, which is held for a few
 * instructions and no system call: a thread that an event wakes up would have
 * to wait for the lock. So the eventfd is a semaphore that follows the queue. A
 * thread that adds an event to the empty queue adds 1 after it has released the
 * lock; a thread that takes the last event subtracts 1, and waits for the other
 * thread if that has not come so far. Thus a channel is never freed before all
 * have finished.
 */
#include "channel/event_channel.h"

#include "util/cancel.h"
#include "util/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* Queued events that a thread fetches before it reads a watched descriptor */
#define CHANNEL_MAX_IN_ROW 16

/* Watched descriptors, queues of events, channels of sources, and counts of
 * events */
static struct verbs_mutex channel_mutex = VERBS_MUTEX_INIT;
/* Each acknowledgement */
static pthread_cond_t channel_acked = PTHREAD_COND_INITIALIZER;

int event_channel_new(struct channel **ret_channel)
{
	struct epoll_event interest = { .events = EPOLLIN };
	struct channel *channel = calloc(1, sizeof(*channel));
	int ret;

	if (!channel)
		return -ENOMEM;
	list_init(&channel->events);
	channel->pid = getpid();
	channel->event_fd = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
	if (channel->event_fd < 0) {
		ret = -errno;
		goto err_free;
	}
	channel->public.fd = epoll_create1(EPOLL_CLOEXEC);
	if (channel->public.fd < 0) {
		ret = -errno;
		goto err_event_fd;
	}
	if (epoll_ctl(channel->public.fd, EPOLL_CTL_ADD, channel->event_fd,
		      &interest) != 0) {
		ret = -errno;
		goto err_epoll;
	}
	*ret_channel = channel;
	return 0;

err_epoll:
	(void)close(channel->public.fd);
err_event_fd:
	(void)close(channel->event_fd);
err_free:
	free(channel);
	return ret;
}

void event_channel_free(struct channel *channel)
{
	struct list_node *node, *next;

	list_for_each_safe (node, next, &channel->events)
		free(list_entry(node, struct channel_event, node));
	(void)close(channel->public.fd);
	(void)close(channel->event_fd);
	free(channel);
}

int channel_watch(struct channel *channel, int fd, channel_read_fn *read)
{
	struct epoll_event interest = { .events = EPOLLIN };
	int ret = 0;

	verbs_mutex_lock(&channel_mutex);
	if (channel->watch.read)
		ret = -EEXIST;
	else if (epoll_ctl(channel->public.fd, EPOLL_CTL_ADD, fd, &interest))
		ret = -errno;
	else
		channel->watch = (struct channel_watch){ fd, read };
	verbs_mutex_unlock(&channel_mutex);
	return ret;
}

int channel_watched_fd(const struct channel *channel)
{
	int fd;

	verbs_mutex_lock(&channel_mutex);
	fd = channel->watch.read ? channel->watch.fd : -1;
	verbs_mutex_unlock(&channel_mutex);
	return fd;
}

struct channel_event *channel_event_new(void)
{
	struct channel_event *event = calloc(1, sizeof(*event));

	if (event)
		list_init(&event->node);
	return event;
}

void channel_event_set_data(struct channel_event *event, const uint8_t *bytes,
			    uint8_t len)
{
	struct rdma_cm_event *public = &event->public;

	memcpy(event->private_data, bytes, len);
	/* The parameters of datagrams begin with the same members. */
	public->param.conn.private_data = event->private_data;
	public->param.conn.private_data_len = len;
}

static struct channel *source_channel(const struct channel_source *source)
{
	return source->whole ? source->whole->channel : source->channel;
}

static bool event_is_of(const struct channel_event *event,
			const struct channel_source *source)
{
	return event->source == source || event->source->whole == source;
}

static void event_count_locked(const struct channel_event *event, int change)
	REQUIRES(channel_mutex)
{
	struct channel_source *source = event->source;

	source->nr_fetched += (unsigned int)change;
	if (source->whole)
		source->whole->nr_fetched += (unsigned int)change;
}

void channel_signal(const struct channel *channel)
{
	int state = cancel_disable();

	/* It fails only if the counter would overflow. */
	if (channel->pid == getpid())
		(void)!eventfd_write(channel->event_fd, 1);
	cancel_restore(state);
}

/* The last event was taken; channel_signal() may not have been called yet. */
static void channel_unsignal(const struct channel *channel)
{
	int state = cancel_disable();
	eventfd_t count;

	while (channel->pid == getpid() &&
	       eventfd_read(channel->event_fd, &count) && errno == EINTR)
		;
	cancel_restore(state);
}

/* Returns whether channel_signal() must be called. */
static bool queue_add_locked(struct channel *channel,
			     struct channel_event *event)
	REQUIRES(channel_mutex)
{
	bool was_empty = list_empty(&channel->events);

	list_add_tail(&channel->events, &event->node);
	return was_empty;
}

/* Returns whether channel_unsignal() must be called. */
static bool queue_remove_locked(struct channel *channel,
				struct channel_event *event)
	REQUIRES(channel_mutex)
{
	list_del(&event->node);
	return list_empty(&channel->events);
}

struct channel *channel_queue(struct channel_source *source,
			      struct channel_event *event)
{
	struct channel *channel;
	bool was_empty;

	verbs_mutex_lock(&channel_mutex);
	event->source = source;
	channel = source_channel(source);
	was_empty = queue_add_locked(channel, event);
	verbs_mutex_unlock(&channel_mutex);
	return was_empty ? channel : NULL;
}

void channel_post(struct channel_source *source, struct channel_event *event)
{
	struct channel *channel = channel_queue(source, event);

	if (channel)
		channel_signal(channel);
}

/* Takes a queued event, if there is one. */
static int channel_take(struct channel *channel,
			struct channel_event **ret_event)
{
	struct channel_event *event = NULL;
	bool was_last = false;

	verbs_mutex_lock(&channel_mutex);
	if (!list_empty(&channel->events)) {
		event = list_entry(channel->events.next, struct channel_event,
				   node);
		was_last = queue_remove_locked(channel, event);
		event_count_locked(event, 1);
		channel->nr_in_row++;
	}
	verbs_mutex_unlock(&channel_mutex);
	if (!event)
		return -EAGAIN;
	if (was_last)
		channel_unsignal(channel);
	*ret_event = event;
	return 0;
}

/*
 * The source exists until the event is acknowledged: the kernel has counted the
 * event, so channel_source_wait() waits for it.
 */
static int channel_read_watched(const struct channel_watch *watch,
				struct channel_event **ret_event)
{
	struct channel_source *source;
	struct channel_event *event;
	int ret;

	if (!watch->read)
		return -EAGAIN;
	ret = watch->read(watch->fd, &event, &source);
	if (ret)
		return ret;
	event->is_watched = true;
	event->source = source;
	verbs_mutex_lock(&channel_mutex);
	event_count_locked(event, 1);
	verbs_mutex_unlock(&channel_mutex);
	*ret_event = event;
	return 0;
}

static int channel_try(struct channel *channel,
		       struct channel_event **ret_event)
{
	struct channel_watch watch;
	bool is_watch_first;
	int ret = -EAGAIN;

	verbs_mutex_lock(&channel_mutex);
	watch = channel->watch;
	is_watch_first = channel->nr_in_row >= CHANNEL_MAX_IN_ROW;
	if (is_watch_first)
		channel->nr_in_row = 0;
	verbs_mutex_unlock(&channel_mutex);
	if (is_watch_first)
		ret = channel_read_watched(&watch, ret_event);
	if (ret == -EAGAIN)
		ret = channel_take(channel, ret_event);
	if (ret == -EAGAIN)
		ret = channel_read_watched(&watch, ret_event);
	return ret;
}

int channel_fetch(struct channel *channel, struct channel_event **ret_event)
{
	struct pollfd wait = { .fd = channel->public.fd, .events = POLLIN };
	int flags, ret;

	for (;;) {
		ret = channel_try(channel, ret_event);
		if (ret != -EAGAIN)
			return ret;
		flags = fcntl(channel->public.fd, F_GETFL);
		if (flags < 0)
			return -errno;
		if (flags & O_NONBLOCK)
			return -EAGAIN;
		if (poll(&wait, 1, -1) < 0)
			return -errno;
	}
}

static void source_count_ack_locked(struct channel_source *source)
	REQUIRES(channel_mutex)
{
	source->nr_watched_acked++;
	if (source->whole)
		source->whole->nr_watched_acked++;
	(void)pthread_cond_broadcast(&channel_acked);
}

void channel_ack(struct channel_event *event)
{
	verbs_mutex_lock(&channel_mutex);
	event_count_locked(event, -1);
	if (event->is_watched)
		source_count_ack_locked(event->source);
	else
		(void)pthread_cond_broadcast(&channel_acked);
	verbs_mutex_unlock(&channel_mutex);
	free(event);
}

void channel_source_discard(struct channel_source *source)
{
	verbs_mutex_lock(&channel_mutex);
	source_count_ack_locked(source);
	verbs_mutex_unlock(&channel_mutex);
}

void channel_source_wait(struct channel_source *source, uint32_t nr_reported)
{
	verbs_mutex_lock(&channel_mutex);
	/* The counters may wrap. */
	while ((int32_t)(nr_reported - source->nr_watched_acked) > 0)
		verbs_mutex_wait(&channel_mutex, &channel_acked);
	verbs_mutex_unlock(&channel_mutex);
}

/* Returns whether channel_unsignal() must be called. */
static bool source_remove_events_locked(struct channel_source *source,
					struct list_node *ret_events)
	REQUIRES(channel_mutex)
{
	struct channel *channel = source_channel(source);
	struct list_node *node, *next;
	bool was_last = false;

	list_for_each_safe (node, next, &channel->events) {
		struct channel_event *event =
			list_entry(node, struct channel_event, node);

		if (!event_is_of(event, source))
			continue;
		was_last = queue_remove_locked(channel, event);
		list_add_tail(ret_events, &event->node);
	}
	return was_last;
}

static void source_wait_for_acks(struct channel_source *source)
{
	verbs_mutex_lock(&channel_mutex);
	while (source->nr_fetched)
		verbs_mutex_wait(&channel_mutex, &channel_acked);
	verbs_mutex_unlock(&channel_mutex);
}

void channel_source_close(struct channel_source *source,
			  struct list_node *ret_events)
{
	bool was_last;

	verbs_mutex_lock(&channel_mutex);
	was_last = source_remove_events_locked(source, ret_events);
	verbs_mutex_unlock(&channel_mutex);
	if (was_last)
		channel_unsignal(source_channel(source));
	source_wait_for_acks(source);
}

void channel_source_move(struct channel_source *source, struct channel *to)
{
	struct list_node events = LIST_INIT(events);
	struct channel *from = source_channel(source);
	struct list_node *node, *next;
	bool was_last, was_empty = false;

	verbs_mutex_lock(&channel_mutex);
	was_last = source_remove_events_locked(source, &events);
	source->channel = to;
	list_for_each_safe (node, next, &events) {
		list_del(node);
		if (queue_add_locked(
			    to, list_entry(node, struct channel_event, node)))
			was_empty = true;
	}
	verbs_mutex_unlock(&channel_mutex);
	if (was_last)
		channel_unsignal(from);
	if (was_empty)
		channel_signal(to);
	source_wait_for_acks(source);
}
