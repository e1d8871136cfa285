/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Builds routes: the addresses and control data that the kernel needs for a
 * path. Called by uroce_port_send.c for each message; rebuilds a route only if
 * the path or the addresses of the port have changed.
 */
#include "uroce/udp/uroce_route.h"

#include <netinet/udp.h>
#include <string.h>

#include "uroce/udp/uroce_socket.h"

static void add_control(struct uroce_route *route, int level, int type,
			const void *value, size_t len)
{
	struct cmsghdr *cmsg = (void *)(route->control + route->control_len);

	cmsg->cmsg_level = level;
	cmsg->cmsg_type = type;
	cmsg->cmsg_len = CMSG_LEN(len);
	memcpy(CMSG_DATA(cmsg), value, len);
	route->control_len += CMSG_SPACE(len);
}

static void add_int(struct uroce_route *route, int level, int type, int value)
{
	add_control(route, level, type, &value, sizeof(value));
}

/* The hop limit of the socket is not used for multicast. */
static bool names_hops(const struct uroce_path *path)
{
	return path->hop_limit && (path->hop_limit != UROCE_SENDER_HOPS ||
				   uroce_socket_is_multicast(path->dgid));
}

static void address_ipv4(const struct uroce_port *port,
			 struct uroce_route *route, unsigned int ifindex,
			 bool bound)
{
	const struct uroce_path *path = &route->path;
	struct in_pktinfo from = { .ipi_ifindex = (int)ifindex };

	if (port->family == AF_INET) {
		route->to.ipv4 = (struct sockaddr_in){
			.sin_family = AF_INET,
			.sin_port = htons(UROCE_UDP_PORT),
		};
		memcpy(&route->to.ipv4.sin_addr, path->dgid + 12, 4);
		route->to_len = sizeof(route->to.ipv4);
	}
	memcpy(&from.ipi_spec_dst, path->sgid + 12, 4);
	if (!bound)
		add_control(route, IPPROTO_IP, IP_PKTINFO, &from, sizeof(from));
	if (names_hops(path))
		add_int(route, IPPROTO_IP, IP_TTL, path->hop_limit);
	if (path->tclass)
		add_int(route, IPPROTO_IP, IP_TOS, path->tclass);
}

static void address_ipv6(struct uroce_route *route, unsigned int ifindex,
			 bool bound)
{
	const struct uroce_path *path = &route->path;
	struct in6_pktinfo from = { .ipi6_ifindex = ifindex };

	memcpy(&from.ipi6_addr, path->sgid, UROCE_GID_LEN);
	if (!bound)
		add_control(route, IPPROTO_IPV6, IPV6_PKTINFO, &from,
			    sizeof(from));
	if (names_hops(path))
		add_int(route, IPPROTO_IPV6, IPV6_HOPLIMIT, path->hop_limit);
	if (path->tclass)
		add_int(route, IPPROTO_IPV6, IPV6_TCLASS, path->tclass);
}

/*
 * Link-local and multicast destinations require an interface. For others
 * routing decides, since the source address may be on another interface.
 */
static unsigned int choose_interface(const struct uroce_address *address,
				     const struct uroce_path *path)
{
	bool link_local = path->dgid[0] == 0xfe &&
			  (path->dgid[1] & 0xc0) == 0x80; /* RFC 4291, 2.5.6 */

	if (!address)
		return 0;
	return link_local || uroce_socket_is_multicast(path->dgid)
		       ? address->ifindex
		       : 0;
}

/* Replaces an unknown source port, as the ICRC must cover the real one. */
static unsigned int choose_sender(const struct uroce_port *port,
				  struct uroce_path *path)
{
	for (unsigned int i = 0; i < UROCE_NR_SENDERS; i++)
		if (port->senders[i].port == path->sport)
			return i;
	path->sport = port->senders[0].port;
	return 0;
}

/* Return: whether the socket is bound to the source address. */
static bool choose_socket(const struct uroce_port *port,
			  struct uroce_address *address, unsigned int ifindex,
			  struct uroce_route *route)
{
	unsigned int sender = choose_sender(port, &route->path);

	route->fd = -1;
	route->sender_fd = port->senders[sender].fd;
	if (port->bad_wire)
		return false;
	if (address && !ifindex)
		route->fd = uroce_udp_bound(port, address, sender);
	if (route->fd >= 0)
		return true;
	route->fd = port->senders[sender].fd;
	return false;
}

static void make(const struct uroce_port *port, const struct uroce_path *path,
		 struct uroce_route *route)
{
	struct uroce_address *address = uroce_udp_find(port, path->sgid);
	unsigned int ifindex = choose_interface(address, path);
	bool bound;

	route->path = *path;
	bound = choose_socket(port, address, ifindex, route);
	route->to.ipv6 = (struct sockaddr_in6){
		.sin6_family = AF_INET6,
		.sin6_port = htons(UROCE_UDP_PORT),
		.sin6_scope_id = ifindex,
	};
	memcpy(&route->to.ipv6.sin6_addr, path->dgid, UROCE_GID_LEN);
	route->to_len = sizeof(route->to.ipv6);
	route->control_len = 0;
	if (uroce_path_is_ipv4(path))
		address_ipv4(port, route, ifindex, bound);
	else
		address_ipv6(route, ifindex, bound);
	uroce_icrc_path(&route->path, &route->icrc);
	route->version = port->version;
}

bool uroce_route_is(const struct uroce_route *route,
		    const struct uroce_path *path)
{
	const struct uroce_path *own = &route->path;

	return memcmp(own->dgid, path->dgid, UROCE_GID_LEN) == 0 &&
	       memcmp(own->sgid, path->sgid, UROCE_GID_LEN) == 0 &&
	       own->sport == path->sport && own->tclass == path->tclass &&
	       own->hop_limit == path->hop_limit;
}

void uroce_route_find(const struct uroce_port *port,
		      const struct uroce_path *path, struct uroce_route *route)
{
	if (route->version != port->version || !uroce_route_is(route, path))
		make(port, path, route);
}

void uroce_route_address(struct uroce_route *route, struct msghdr *ret_msg)
{
	*ret_msg = (struct msghdr){
		.msg_name = &route->to,
		.msg_namelen = route->to_len,
		.msg_control = route->control,
		.msg_controllen = route->control_len,
	};
}

void uroce_route_cut(struct msghdr *msg, uint32_t segment_len)
{
	struct cmsghdr *cmsg =
		(void *)((uint8_t *)msg->msg_control + msg->msg_controllen);
	uint16_t len = (uint16_t)segment_len;

	cmsg->cmsg_level = IPPROTO_UDP;
	cmsg->cmsg_type = UDP_SEGMENT;
	cmsg->cmsg_len = CMSG_LEN(sizeof(len));
	memcpy(CMSG_DATA(cmsg), &len, sizeof(len));
	msg->msg_controllen += CMSG_SPACE(sizeof(len));
}
