/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sets of descriptors. The set is a socket that transfers nothing. A thread
 * that waits copies the set and polls; a change of the set notifies it, and it
 * polls again with another copy.
 */
#include "rsocket/repoll_set.h"

#include "rsocket/socket_poll.h"
#include "rsocket/socket_table.h"
#include "rsocket/socket_wait.h"
#include "rsocket/socket_waiter.h"
#include "util/cancel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#define SET_MIN_ENTRIES 8

struct repoll_entry {
	int fd;
	bool is_spent; /* EPOLLONESHOT, and reported */
	struct socket_edge edge;
	struct epoll_event event;
};

struct repoll_set {
	struct repoll_entry *entries;
	uint32_t nr, max;
	uint32_t first; /* to report, so that all get their turn */
};

/* -- the socket -- */

static int set_refuse_address(struct rsocket *set,
			      const struct sockaddr *address, socklen_t len)
{
	return -EOPNOTSUPP;
}

static int set_refuse_shutdown(struct rsocket *set, int how)
{
	return -EOPNOTSUPP;
}

static int set_refuse_name(struct rsocket *set, bool is_peer,
			   struct sockaddr *address, socklen_t *len)
{
	return -EOPNOTSUPP;
}

static int set_refuse_set_option(struct rsocket *set, int level, int name,
				 const void *value, socklen_t len)
{
	return -EOPNOTSUPP;
}

static int set_refuse_get_option(struct rsocket *set, int level, int name,
				 void *value, socklen_t *len)
{
	return -EOPNOTSUPP;
}

static ssize_t set_refuse_send(struct rsocket *set, const struct msghdr *msg,
			       int flags)
{
	return -EOPNOTSUPP;
}

static ssize_t set_refuse_receive(struct rsocket *set, struct msghdr *msg,
				  int flags)
{
	return -EOPNOTSUPP;
}

static void set_do_nothing(struct rsocket *set)
{
}

static short set_events_locked(const struct rsocket *set)
{
	return 0;
}

static int set_arm_locked(struct rsocket *set)
{
	return -1;
}

static bool set_is_busy_locked(const struct rsocket *set)
{
	return set->repoll->nr != 0;
}

static void set_free(struct rsocket *set)
{
	free(set->repoll->entries);
	free(set->repoll);
	socket_dealloc(set);
}

static const struct socket_ops repoll_ops = {
	.bind_locked = set_refuse_address,
	.connect_unlocking = set_refuse_address,
	.shutdown_unlocking = set_refuse_shutdown,
	.name_locked = set_refuse_name,
	.set_option_locked = set_refuse_set_option,
	.get_option_locked = set_refuse_get_option,
	.send = set_refuse_send,
	.receive = set_refuse_receive,
	.is_busy_locked = set_is_busy_locked,
	.close_unlocking = set_do_nothing,
	.free = set_free,
	.events_locked = set_events_locked,
	.progress_locked = set_do_nothing,
	.arm_locked = set_arm_locked,
	.take_events_locked = set_do_nothing,
};

int repoll_set_new(struct rsocket **ret_set)
{
	struct rsocket *set = socket_alloc(&repoll_ops, AF_UNSPEC);

	if (!set)
		return -ENOMEM;
	set->repoll = calloc(1, sizeof(*set->repoll));
	if (!set->repoll) {
		socket_dealloc(set);
		return -ENOMEM;
	}
	*ret_set = set;
	return 0;
}

/* -- changes -- */

static struct repoll_entry *entry_find_locked(const struct rsocket *set, int fd)
{
	for (uint32_t i = 0; i < set->repoll->nr; i++) {
		if (set->repoll->entries[i].fd == fd)
			return &set->repoll->entries[i];
	}
	return NULL;
}

static struct repoll_entry entry_make(int fd, const struct epoll_event *event)
{
	return (struct repoll_entry){
		.fd = fd,
		.edge.is_wanted = (event->events & EPOLLET) != 0,
		.event = *event,
	};
}

static int entry_add_locked(struct rsocket *set, int fd,
			    const struct epoll_event *event)
{
	struct repoll_set *repoll = set->repoll;
	uint32_t max = repoll->max ? repoll->max * 2 : SET_MIN_ENTRIES;
	struct repoll_entry *entries = repoll->entries;

	if (repoll->nr == repoll->max) {
		entries = realloc(entries, max * sizeof(*entries));
		if (!entries)
			return -ENOMEM;
		repoll->entries = entries;
		repoll->max = max;
	}
	entries[repoll->nr++] = entry_make(fd, event);
	return 0;
}

static void entry_remove_locked(struct rsocket *set, struct repoll_entry *entry)
{
	*entry = set->repoll->entries[--set->repoll->nr];
}

static bool descriptor_is_open(int fd)
{
	struct rsocket *socket = socket_get(fd);

	if (!socket)
		return fcntl(fd, F_GETFD) >= 0;
	socket_put(socket);
	return true;
}

static int control_locked(struct rsocket *set, int op, int fd,
			  const struct epoll_event *event)
{
	struct repoll_entry *entry = entry_find_locked(set, fd);

	if (op == EPOLL_CTL_ADD)
		return entry ? -EEXIST : entry_add_locked(set, fd, event);
	if (!entry)
		return -ENOENT;
	if (op == EPOLL_CTL_MOD)
		*entry = entry_make(fd, event);
	else
		entry_remove_locked(set, entry);
	return 0;
}

