/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Makes the kernel resolve a neighbour that has no usable entry yet. */
#ifndef NEIGH_NEIGH_PROBE_H
#define NEIGH_NEIGH_PROBE_H

#include <netlink/socket.h>
#include <stdint.h>

#include "neigh/neigh_addr.h"

/**
 * verbs_neigh_probe() - trigger the resolution of a neighbour and wait for it
 * @requests: idle socket of verbs_neigh_socket_new()
 * @addr: neighbour on the link @ifindex
 *
 * Sends UDP datagrams to the discard port of the neighbour: the kernel resolves
 * their destination, and sending them needs no privilege.
 *
 * Context: any thread; blocks for up to three seconds.
 * Return: 0, -EHOSTUNREACH, -ENOMEM, or as socket(2).
 */
int verbs_neigh_probe(struct nl_sock *requests,
		      const struct verbs_neigh_addr *addr, uint32_t ifindex,
		      uint8_t ret_mac[VERBS_NEIGH_MAC_LEN]);

#endif
