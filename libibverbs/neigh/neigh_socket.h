/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Questions to the kernel over one NETLINK_ROUTE socket, one at a time. All of
 * them return 0, or -errno as stated; none waits for anything but the kernel.
 */
#ifndef NEIGH_NEIGH_SOCKET_H
#define NEIGH_NEIGH_SOCKET_H

#include <netlink/socket.h>
#include <stdint.h>

#include "neigh/neigh_addr.h"
#include "neigh/neigh_msg.h"

/**
 * verbs_neigh_socket_new() - open a socket
 * @ret_socket: the caller frees it with nl_socket_free()
 *
 * Return: 0, -ENOMEM, -EIO, or as socket(2).
 */
int verbs_neigh_socket_new(struct nl_sock **ret_socket);

/**
 * verbs_neigh_socket_owner() - interface that has an address
 * @preferred: taken if it is one of several
 *
 * Return: 0; -ENODEV if none has it; -ENOMEM, -EIO.
 */
int verbs_neigh_socket_owner(struct nl_sock *socket,
			     const struct verbs_neigh_addr *addr,
			     uint32_t preferred, uint32_t *ret_ifindex);

/** verbs_neigh_socket_route() - way out of @ifindex to @dst, or -EHOSTUNREACH
 */
int verbs_neigh_socket_route(struct nl_sock *socket,
			     const struct verbs_neigh_addr *dst,
			     uint32_t ifindex,
			     struct verbs_neigh_route *ret_route);

/** verbs_neigh_socket_entry() - known neighbour, or -EHOSTUNREACH */
int verbs_neigh_socket_entry(struct nl_sock *socket,
			     const struct verbs_neigh_addr *addr,
			     uint32_t ifindex,
			     uint8_t ret_mac[VERBS_NEIGH_MAC_LEN]);

/** verbs_neigh_socket_link() - an interface of our own, or -EHOSTUNREACH */
int verbs_neigh_socket_link(struct nl_sock *socket, uint32_t ifindex,
			    struct verbs_neigh_link *ret_link);

#endif