int repoll_set_control(struct rsocket *set, int op, int fd,
		       const struct epoll_event *event)
{
	int ret;

	if (!set->repoll || (op != EPOLL_CTL_DEL && !descriptor_is_open(fd)))
		return -EBADF;
	if ((op != EPOLL_CTL_ADD && op != EPOLL_CTL_MOD &&
	     op != EPOLL_CTL_DEL) ||
	    (op != EPOLL_CTL_DEL && !event) || fd == set->fd)
		return -EINVAL;
	verbs_mutex_lock(&set->lock);
	ret = control_locked(set, op, fd, event);
	if (!ret)
		socket_notify_locked(set);
	verbs_mutex_unlock(&set->lock);
	return ret;
}

/* -- waiting -- */

/* The events of epoll that poll() has too; their values are the same. */
static short entry_poll_events(const struct repoll_entry *entry)
{
	const uint32_t events = POLLIN | POLLPRI | POLLOUT | POLLRDNORM |
				POLLRDBAND | POLLWRNORM | POLLWRBAND |
				POLLRDHUP;

	return (short)(entry->event.events & events);
}

/* What a thread polls: the set, and its own eventfd as the last descriptor */
struct set_copy {
	struct pollfd *fds;
	struct socket_edge *edges;
	uint32_t nr;
};

static void copy_free(const struct set_copy *copy)
{
	free(copy->fds);
	free(copy->edges);
}

static int set_copy_locked(const struct rsocket *set, int event_fd,
			   struct set_copy *ret_copy)
{
	const struct repoll_set *repoll = set->repoll;
	const size_t max = (size_t)repoll->nr + 1;
	struct set_copy copy = {
		.fds = calloc(max, sizeof(*copy.fds)),
		.edges = calloc(max, sizeof(*copy.edges)),
	};

	if (!copy.fds || !copy.edges) {
		copy_free(&copy);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < repoll->nr; i++) {
		const struct repoll_entry *entry =
			&repoll->entries[(repoll->first + i) % repoll->nr];

		if (entry->is_spent)
			continue;
		copy.fds[copy.nr].fd = entry->fd;
		copy.fds[copy.nr].events = entry_poll_events(entry);
		copy.edges[copy.nr++] = entry->edge;
	}
	copy.fds[copy.nr++] =
		(struct pollfd){ .fd = event_fd, .events = POLLIN };
	*ret_copy = copy;
	return 0;
}

/* Whether another thread has reported the edge that this one has seen */
static bool edge_is_reported(const struct socket_edge *edge,
			     const struct socket_edge *seen)
{
	return edge->is_wanted && seen->nr_changes &&
	       edge->nr_changes == seen->nr_changes;
}

/* Returns the number of events of descriptors that are still in the set. */
static int set_report_locked(struct rsocket *set, const struct set_copy *copy,
			     struct epoll_event *events, int max)
{
	const struct pollfd *fds = copy->fds;
	int nr_events = 0;

	for (uint32_t i = 0; i + 1 < copy->nr && nr_events < max; i++) {
		struct repoll_entry *entry =
			fds[i].revents ? entry_find_locked(set, fds[i].fd)
				       : NULL;

		if (!entry)
			continue;
		/* As from an epoll set, a closed descriptor disappears. */
		if (fds[i].revents & POLLNVAL) {
			entry_remove_locked(set, entry);
			continue;
		}
		if (edge_is_reported(&entry->edge, &copy->edges[i]))
			continue;
		entry->edge.nr_changes = copy->edges[i].nr_changes;
		entry->is_spent = (entry->event.events & EPOLLONESHOT) != 0;
		events[nr_events] = entry->event;
		events[nr_events++].events = (uint16_t)fds[i].revents;
	}
	set->repoll->first++;
	return nr_events;
}

static int timeout_left(uint64_t end_us)
{
	uint64_t now_us = socket_clock_us();

	if (end_us == UINT64_MAX)
		return -1;
	return now_us >= end_us ? 0 : (int)((end_us - now_us + 999) / 1000);
}

static int set_poll_unlocking(struct rsocket *set, int event_fd,
			      struct epoll_event *events, int max,
			      int timeout_ms)
	LOCK_ATTRIBUTE(no_thread_safety_analysis)
{
	struct set_copy copy;
	int ret;

	if (set->is_closing)
		return -EBADF;
	ret = set_copy_locked(set, event_fd, &copy);
	if (ret)
		return ret;
	verbs_mutex_unlock(&set->lock);
	ret = socket_poll_edges(copy.fds, copy.edges, copy.nr, timeout_ms);
	verbs_mutex_lock(&set->lock);
	socket_event_fd_drain(event_fd);
	if (ret > 0)
		ret = set_report_locked(set, &copy, events, max);
	copy_free(&copy);
	return ret;
}

int repoll_set_wait(struct rsocket *set, struct epoll_event *events,
		    int max_events, int timeout_ms)
{
	uint64_t end_us = timeout_ms < 0 ? UINT64_MAX
					 : socket_clock_us() +
						   (uint64_t)timeout_ms * 1000;
	struct socket_waiter waiter;
	int cancel_state, event_fd;
	int ret;

	if (!set->repoll)
		return -EBADF;
	if (!events || max_events <= 0)
		return -EINVAL;
	event_fd = socket_event_fd_get();
	if (event_fd < 0)
		return event_fd;
	/* The waiter is on the stack of this thread. */
	cancel_state = cancel_disable();
	verbs_mutex_lock(&set->lock);
	socket_waiter_add_locked(set, &waiter, event_fd);
	do {
		timeout_ms = timeout_left(end_us);
		ret = set_poll_unlocking(set, event_fd, events, max_events,
					 timeout_ms);
	} while (!ret && timeout_ms);
	socket_waiter_remove_locked(&waiter);
	verbs_mutex_unlock(&set->lock);
	socket_event_fd_put(event_fd);
	cancel_restore(cancel_state);
	return ret;
}
