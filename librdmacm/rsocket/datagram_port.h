/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* UD queue pairs of datagram sockets. */
#ifndef RSOCKET_DATAGRAM_PORT_H
#define RSOCKET_DATAGRAM_PORT_H

#include "rsocket/datagram_object.h"
#include "rsocket/io_cursor.h"

/**
 * datagram_port_get_locked() - the queue pair by which a peer is reached
 * @peer: its address
 *
 * Creates the queue pair on first use. Binds the UDP socket if it has no port.
 *
 * Return: 0; -ENODEV if no device has the local address; another -errno.
 */
int datagram_port_get_locked(struct rsocket *socket,
			     const struct sockaddr *peer,
			     struct datagram_port **ret_port);

/** datagram_port_free() - destroy the queue pair; no AH may be left */
void datagram_port_free(struct datagram_port *port);

/** datagram_port_qpn() - the number of the queue pair */
uint32_t datagram_port_qpn(const struct datagram_port *port);

/**
 * datagram_port_send_locked() - send a message
 * @dest: has an AH and a QPN, and this port
 * @cursor: the data; with the header at most max_len
 *
 * The port must have a free slot.
 */
int datagram_port_send_locked(struct datagram_port *port,
			      const struct datagram_dest *dest,
			      struct io_cursor *cursor);

/** datagram_port_post_recv_locked() - make a slot usable for another message */
int datagram_port_post_recv_locked(struct datagram_port *port, uint32_t slot);

/**
 * datagram_port_poll_locked() - process completions
 *
 * Received messages are added to those of the socket.
 *
 * Return: whether anything has changed.
 */
bool datagram_port_poll_locked(struct rsocket *socket,
			       struct datagram_port *port);

#endif
