/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sends packets. Packets are collected as messages for sendmmsg(). Consecutive
 * packets of one length to the same QP share a message, which the kernel or the
 * NIC splits into datagrams (UDP GSO). The last packet may be shorter. This
 * file copies the packets, one after the other, into a buffer and computes the
 * ICRC in the same pass.
 *
 * The IP identification of IPv4 is the index of the datagram in its message
 * (../roce/README.md), so the ICRC is computed when the index is known. Where
 * GSO fails, the datagrams of a message are sent one by one, with new ICRCs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "uroce/udp/uroce_bad_wire.h"
#include "uroce/udp/uroce_route.h"
#include "uroce/udp/uroce_socket.h"
#include "uroce/udp/uroce_udp.h"
#include "uroce/wire/uroce_crc32.h"
#include "uroce/wire/uroce_icrc.h"
#include "uroce/wire/uroce_wire.h"
#include "util/min.h"
#include "util/nocancel.h"

#define MAX_MESSAGES 32
/* Limits of the kernel for a message: segments, and bytes. */
#define MAX_SEGMENTS 64
#define MAX_BYTES    (65535 - 40 - 8)
/* Memory of the kernel for a packet, in addition to its bytes. */
#define BUFFER_BYTES 1024
#define MAX_REFUSED  16
#define MAX_PACKET   (UROCE_MAX_HEADER + UROCE_MAX_MTU + 3 + UROCE_ICRC_LEN)
/* Two full messages: a flush follows each, and the buffer stays in the cache.
 */
#define BATCH_BYTES (2 * 65536)

struct message {
	struct uroce_route route; /* kept for the next message of this index */
	uint32_t dest_qpn;
	void *owner;
	uint8_t *first; /* its packets are one after the other */
	uint32_t nr_packets;
	uint32_t segment_len; /* length of all packets but the last */
	uint32_t bytes;
	bool full; /* the last packet is shorter */
};

struct uroce_send_batch {
	bool no_gso;  /* the kernel or a NIC does not support it */
	bool no_many; /* sendmmsg() is forbidden */
	uint32_t nr_messages, nr_bytes, nr_refused;
	void *refused[MAX_REFUSED]; /* owners */
	struct message messages[MAX_MESSAGES];
	struct mmsghdr headers[MAX_MESSAGES]; /* one for each message */
	struct iovec iovs[MAX_MESSAGES];      /* likewise */
	uint8_t bytes[BATCH_BYTES];
};

struct uroce_send_batch *uroce_udp_new_send(void)
{
	return calloc(1, sizeof(struct uroce_send_batch));
}

/* Return: the message to which a packet of @len bytes can be added, or NULL. */
static struct message *open_message(struct uroce_send_batch *batch,
				    const struct uroce_packet *packet,
				    uint32_t len, const void *owner)
{
	struct message *last;

	if (!batch->nr_messages || batch->no_gso)
		return NULL;
	last = &batch->messages[batch->nr_messages - 1];
	if (last->full || last->owner != owner ||
	    last->dest_qpn != packet->dest_qpn || len > last->segment_len ||
	    last->nr_packets >= MAX_SEGMENTS || last->bytes + len > MAX_BYTES ||
	    !uroce_route_is(&last->route, packet->path))
		return NULL;
	return last;
}

/* Begins a message whose first packet will be at the end of batch->bytes. */
static struct message *new_message(struct uroce_port *port,
				   const struct uroce_packet *packet,
				   uint32_t len, void *owner)
{
	struct uroce_send_batch *batch = port->send;
	struct message *message = &batch->messages[batch->nr_messages++];

	uroce_route_find(port, packet->path, &message->route);
	message->dest_qpn = packet->dest_qpn;
	message->owner = owner;
	message->first = &batch->bytes[batch->nr_bytes];
	message->nr_packets = 0;
	message->segment_len = len;
	message->bytes = 0;
	message->full = false;
	return message;
}

static void send_capture(struct uroce_port *port, const struct message *message,
			 uint16_t ip_id, uint8_t *bytes, uint32_t len)
{
	struct iovec iov = { bytes, len };

	uroce_pcap_write(port->pcap, &message->route.path, ip_id, &iov, 1);
}

/*
 * Completes the packet whose headers are at the end of batch->bytes, and adds
 * it to @message.
 */
static void add(struct uroce_port *port, struct message *message,
		uint32_t header_len, const struct iovec *iov, uint32_t nr_iov,
		uint32_t len)
{
	static const uint8_t zeros[3];
	struct uroce_send_batch *batch = port->send;
	uint8_t *front = &batch->bytes[batch->nr_bytes];
	uint8_t *tail = front + len - UROCE_ICRC_LEN;
	uint16_t ip_id = (uint16_t)message->nr_packets;
	uint8_t *end = front + header_len;
	uint32_t reg;

	reg = uroce_icrc_begin(&message->route.icrc, ip_id, front, header_len,
			       len - UROCE_ICRC_LEN);
	for (uint32_t i = 0; i < nr_iov; i++) {
		reg = uroce_crc32_copy(reg, end, iov[i].iov_base,
				       iov[i].iov_len);
		end += iov[i].iov_len;
	}
	if (end < tail)
		reg = uroce_crc32_copy(reg, end, zeros, (size_t)(tail - end));
	uroce_icrc_end(reg, tail);
	batch->nr_bytes += len;
	message->nr_packets++;
	message->bytes += len;
	message->full = len < message->segment_len;
	port->counters.tx_datagrams++;
	if (port->pcap)
		send_capture(port, message, ip_id, front, len);
}

