/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A thread that waits for one socket. It polls the descriptor of the socket,
 * and an eventfd for changes that other threads make.
 */
#include "rsocket/socket_wait.h"

#include "rsocket/rsocket_config.h"
#include "rsocket/socket_waiter.h"
#include "util/cancel.h"

#include <errno.h>
#include <poll.h>
#include <time.h>

uint64_t socket_clock_us(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static bool wait_spin_locked(struct rsocket *socket, socket_condition *is_met)
{
	uint64_t end_us =
		socket_clock_us() + rsocket_config_get()->polling_time_us;

	do {
		socket->ops->progress_locked(socket);
		if (is_met(socket) || socket->is_closing)
			return true;
	} while (socket_clock_us() < end_us);
	return false;
}

static int wait_sleep_unlocking(struct rsocket *socket, int event_fd)
	LOCK_ATTRIBUTE(no_thread_safety_analysis)
{
	struct pollfd fds[2] = { { .fd = event_fd, .events = POLLIN },
				 { .events = POLLIN } };
	int ret = 0;

	fds[1].fd = socket->ops->arm_locked(socket);
	/* A completion before the request causes no event. */
	socket->ops->progress_locked(socket);
	verbs_mutex_unlock(&socket->lock);
	if (poll(fds, 2, -1) < 0)
		ret = -errno;
	verbs_mutex_lock(&socket->lock);
	socket_event_fd_drain(event_fd);
	socket->ops->take_events_locked(socket);
	return ret;
}

int socket_wait_unlocking(struct rsocket *socket, socket_condition *is_met)
{
	struct socket_waiter waiter;
	int cancel_state, event_fd;
	int ret = 0;

	if (wait_spin_locked(socket, is_met))
		return socket->is_closing ? -EBADF : 0;
	event_fd = socket_event_fd_get();
	if (event_fd < 0)
		return event_fd;
	/* The waiter is on the stack of this thread. */
	cancel_state = cancel_disable();
	socket_waiter_add_locked(socket, &waiter, event_fd);
	while (!ret) {
		socket->ops->progress_locked(socket);
		if (socket->is_closing)
			ret = -EBADF;
		else if (is_met(socket))
			break;
		else
			ret = wait_sleep_unlocking(socket, event_fd);
	}
	socket_waiter_remove_locked(&waiter);
	socket_event_fd_put(event_fd);
	cancel_restore(cancel_state);
	return ret;
}
