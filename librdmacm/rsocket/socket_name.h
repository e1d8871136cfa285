/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Socket addresses for the caller of getpeername(2) and the like. */
#ifndef RSOCKET_SOCKET_NAME_H
#define RSOCKET_SOCKET_NAME_H

#include <sys/socket.h>

/**
 * socket_name_copy() - copy an address, truncated to the space of the caller
 * @address: may be NULL: nothing is copied
 * @len: in: space at @address; out: length of @from
 */
void socket_name_copy(const struct sockaddr *from, struct sockaddr *address,
		      socklen_t *len);

#endif
