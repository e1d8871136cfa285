/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Socket addresses from and for the application. */
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

/**
 * socket_name_check() - copy an address of the application
 * @domain: AF_INET or AF_INET6
 * @ret_copy: complete and aligned, the rest is zero
 *
 * Return: 0; -EFAULT without an address; -EINVAL if @len is too small;
 * -EAFNOSUPPORT if the address is of another domain.
 */
int socket_name_check(int domain, const struct sockaddr *address, socklen_t len,
		      struct sockaddr_storage *ret_copy);

/** socket_name_unmap() - turn an IPv4-mapped IPv6 address into one of IPv4 */
void socket_name_unmap(struct sockaddr_storage *address);

/** socket_name_map() - turn an IPv4 address into a mapped one of IPv6 */
void socket_name_map(struct sockaddr_storage *address);

#endif
