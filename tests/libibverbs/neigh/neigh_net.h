/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Two hosts on one link, for tests: network namespaces and a veth pair. */
#ifndef NEIGH_NET_H
#define NEIGH_NET_H

#include <stdbool.h>

/* The interface of this process is ve0, that of the peer is ve1. */
#define NEIGH_NET_OUR_MAC  "\x02\x11\x22\x33\x44\x55"
#define NEIGH_NET_PEER_MAC "\x02\xaa\xbb\xcc\xdd\xee"

/**
 * neigh_net_enter() - move this process into a network namespace with a peer
 *
 * ve0 has 10.7.0.1/24, fd00::1/64 and fe80::11:22ff:fe33:4455; the peer has
 * 10.7.0.2, fd00::2, fe80::2 and fe80::aa:bbff:fecc:ddee.
 *
 * Return: NULL, or the reason why that is impossible here.
 */
const char *neigh_net_enter(void);

/** neigh_net_leave() - stop the peer */
void neigh_net_leave(void);

/**
 * neigh_net_ip() - run "ip @args" in the namespace of this process
 *
 * Return: whether the command succeeded.
 */
bool neigh_net_ip(const char *args);

/**
 * neigh_net_wait_local() - wait until an IPv6 address is local
 *
 * The kernel adds the local route of a new address with a delay.
 */
bool neigh_net_wait_local(const char *addr, const char *ifname);

#endif
