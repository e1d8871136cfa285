/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The yardsticks: plain UDP sockets on the same path. U is a ping-pong of 8
 * bytes between two spinning processes. G is a stream of datagrams of RoCEv2's
 * size, gathered from header, payload and ICRC, segmented by GSO and merged by
 * GRO; the receiver spins, a counter in shared memory implements the window,
 * and no CRC is computed. No protocol over a UDP socket can be faster. F is a
 * ping-pong of messages with the least work of RoCEv2 in addition: the socket
 * is not connected, since a connected one has unknown IP identifications, the
 * receiver gets addresses, TOS and TTL, and both copy with a CRC. No RoCEv2
 * over a UDP socket can be faster.
 */
#include "wire_rig.h"

#include <errno.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "uroce/wire/uroce_crc32.h"

#define PORT_OF(end, client) ((client) ? 47922 : 47921)
#define HEADER		     12 /* BTH */
#define ICRC		     4
#define MAX_SEGMENTS	     64
#define MAX_BYTES	     65507
#define WINDOW		     (128 * 1024)
/*
 * Data that has not arrived after this time is lost; the stream continues after
 * it.
 */
#define LOST_NS 200000000

/* The stream offset of the end of the following bytes. */
struct header {
	uint64_t end;
	uint32_t rest;
} __attribute__((packed));

static struct sockaddr_in peer_of(const struct wire_end *end)
{
	return (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_port = htons(PORT_OF(end, !end->client)),
		.sin_addr = wire_peer_ip(end),
	};
}

static int open_socket(const struct wire_end *end, bool connected)
{
	struct sockaddr_in own = {
		.sin_family = AF_INET,
		.sin_port = htons(PORT_OF(end, end->client)),
		.sin_addr = wire_own_ip(end),
	};
	struct sockaddr_in peer = peer_of(end);
	int type = SOCK_DGRAM | SOCK_CLOEXEC;
	int fd = wire_must(end, socket(AF_INET, type, 0), "UDP socket");
	int bytes = 4 << 20;

	wire_must(end, bind(fd, (struct sockaddr *)&own, sizeof(own)),
		  "UDP bind");
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
	wire_meet(end);
	if (connected)
		wire_must(end,
			  connect(fd, (struct sockaddr *)&peer, sizeof(peer)),
			  "UDP connect");
	return fd;
}

static void receive_small(const struct wire_end *end, int fd)
{
	uint64_t since_ns = wire_now_ns();
	char bytes[WIRE_SMALL];
	unsigned int spins = 0;

	while (recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT) < 0) {
		if (errno != EAGAIN)
			wire_die(end, "UDP recv");
		wire_check_time(end, since_ns, "UDP ping-pong");
		wire_spin(&spins);
	}
}

static void send_small(const struct wire_end *end, int fd, bool connected)
{
	static const char bytes[WIRE_SMALL];
	struct sockaddr_in peer = peer_of(end);
	ssize_t sent;

	if (connected)
		sent = send(fd, bytes, sizeof(bytes), 0);
	else
		sent = sendto(fd, bytes, sizeof(bytes), 0,
			      (struct sockaddr *)&peer, sizeof(peer));
	wire_must(end, (int)sent, "UDP send");
}

double wire_udp_latency(struct wire_end *end, bool connected, unsigned int nr)
{
	int fd = open_socket(end, connected);

	wire_meet(end);
	for (unsigned int i = 0; i < nr; i++) {
		uint64_t start_ns = wire_now_ns();

		if (!end->client)
			receive_small(end, fd);
		send_small(end, fd, connected);
		if (end->client)
			receive_small(end, fd);
		end->trip_us[i] = (double)(wire_now_ns() - start_ns) / 2e3;
	}
	wire_meet(end);
	(void)close(fd);
	return wire_median(end->trip_us, nr);
}

/* ------------------------------------------------------------------------ */
/* G, and messages of several datagrams                                      */
/* ------------------------------------------------------------------------ */

/* Ancillary data of sendmsg(): the size of a segment. */
union segment_control {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(sizeof(uint16_t))];
};

