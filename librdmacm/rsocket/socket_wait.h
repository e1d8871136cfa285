/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Blocking until a socket is in some state. */
#ifndef RSOCKET_SOCKET_WAIT_H
#define RSOCKET_SOCKET_WAIT_H

#include "rsocket/socket_object.h"

typedef bool socket_condition(const struct rsocket *socket);

/**
 * socket_wait_unlocking() - wait until @is_met
 *
 * The lock is held before and after, but not in between. Polls for the time of
 * the configuration before the thread sleeps. Not a cancellation point.
 *
 * Return: 0; -EBADF if the socket is closed meanwhile; -EINTR; or another
 * -errno of poll() or eventfd().
 */
int socket_wait_unlocking(struct rsocket *socket, socket_condition *is_met);

/** socket_clock_us() - monotonic time */
uint64_t socket_clock_us(void);

#endif
