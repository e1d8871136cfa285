/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Requests to the kernel over one NETLINK_ROUTE socket, one at a time. Each
 * function sends one request and waits for its response; none waits for the
 * network.
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
 * verbs_neigh_socket_find_owner() - find the interface that has an address
 * @preferred: interface to choose if several have the address
 *
 * Return: 0; -ENODEV if no interface has the address; -ENOMEM, -EIO.
 */
int verbs_neigh_socket_find_owner(struct nl_sock *socket,
				  const struct verbs_neigh_addr *addr,
				  uint32_t preferred, uint32_t *ret_ifindex);

/**
 * verbs_neigh_socket_get_route() - get the route to @dst through @ifindex
 *
 * Return: 0, -EHOSTUNREACH, -ENOMEM.
 */
int verbs_neigh_socket_get_route(struct nl_sock *socket,
				 const struct verbs_neigh_addr *dst,
				 uint32_t ifindex,
				 struct verbs_neigh_route *ret_route);

/**
 * verbs_neigh_socket_get_neigh() - get the MAC of a neighbour that is resolved
 *
 * Return: 0; -EHOSTUNREACH if the kernel has no usable entry; -ENOMEM.
 */
int verbs_neigh_socket_get_neigh(struct nl_sock *socket,
				 const struct verbs_neigh_addr *addr,
				 uint32_t ifindex,
				 uint8_t ret_mac[VERBS_NEIGH_MAC_LEN]);

/**
 * verbs_neigh_socket_get_link() - get the properties of a local interface
 *
 * Return: 0, -EHOSTUNREACH, -ENOMEM.
 */
int verbs_neigh_socket_get_link(struct nl_sock *socket, uint32_t ifindex,
				struct verbs_neigh_link *ret_link);

#endif
