/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Stream sockets and their connections: creation, connection setup, end. */
#ifndef RSOCKET_STREAM_CONN_H
#define RSOCKET_STREAM_CONN_H

#include "rsocket/socket_object.h"

#include <sys/socket.h>

/**
 * stream_socket_new() - a socket without a descriptor
 * @stream_ops: its operations
 * @domain: AF_INET or AF_INET6
 *
 * Return: 0 or -errno. stream_socket_free() frees the socket.
 */
int stream_socket_new(const struct socket_ops *stream_ops, int domain,
		      struct rsocket **ret_socket);

/**
 * stream_socket_free() - end the connection, and free the socket
 *
 * No other thread may use the socket. Waits until the thread of CM events has
 * left it.
 */
void stream_socket_free(struct rsocket *socket);

int stream_socket_bind_locked(struct rsocket *socket,
			      const struct sockaddr *address, socklen_t len);
int stream_socket_listen_locked(struct rsocket *socket, int backlog);

/**
 * stream_socket_connect_locked() - begin to connect
 *
 * The state changes from RSOCKET_CONNECTING when the result is known.
 */
int stream_socket_connect_locked(struct rsocket *socket,
				 const struct sockaddr *address, socklen_t len);

#endif
