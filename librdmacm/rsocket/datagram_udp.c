/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Discovery. Data for a destination whose queue pair is not known goes by UDP,
 * with the number of the own queue pair. The receiver responds with its number,
 * and both resolve the address of the other. There is no thread for it: UDP
 * datagrams are processed by the calls of the application.
 */
#include "rsocket/datagram_udp.h"

#include "api/ip_address.h"
#include "rsocket/datagram_dest.h"
#include "rsocket/datagram_port.h"
#include "rsocket/datagram_queue.h"

#include <errno.h>

/* In one call; others stay in the socket. */
#define UDP_MAX_BATCH	 64
#define UDP_MAX_MESSAGES 256

int datagram_udp_send_locked(struct rsocket *socket,
			     const struct datagram_dest *dest,
			     enum datagram_op op, struct io_cursor cursor)
{
	const struct sockaddr *address =
		(const struct sockaddr *)&dest->address;
	struct datagram_udp_header header = {
		.op = op,
		.qpn = datagram_port_qpn(dest->port),
	};
	uint8_t bytes[DATAGRAM_MAX_LEN];
	size_t len;

	len = datagram_udp_encode(
		&header, (struct sockaddr *)&dest->port->address, bytes);
	if (cursor.left) {
		size_t data_len = cursor.left;

		io_cursor_read(&cursor, &bytes[len], data_len);
		len += data_len;
	}
	return sendto(socket->datagram->udp_fd, bytes, len,
		      MSG_DONTWAIT | MSG_NOSIGNAL, address,
		      ip_address_size(address)) < 0
		       ? -errno
		       : 0;
}

static void udp_datagram_handle_locked(struct rsocket *socket,
				       const struct sockaddr_storage *from,
				       const uint8_t *bytes, size_t len)
{
	const struct sockaddr *address = (const struct sockaddr *)from;
	struct datagram_udp_header header;
	struct datagram_dest *dest;
	size_t data_len;
	int header_len = datagram_udp_decode(bytes, len, &header);

	if (header_len < 0)
		return;
	data_len = len - (size_t)header_len;
	if (datagram_dest_get_locked(socket, address, &dest) == 0) {
		if (header.qpn)
			datagram_dest_set_qpn_locked(dest, header.qpn);
		/* Data that is too long for a message always uses UDP. */
		if (header.op == DATAGRAM_DATA &&
		    data_len + dest->port->header_len <= dest->port->max_len)
			(void)datagram_udp_send_locked(socket, dest,
						       DATAGRAM_CONTROL,
						       (struct io_cursor){ 0 });
	}
	if (header.op == DATAGRAM_DATA)
		(void)datagram_queue_add_copy_locked(
			socket, from, &bytes[header_len], data_len);
}

bool datagram_udp_receive_locked(struct rsocket *socket)
{
	struct datagram *datagram = socket->datagram;
	uint8_t bytes[DATAGRAM_MAX_LEN];
	struct sockaddr_storage from;
	bool has_changed = false;
	socklen_t from_len;
	ssize_t len;

	for (unsigned int i = 0;
	     i < UDP_MAX_BATCH && datagram->nr_messages < UDP_MAX_MESSAGES;
	     i++) {
		from_len = sizeof(from);
		len = recvfrom(datagram->udp_fd, bytes, sizeof(bytes),
			       MSG_DONTWAIT | MSG_TRUNC,
			       (struct sockaddr *)&from, &from_len);
		if (len < 0 && errno == EAGAIN)
			break;
		has_changed = true;
		if (len < 0)
			socket->error = -errno;
		else if ((size_t)len <= sizeof(bytes))
			udp_datagram_handle_locked(socket, &from, bytes,
						   (size_t)len);
	}
	return has_changed;
}
