/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Discovery: the UDP socket of a datagram socket. */
#ifndef RSOCKET_DATAGRAM_UDP_H
#define RSOCKET_DATAGRAM_UDP_H

#include "rsocket/datagram_object.h"
#include "rsocket/io_cursor.h"

/**
 * datagram_udp_send_locked() - send a datagram by UDP
 * @op: DATAGRAM_DATA, or DATAGRAM_CONTROL without data
 * @cursor: data that, with the header, has at most DATAGRAM_MAX_LEN bytes
 *
 * Return: 0; -EAGAIN if the buffer of the UDP socket is full; another -errno of
 * sendto(2).
 */
int datagram_udp_send_locked(struct rsocket *socket,
			     const struct datagram_dest *dest,
			     enum datagram_op op, struct io_cursor cursor);

/**
 * datagram_udp_receive_locked() - process the received UDP datagrams
 *
 * Return: whether there were any, or an error.
 */
bool datagram_udp_receive_locked(struct rsocket *socket);

#endif