/* Sets the size of the datagrams that GSO cuts @msg into. */
static void set_segment(struct msghdr *msg, union segment_control *control,
			uint16_t segment)
{
	msg->msg_control = control->bytes;
	msg->msg_controllen = sizeof(control->bytes);
	control->align.cmsg_level = IPPROTO_UDP;
	control->align.cmsg_type = UDP_SEGMENT;
	control->align.cmsg_len = CMSG_LEN(sizeof(segment));
	memcpy(CMSG_DATA(&control->align), &segment, sizeof(segment));
}

static void set_gro(const struct wire_end *end, int fd)
{
	int on = 1;

	wire_must(end, setsockopt(fd, IPPROTO_UDP, UDP_GRO, &on, sizeof(on)),
		  "UDP_GRO");
}

/* Sends one call's batch, from stream offset @at on. Return: its payload. */
static uint32_t send_batch(const struct wire_end *end, int fd, uint64_t at,
			   uint64_t total, uint32_t payload)
{
	static char source[WIRE_MESSAGE];
	static struct header headers[MAX_SEGMENTS];
	static char icrc[ICRC];
	struct iovec iov[3 * MAX_SEGMENTS];
	union segment_control control = {};
	struct msghdr msg = { .msg_iov = iov };
	uint16_t segment = (uint16_t)(HEADER + payload + ICRC);
	uint32_t nr = MAX_BYTES / segment;
	uint32_t from = (uint32_t)(at % sizeof(source));

	if (nr > MAX_SEGMENTS)
		nr = MAX_SEGMENTS;
	if (nr > (total - at) / payload)
		nr = (uint32_t)((total - at) / payload);
	if (nr > (sizeof(source) - from) / payload)
		nr = (uint32_t)((sizeof(source) - from) / payload);
	for (uint32_t i = 0; i < nr; i++) {
		headers[i].end = at + (i + 1) * payload;
		iov[3 * i] = (struct iovec){ &headers[i], HEADER };
		iov[3 * i + 1] =
			(struct iovec){ source + from + i * payload, payload };
		iov[3 * i + 2] = (struct iovec){ icrc, ICRC };
	}
	msg.msg_iovlen = 3 * nr;
	if (nr > 1)
		set_segment(&msg, &control, segment);
	wire_must(end, (int)sendmsg(fd, &msg, 0), "UDP sendmsg with GSO");
	return nr * payload;
}

/* Waits until @at is within the window; lost data is given up. */
static void wait_for_window(const struct wire_end *end, uint64_t at,
			    uint64_t allowed)
{
	uint64_t *arrived = &end->shared->arrived;
	uint64_t last = __atomic_load_n(arrived, __ATOMIC_ACQUIRE), now = last;
	uint64_t since_ns = wire_now_ns();
	unsigned int spins = 0;

	while (at - now > allowed) {
		wire_spin(&spins);
		now = __atomic_load_n(arrived, __ATOMIC_ACQUIRE);
		if (now != last) {
			last = now;
			since_ns = wire_now_ns();
			spins = 0;
		} else if (wire_now_ns() - since_ns > LOST_NS) {
			__atomic_store_n(arrived, at, __ATOMIC_RELEASE);
			return;
		}
	}
}

static void send_stream(const struct wire_end *end, int fd, uint32_t payload,
			uint64_t total)
{
	uint64_t at = 0;

	while (at < total) {
		wait_for_window(end, at, WINDOW);
		at += send_batch(end, fd, at, total, payload);
	}
	wait_for_window(end, at, 0);
}

static void receive_stream(const struct wire_end *end, int fd, uint32_t payload,
			   uint64_t total)
{
	static char buffer[65536];
	uint64_t *arrived = &end->shared->arrived;
	size_t segment = HEADER + payload + ICRC;
	unsigned int spins = 0;

	while (__atomic_load_n(arrived, __ATOMIC_RELAXED) < total) {
		ssize_t got = recv(fd, buffer, sizeof(buffer), MSG_DONTWAIT);
		struct header header;

		if (got < (ssize_t)segment) {
			wire_spin(&spins);
			continue;
		}
		spins = 0;
		/* the last of the datagrams that GRO has merged */
		memcpy(&header, buffer + got - segment, sizeof(header));
		__atomic_store_n(arrived, header.end, __ATOMIC_RELEASE);
	}
}

