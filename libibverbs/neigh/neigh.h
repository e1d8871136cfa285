/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From a pair of GIDs to the Ethernet address and VLAN of the next hop, by the
 * routes and neighbours of the kernel. Called by api/eth_l2.c; knows nothing of
 * verbs and keeps no state.
 */
#ifndef NEIGH_NEIGH_H
#define NEIGH_NEIGH_H

#include <stdint.h>

#define VERBS_NEIGH_MAC_LEN 6

/* The VLAN id of an interface that is none. */
#define VERBS_NEIGH_NO_VLAN 0xffff

struct verbs_neigh_query {
	uint8_t src_gid[16];
	uint8_t dst_gid[16];
	/*
	 * Interface behind the source GID, 0 unknown. It decides only if
	 * several have the source address, as VLANs have the link-local one.
	 */
	uint32_t src_ifindex;
};

/**
 * verbs_neigh_resolve() - link layer address on the way to a GID
 * @query: GIDs that stand for IPv4 addresses are taken as such
 * @ret_mac: address of the next hop, of the group, or our own if the
 *	destination is
 * @ret_vlan: id of the interface out, or VERBS_NEIGH_NO_VLAN
 *
 * Context: any thread. Some netlink queries; if the neighbour is not known, up
 * to three seconds in which the kernel is made to ask for it.
 * Return: 0; -EINVAL if no interface has the source address; -EHOSTUNREACH;
 * -ENOMEM or another -errno if netlink cannot be had.
 */
int verbs_neigh_resolve(const struct verbs_neigh_query *query,
			uint8_t ret_mac[VERBS_NEIGH_MAC_LEN],
			uint16_t *ret_vlan);

#endif