/* Sends a full message: the receiver works while the next one is built. */
static void leave_if_full(struct uroce_port *port,
			  const struct message *message)
{
	if (message->nr_packets == MAX_SEGMENTS ||
	    message->bytes + message->segment_len > MAX_BYTES)
		uroce_port_flush(port);
}

static bool send_has_room(const struct uroce_send_batch *batch)
{
	return batch->nr_messages < MAX_MESSAGES &&
	       batch->nr_bytes + MAX_PACKET <= sizeof(batch->bytes);
}

/*
 * Return: the message of the packet and its headers in @ret_header_len; NULL if
 * the packet is invalid and was dropped.
 */
static struct message *send_put(struct uroce_port *port,
				const struct uroce_packet *packet,
				const struct iovec *iov, uint32_t nr_iov,
				void *owner, uint32_t *ret_header_len)
{
	struct uroce_send_batch *batch = port->send;
	struct message *message;
	int header_len;
	uint32_t len;

	if (!send_has_room(batch))
		uroce_port_flush(port);
	header_len = uroce_wire_encode(packet, &batch->bytes[batch->nr_bytes]);
	if (header_len < 0 || packet->payload_len > UROCE_MAX_MTU ||
	    nr_iov > UROCE_PORT_MAX_PIECES) {
		port->counters.tx_datagrams++;
		port->counters.tx_failed++;
		return NULL;
	}
	len = (uint32_t)header_len + packet->payload_len +
	      uroce_wire_pad(packet->payload_len) + UROCE_ICRC_LEN;
	message = open_message(batch, packet, len, owner);
	if (!message)
		message = new_message(port, packet, len, owner);
	add(port, message, (uint32_t)header_len, iov, nr_iov, len);
	*ret_header_len = (uint32_t)header_len;
	return message;
}

void uroce_port_put(struct uroce_port *port, const struct uroce_packet *packet,
		    const struct iovec *iov, uint32_t nr_iov, void *owner)
{
	struct message *message;
	uint32_t header_len;

	message = send_put(port, packet, iov, nr_iov, owner, &header_len);
	if (message)
		leave_if_full(port, message);
}

/* Return: how many full-length packets still fit. */
static uint32_t count_more(const struct uroce_send_batch *batch,
			   const struct message *message)
{
	uint32_t room = (uint32_t)sizeof(batch->bytes) - batch->nr_bytes;

	if (message->full || batch->no_gso)
		return 0;
	room = min_u32(room, MAX_BYTES - message->bytes);
	return min_u32(MAX_SEGMENTS - message->nr_packets,
		       room / message->segment_len);
}

/*
 * Adds up to @nr packets to @message while they fit. Their headers are those of
 * its last packet except for the PSN. Return: their number.
 */
static uint32_t append_run(struct uroce_port *port, struct message *message,
			   uint32_t header_len, uint32_t psn, uint8_t *payload,
			   uint32_t bytes, uint32_t nr)
{
	struct uroce_send_batch *batch = port->send;
	uint32_t len = message->segment_len;

	nr = min_u32(nr, count_more(batch, message));
	for (uint32_t i = 0; i < nr; i++) {
		struct iovec iov = { payload + (size_t)i * bytes, bytes };
		uint8_t *front = &batch->bytes[batch->nr_bytes];

		memcpy(front, front - len, header_len);
		uroce_wire_set_psn(front, psn + i);
		add(port, message, header_len, &iov, 1, len);
	}
	return nr;
}

void uroce_port_put_run(struct uroce_port *port,
			const struct uroce_packet *first, uint8_t *payload,
			uint32_t nr, void *owner)
{
	struct uroce_packet packet = *first;
	uint32_t bytes = packet.payload_len;

	while (nr) {
		struct iovec iov = { payload, bytes };
		struct message *message;
		uint32_t header_len, done = 1;

		message = send_put(port, &packet, &iov, 1, owner, &header_len);
		if (message) {
			done += append_run(port, message, header_len,
					   packet.psn + 1, payload + bytes,
					   bytes, nr - 1);
			leave_if_full(port, message);
		}
		packet.psn += done;
		payload += (size_t)done * bytes;
		nr -= done;
	}
}

/* Waits for room in the socket. Return: false after a time limit. */
static int send_one(int fd, const struct mmsghdr *header)
{
	return sendmsg(fd, &header->msg_hdr, MSG_DONTWAIT) < 0 ? -1 : 1;
}

/*
 * sendmsg() is cheaper for one message. A sandbox may forbid sendmmsg(). A
 * firewall that refuses a packet causes the same error, but in both calls.
 */
static int send_now(struct uroce_send_batch *batch, int fd,
		    struct mmsghdr *headers, uint32_t nr)
{
	int ret;