double wire_udp_rate(struct wire_end *end, uint32_t payload, unsigned int nr)
{
	uint64_t total = (uint64_t)nr * WIRE_MESSAGE;
	int fd = open_socket(end, true);
	uint64_t start_ns;

	end->shared->arrived = 0;
	set_gro(end, fd);
	wire_meet(end);
	start_ns = wire_now_ns();
	if (end->client)
		send_stream(end, fd, payload, total);
	else
		receive_stream(end, fd, payload, total);
	start_ns = wire_now_ns() - start_ns;
	wire_meet(end);
	(void)close(fd);
	return (double)total / (double)start_ns;
}

/*
 * A message as datagrams of @segment bytes, with as few calls as possible.
 * @peer: of a socket that is not connected; else NULL
 */
static void send_segments(const struct wire_end *end, int fd, char *buffer,
			  uint32_t len, uint16_t segment,
			  struct sockaddr_in *peer)
{
	uint32_t nr = MAX_BYTES / segment, most;

	most = (nr < MAX_SEGMENTS ? nr : MAX_SEGMENTS) * segment;
	while (len) {
		struct iovec iov = { buffer, len < most ? len : most };
		union segment_control control = {};
		struct msghdr msg = {
			.msg_name = peer,
			.msg_namelen = peer ? sizeof(*peer) : 0,
			.msg_iov = &iov,
			.msg_iovlen = 1,
		};

		if (iov.iov_len > segment)
			set_segment(&msg, &control, segment);
		wire_must(end, (int)sendmsg(fd, &msg, 0), "UDP sendmsg");
		buffer += iov.iov_len;
		len -= (uint32_t)iov.iov_len;
	}
}

static void receive_segments(const struct wire_end *end, int fd, uint32_t len)
{
	static char buffer[65536];
	uint64_t since_ns = wire_now_ns();
	unsigned int spins = 0;

	while (len) {
		ssize_t got = recv(fd, buffer, sizeof(buffer), MSG_DONTWAIT);

		if (got > (ssize_t)len)
			wire_die(end, "UDP message");
		if (got > 0) {
			len -= (uint32_t)got;
			continue;
		}
		wire_check_time(end, since_ns, "UDP ping-pong with GSO");
		wire_spin(&spins);
	}
}

double wire_gso_latency(struct wire_end *end, uint32_t bytes, uint32_t payload,
			unsigned int nr)
{
	static char buffer[2 * WIRE_MESSAGE];
	uint16_t segment = (uint16_t)(HEADER + payload + ICRC);
	uint32_t nr_datagrams = (bytes + payload - 1) / payload;
	uint32_t len = bytes + nr_datagrams * (HEADER + ICRC);
	int fd = open_socket(end, true);

	set_gro(end, fd);
	wire_meet(end);
	for (unsigned int i = 0; i < nr; i++) {
		uint64_t start_ns = wire_now_ns();

		if (!end->client)
			receive_segments(end, fd, len);
		send_segments(end, fd, buffer, len, segment, NULL);
		if (end->client)
			receive_segments(end, fd, len);
		end->trip_us[i] = (double)(wire_now_ns() - start_ns) / 2e3;
	}
	wire_meet(end);
	(void)close(fd);
	return wire_median(end->trip_us, nr);
}

/* ------------------------------------------------------------------------ */
/* F: the floor of RoCEv2                                                    */
/* ------------------------------------------------------------------------ */

static void set_metadata(const struct wire_end *end, int fd)
{
	int on = 1;

	wire_must(end, setsockopt(fd, IPPROTO_IP, IP_PKTINFO, &on, sizeof(on)),
		  "IP_PKTINFO");
	wire_must(end, setsockopt(fd, IPPROTO_IP, IP_RECVTOS, &on, sizeof(on)),
		  "IP_RECVTOS");
	wire_must(end, setsockopt(fd, IPPROTO_IP, IP_RECVTTL, &on, sizeof(on)),
		  "IP_RECVTTL");
}

/* Makes the datagrams of a message. Return: their bytes. */
static uint32_t fill_packets(char *packets, const char *source, uint32_t bytes,
			     uint32_t payload)
{
	char *at = packets;

	for (; bytes; bytes -= payload, source += payload) {
		uint32_t crc;

		if (payload > bytes)
			payload = bytes;
		memset(at, 0, HEADER);
		crc = uroce_crc32(UINT32_MAX, at, HEADER);
		crc = uroce_crc32_copy(crc, at + HEADER, source, payload);
		memcpy(at + HEADER + payload, &crc, ICRC);
		at += HEADER + payload + ICRC;
	}
	return (uint32_t)(at - packets);
}

