/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Keepalive messages of connections. */
#ifndef RSOCKET_SOCKET_KEEPALIVE_H
#define RSOCKET_SOCKET_KEEPALIVE_H

/**
 * socket_keepalive_watch() - send a message at intervals
 * @fd: of a stream socket
 * @interval_s: > 0; until the first message, then the socket has the interval
 *
 * It ends when the socket is closed, or no longer has SO_KEEPALIVE. The first
 * call starts a thread.
 *
 * Return: 0 or -errno.
 */
int socket_keepalive_watch(int fd, int interval_s);

#endif
