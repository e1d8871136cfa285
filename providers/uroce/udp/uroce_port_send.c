/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sends packets. Packets are collected as messages for sendmmsg(). Consecutive
 * packets of one length to the same QP share a message, which the kernel or the
 * NIC splits into datagrams (UDP GSO). The last packet may be shorter. This
 * file builds headers and ICRC; the kernel gathers the payload from user
 * memory.
 *
 * The IP identification of IPv4 is the index of the datagram in its message
 * (../roce/README.md), so the ICRC is computed when the index is known. Where
 * GSO fails, the datagrams of a message are sent one by one, with new ICRCs.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "uroce/udp/uroce_route.h"
#include "uroce/udp/uroce_udp.h"
#include "uroce/wire/uroce_crc32.h"
#include "uroce/wire/uroce_icrc.h"
#include "uroce/wire/uroce_wire.h"
#include "util/min.h"
#include "util/nocancel.h"

#define MAX_MESSAGES	 32
#define MAX_PACKETS	 512
#define MAX_BATCH_IOVECS 2048
/* A payload up to this length is copied: an iovec costs the kernel more. */
#define SMALL_BYTES 128
/* Limits of the kernel for a message: segments, bytes, and iovecs. */
#define MAX_SEGMENTS 64
#define MAX_BYTES    (65535 - 40 - 8)
#define MAX_IOVECS   1000
#define BUFFER_BYTES 1024
#define WAIT_MS	     10
#define MAX_WAITS    10
#define MAX_TAIL     (3 + UROCE_ICRC_LEN) /* padding, ICRC */
#define MAX_REFUSED  16
#define MAX_ALONE    (UROCE_PORT_MAX_PIECES + 2)

/*
 * A packet consists of headers, payload, and tail. batch->bytes has headers and
 * tail of all packets in order, so that a tail and the headers that follow it
 * on the wire are one iovec. A small payload is between headers and tail.
 */
#define OWN_BYTES (UROCE_MAX_HEADER + SMALL_BYTES + MAX_TAIL)
#define MAX_OWN	  (MAX_PACKETS * (UROCE_MAX_HEADER + MAX_TAIL) + OWN_BYTES)

struct packet {
	uint32_t first_byte; /* of the headers */
	uint16_t front_len;  /* headers, and the payload if it is small */
	uint16_t tail_len;
	uint32_t first_iovec; /* first iovec of the payload */
	uint32_t nr_iovecs;   /* iovecs of the payload; 0 if it is small */
	uint32_t len;
};

struct message {
	struct uroce_route route; /* kept for the next message of this index */
	uint32_t dest_qpn;
	void *owner;
	uint32_t first_packet, nr_packets;
	uint32_t first_iovec, nr_iovecs;
	uint32_t segment_len; /* length of all packets but the last */
	uint32_t bytes;
	bool full; /* the last packet is shorter */
};

struct uroce_send_batch {
	bool no_gso;  /* the kernel or a NIC does not support it */
	bool no_many; /* sendmmsg() is forbidden */
	uint32_t nr_messages, nr_packets, nr_iovecs, nr_bytes, nr_refused;
	void *refused[MAX_REFUSED]; /* owners */
	struct message messages[MAX_MESSAGES];
	struct mmsghdr headers[MAX_MESSAGES]; /* one for each message */
	struct packet packets[MAX_PACKETS];
	struct iovec iovecs[MAX_BATCH_IOVECS];
	uint8_t bytes[MAX_OWN];
};

struct uroce_send_batch *uroce_udp_new_send(void)
{
	return calloc(1, sizeof(struct uroce_send_batch));
}

/* Return: the message to which a packet of @len bytes can be added, or NULL. */
static struct message *open_message(struct uroce_send_batch *batch,
				    const struct uroce_packet *packet,
				    uint32_t len, uint32_t nr_iov,
				    const void *owner)
{
	struct message *last;

	if (!batch->nr_messages || batch->no_gso)
		return NULL;
	last = &batch->messages[batch->nr_messages - 1];
	if (last->full || last->owner != owner ||
	    last->dest_qpn != packet->dest_qpn || len > last->segment_len ||
	    last->nr_packets >= MAX_SEGMENTS || last->bytes + len > MAX_BYTES ||
	    last->nr_iovecs + nr_iov + 2 > MAX_IOVECS ||
	    !uroce_route_is(&last->route, packet->path))
		return NULL;
	return last;
}