/* Checks the datagrams of @len bytes. Return: bytes of payload. */
static uint32_t take_packets(const struct wire_end *end, char *target,
			     const char *packets, uint32_t len,
			     uint32_t segment)
{
	uint32_t done = 0;

	for (; len; len -= segment, packets += segment) {
		uint32_t payload, crc;

		if (segment > len)
			segment = len;
		payload = segment - HEADER - ICRC;
		crc = uroce_crc32(UINT32_MAX, packets, HEADER);
		crc = uroce_crc32_copy(crc, target + done, packets + HEADER,
				       payload);
		if (memcmp(&crc, packets + HEADER + payload, ICRC) != 0)
			wire_die(end, "CRC of a UDP message");
		done += payload;
	}
	return done;
}

static void receive_packets(const struct wire_end *end, int fd, char *target,
			    uint32_t bytes, uint32_t segment)
{
	static char packets[65536], control[256];
	uint64_t since_ns = wire_now_ns();
	unsigned int spins = 0;

	while (bytes) {
		struct iovec iov = { packets, sizeof(packets) };
		struct sockaddr_in from;
		struct msghdr msg = {
			.msg_name = &from,
			.msg_namelen = sizeof(from),
			.msg_iov = &iov,
			.msg_iovlen = 1,
			.msg_control = control,
			.msg_controllen = sizeof(control),
		};
		ssize_t got = recvmsg(fd, &msg, MSG_DONTWAIT);

		if (got > 0) {
			uint32_t done = take_packets(end, target, packets,
						     (uint32_t)got, segment);

			target += done;
			bytes -= done;
			continue;
		}
		wire_check_time(end, since_ns, "ping-pong with CRC");
		wire_spin(&spins);
	}
}

double wire_floor_latency(struct wire_end *end, uint32_t bytes,
			  uint32_t payload, unsigned int nr)
{
	static char source[WIRE_MESSAGE], target[WIRE_MESSAGE];
	static char packets[2 * WIRE_MESSAGE];
	uint16_t segment = (uint16_t)(HEADER + payload + ICRC);
	int fd = open_socket(end, false);
	struct sockaddr_in peer = peer_of(end);

	uroce_crc32_init();
	set_gro(end, fd);
	set_metadata(end, fd);
	wire_meet(end);
	for (unsigned int i = 0; i < nr; i++) {
		uint64_t start_ns = wire_now_ns();

		if (!end->client)
			receive_packets(end, fd, target, bytes, segment);
		send_segments(end, fd, packets,
			      fill_packets(packets, source, bytes, payload),
			      segment, &peer);
		if (end->client)
			receive_packets(end, fd, target, bytes, segment);
		end->trip_us[i] = (double)(wire_now_ns() - start_ns) / 2e3;
	}
	wire_meet(end);
	(void)close(fd);
	return wire_median(end->trip_us, nr);
}

/* Messages of @bytes, of which a window is in flight, as in G. */
double wire_floor_rate(struct wire_end *end, uint32_t bytes, uint32_t payload,
		       unsigned int nr)
{
	static char source[WIRE_MESSAGE], target[WIRE_MESSAGE];
	static char packets[2 * WIRE_MESSAGE];
	uint16_t segment = (uint16_t)(HEADER + payload + ICRC);
	uint64_t total = (uint64_t)nr * bytes, at = 0, start_ns;
	int fd = open_socket(end, false);
	struct sockaddr_in peer = peer_of(end);

	uroce_crc32_init();
	end->shared->arrived = 0;
	set_gro(end, fd);
	set_metadata(end, fd);
	wire_meet(end);
	start_ns = wire_now_ns();
	for (; at < total; at += bytes) {
		if (end->client) {
			wait_for_window(end, at, WINDOW);
			send_segments(
				end, fd, packets,
				fill_packets(packets, source, bytes, payload),
				segment, &peer);
		} else {
			receive_packets(end, fd, target, bytes, segment);
			__atomic_store_n(&end->shared->arrived, at + bytes,
					 __ATOMIC_RELEASE);
		}
	}
	if (end->client)
		wait_for_window(end, total, 0);
	start_ns = wire_now_ns() - start_ns;
	wire_meet(end);
	(void)close(fd);
	return (double)total / (double)start_ns;
}
