/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A route: socket, destination address, control data and beginning of the ICRC
 * for the messages of a path. uroce_port_send.c keeps the last routes, since
 * the next message mostly has the same path.
 */
#ifndef UROCE_ROUTE_H
#define UROCE_ROUTE_H

#include <netinet/in.h>
#include <sys/socket.h>

#include "uroce/udp/uroce_udp.h"
#include "uroce/wire/uroce_icrc.h"

/* All 0: no route yet. */
struct uroce_route {
	struct uroce_path path;
	struct uroce_icrc_path icrc;
	uint64_t version; /* port->version when the route was built */
	int fd;		  /* -1: UROCE_WIRE_FAULTS has rules */
	int sender_fd;	  /* that these rules use */
	socklen_t to_len;
	size_t control_len;
	union {
		struct sockaddr any;
		struct sockaddr_in ipv4;
		struct sockaddr_in6 ipv6;
	} to;
	_Alignas(struct cmsghdr)
		uint8_t control[CMSG_SPACE(sizeof(struct in6_pktinfo)) +
				3 * CMSG_SPACE(sizeof(int))];
};

/**
 * uroce_route_find() - get the route of @path
 * @port: the port, whose sockets it uses
 * @path: source and destination
 * @route: route of any path; becomes that of @path
 *
 * route->path gets a source port of this process if @path has another one.
 */
void uroce_route_find(const struct uroce_port *port,
		      const struct uroce_path *path, struct uroce_route *route);

/** uroce_route_is() - whether @route is the route of @path */
bool uroce_route_is(const struct uroce_route *route,
		    const struct uroce_path *path);

/** uroce_route_address() - initialise @ret_msg for @route, without iovecs */
void uroce_route_address(struct uroce_route *route, struct msghdr *ret_msg);

/**
 * uroce_route_cut() - let the kernel split a message into datagrams (GSO)
 * @msg: from uroce_route_address()
 * @segment_len: bytes of each datagram but the last
 */
void uroce_route_cut(struct msghdr *msg, uint32_t segment_len);

#endif
