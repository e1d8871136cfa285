/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Connections of a listening socket until raccept() returns them. */
#ifndef RSOCKET_SOCKET_CHILDREN_H
#define RSOCKET_SOCKET_CHILDREN_H

#include "rsocket/socket_object.h"

/** socket_children_add() - a request has become a connection
 *
 * The listener must exist: its id has an event that is not yet acknowledged.
 */
void socket_children_add(struct rsocket *listener, struct rsocket *child);

/** socket_children_has_room() - whether the backlog allows one more */
bool socket_children_has_room(const struct rsocket *listener);

/** socket_children_set_backlog() - set the bound of connections
 * @backlog: 0 or less means the maximum
 */
void socket_children_set_backlog(struct rsocket *listener, int backlog);

/** socket_children_set_ready() - the connection is established
 *
 * Wakes the threads that wait for the listener. No effect without a listener.
 */
void socket_children_set_ready(struct rsocket *child);

/** socket_children_take_ready_locked() - the next connection to accept
 *
 * Call socket_children_remove() without the lock afterwards.
 *
 * Return: NULL if there is none.
 */
struct rsocket *socket_children_take_ready_locked(struct rsocket *listener);

/** socket_children_remove() - separate a connection from its listener
 *
 * Return: false: it had no listener any more.
 */
bool socket_children_remove(struct rsocket *child);

/** socket_children_take() - separate any connection from a listener
 *
 * Return: the connection, which the caller must free; NULL if there is none.
 */
struct rsocket *socket_children_take(struct rsocket *listener);

#endif
