/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The sockets of the process by descriptor. */
#ifndef RSOCKET_SOCKET_TABLE_H
#define RSOCKET_SOCKET_TABLE_H

#include "rsocket/socket_object.h"

/**
 * socket_table_add() - make a socket known by its descriptor
 *
 * Return: 0; -EMFILE if the descriptor is beyond the table; -ENOMEM.
 */
int socket_table_add(struct rsocket *socket);

/**
 * socket_get() - take a reference on a socket
 *
 * Return: NULL if the descriptor is not that of a socket.
 */
struct rsocket *socket_get(int fd);
void socket_put(struct rsocket *socket);

/**
 * socket_table_remove() - forget a descriptor
 *
 * The socket stays valid until socket_table_wait().
 *
 * Return: the socket; NULL if the descriptor is not that of a socket.
 */
struct rsocket *socket_table_remove(int fd);

/** socket_table_wait() - wait until no thread has a reference */
void socket_table_wait(const struct rsocket *socket);

#endif
