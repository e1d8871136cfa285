/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Datagram sockets. */
#ifndef RSOCKET_DATAGRAM_SOCKET_H
#define RSOCKET_DATAGRAM_SOCKET_H

#include "rsocket/socket_object.h"

/**
 * datagram_socket_new() - a socket without a descriptor
 * @domain: AF_INET or AF_INET6
 *
 * Needs no RDMA device.
 *
 * Return: 0 or -errno. The operation free() frees the socket.
 */
int datagram_socket_new(int domain, struct rsocket **ret_socket);

#endif
