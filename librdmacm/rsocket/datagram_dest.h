/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Destinations of datagrams. */
#ifndef RSOCKET_DATAGRAM_DEST_H
#define RSOCKET_DATAGRAM_DEST_H

#include "rsocket/datagram_object.h"

/**
 * datagram_dest_get_locked() - the destination with an address
 * @address: of the domain of the socket
 *
 * Return: 0; -ENOBUFS if it is new and there are too many; another -errno, as
 * datagram_port_get_locked().
 */
int datagram_dest_get_locked(struct rsocket *socket,
			     const struct sockaddr *address,
			     struct datagram_dest **ret_dest);

/**
 * datagram_dest_set_qpn_locked() - the peer has sent its QPN
 *
 * Begins to resolve the address.
 */
void datagram_dest_set_qpn_locked(struct datagram_dest *dest, uint32_t qpn);

/** datagram_dest_is_ready() - whether its queue pair can be reached */
bool datagram_dest_is_ready(const struct datagram_dest *dest);

/** datagram_dest_free() - no thread may use the socket; without its lock */
void datagram_dest_free(struct datagram_dest *dest);

/** datagram_dest_event() - continue to resolve; takes the lock of the socket */
void datagram_dest_event(const struct rdma_cm_event *event);

#endif