	if (nr == 1 || batch->no_many)
		return send_one(fd, headers);
	ret = sendmmsg(fd, headers, nr, MSG_DONTWAIT);
	if (ret >= 0 || (errno != EPERM && errno != ENOSYS))
		return ret;
	ret = send_one(fd, headers);
	batch->no_many = ret > 0;
	return ret;
}

/* Sends 1 to @nr messages to one socket. Return: their number, or -errno. */
static int send_some(struct uroce_port *port, int fd, struct mmsghdr *headers,
		     uint32_t nr)
{
	for (;;) {
		int ret = send_now(port->send, fd, headers, nr);
		int err = errno;

		port->counters.tx_calls++;
		if (ret > 0)
			return ret;
		if (!uroce_socket_await_retry(fd, err))
			return -err;
	}
}

/* Counts a refused packet; lists the owner of one that is too long. */
static void note_failed(struct uroce_port *port, const struct message *message,
			int err)
{
	struct uroce_send_batch *batch = port->send;

	port->counters.tx_failed++;
	if (err != -EMSGSIZE || batch->nr_refused == MAX_REFUSED ||
	    (batch->nr_refused &&
	     batch->refused[batch->nr_refused - 1] == message->owner))
		return;
	batch->refused[batch->nr_refused++] = message->owner;
}

void *uroce_port_take_refused(struct uroce_port *port)
{
	struct uroce_send_batch *batch = port->send;

	return batch->nr_refused ? batch->refused[--batch->nr_refused] : NULL;
}

/*
 * Makes the packet @at bytes behind the first one a datagram that is sent
 * alone. Return: its length.
 */
static uint32_t message_separate(struct message *message, uint32_t at)
{
	uint32_t len = min_u32(message->bytes - at, message->segment_len);
	uint32_t covered = len - UROCE_ICRC_LEN;
	uint8_t *front = message->first + at;

	uroce_icrc_end(uroce_icrc_begin(&message->route.icrc, 0, front, covered,
					covered),
		       front + covered);
	return len;
}

/* Sends a message that the kernel refused, one datagram at a time. */
static void send_apart(struct uroce_port *port, struct message *message)
{
	bool any = false, too_long = false;
	uint32_t at = 0;

	while (at < message->bytes) {
		uint32_t len = message_separate(message, at);
		struct iovec iov = { message->first + at, len };
		struct mmsghdr one = {};
		int ret;

		uroce_route_address(&message->route, &one.msg_hdr);
		one.msg_hdr.msg_iov = &iov;
		one.msg_hdr.msg_iovlen = 1;
		ret = send_some(port, message->route.fd, &one, 1);
		if (ret == 1)
			any = true;
		else
			note_failed(port, message, ret);
		too_long = too_long || ret == -EMSGSIZE;
		at += len;
	}
	/* a datagram passed, so GSO failed and not the route */
	if (any && !too_long)
		port->send->no_gso = true;
}

/* A message has no socket if UROCE_WIRE_FAULTS has rules. */
static void send_to_bad_wire(struct uroce_port *port, struct message *message)
{
	uint32_t at = 0;

	while (at < message->bytes) {
		uint32_t len = message_separate(message, at);

		uroce_bad_wire_send(port->bad_wire, &message->route,
				    message->dest_qpn, message->first + at,
				    len);
		at += len;
	}
}

static void finish_headers(struct uroce_send_batch *batch)
{
	for (uint32_t i = 0; i < batch->nr_messages; i++) {
		struct message *message = &batch->messages[i];
		struct msghdr *msg = &batch->headers[i].msg_hdr;

		uroce_route_address(&message->route, msg);
		batch->iovs[i] =
			(struct iovec){ message->first, message->bytes };
		msg->msg_iov = &batch->iovs[i];
		msg->msg_iovlen = 1;
		if (message->nr_packets > 1)
			uroce_route_cut(msg, message->segment_len);
	}
}

static void note_sent(struct uroce_port *port, const struct message *message,
		      uint32_t nr)
{
	for (; nr > 0; nr--, message++)
		uroce_udp_sent(port, &message->route.path, message->dest_qpn,
			       message->bytes +
				       message->nr_packets * BUFFER_BYTES);
}

void uroce_port_flush(struct uroce_port *port)
{
	struct uroce_send_batch *batch = port->send;
	uint32_t at = 0;

	finish_headers(batch);
	while (at < batch->nr_messages) {
		struct message *message = &batch->messages[at];
		uint32_t nr = 1;
		int sent;

		while (at + nr < batch->nr_messages &&
		       message[nr].route.fd == message->route.fd)
			nr++;
		sent = send_some(port, message->route.fd, &batch->headers[at],
				 nr);
		if (sent > 0) {
			note_sent(port, message, (uint32_t)sent);
			at += (uint32_t)sent;
			continue;
		}
		/* the error is that of the first message */
		if (port->bad_wire)
			send_to_bad_wire(port, message);
		else if (message->nr_packets > 1)
			send_apart(port, message);
		else
			note_failed(port, message, sent);
		at++;
	}
	batch->nr_messages = 0;
	batch->nr_bytes = 0;
}