static struct message *new_message(struct uroce_port *port,
				   const struct uroce_packet *packet,
				   uint32_t len, void *owner)
{
	struct uroce_send_batch *batch = port->send;
	uint32_t i = batch->nr_messages++;
	struct message *message = &batch->messages[i];

	uroce_route_find(port, packet->path, &message->route);
	message->dest_qpn = packet->dest_qpn;
	message->owner = owner;
	message->first_packet = batch->nr_packets;
	message->first_iovec = batch->nr_iovecs;
	message->nr_packets = 0;
	message->nr_iovecs = 0;
	message->segment_len = len;
	message->bytes = 0;
	message->full = false;
	return message;
}

/* Lists the iovecs of one packet, from headers to tail: up to MAX_ALONE. */
static uint32_t list_iovecs(struct uroce_send_batch *batch,
			    const struct packet *packet, struct iovec *ret_iov)
{
	uint8_t *front = &batch->bytes[packet->first_byte];
	uint32_t nr = packet->nr_iovecs;

	ret_iov[0] = (struct iovec){ front, packet->front_len };
	memcpy(&ret_iov[1], &batch->iovecs[packet->first_iovec],
	       nr * sizeof(*ret_iov));
	ret_iov[nr + 1] =
		(struct iovec){ front + packet->front_len, packet->tail_len };
	return nr + 2;
}

/* Computes the ICRC and writes it to the end of the tail. */
static void message_add_icrc(struct uroce_send_batch *batch,
			     struct message *message, uint16_t ip_id,
			     const struct packet *packet)
{
	uint8_t *front = &batch->bytes[packet->first_byte];
	uint8_t *tail = front + packet->front_len;
	uint32_t pad = packet->tail_len - UROCE_ICRC_LEN;
	uint32_t reg;

	reg = uroce_icrc_begin(&message->route.icrc, ip_id, front,
			       packet->front_len, packet->len - UROCE_ICRC_LEN);
	for (uint32_t i = 0; i < packet->nr_iovecs; i++) {
		const struct iovec *iov =
			&batch->iovecs[packet->first_iovec + i];

		reg = uroce_crc32(reg, iov->iov_base, iov->iov_len);
	}
	if (pad)
		reg = uroce_crc32(reg, tail, pad);
	uroce_icrc_end(reg, tail + pad);
}

/* Describes a packet; copies a small payload behind the headers. */
static void build(struct uroce_send_batch *batch,
		  const struct uroce_packet *packet, uint32_t header_len,
		  const struct iovec *iov, uint32_t nr_iov,
		  struct packet *ret_built)
{
	uint8_t *front = &batch->bytes[batch->nr_bytes];
	uint8_t *end = front + header_len;
	bool small = packet->payload_len <= SMALL_BYTES;

	for (uint32_t i = 0; small && i < nr_iov; i++) {
		memcpy(end, iov[i].iov_base, iov[i].iov_len);
		end += iov[i].iov_len;
	}
	*ret_built = (struct packet){
		.first_byte = batch->nr_bytes,
		.front_len = (uint16_t)(end - front),
		.tail_len = (uint16_t)(uroce_wire_pad(packet->payload_len) +
				       UROCE_ICRC_LEN),
		.nr_iovecs = small ? 0 : nr_iov,
	};
	ret_built->len = header_len + packet->payload_len + ret_built->tail_len;
	memset(end, 0, MAX_TAIL);
}

/* Adds the next @len bytes of batch->bytes to the message. */
static void add_own(struct uroce_send_batch *batch, struct message *message,
		    uint32_t len)
{
	uint8_t *bytes = &batch->bytes[batch->nr_bytes];
	struct iovec *last;

	batch->nr_bytes += len;
	if (message->nr_iovecs) {
		last = &batch->iovecs[batch->nr_iovecs - 1];
		if ((uint8_t *)last->iov_base + last->iov_len == bytes) {
			last->iov_len += len;
			return;
		}
	}
	batch->iovecs[batch->nr_iovecs++] = (struct iovec){ bytes, len };
	message->nr_iovecs++;
}

static void add(struct uroce_send_batch *batch, struct message *message,
		struct packet *packet, const struct iovec *iov)
{
	uint32_t nr = packet->nr_iovecs;

