/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Two hosts on a wire, for tests: network namespaces and a veth pair. */
#ifndef NEIGH_NET_H
#define NEIGH_NET_H

#include <stdbool.h>

/* Our end is ve0, the other host's is ve1. */
#define NEIGH_NET_OUR_MAC  "\x02\x11\x22\x33\x44\x55"
#define NEIGH_NET_PEER_MAC "\x02\xaa\xbb\xcc\xdd\xee"

/**
 * neigh_net_enter() - move this process into a network of its own
 *
 * ve0 has 10.7.0.1/24, fd00::1/64 and fe80::11:22ff:fe33:4455; the other host
 * has 10.7.0.2, fd00::2, fe80::2 and fe80::aa:bbff:fecc:ddee.
 *
 * Return: NULL, or why that cannot be done here.
 */
const char *neigh_net_enter(void);

/** neigh_net_leave() - end the other host */
void neigh_net_leave(void);

/** neigh_net_ip() - run "ip @args" on our host; whether it succeeded */
bool neigh_net_ip(const char *args);

/**
 * neigh_net_wait_local() - wait until an IPv6 address counts as our own
 *
 * The kernel makes the local route of a new address some time later.
 */
bool neigh_net_wait_local(const char *addr, const char *ifname);

#endif
