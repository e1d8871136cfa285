/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Questions on local addresses and routes to the kernel. */
#ifndef API_IP_ROUTE_H
#define API_IP_ROUTE_H

#include <stdbool.h>
#include <sys/socket.h>

/* Does an interface of this host have the address? */
bool ip_route_is_local(const struct sockaddr *address);

/* Do wildcard sockets of IPv6 not cover IPv4 (net.ipv6.bindv6only)? */
bool ip_route_is_v6only(void);

/**
 * ip_route_source() - the source address of packets to a destination
 * @bound: an address that packets must have; a wildcard: any
 * @ret_source: without a port
 *
 * Sends no packet.
 *
 * Return: 0, or -errno, such as -ENETUNREACH.
 */
int ip_route_source(const struct sockaddr *bound, const struct sockaddr *dst,
		    struct sockaddr_storage *ret_source);

#endif