	add_own(batch, message, packet->front_len);
	packet->first_iovec = batch->nr_iovecs;
	if (nr)
		memcpy(&batch->iovecs[batch->nr_iovecs], iov,
		       nr * sizeof(*iov));
	batch->nr_iovecs += nr;
	message->nr_iovecs += nr;
	add_own(batch, message, packet->tail_len);
	batch->nr_packets++;
	message->nr_packets++;
	message->bytes += packet->len;
	message->full = packet->len < message->segment_len;
}

static void send_capture(struct uroce_port *port, const struct message *message,
			 uint16_t ip_id, const struct packet *packet)
{
	struct iovec iov[MAX_ALONE];
	uint32_t nr = list_iovecs(port->send, packet, iov);

	uroce_pcap_write(port->pcap, &message->route.path, ip_id, iov, nr);
}

static bool send_has_room(const struct uroce_send_batch *batch, uint32_t nr_iov)
{
	return batch->nr_messages < MAX_MESSAGES &&
	       batch->nr_packets < MAX_PACKETS &&
	       batch->nr_iovecs + nr_iov + 2 <= MAX_BATCH_IOVECS &&
	       batch->nr_bytes + OWN_BYTES <= sizeof(batch->bytes);
}

/* Sends a full message: the receiver works while the next one is built. */
static void leave_if_full(struct uroce_port *port,
			  const struct message *message)
{
	if (message->nr_packets == MAX_SEGMENTS ||
	    message->bytes + message->segment_len > MAX_BYTES)
		uroce_port_flush(port);
}

/* Return: false if the packet is invalid and was dropped. */
static bool send_put(struct uroce_port *port, const struct uroce_packet *packet,
		     const struct iovec *iov, uint32_t nr_iov, void *owner)
{
	struct uroce_send_batch *batch = port->send;
	struct message *message;
	struct packet *built;
	uint16_t ip_id;
	int header_len;

	if (!send_has_room(batch, nr_iov))
		uroce_port_flush(port);
	built = &batch->packets[batch->nr_packets];
	header_len = uroce_wire_encode(packet, &batch->bytes[batch->nr_bytes]);
	port->counters.tx_datagrams++;
	if (header_len < 0 || packet->payload_len > UROCE_MAX_MTU ||
	    nr_iov > UROCE_PORT_MAX_PIECES) {
		port->counters.tx_failed++;
		return false;
	}
	build(batch, packet, (uint32_t)header_len, iov, nr_iov, built);
	message = open_message(batch, packet, built->len, built->nr_iovecs,
			       owner);
	if (!message)
		message = new_message(port, packet, built->len, owner);
	ip_id = (uint16_t)message->nr_packets;
	add(batch, message, built, iov);
	message_add_icrc(batch, message, ip_id, built);
	if (port->pcap)
		send_capture(port, message, ip_id, built);
	leave_if_full(port, message);
	return true;
}

void uroce_port_put(struct uroce_port *port, const struct uroce_packet *packet,
		    const struct iovec *iov, uint32_t nr_iov, void *owner)
{
	(void)send_put(port, packet, iov, nr_iov,
		       owner); /* counts an invalid one */
}

/* Return: how many full-length packets with one payload iovec still fit. */
static uint32_t count_more(const struct uroce_send_batch *batch,
			   const struct message *message)
{
	uint32_t nr = MAX_SEGMENTS - message->nr_packets;

	nr = min_u32(nr, (MAX_BYTES - message->bytes) / message->segment_len);
	nr = min_u32(nr, (MAX_IOVECS - message->nr_iovecs) / 2);
	nr = min_u32(nr, MAX_PACKETS - batch->nr_packets);
	nr = min_u32(nr, (MAX_BATCH_IOVECS - batch->nr_iovecs) / 2);
	return min_u32(nr, (uint32_t)(sizeof(batch->bytes) - batch->nr_bytes) /
				   OWN_BYTES);
}

/*
 * Adds a packet to @message. Its headers are those of the last packet except
 * for the PSN, and follow the tail of the last packet in batch->bytes.
 */
