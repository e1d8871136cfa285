/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Received datagrams. A message of a queue pair stays in its slot, so the slots
 * bound their number; the reader of the UDP socket bounds that of copies.
 */
#include "rsocket/datagram_queue.h"

#include "api/ip_address.h"

#include <stdlib.h>
#include <string.h>

/* Of a connected socket, only its peer may send; see connect(2). */
static bool is_from_peer(const struct datagram *datagram,
			 const struct sockaddr_storage *from)
{
	return !datagram->peer ||
	       ip_address_equal_port(
		       (const struct sockaddr *)from,
		       (const struct sockaddr *)&datagram->peer->address);
}

/* @nr_extra: bytes after the message */
static struct datagram_message *
message_new_locked(struct rsocket *socket, const struct sockaddr_storage *from,
		   size_t nr_extra)
{
	struct datagram_message *message;

	if (socket->datagram->is_read_shut ||
	    !is_from_peer(socket->datagram, from))
		return NULL;
	message = malloc(sizeof(*message) + nr_extra);
	if (!message)
		return NULL;
	*message = (struct datagram_message){ .from = *from };
	list_add_tail(&socket->datagram->messages, &message->node);
	socket->datagram->nr_messages++;
	return message;
}

bool datagram_queue_add_slot_locked(struct rsocket *socket,
				    const struct sockaddr_storage *from,
				    const uint8_t *bytes, size_t len,
				    struct datagram_port *port, uint32_t slot)
{
	struct datagram_message *message = message_new_locked(socket, from, 0);

	if (!message)
		return false;
	message->bytes = bytes;
	message->len = len;
	message->port = port;
	message->slot = slot;
	return true;
}

bool datagram_queue_add_copy_locked(struct rsocket *socket,
				    const struct sockaddr_storage *from,
				    const uint8_t *bytes, size_t len)
{
	struct datagram_message *message =
		message_new_locked(socket, from, len);

	if (!message)
		return false;
	memcpy(message + 1, bytes, len);
	message->bytes = (const uint8_t *)(message + 1);
	message->len = len;
	return true;
}

const struct datagram_message *
datagram_queue_first_locked(const struct rsocket *socket)
{
	const struct list_node *messages = &socket->datagram->messages;

	return list_empty(messages) ? NULL
				    : list_entry(messages->next,
						 struct datagram_message, node);
}

void datagram_queue_drop_locked(struct rsocket *socket)
{
	struct datagram_message *message = list_entry(
		socket->datagram->messages.next, struct datagram_message, node);

	list_del(&message->node);
	socket->datagram->nr_messages--;
	free(message);
}
