/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options of sockets. */
#ifndef RSOCKET_SOCKET_OPTION_H
#define RSOCKET_SOCKET_OPTION_H

#include "rsocket/socket_object.h"

#include <sys/socket.h>

/**
 * socket_option_set_locked() - setsockopt(2)
 *
 * Return: 0; -ENOTSUP for an unknown option; -EINVAL for an invalid value, or
 * if the connection exists and the option decides on its resources.
 */
int socket_option_set_locked(struct rsocket *socket, int level, int name,
			     const void *value, socklen_t len);

/** socket_option_get_locked() - getsockopt(2)
 *
 * Return: 0; -ENOTSUP; -EINVAL if *@len is too small.
 */
int socket_option_get_locked(struct rsocket *socket, int level, int name,
			     void *value, socklen_t *len);

#endif
