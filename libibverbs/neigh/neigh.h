/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Resolves a pair of GIDs to the Ethernet address and VLAN of the next hop,
 * with the routes and neighbour entries of the kernel. Called by api/eth_l2.c;
 * independent of verbs and stateless.
 */
#ifndef NEIGH_NEIGH_H
#define NEIGH_NEIGH_H

#include <stdint.h>

#define VERBS_NEIGH_MAC_LEN 6

/* Reported as VLAN id for an interface that is not a VLAN interface. */
#define VERBS_NEIGH_NO_VLAN 0xffff

struct verbs_neigh_query {
	uint8_t src_gid[16];
	uint8_t dst_gid[16];
	/*
	 * Interface of the source GID, 0 if unknown. It matters only if several
	 * interfaces have the source address, as the VLAN interfaces of one
	 * port do: they share its link-local address.
	 */
	uint32_t src_ifindex;
};

/**
 * verbs_neigh_resolve() - resolve a GID to an Ethernet address and a VLAN
 * @query: an IPv4-mapped GID means its IPv4 address
 * @ret_mac: MAC of the next hop, of the multicast group, or of the local
 *	interface if the destination address is local
 * @ret_vlan: VLAN id of the outgoing interface, or VERBS_NEIGH_NO_VLAN
 *
 * Context: any thread. Sends a few netlink requests. If the kernel has no
 * neighbour entry yet, makes it send ARP or neighbour solicitations and blocks
 * for up to three seconds.
 * Return: 0; -EINVAL if no interface has the source address; -EHOSTUNREACH;
 * -ENOMEM or another -errno if the netlink socket fails.
 */
int verbs_neigh_resolve(const struct verbs_neigh_query *query,
			uint8_t ret_mac[VERBS_NEIGH_MAC_LEN],
			uint16_t *ret_vlan);

#endif
