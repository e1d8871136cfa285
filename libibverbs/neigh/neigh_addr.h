/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * IP addresses as this folder passes them around, and what follows from an
 * address alone. Pure.
 */
#ifndef NEIGH_NEIGH_ADDR_H
#define NEIGH_NEIGH_ADDR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "neigh/neigh.h"

/* Bytes behind the length are zero. */
struct verbs_neigh_addr {
	sa_family_t family; /* AF_INET or AF_INET6 */
	uint8_t len;	    /* 4 or 16 */
	uint8_t bytes[16];
};

/**
 * verbs_neigh_addr_init() - address from raw bytes
 *
 * Return: whether @len is right for @family, and @family one that we know.
 */
bool verbs_neigh_addr_init(sa_family_t family, const void *bytes, size_t len,
			   struct verbs_neigh_addr *ret_addr);

/** verbs_neigh_addr_from_gid() - the address a GID stands for */
struct verbs_neigh_addr verbs_neigh_addr_from_gid(const uint8_t gid[16]);

bool verbs_neigh_addr_equal(const struct verbs_neigh_addr *a,
			    const struct verbs_neigh_addr *b);

/**
 * verbs_neigh_addr_derive_mac() - Ethernet address that needs no look-up
 *
 * Return: whether there is one: for a group, and for a link-local address made
 * from an Ethernet address.
 */
bool verbs_neigh_addr_derive_mac(const struct verbs_neigh_addr *addr,
				 uint8_t ret_mac[VERBS_NEIGH_MAC_LEN]);

/**
 * verbs_neigh_addr_to_sockaddr() - for the system calls on sockets
 * @ifindex: scope of a link-local address
 *
 * Return: length of what @ret_sockaddr holds.
 */
socklen_t verbs_neigh_addr_to_sockaddr(const struct verbs_neigh_addr *addr,
				       uint32_t ifindex, uint16_t port,
				       struct sockaddr_storage *ret_sockaddr);

#endif
