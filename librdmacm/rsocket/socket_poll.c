/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * poll() and select(). A call takes references on all sockets in its set. It
 * polls in user space for a short time, then sleeps in poll(): each socket has
 * a descriptor for completions, the call an eventfd for other changes.
 */
#include "rsocket/socket_poll.h"

#include "rsocket/rsocket_config.h"
#include "rsocket/socket_table.h"
#include "rsocket/socket_wait.h"
#include "rsocket/socket_waiter.h"
#include "util/cancel.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

/* One descriptor of a call */
struct poll_entry {
	struct rsocket *socket; /* NULL: another kind */
	struct socket_waiter waiter;
};

struct poll_set {
	struct pollfd *fds;	   /* of the application */
	struct socket_edge *edges; /* NULL: none are wanted */
	nfds_t nr_fds;
	struct poll_entry *entries;
	struct pollfd *sleep_fds; /* the same, and the eventfd */
	int event_fd;
};

/* Returns the events, if there was a change since the last ones. */
static short edge_take(struct socket_edge *edge, const struct rsocket *socket,
		       short events)
{
	/* The first event needs no change. */
	const uint64_t nr_changes = socket->nr_changes + 1;

	if (!edge->is_wanted || !events)
		return events;
	if (edge->nr_changes == nr_changes)
		return 0;
	edge->nr_changes = nr_changes;
	return events;
}

/* Events of the sockets; returns the number of descriptors that have any. */
static int set_check_sockets(struct poll_set *set)
{
	int nr_ready = 0;

	for (nfds_t i = 0; i < set->nr_fds; i++) {
		struct rsocket *socket = set->entries[i].socket;
		short events;

		if (!socket)
			continue;
		verbs_mutex_lock(&socket->lock);
		socket->ops->progress_locked(socket);
		events = POLLNVAL;
		if (!socket->is_closing)
			events = socket->ops->events_locked(socket);
		events = (short)(events & (set->fds[i].events | POLLERR |
					   POLLHUP | POLLNVAL));
		if (set->edges)
			events = edge_take(&set->edges[i], socket, events);
		verbs_mutex_unlock(&socket->lock);
		set->fds[i].revents = events;
		nr_ready += events != 0;
	}
	return nr_ready;
}

/* Other descriptors; without a timeout unless @timeout_ms says so. */
static int set_poll_descriptors(struct poll_set *set, int timeout_ms)
{
	int nr_ready = 0;

	if (poll(set->sleep_fds, set->nr_fds + 1, timeout_ms) < 0)
		return -errno;
	for (nfds_t i = 0; i < set->nr_fds; i++) {
		if (set->entries[i].socket)
			continue;
		set->fds[i].revents = set->sleep_fds[i].revents;
		nr_ready += set->fds[i].revents != 0;
	}
	return nr_ready;
}

static void set_take_events(struct poll_set *set)
{
	socket_event_fd_drain(set->event_fd);
	for (nfds_t i = 0; i < set->nr_fds; i++) {
		struct rsocket *socket = set->entries[i].socket;

		if (!socket || !set->sleep_fds[i].revents)
			continue;
		verbs_mutex_lock(&socket->lock);
		socket->ops->take_events_locked(socket);
		verbs_mutex_unlock(&socket->lock);
	}
}

static void set_arm(struct poll_set *set)
{
	for (nfds_t i = 0; i < set->nr_fds; i++) {
		struct rsocket *socket = set->entries[i].socket;

		if (!socket)
			continue;
		verbs_mutex_lock(&socket->lock);
		set->sleep_fds[i].fd = socket->ops->arm_locked(socket);
		verbs_mutex_unlock(&socket->lock);
	}
}

static int timeout_left_ms(uint64_t end_us)
{
	uint64_t now_us = socket_clock_us();

	if (end_us == UINT64_MAX)
		return -1;
	return now_us >= end_us ? 0 : (int)((end_us - now_us + 999) / 1000);
}

static int set_wait(struct poll_set *set, uint64_t end_us)
{
	uint64_t spin_end_us =
		socket_clock_us() + rsocket_config_get()->polling_time_us;
	int nr_sockets, nr_others, timeout_ms;
	bool is_last, spins;

	for (;;) {
		timeout_ms = timeout_left_ms(end_us);
		is_last = timeout_ms == 0;
		spins = socket_clock_us() < spin_end_us;
		if (!spins && !is_last)
			set_arm(set);
		/* A completion before the request causes no event. */
		nr_sockets = set_check_sockets(set);
		if (nr_sockets || spins)
			timeout_ms = 0;
		nr_others = set_poll_descriptors(set, timeout_ms);
		set_take_events(set);
		if (nr_others < 0)
			return nr_sockets ? nr_sockets : nr_others;
		if (nr_sockets || nr_others || is_last)
			return nr_sockets + nr_others;
	}
}

static void set_fill(struct poll_set *set)
{
	for (nfds_t i = 0; i < set->nr_fds; i++) {
		struct rsocket *socket = socket_get(set->fds[i].fd);

		set->entries[i].socket = socket;
		set->sleep_fds[i] = set->fds[i];
		set->fds[i].revents = 0;
		if (!socket)
			continue;
		set->sleep_fds[i] =
			(struct pollfd){ .fd = -1, .events = POLLIN };
		verbs_mutex_lock(&socket->lock);
		socket_waiter_add_locked(socket, &set->entries[i].waiter,
					 set->event_fd);
		verbs_mutex_unlock(&socket->lock);
	}
	set->sleep_fds[set->nr_fds] =
		(struct pollfd){ .fd = set->event_fd, .events = POLLIN };
}

