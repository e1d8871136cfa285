/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Received datagrams that the application has not read yet. */
#ifndef RSOCKET_DATAGRAM_QUEUE_H
#define RSOCKET_DATAGRAM_QUEUE_H

#include "rsocket/datagram_object.h"

/**
 * datagram_queue_add_slot_locked() - add a message in a slot of a queue pair
 *
 * Return: false: the datagram is dropped, because it is not from the peer of a
 * connected socket or there is no memory; the slot is free.
 */
bool datagram_queue_add_slot_locked(struct rsocket *socket,
				    const struct sockaddr_storage *from,
				    const uint8_t *bytes, size_t len,
				    struct datagram_port *port, uint32_t slot);

/** datagram_queue_add_copy_locked() - the same with a copy of the data */
bool datagram_queue_add_copy_locked(struct rsocket *socket,
				    const struct sockaddr_storage *from,
				    const uint8_t *bytes, size_t len);

/** datagram_queue_first_locked() - the oldest datagram; NULL: none */
const struct datagram_message *
datagram_queue_first_locked(const struct rsocket *socket);

/** datagram_queue_drop_locked() - remove the oldest datagram
 *
 * The caller makes its slot usable again.
 */
void datagram_queue_drop_locked(struct rsocket *socket);

#endif
