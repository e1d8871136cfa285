/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The four netlink messages that are of interest: addresses, routes, neighbours
 * and links. Builds the requests, takes the answers apart; sends nothing.
 */
#ifndef NEIGH_NEIGH_MSG_H
#define NEIGH_NEIGH_MSG_H

#include <linux/netlink.h>
#include <netlink/msg.h>
#include <stdbool.h>
#include <stdint.h>

#include "neigh/neigh_addr.h"

/* What a route says about the way. */
struct verbs_neigh_route {
	uint8_t type; /* RTN_*, linux/rtnetlink.h */
	uint32_t ifindex;
	bool has_gateway;
	struct verbs_neigh_addr gateway;
};

/* What matters of an interface. */
struct verbs_neigh_link {
	bool has_mac;
	uint8_t mac[VERBS_NEIGH_MAC_LEN];
	uint16_t vlan; /* VERBS_NEIGH_NO_VLAN if it is none */
};

/**
 * verbs_neigh_msg_*() - requests
 *
 * Addresses: a dump of all that the host has. Routes: the one that the kernel
 * would take out of @ifindex. Neighbours: one (@dump false: since Linux 5.0) or
 * all of an address family. Links: one, without its virtual functions, which
 * can make the answer longer than any buffer.
 *
 * Return: a message that the caller frees with nlmsg_free(), or NULL.
 */
struct nl_msg *verbs_neigh_msg_addrs(sa_family_t family);
struct nl_msg *verbs_neigh_msg_route(const struct verbs_neigh_addr *dst,
				     uint32_t ifindex);
struct nl_msg *verbs_neigh_msg_entry(const struct verbs_neigh_addr *addr,
				     uint32_t ifindex, bool dump);
struct nl_msg *verbs_neigh_msg_link(uint32_t ifindex);

/**
 * verbs_neigh_msg_parse_*() - answers
 *
 * Return: whether @header is a sound message of that kind. Outputs are
 * untouched if not.
 */
bool verbs_neigh_msg_parse_addr(struct nlmsghdr *header,
				struct verbs_neigh_addr *ret_addr,
				uint32_t *ret_ifindex);
bool verbs_neigh_msg_parse_route(struct nlmsghdr *header,
				 struct verbs_neigh_route *ret_route);
bool verbs_neigh_msg_parse_link(struct nlmsghdr *header,
				struct verbs_neigh_link *ret_link);

/**
 * verbs_neigh_msg_parse_entry() - Ethernet address in an answer or notification
 * @addr: the neighbour that is meant
 * @ifindex: where it is
 *
 * Return: whether the message is about that neighbour and the address valid.
 */
bool verbs_neigh_msg_parse_entry(struct nlmsghdr *header,
				 const struct verbs_neigh_addr *addr,
				 uint32_t ifindex,
				 uint8_t ret_mac[VERBS_NEIGH_MAC_LEN]);

#endif
