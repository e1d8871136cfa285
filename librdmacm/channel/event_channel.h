/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Event channels: a queue of events with a descriptor that is readable while
 * the queue has events. Each event belongs to a source, which is an id; a
 * source counts its events that were fetched and are not acknowledged. A
 * multicast group is a part of its id.
 *
 * All functions may be called by any thread.
 */
#ifndef CHANNEL_EVENT_CHANNEL_H
#define CHANNEL_EVENT_CHANNEL_H

#include <rdma/rdma_cma.h>

#include "util/list.h"

#include <stdbool.h>
#include <stdint.h>

/* The largest private data of a message, that of a REP */
#define CHANNEL_PRIVATE_LEN 196

struct channel {
	struct rdma_event_channel public; /* fd: an epoll descriptor */
	/* private: */
	int event_fd; /* counter is not 0 while there are events */
	struct list_node events;
};

/* The events of a part are also events of the whole, which has the channel. */
struct channel_source {
	struct channel *channel;
	struct channel_source *whole; /* NULL: the source is not a part */
	/* private: */
	unsigned int nr_fetched; /* and not acknowledged */
};

struct channel_event {
	struct rdma_cm_event public;
	/* The private data of the event, if its length is not 0 */
	uint8_t private_data[CHANNEL_PRIVATE_LEN];
	/* private: */
	struct channel_source *source;
	struct list_node node;
};

/**
 * event_channel_new() - create a channel
 *
 * Return: 0, or the -errno of epoll_create1(2), eventfd(2) or malloc(3).
 */
int event_channel_new(struct channel **ret_channel);

/* Frees a channel and its events. */
void event_channel_free(struct channel *channel);

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

/* Adds an event to the end of the queue of its source's channel. */
void channel_post(struct channel_source *source, struct channel_event *event);

/**
 * channel_fetch() - take the first event
 *
 * Waits for an event, unless the descriptor has the flag O_NONBLOCK.
 *
 * Return: 0; -EAGAIN, or the -errno of poll(2).
 */
int channel_fetch(struct channel *channel, struct channel_event **ret_event);

/* Counts an event as acknowledged and frees it. */
void channel_ack(struct channel_event *event);

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