static void set_clear(struct poll_set *set)
{
	for (nfds_t i = 0; i < set->nr_fds; i++) {
		struct rsocket *socket = set->entries[i].socket;

		if (!socket)
			continue;
		verbs_mutex_lock(&socket->lock);
		socket_waiter_remove_locked(&set->entries[i].waiter);
		verbs_mutex_unlock(&socket->lock);
		socket_put(socket);
	}
}

static bool has_socket(const struct pollfd *fds, nfds_t nr_fds)
{
	for (nfds_t i = 0; i < nr_fds; i++) {
		struct rsocket *socket = socket_get(fds[i].fd);

		if (!socket)
			continue;
		socket_put(socket);
		return true;
	}
	return false;
}

int socket_poll_edges(struct pollfd *fds, struct socket_edge *edges,
		      nfds_t nr_fds, int timeout_ms)
{
	struct poll_set set = { .fds = fds, .edges = edges, .nr_fds = nr_fds };
	int cancel_state, ret;

	if (!has_socket(fds, nr_fds)) {
		ret = poll(fds, nr_fds, timeout_ms);
		return ret < 0 ? -errno : ret;
	}
	/* References and waiters must not outlive the call. */
	cancel_state = cancel_disable();
	set.entries = calloc(nr_fds, sizeof(*set.entries));
	set.sleep_fds = calloc(nr_fds + 1, sizeof(*set.sleep_fds));
	set.event_fd = socket_event_fd_get();
	if (!set.entries || !set.sleep_fds || set.event_fd < 0) {
		ret = -ENOMEM;
	} else {
		set_fill(&set);
		ret = set_wait(&set,
			       timeout_ms < 0
				       ? UINT64_MAX
				       : socket_clock_us() +
						 (uint64_t)timeout_ms * 1000);
		set_clear(&set);
	}
	if (set.event_fd >= 0)
		socket_event_fd_put(set.event_fd);
	free(set.entries);
	free(set.sleep_fds);
	cancel_restore(cancel_state);
	return ret;
}

int socket_poll(struct pollfd *fds, nfds_t nr_fds, int timeout_ms)
{
	return socket_poll_edges(fds, NULL, nr_fds, timeout_ms);
}

/* -- select -- */

static bool fd_set_has(const fd_set *set, int fd)
{
	return set && FD_ISSET(fd, set);
}

static nfds_t select_to_poll(struct pollfd *fds, int nr_fds,
			     const fd_set *read_fds, const fd_set *write_fds,
			     const fd_set *except_fds)
{
	nfds_t nr = 0;

	for (int fd = 0; fd < nr_fds; fd++) {
		unsigned int events = 0;

		if (fd_set_has(read_fds, fd))
			events |= POLLIN;
		if (fd_set_has(write_fds, fd))
			events |= POLLOUT;
		if (fd_set_has(except_fds, fd))
			events |= POLLPRI;
		if (events)
			fds[nr++] = (struct pollfd){ .fd = fd,
						     .events = (short)events };
	}
	return nr;
}

/* Returns the number of bits that are set. */
static int select_from_poll(const struct pollfd *fds, nfds_t nr,
			    fd_set *read_fds, fd_set *write_fds,
			    fd_set *except_fds)
{
	struct {
		fd_set *set;
		unsigned int wanted, events;
	} kinds[] = {
		{ read_fds, POLLIN, POLLIN | POLLHUP | POLLERR },
		{ write_fds, POLLOUT, POLLOUT | POLLERR },
		{ except_fds, POLLPRI, POLLPRI },
	};
	int nr_bits = 0;

	for (unsigned int k = 0; k < 3; k++) {
		if (kinds[k].set)
			FD_ZERO(kinds[k].set);
		for (nfds_t i = 0; i < nr; i++) {
			if (!((unsigned int)fds[i].events & kinds[k].wanted) ||
			    !((unsigned int)fds[i].revents & kinds[k].events))
				continue;
			FD_SET(fds[i].fd, kinds[k].set);
			nr_bits++;
		}
	}
	return nr_bits;
}

static int timeval_to_ms(const struct timeval *timeout)
{
	int64_t ms;

	if (!timeout)
		return -1;
	if (timeout->tv_sec < 0 || timeout->tv_usec < 0)
		return -EINVAL;
	if (timeout->tv_sec > INT_MAX / 1000 - 1)
		return INT_MAX;
	ms = (int64_t)timeout->tv_sec * 1000 +
	     ((int64_t)timeout->tv_usec + 999) / 1000;
	return ms > INT_MAX ? INT_MAX : (int)ms;
}

int socket_select(int nr_fds, fd_set *read_fds, fd_set *write_fds,
		  fd_set *except_fds, const struct timeval *timeout)
{
	struct pollfd fds[FD_SETSIZE];
	int timeout_ms = timeval_to_ms(timeout);
	nfds_t nr;
	int ret;

	if (nr_fds < 0 || nr_fds > FD_SETSIZE || timeout_ms == -EINVAL)
		return -EINVAL;
	nr = select_to_poll(fds, nr_fds, read_fds, write_fds, except_fds);
	ret = socket_poll(fds, nr, timeout_ms);
	if (ret < 0)
		return ret;
	for (nfds_t i = 0; i < nr; i++) {
		if (fds[i].revents & POLLNVAL)
			return -EBADF;
	}
	return select_from_poll(fds, nr, read_fds, write_fds, except_fds);
}
