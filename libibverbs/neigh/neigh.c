/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Address resolution, one request to the kernel for each step: the interface
 * that has the source address, the route to the destination through it, the
 * interface of that route, and the Ethernet address of the next hop. See
 * neigh/neigh.h; called by api/eth_l2.c.
 */
#include "neigh/neigh.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include "neigh/neigh_addr.h"
#include "neigh/neigh_msg.h"
#include "neigh/neigh_probe.h"
#include "neigh/neigh_socket.h"

/* The destination address is local: its MAC is that of @ifindex. */
static int neigh_resolve_local(struct nl_sock *socket, uint32_t ifindex,
			       struct verbs_neigh_link *ret_link)
{
	int ret = verbs_neigh_socket_get_link(socket, ifindex, ret_link);

	if (ret)
		return ret;
	return ret_link->has_mac ? 0 : -EHOSTUNREACH;
}

static int neigh_resolve_hop(struct nl_sock *socket,
			     const struct verbs_neigh_addr *addr,
			     uint32_t ifindex, uint8_t *mac)
{
	int ret = verbs_neigh_socket_get_neigh(socket, addr, ifindex, mac);

	if (ret == -EHOSTUNREACH)
		ret = verbs_neigh_probe(socket, addr, ifindex, mac);
	return ret;
}

/*
 * The VLAN is that of the outgoing interface, the MAC that of the next hop, of
 * the multicast group, or of the link-local address.
 */
static int neigh_resolve_remote(struct nl_sock *socket,
				const struct verbs_neigh_addr *dst,
				const struct verbs_neigh_route *route,
				struct verbs_neigh_link *ret_link)
{
	const struct verbs_neigh_addr *hop = dst;
	int ret;

	ret = verbs_neigh_socket_get_link(socket, route->ifindex, ret_link);
	if (ret)
		return ret;

	if (route->has_gateway)
		hop = &route->gateway;
	else if (verbs_neigh_addr_derive_mac(dst, ret_link->mac))
		return 0;
	return neigh_resolve_hop(socket, hop, route->ifindex, ret_link->mac);
}

static int neigh_resolve_query(struct nl_sock *socket,
			       const struct verbs_neigh_query *query,
			       struct verbs_neigh_link *ret_link)
{
	struct verbs_neigh_addr src, dst;
	struct verbs_neigh_route route;
	uint32_t ifindex;
	int ret;

	src = verbs_neigh_addr_from_gid(query->src_gid);
	dst = verbs_neigh_addr_from_gid(query->dst_gid);
	ret = verbs_neigh_socket_find_owner(socket, &src, query->src_ifindex,
					    &ifindex);
	if (ret)
		return ret == -ENODEV ? -EINVAL : ret;

	ret = verbs_neigh_socket_get_route(socket, &dst, ifindex, &route);
	if (ret)
		return ret;

	switch (route.type) {
	case RTN_UNREACHABLE:
	case RTN_BLACKHOLE:
	case RTN_PROHIBIT:
	case RTN_THROW:
		return -EHOSTUNREACH;
	case RTN_LOCAL:
		return neigh_resolve_local(socket, ifindex, ret_link);
	default:
		return neigh_resolve_remote(socket, &dst, &route, ret_link);
	}
}

int verbs_neigh_resolve(const struct verbs_neigh_query *query,
			uint8_t ret_mac[VERBS_NEIGH_MAC_LEN],
			uint16_t *ret_vlan)
{
	struct verbs_neigh_link link;
	struct nl_sock *socket;
	int ret;

	ret = verbs_neigh_socket_new(&socket);
	if (ret)
		return ret;
	ret = neigh_resolve_query(socket, query, &link);
	nl_socket_free(socket);
	if (ret)
		return ret;

	memcpy(ret_mac, link.mac, sizeof(link.mac));
	*ret_vlan = link.vlan;
	return 0;
}
