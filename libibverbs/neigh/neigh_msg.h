/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The rtnetlink messages that address resolution uses: addresses, routes,
 * neighbours and links. Builds the requests and parses the responses, both with
 * libnl-route; neigh_socket.c sends and receives.
 */
#ifndef NEIGH_NEIGH_MSG_H
#define NEIGH_NEIGH_MSG_H

#include <netlink/msg.h>
#include <stdbool.h>
#include <stdint.h>

#include "neigh/neigh_addr.h"

/* The next hop of a route. */
struct verbs_neigh_route {
	uint8_t type; /* RTN_*, linux/rtnetlink.h */
	uint32_t ifindex;
	bool has_gateway;
	struct verbs_neigh_addr gateway;
};

/* The properties of an interface that end up in a packet. */
struct verbs_neigh_link {
	bool has_mac;
	uint8_t mac[VERBS_NEIGH_MAC_LEN];
	uint16_t vlan; /* VERBS_NEIGH_NO_VLAN: not a VLAN interface */
};

/**
 * verbs_neigh_msg_request_addrs() - build a dump request for all addresses
 * @family: AF_INET or AF_INET6
 *
 * The kernel has no request for the owner of one IPv4 address.
 *
 * Return: a message that the caller frees with nlmsg_free(), or NULL.
 */
struct nl_msg *verbs_neigh_msg_request_addrs(sa_family_t family);

/**
 * verbs_neigh_msg_request_route() - build a request for the route to @dst
 * @ifindex: interface that the route must use
 *
 * Return: a message that the caller frees with nlmsg_free(), or NULL.
 */
struct nl_msg *verbs_neigh_msg_request_route(const struct verbs_neigh_addr *dst,
					     uint32_t ifindex);

/**
 * verbs_neigh_msg_request_neigh() - build a request for a neighbour entry
 * @dump: request all entries of the address family instead, for kernels before
 *	Linux 5.0, which cannot look up a single entry
 *
 * Return: a message that the caller frees with nlmsg_free(), or NULL.
 */
struct nl_msg *
verbs_neigh_msg_request_neigh(const struct verbs_neigh_addr *addr,
			      uint32_t ifindex, bool dump);

/**
 * verbs_neigh_msg_request_link() - build a request for one interface
 *
 * The request leaves out the virtual functions of the interface: with them, the
 * response can exceed any fixed receive buffer.
 *
 * Return: a message that the caller frees with nlmsg_free(), or NULL.
 */
struct nl_msg *verbs_neigh_msg_request_link(uint32_t ifindex);

/**
 * verbs_neigh_msg_parse_addr() - parse an RTM_NEWADDR message
 *
 * Return: whether @msg is a valid one; the outputs are untouched if not.
 */
bool verbs_neigh_msg_parse_addr(struct nl_msg *msg,
				struct verbs_neigh_addr *ret_addr,
				uint32_t *ret_ifindex);

/**
 * verbs_neigh_msg_parse_route() - parse an RTM_NEWROUTE message
 *
 * Return: whether @msg is a valid one; the output is untouched if not.
 */
bool verbs_neigh_msg_parse_route(struct nl_msg *msg,
				 struct verbs_neigh_route *ret_route);

/**
 * verbs_neigh_msg_parse_neigh() - parse an RTM_NEWNEIGH message
 * @msg: response or notification
 * @addr: IP address of the neighbour that the caller looks for
 * @ifindex: interface of that neighbour
 *
 * Return: whether the message is about that neighbour and has a usable Ethernet
 * address; the output is untouched if not.
 */
bool verbs_neigh_msg_parse_neigh(struct nl_msg *msg,
				 const struct verbs_neigh_addr *addr,
				 uint32_t ifindex,
				 uint8_t ret_mac[VERBS_NEIGH_MAC_LEN]);

/**
 * verbs_neigh_msg_parse_link() - parse an RTM_NEWLINK message
 *
 * Return: whether @msg is a valid one; the output is untouched if not.
 */
bool verbs_neigh_msg_parse_link(struct nl_msg *msg,
				struct verbs_neigh_link *ret_link);

#endif
