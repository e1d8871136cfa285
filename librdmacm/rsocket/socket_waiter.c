/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Waiting threads. Each has an eventfd, so that one thread can wait for sockets
 * and for other descriptors together, and a thread that takes the events of a
 * completion channel can wake all others. Unused eventfds are kept for reuse.
 */
#include "rsocket/socket_waiter.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define WAITER_MAX_SPARES 16

static struct verbs_mutex waiter_mutex = VERBS_MUTEX_INIT;
static int waiter_spares[WAITER_MAX_SPARES] GUARDED_BY(waiter_mutex);
static unsigned int waiter_nr_spares GUARDED_BY(waiter_mutex);

int socket_event_fd_get(void)
{
	int event_fd = -1;

	verbs_mutex_lock(&waiter_mutex);
	if (waiter_nr_spares)
		event_fd = waiter_spares[--waiter_nr_spares];
	verbs_mutex_unlock(&waiter_mutex);
	if (event_fd < 0)
		event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return event_fd < 0 ? -errno : event_fd;
}

void socket_event_fd_put(int event_fd)
{
	bool is_spare;

	socket_event_fd_drain(event_fd);
	verbs_mutex_lock(&waiter_mutex);
	is_spare = waiter_nr_spares < WAITER_MAX_SPARES;
	if (is_spare)
		waiter_spares[waiter_nr_spares++] = event_fd;
	verbs_mutex_unlock(&waiter_mutex);
	if (!is_spare)
		(void)close(event_fd);
}

void socket_event_fd_drain(int event_fd)
{
	eventfd_t count;

	(void)!eventfd_read(event_fd, &count);
}

void socket_waiter_add_locked(struct rsocket *socket,
			      struct socket_waiter *waiter, int event_fd)
{
	waiter->event_fd = event_fd;
	list_add_tail(&socket->waiters, &waiter->node);
}

void socket_waiter_remove_locked(struct socket_waiter *waiter)
{
	list_del(&waiter->node);
}

void socket_notify_locked(struct rsocket *socket)
{
	socket->nr_changes++;
	socket_wake_locked(socket);
}

void socket_wake_locked(struct rsocket *socket)
{
	struct list_node *node;

	list_for_each (node, &socket->waiters)
		(void)!eventfd_write(
			list_entry(node, struct socket_waiter, node)->event_fd,
			1);
}
