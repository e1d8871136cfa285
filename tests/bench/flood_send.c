/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sends datagrams to a host at a constant rate, for flood_bench.sh:
 *
 *   flood_send mads|udp SOURCE DESTINATION PACKETS_PER_SECOND
 *
 * "mads" sends RoCEv2 packets to QP 1: connection requests (IBTA 12.6.5) to a
 * service id without a listener, each from a communication id of its own.
 * "udp" sends the same bytes to UDP port 9. Both fill in the IP header, whose
 * identification the ICRC covers, so the caller needs CAP_NET_RAW. Ends with a
 * signal; prints the number of packets when the first second is over.
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "uroce/wire/uroce_bytes.h"
#include "uroce/wire/uroce_crc32.h"
#include "uroce/wire/uroce_icrc.h"
#include "uroce/wire/uroce_wire.h"

enum {
	IDS = 4096, /* different packets, sent in turns */
	BATCH = 64, /* packets of a system call */
	IP_HEADER = 20,
	UDP_HEADER = 8,
	HEADERS = IP_HEADER + UDP_HEADER,
	IP_ID = 1,
	SOURCE_PORT = 50000,
	CM_CLASS = 7,
	CM_CLASS_VERSION = 2,
	METHOD_SEND = 3,
	CM_REQ = 0x10,
	UNUSED_PORT = 9,
};

struct datagram {
	uint8_t bytes[HEADERS + UROCE_MAX_HEADER + UROCE_MAD_BYTES +
		      UROCE_ICRC_LEN];
	size_t len;
};

static struct datagram datagrams[IDS];

/* A connection request to port 1 of the port space of TCP. */
static void make_req(uint8_t mad[UROCE_MAD_BYTES], uint32_t comm_id)
{
	memset(mad, 0, UROCE_MAD_BYTES);
	mad[0] = 1; /* base version */
	mad[1] = CM_CLASS;
	mad[2] = CM_CLASS_VERSION;
	mad[3] = METHOD_SEND;
	uroce_put32(mad + 12, comm_id); /* transaction id */
	uroce_put16(mad + 16, CM_REQ);
	uroce_put32(mad + 24, comm_id);
	uroce_put32(mad + 36, 0x01060001); /* low half of the service id */
}

static void make_ip(uint8_t *ip, size_t len, struct in_addr source,
		    struct in_addr destination, uint16_t port)
{
	ip[0] = 0x45;
	uroce_put16(ip + 2, (uint16_t)len);
	uroce_put16(ip + 4, IP_ID);
	uroce_put16(ip + 6, 0x4000); /* do not fragment */
	ip[8] = 64;
	ip[9] = IPPROTO_UDP;
	memcpy(ip + 12, &source, sizeof(source));
	memcpy(ip + 16, &destination, sizeof(destination));
	uroce_put16(ip + IP_HEADER, SOURCE_PORT);
	uroce_put16(ip + IP_HEADER + 2, port);
	uroce_put16(ip + IP_HEADER + 4, (uint16_t)(len - IP_HEADER));
}

static void map_address(uint8_t gid[16], struct in_addr address)
{
	memset(gid, 0, 16);
	memset(gid + 10, 0xff, 2);
	memcpy(gid + 12, &address, sizeof(address));
}

static void make_datagram(struct datagram *datagram, struct in_addr source,
			  struct in_addr destination, uint16_t port,
			  uint32_t comm_id)
{
	struct uroce_path path = { .sport = SOURCE_PORT, .hop_limit = 64 };
	struct uroce_packet packet = {
		.opcode = UROCE_UD | UROCE_SEND_ONLY,
		.pkey = 0xffff,
		.dest_qpn = 1,
		.psn = comm_id,
		.qkey = UROCE_GSI_QKEY,
		.src_qpn = 1,
		.payload_len = UROCE_MAD_BYTES,
	};
	uint8_t *bth = datagram->bytes + HEADERS;
	uint8_t *mad;
	uint32_t reg;
	int headers;

	map_address(path.sgid, source);
	map_address(path.dgid, destination);
	headers = uroce_wire_encode(&packet, bth);
	mad = bth + headers;
	make_req(mad, comm_id);
	reg = uroce_icrc_start(&path, IP_ID, bth, (uint32_t)headers,
			       UROCE_MAD_BYTES);
	reg = uroce_crc32(reg, mad, UROCE_MAD_BYTES);
	uroce_icrc_end(reg, mad + UROCE_MAD_BYTES);
	datagram->len = (size_t)(mad - datagram->bytes) + UROCE_MAD_BYTES +
			UROCE_ICRC_LEN;
	make_ip(datagram->bytes, datagram->len, source, destination, port);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void send_batch(int fd, const struct sockaddr_in *to,
		       unsigned long first)
{
	struct mmsghdr messages[BATCH] = { 0 };
	struct iovec iov[BATCH];
	int i, sent;

	for (i = 0; i < BATCH; i++) {
		struct datagram *datagram =
			&datagrams[(first + (unsigned long)i) % IDS];

		iov[i].iov_base = datagram->bytes;
		iov[i].iov_len = datagram->len;
		messages[i].msg_hdr.msg_name = (void *)to;
		messages[i].msg_hdr.msg_namelen = sizeof(*to);
		messages[i].msg_hdr.msg_iov = &iov[i];
		messages[i].msg_hdr.msg_iovlen = 1;
	}
	for (i = 0; i < BATCH; i += sent) {
		sent = sendmmsg(fd, messages + i, (unsigned int)(BATCH - i), 0);
		if (sent < 0 && errno == ENOBUFS)
			sent = 1;
		else if (sent < 0)
			err(1, "sendmmsg");
	}
}

int main(int argc, char **argv)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	struct in_addr source;
	unsigned long nr = 0;
	bool reported = false;
	double rate, start;
	uint16_t port;
	uint32_t i;
	int fd;

	if (argc != 5 || inet_pton(AF_INET, argv[2], &source) != 1 ||
	    inet_pton(AF_INET, argv[3], &to.sin_addr) != 1)
		errx(2, "usage: flood_send mads|udp SOURCE DESTINATION RATE");
	port = strcmp(argv[1], "mads") ? UNUSED_PORT : UROCE_UDP_PORT;
	rate = atof(argv[4]);
	uroce_icrc_init();
	for (i = 0; i < IDS; i++)
		make_datagram(&datagrams[i], source, to.sin_addr, port, i + 1);
	fd = socket(AF_INET, SOCK_RAW, IPPROTO_RAW);
	if (fd < 0)
		err(1, "socket");
	start = now();
	for (;;) {
		double ahead = (double)nr / rate - (now() - start);

		if (ahead > 0) {
			struct timespec wait = { 0, (long)(ahead * 1e9) };

			nanosleep(&wait, NULL);
		}
		send_batch(fd, &to, nr);
		nr += BATCH;
		if (!reported && now() - start >= 1) {
			printf("%lu\n", nr);
			fflush(stdout);
			reported = true;
		}
	}
}
