/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Threads that wait for a change of a socket. */
#ifndef RSOCKET_SOCKET_WAITER_H
#define RSOCKET_SOCKET_WAITER_H

#include "rsocket/socket_object.h"

/* One thread and one socket; the thread may wait for more of them. */
struct socket_waiter {
	struct list_node node; /* in rsocket.waiters */
	int event_fd;
};

/** socket_event_fd_get() - an eventfd on which a thread waits
 *
 * Return: the descriptor for socket_event_fd_put(), or -errno.
 */
int socket_event_fd_get(void);
void socket_event_fd_put(int event_fd);

/** socket_event_fd_drain() - forget the notifications until now */
void socket_event_fd_drain(int event_fd);

void socket_waiter_add_locked(struct rsocket *socket,
			      struct socket_waiter *waiter, int event_fd);
void socket_waiter_remove_locked(struct socket_waiter *waiter);

/**
 * socket_notify_locked() - report a change of the events of a socket
 *
 * It wakes all threads that wait. An edge-triggered wait reports the events of
 * the socket once more.
 */
void socket_notify_locked(struct rsocket *socket);

/**
 * socket_wake_locked() - wake all threads that wait
 *
 * Edge-triggered waits report nothing new.
 */
void socket_wake_locked(struct rsocket *socket);

#endif
