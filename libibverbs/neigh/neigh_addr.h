/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * IP addresses, and the conversions that need no other input than an address.
 * No system calls.
 */
#ifndef NEIGH_NEIGH_ADDR_H
#define NEIGH_NEIGH_ADDR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "neigh/neigh.h"

/* The bytes after the first @len ones are zero. */
struct verbs_neigh_addr {
	sa_family_t family; /* AF_INET or AF_INET6 */
	uint8_t len;	    /* 4 or 16 */
	uint8_t bytes[16];
};

/**
 * verbs_neigh_addr_init() - make an address from raw bytes
 *
 * Return: whether @family is AF_INET or AF_INET6 and @len is its length.
 */
bool verbs_neigh_addr_init(sa_family_t family, const void *bytes, size_t len,
			   struct verbs_neigh_addr *ret_addr);

/**
 * verbs_neigh_addr_from_gid() - convert a GID to an IP address
 *
 * Return: the IPv4 address of an IPv4-mapped unicast or multicast GID, else the
 * GID as an IPv6 address.
 */
struct verbs_neigh_addr verbs_neigh_addr_from_gid(const uint8_t gid[16]);

/** verbs_neigh_addr_equal() - compare two addresses */
bool verbs_neigh_addr_equal(const struct verbs_neigh_addr *a,
			    const struct verbs_neigh_addr *b);

/**
 * verbs_neigh_addr_derive_mac() - derive the Ethernet address from an IP
 * address
 *
 * Return: whether that is possible. It is for a multicast address, and for a
 * link-local IPv6 address whose interface identifier is an EUI-64.
 */
bool verbs_neigh_addr_derive_mac(const struct verbs_neigh_addr *addr,
				 uint8_t ret_mac[VERBS_NEIGH_MAC_LEN]);

/**
 * verbs_neigh_addr_to_sockaddr() - convert an address for socket system calls
 * @ifindex: scope of a link-local address
 * @port: in host byte order
 *
 * Return: length of the socket address in @ret_sockaddr.
 */
socklen_t verbs_neigh_addr_to_sockaddr(const struct verbs_neigh_addr *addr,
				       uint32_t ifindex, uint16_t port,
				       struct sockaddr_storage *ret_sockaddr);

#endif
