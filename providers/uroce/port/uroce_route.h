/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How messages get to the other end of a path: from which socket, with which
 * address, control data and beginning of the ICRC. uroce_port_send.c keeps the
 * last ones, since the next message mostly has the same way.
 */
#ifndef UROCE_ROUTE_H
#define UROCE_ROUTE_H

#include <netinet/in.h>
#include <sys/socket.h>

#include "uroce/port/uroce_udp.h"
#include "uroce/wire/uroce_icrc.h"

/* All 0: none yet. */
struct uroce_route {
	struct uroce_path path;
	struct uroce_icrc_path icrc;
	uint64_t version; /* of the port's addresses then */
	int fd;
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
 * uroce_route_find() - the route of @path
 * @port: the port, whose sockets it uses
 * @path: where to
 * @route: of another path, or of this one; becomes that of @path
 *
 * A source port that is none of ours is replaced in route->path.
 */
void uroce_route_find(const struct uroce_port *port,
		      const struct uroce_path *path, struct uroce_route *route);

/** uroce_route_is() - whether @route is that of @path */
bool uroce_route_is(const struct uroce_route *route,
		    const struct uroce_path *path);

/** uroce_route_address() - @ret_msg: one that goes there, of no pieces yet */
void uroce_route_address(struct uroce_route *route, struct msghdr *ret_msg);

/**
 * uroce_route_cut() - let the kernel cut a message into datagrams (GSO)
 * @msg: from uroce_route_address()
 * @segment_len: of each of them but the last
 */
void uroce_route_cut(struct msghdr *msg, uint32_t segment_len);

#endif