static void append(struct uroce_send_batch *batch, struct message *message,
		   uint32_t psn, struct iovec *payload)
{
	struct packet *packet = &batch->packets[batch->nr_packets++];
	struct iovec *iovecs = &batch->iovecs[batch->nr_iovecs];
	uint8_t *front = &batch->bytes[batch->nr_bytes];
	uint8_t *tail;

	*packet = packet[-1];
	tail = front + packet->front_len;
	memcpy(front, &batch->bytes[packet->first_byte], packet->front_len);
	uroce_wire_set_psn(front, psn);
	packet->first_byte = batch->nr_bytes;
	packet->first_iovec = batch->nr_iovecs;
	iovecs[-1].iov_len += packet->front_len;
	iovecs[0] = *payload;
	iovecs[1] = (struct iovec){ tail, packet->tail_len };
	batch->nr_iovecs += 2;
	batch->nr_bytes += (uint32_t)packet->front_len + packet->tail_len;
	message->nr_iovecs += 2;
	message->bytes += packet->len;
	message_add_icrc(batch, message, (uint16_t)message->nr_packets++,
			 packet);
}

/* Adds packets to the last message while they fit. Return: their number. */
static uint32_t append_run(struct uroce_port *port, uint32_t psn,
			   uint8_t *payload, uint32_t bytes, uint32_t nr)
{
	struct uroce_send_batch *batch = port->send;
	struct message *message;
	uint32_t first;

	if (!batch->nr_messages || batch->no_gso)
		return 0;
	message = &batch->messages[batch->nr_messages - 1];
	if (message->full)
		return 0;
	nr = min_u32(nr, count_more(batch, message));
	first = batch->nr_packets;
	for (uint32_t i = 0; i < nr; i++, payload += bytes)
		append(batch, message, psn + i,
		       &(struct iovec){ payload, bytes });
	port->counters.tx_datagrams += nr;
	for (uint32_t i = 0; i < nr && port->pcap; i++)
		send_capture(port, message,
			     (uint16_t)(first + i - message->first_packet),
			     &batch->packets[first + i]);
	leave_if_full(port, message);
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
		uint32_t done = 1;

		/* a small payload has no iovec of its own */
		if (send_put(port, &packet, &iov, 1, owner) &&
		    bytes > SMALL_BYTES)
			done += append_run(port, packet.psn + 1,
					   payload + bytes, bytes, nr - 1);
		packet.psn += done;
		payload += (size_t)done * bytes;
		nr -= done;
	}
}

/* Waits for room in the socket. Return: false after a time limit. */
static bool wait_for_room(int fd)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLOUT };

	for (int i = 0; i < MAX_WAITS; i++)
		if (poll(&poll_fd, 1, WAIT_MS) > 0)
			return true;
	return false;
}

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

		port->counters.tx_calls++;
		if (ret > 0)
			return ret;
		if (errno == EAGAIN && wait_for_room(fd))
			continue;
		if (errno != EINTR)
			return -errno;
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

/* Sends a message that the kernel refused, one datagram at a time. */
static void send_apart(struct uroce_port *port, struct message *message)
{
	struct uroce_send_batch *batch = port->send;
	struct iovec iov[MAX_ALONE];
	struct mmsghdr one = {};
	bool any = false, too_long = false;
	int ret;

	uroce_route_address(&message->route, &one.msg_hdr);
	for (uint32_t i = 0; i < message->nr_packets; i++) {
		const struct packet *packet =
			&batch->packets[message->first_packet + i];

		message_add_icrc(batch, message, 0, packet);
		one.msg_hdr.msg_iov = iov;
		one.msg_hdr.msg_iovlen = list_iovecs(batch, packet, iov);
		ret = send_some(port, message->route.fd, &one, 1);
		if (ret == 1) {
			any = true;
			continue;
		}
		note_failed(port, message, ret);
		if (ret == -EMSGSIZE)
			too_long = true;
	}
	/* a datagram passed, so GSO failed and not the route */
	if (any && !too_long)
		batch->no_gso = true;
}

static void finish_headers(struct uroce_send_batch *batch)
{
	for (uint32_t i = 0; i < batch->nr_messages; i++) {
		struct message *message = &batch->messages[i];
		struct msghdr *msg = &batch->headers[i].msg_hdr;

		uroce_route_address(&message->route, msg);
		msg->msg_iov = &batch->iovecs[message->first_iovec];
		msg->msg_iovlen = message->nr_iovecs;
		if (message->nr_packets > 1)
			uroce_route_cut(msg, message->segment_len);
	}
}

/* Each packet occupies a buffer of the kernel in addition to its bytes. */
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
		if (message->nr_packets > 1)
			send_apart(port, message);
		else
			note_failed(port, message, sent);
		at++;
	}
	batch->nr_messages = 0;
	batch->nr_packets = 0;
	batch->nr_iovecs = 0;
	batch->nr_bytes = 0;
}
