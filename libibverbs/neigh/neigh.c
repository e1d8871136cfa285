/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The way to a GID, in the order of the questions: which interface has the
 * source address, which route leads out of it, who is the next hop, and what is
 * its Ethernet address. See neigh/neigh.h; called by api/eth_l2.c.
 */
#include "neigh/neigh.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include "neigh/neigh_addr.h"
#include "neigh/neigh_msg.h"
#include "neigh/neigh_probe.h"
#include "neigh/neigh_socket.h"

/* The destination is the interface that has the source address. */
static int resolve_local(struct nl_sock *socket, uint32_t ifindex,
			 struct verbs_neigh_link *found)
{
	int ret = verbs_neigh_socket_link(socket, ifindex, found);

	if (ret)
		return ret;
	return found->has_mac ? 0 : -EHOSTUNREACH;
}

static int resolve_neighbour(struct nl_sock *socket,
			     const struct verbs_neigh_addr *addr,
			     uint32_t ifindex, uint8_t *mac)
{
	int ret = verbs_neigh_socket_entry(socket, addr, ifindex, mac);

	if (ret == -EHOSTUNREACH)
		ret = verbs_neigh_probe(socket, addr, ifindex, mac);
	return ret;
}

/* Starts from the interface out, and puts another's address into it. */
static int resolve_remote(struct nl_sock *socket,
			  const struct verbs_neigh_addr *dst,
			  const struct verbs_neigh_route *route,
			  struct verbs_neigh_link *found)
{
	const struct verbs_neigh_addr *hop = dst;
	int ret;

	ret = verbs_neigh_socket_link(socket, route->ifindex, found);
	if (ret)
		return ret;

	if (route->has_gateway)
		hop = &route->gateway;
	else if (verbs_neigh_addr_derive_mac(dst, found->mac))
		return 0;
	return resolve_neighbour(socket, hop, route->ifindex, found->mac);
}

static int resolve(struct nl_sock *socket,
		   const struct verbs_neigh_query *query,
		   struct verbs_neigh_link *found)
{
	struct verbs_neigh_addr src, dst;
	struct verbs_neigh_route route;
	uint32_t ifindex;
	int ret;

	src = verbs_neigh_addr_from_gid(query->src_gid);
	dst = verbs_neigh_addr_from_gid(query->dst_gid);
	ret = verbs_neigh_socket_owner(socket, &src, query->src_ifindex,
				       &ifindex);
	if (ret)
		return ret == -ENODEV ? -EINVAL : ret;

	ret = verbs_neigh_socket_route(socket, &dst, ifindex, &route);
	if (ret)
		return ret;

	switch (route.type) {
	case RTN_UNREACHABLE:
	case RTN_BLACKHOLE:
	case RTN_PROHIBIT:
	case RTN_THROW:
		return -EHOSTUNREACH;
	case RTN_LOCAL:
		return resolve_local(socket, ifindex, found);
	default:
		return resolve_remote(socket, &dst, &route, found);
	}
}

int verbs_neigh_resolve(const struct verbs_neigh_query *query,
			uint8_t ret_mac[VERBS_NEIGH_MAC_LEN],
			uint16_t *ret_vlan)
{
	struct verbs_neigh_link found;
	struct nl_sock *socket;
	int ret;

	ret = verbs_neigh_socket_new(&socket);
	if (ret)
		return ret;
	ret = resolve(socket, query, &found);
	nl_socket_free(socket);
	if (ret)
		return ret;

	memcpy(ret_mac, found.mac, sizeof(found.mac));
	*ret_vlan = found.vlan;
	return 0;
}
