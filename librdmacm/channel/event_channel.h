/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Event channels: a queue of events with a descriptor that is readable while
 * the queue has events. Each event belongs to a source, which is an id; a
 * source counts its events that were fetched and are not acknowledged. A
 * multicast group is a part of its id.
 *
 * A channel can watch a descriptor of the kernel, which has a queue of its own.
 * The kernel counts the events that were read from it, and reports the count
 * when an id is destroyed or moved; so a source counts those separately.
 *
 * All functions may be called by any thread.
 */
#ifndef CHANNEL_EVENT_CHANNEL_H
#define CHANNEL_EVENT_CHANNEL_H

#include <rdma/rdma_cma.h>

#include "util/list.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* More than the length of any private data, which is a byte */
#define CHANNEL_PRIVATE_LEN 256

struct channel_event;
struct channel_source;

/**
 * channel_read_fn - read an event from a watched descriptor
 * @ret_event: an event of channel_event_new()
 * @ret_source: the source that it belongs to
 *
 * Does not block. Several threads may call it.
 *
 * Return: 0; -EAGAIN if there is no event; or another -errno, which
 * channel_fetch() returns.
 */
typedef int channel_read_fn(int fd, struct channel_event **ret_event,
			    struct channel_source **ret_source);

struct channel_watch {
	int fd;
	channel_read_fn *read; /* NULL: no descriptor is watched */
};

struct channel {
	struct rdma_event_channel public; /* fd: an epoll descriptor */
	/* private: */
	int event_fd; /* semaphore of 1 while there are events */
	pid_t pid;    /* a child of fork() shares event_fd, not the queue */
	struct list_node events;
	struct channel_watch watch;
	unsigned int nr_in_row; /* queued events fetched without a read */
};

/* The events of a part are also events of the whole, which has the channel. */
struct channel_source {
	struct channel *channel;
	struct channel_source *whole; /* NULL: the source is not a part */
	/* private: */
	unsigned int nr_fetched;   /* and not acknowledged */
	uint32_t nr_watched_acked; /* read from the watched descriptor */
};

struct channel_event {
	struct rdma_cm_event public;
	/* The private data of the event, if its length is not 0 */
	uint8_t private_data[CHANNEL_PRIVATE_LEN];
	/* private: */
	struct channel_source *source;
	bool is_watched; /* read from the watched descriptor */
	struct list_node node;
};

/**
 * event_channel_new() - create a channel
 *
 * Return: 0, or the -errno of epoll_create1(2), eventfd(2) or malloc(3).
 */
int event_channel_new(struct channel **ret_channel);

/* Frees a channel and its events; a watched descriptor stays open. */
void event_channel_free(struct channel *channel);

/**
 * channel_watch() - fetch events also from a descriptor of the kernel
 * @fd: readable while it has events; open as long as the channel exists
 *
 * Threads that wait in channel_fetch() notice its events.
 *
 * Return: 0; -EEXIST if the channel watches one already; or the -errno of
 * epoll_ctl(2).
 */
int channel_watch(struct channel *channel, int fd, channel_read_fn *read);

/* Returns the descriptor that the channel watches, or -1. */
int channel_watched_fd(const struct channel *channel);

static inline struct channel *channel_of(struct rdma_event_channel *public)
{
	return (struct channel *)(void *)public;
}

/* Returns an empty event, or NULL; channel_post() or free() takes it. */
struct channel_event *channel_event_new(void);

/* Gives an event at most CHANNEL_PRIVATE_LEN bytes of private data. */
void channel_event_set_data(struct channel_event *event, const uint8_t *bytes,
			    uint8_t len);

/* The source of an event that channel_fetch() returned. */
static inline struct channel_event *
channel_event_of(struct rdma_cm_event *public)
{
	return (struct channel_event *)(void *)public;
}

/**
 * channel_queue() - add an event to the queue of its source's channel
 *
 * For callers with a lock that a thread which the event wakes up may need.
 *
 * Return: NULL; or the channel for which the caller must call channel_signal()
 * at once after it has released its lock. A thread that takes the event waits
 * for this.
 */
struct channel *channel_queue(struct channel_source *source,
			      struct channel_event *event);

void channel_signal(const struct channel *channel);

/* Adds an event to the end of the queue of its source's channel. */
void channel_post(struct channel_source *source, struct channel_event *event);

/**
 * channel_fetch() - take the first event
 *
 * Waits for an event, unless the descriptor has the flag O_NONBLOCK. Queued
 * events precede those of a watched descriptor, but not more than 16 in a row.
 *
 * Return: 0; -EAGAIN, or the -errno of poll(2) or of the watched descriptor.
 */
int channel_fetch(struct channel *channel, struct channel_event **ret_event);

/* Counts an event as acknowledged and frees it. */
void channel_ack(struct channel_event *event);

/* Counts an event as read and acknowledged that channel_read_fn discards. */
void channel_source_discard(struct channel_source *source);

/**
 * channel_source_wait() - wait for acknowledgements of kernel events
 * @nr_reported: by the kernel, which has no further events of the source
 *
 * Waits until this many events that were read from watched descriptors are
 * acknowledged or discarded, since the source was created. The events of a part
 * count for the whole, too.
 */
void channel_source_wait(struct channel_source *source, uint32_t nr_reported);

/**
 * channel_source_close() - remove the events of a source
 * @ret_events: receives the queued events, which the caller frees
 *
 * Then waits until all events that were fetched are acknowledged.
 */
void channel_source_close(struct channel_source *source,
			  struct list_node *ret_events);

/**
 * channel_source_move() - move a source, with its queued events, in order
 *
 * Waits until all events that were fetched are acknowledged.
 */
void channel_source_move(struct channel_source *source, struct channel *to);

#endif
