/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * identify RANDOM_PACKETS GID_INDEX - how much the ICRC of IPv4 verifies.
 *
 * A UD queue pair on the loopback interface receives packets of ordinary UDP
 * sockets with addresses from 127.1.0.0/16. Each packet has the ICRC of a
 * sender with a chosen IP identification and DF. (A UDP socket has no influence
 * on the real ones, but the receiver cannot see those.) Sources use a kind of
 * identification each; the program counts which other packets are accepted.
 * All packets are from a fixed seed.
 */
#define _GNU_SOURCE
#include "peer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sched.h>

#define PORT	     4791
#define SPORT	     50000
#define NR_RECEIVES  512
#define GRH_LEN	     40
#define QKEY	     0x1234
#define MAX_UNREAD   64 /* so that the socket of the device has room */
#define WAIT_US	     10000000
#define NR_IDS	     (1 << 17) /* identifications, with and without DF */
#define MAX_ACCEPTED 256       /* 24 bits of 32 */
#define MARK	     1	       /* tags: end of packets, */
#define ORDERED	     2	       /* in the order of the source, */
#define OTHER	     3	       /* any other */
#define NR_TAGS	     4
#define BTH_LEN	     12
#define DETH_LEN     8
#define PACKET_LEN   (BTH_LEN + DETH_LEN + 4 + 4) /* payload, ICRC */
#define PSEUDO_LEN   (8 + 20 + 8)		  /* before the BTH */
#define UD_SEND_ONLY 0x64

enum kind {
	SEGMENT,
	COUNTER,
	COUNTER_NO_DF,
	CONSTANT,
	NR_KINDS,
};

static const char *const kinds[NR_KINDS] = {
	"number of a segment",
	"counter",
	"counter without DF",
	"constant",
};

struct source {
	int fd;
	uint32_t addr; /* host order */
	enum kind kind;
	uint16_t next_id;
};

struct receiver {
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	unsigned char *memory;
	struct sockaddr_in to;
	unsigned int unread;
	uint32_t accepted[NR_TAGS];
};

static struct receiver receiver;
static struct source marker;
static uint64_t seed = 99;

/* rndvmix64 */
static uint64_t next_random(void)
{
	uint64_t x = (seed += UINT64_C(0x9e3779b97f4a7c15));

	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

static uint32_t crc32_of(const uint8_t *bytes, size_t len)
{
	uint32_t reg = UINT32_MAX;

	for (size_t i = 0; i < len; i++) {
		reg ^= bytes[i];
		for (int bit = 0; bit < 8; bit++)
			reg = reg >> 1 ^ (reg & 1 ? 0xedb88320 : 0);
	}
	return ~reg;
}

static void put_be(uint8_t *pos, uint32_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		pos[i] = (uint8_t)(value >> 8 * (bytes - 1 - i));
}

/* The ICRC of @packet with its headers, mutable fields as ones (IBTA A17.3.3).
 */
static uint32_t icrc_of(const struct source *source, const uint8_t *packet,
			uint16_t ip_id, bool df)
{
	uint8_t bytes[PSEUDO_LEN + PACKET_LEN];
	uint8_t *ip = bytes + 8, *udp = ip + 20;

	memset(bytes, 0xff, PSEUDO_LEN);
	ip[0] = 0x45;
	put_be(ip + 2, 28 + PACKET_LEN, 2);
	put_be(ip + 4, ip_id, 2);
	put_be(ip + 6, df ? 0x4000 : 0, 2);
	ip[9] = IPPROTO_UDP;
	put_be(ip + 12, source->addr, 4);
	put_be(ip + 16, ntohl(receiver.to.sin_addr.s_addr), 4);
	put_be(udp, SPORT, 2);
	put_be(udp + 2, PORT, 2);
	put_be(udp + 4, 8 + PACKET_LEN, 2);
	memcpy(bytes + PSEUDO_LEN, packet, PACKET_LEN);
	bytes[PSEUDO_LEN + 4] = 0xff; /* FECN, BECN */
	return crc32_of(bytes, PSEUDO_LEN + PACKET_LEN - 4);
}

static void fill_packet(uint8_t *packet, uint32_t tag)
{
	memset(packet, 0, PACKET_LEN);
	packet[0] = UD_SEND_ONLY;
	put_be(packet + 2, 0xffff, 2);
	put_be(packet + 5, receiver.qp->qp_num, 3);
	put_be(packet + BTH_LEN, QKEY, 4);
	put_be(packet + BTH_LEN + 5, 0x11, 3);
	memcpy(packet + BTH_LEN + DETH_LEN, &tag, sizeof(tag));
}

static void post_receive(uint64_t slot)
{
	peer_receive(receiver.qp, receiver.mr, slot,
		     receiver.memory + slot * (GRH_LEN + 4), GRH_LEN + 4);
}

/* Returns the tag of a received packet, or 0 if there is none. */
static uint32_t poll_tag(void)
{
	struct ibv_wc wc;
	uint32_t tag;
	int nr = ibv_poll_cq(receiver.cq, 1, &wc);

	NEED(nr >= 0);
	if (!nr)
		return 0;
	NEED(wc.status == IBV_WC_SUCCESS && wc.byte_len == GRH_LEN + 4);
	memcpy(&tag, receiver.memory + wc.wr_id * (GRH_LEN + 4) + GRH_LEN,
	       sizeof(tag));
	NEED(tag && tag < NR_TAGS);
	receiver.accepted[tag]++;
	post_receive(wc.wr_id);
	return tag;
}

static void send_icrc(const struct source *source, uint8_t *packet,
		      uint32_t icrc)
{
	memcpy(packet + PACKET_LEN - 4, &icrc, sizeof(icrc));
	NEED(sendto(source->fd, packet, PACKET_LEN, 0,
		    (struct sockaddr *)&receiver.to,
		    sizeof(receiver.to)) == PACKET_LEN);
}

/* Packets of a socket, and those of sockets on one processor, are in order. */
static void read_all(void)
{
	uint64_t until_us = peer_now_us() + WAIT_US;
	uint8_t packet[PACKET_LEN];

	fill_packet(packet, MARK);
	send_icrc(&marker, packet, icrc_of(&marker, packet, 0, true));
	while (poll_tag() != MARK)
		NEED(peer_now_us() < until_us);
	receiver.unread = 0;
}

static void count_sent(void)
{
	if (++receiver.unread == MAX_UNREAD)
		read_all();
}

static void send_id(const struct source *source, uint32_t tag, uint16_t ip_id,
		    bool df)
{
	uint8_t packet[PACKET_LEN];

	fill_packet(packet, tag);
	send_icrc(source, packet, icrc_of(source, packet, ip_id, df));
	count_sent();
}

static void send_random_icrc(const struct source *source)
{
	uint8_t packet[PACKET_LEN];

	fill_packet(packet, OTHER);
	send_icrc(source, packet, (uint32_t)next_random());
	count_sent();
}

/* A single-bit error, which no identification explains. */
static void send_damaged(const struct source *source)
{
	uint8_t packet[PACKET_LEN];
	uint32_t icrc;

	fill_packet(packet, OTHER);
	icrc = icrc_of(source, packet, source->next_id, true);
	packet[BTH_LEN + DETH_LEN] ^= 1;
	send_icrc(source, packet, icrc);
	count_sent();
}

static void send_ordered(struct source *source, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++) {
		uint16_t ip_id = source->next_id;

		if (source->kind == SEGMENT)
			ip_id = (uint16_t)(i % 64);
		else if (source->kind != CONSTANT)
			source->next_id++;
		send_id(source, ORDERED, ip_id, source->kind != COUNTER_NO_DF);
	}
}

/* Returns how many of the packets sent since the last call were accepted. */
static uint32_t take_accepted(uint32_t tag)
{
	uint32_t nr;

	read_all();
	nr = receiver.accepted[tag];
	receiver.accepted[tag] = 0;
	return nr;
}

static struct source source_new(enum kind kind)
{
	static uint32_t nr;
	struct source source = {
		.fd = socket(AF_INET, SOCK_DGRAM, 0),
		.addr = 0x7f010001 + nr++,
		.kind = kind,
		.next_id = (uint16_t)(0x4321 * nr),
	};
	struct sockaddr_in from = {
		.sin_family = AF_INET,
		.sin_port = htons(SPORT),
		.sin_addr.s_addr = htonl(source.addr),
	};

	NEED(source.fd >= 0);
	NEED(bind(source.fd, (struct sockaddr *)&from, sizeof(from)) == 0);
	return source;
}

static void source_end(struct source *source)
{
	NEED(close(source->fd) == 0);
}

/*
 * Sends a packet with each of the 2^17 identifications and DF of which an ICRC
 * can be, among other wrong packets. The share that is accepted is that of
 * random ICRCs that are accepted.
 */
static void test_every_id(enum kind kind)
{
	struct source source = source_new(kind);
	uint32_t nr, nr_ordered;

	send_ordered(&source, 20);
	NEED(take_accepted(ORDERED) == 20);
	for (uint32_t i = 0; i < NR_IDS; i++) {
		uint32_t id = (i * 40503u + 7) % NR_IDS;

		send_damaged(&source);
		send_id(&source, OTHER, (uint16_t)id, id >> 16);
		if (i % 16 == 15)
			send_ordered(&source, 3);
	}
	nr = take_accepted(OTHER);
	(void)take_accepted(ORDERED);
	send_ordered(&source, 20);
	nr_ordered = take_accepted(ORDERED);
	printf("%s: %u of %u identifications are accepted, 1 of %.0f ICRCs\n",
	       kinds[kind], nr, NR_IDS, 4294967296.0 / nr);
	NEED(nr <= MAX_ACCEPTED && nr_ordered >= 19);
	source_end(&source);
}

static void test_random_icrcs(enum kind kind, long nr_packets)
{
	struct source source = source_new(kind);
	uint32_t nr;

	send_ordered(&source, 20);
	NEED(take_accepted(ORDERED) == 20);
	for (long i = 0; i < nr_packets; i++) {
		send_random_icrc(&source);
		if (i % 1024 == 1023)
			send_ordered(&source, 3);
	}
	nr = take_accepted(OTHER);
	printf("%s: %u of %ld random ICRCs are accepted\n", kinds[kind], nr,
	       nr_packets);
	NEED(nr <= (uint32_t)(nr_packets >> 24) + 3);
	NEED(take_accepted(ORDERED) > 0);
	source_end(&source);
}

/* A restart, or many lost packets: one more packet is lost. */
static void test_restart(enum kind kind)
{
	struct source source = source_new(kind);

	send_ordered(&source, 20);
	source.next_id = (uint16_t)(source.next_id + 30000);
	send_ordered(&source, 20);
	NEED(take_accepted(ORDERED) == (kind == SEGMENT ? 40 : 39));
	source.kind = kind == COUNTER_NO_DF ? COUNTER : COUNTER_NO_DF;
	send_ordered(&source, 20);
	NEED(take_accepted(ORDERED) == 19);
	source.kind = SEGMENT;
	send_ordered(&source, 20);
	NEED(take_accepted(ORDERED) == 20);
	source_end(&source);
}

static void test_loss_and_reordering(void)
{
	struct source source = source_new(COUNTER);
	uint32_t nr = 0;

	for (int i = 0; i < 1000; i++) {
		/* pairs in the wrong order, then 90 are lost */
		for (unsigned int j = 0; j < 10; j++, nr++)
			send_id(&source, ORDERED,
				(uint16_t)(source.next_id + (j ^ 1)), true);
		source.next_id = (uint16_t)(source.next_id + 100);
	}
	NEED(take_accepted(ORDERED) == nr);
	source_end(&source);
}

/* More than are remembered. */
static void test_many_sources(void)
{
	static struct source sources[400];
	const unsigned int nr = sizeof(sources) / sizeof(sources[0]);

	for (unsigned int i = 0; i < nr; i++)
		sources[i] = source_new(i & 1 ? COUNTER : COUNTER_NO_DF);
	for (int round = 0; round < 20; round++)
		for (unsigned int i = 0; i < nr; i++)
			send_ordered(&sources[i], 1);
	NEED(take_accepted(ORDERED) == 20 * nr);
	for (unsigned int i = 0; i < nr; i++)
		source_end(&sources[i]);
}

/* In no order: after a few packets all are accepted. */
static void test_no_order(void)
{
	struct source source = source_new(COUNTER);

	for (int i = 0; i < 2000; i++)
		send_id(&source, ORDERED, (uint16_t)next_random(), true);
	NEED(take_accepted(ORDERED) >= 1990);
	send_damaged(&source);
	for (int i = 0; i < 1000; i++)
		send_id(&source, ORDERED, (uint16_t)next_random(), true);
	NEED(take_accepted(ORDERED) >= 990);
	NEED(take_accepted(OTHER) == 0);
	source_end(&source);
}

static void receiver_init(void)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT,
				    .port_num = 1,
				    .qkey = QKEY };
	struct ibv_qp_init_attr init = {
		.cap = { .max_send_wr = 1,
			 .max_recv_wr = NR_RECEIVES,
			 .max_send_sge = 1,
			 .max_recv_sge = 1 },
		.qp_type = IBV_QPT_UD,
	};
	union ibv_gid gid;

	NEED(ibv_query_gid(peer_ctx, 1, peer_gid_index, &gid) == 0);
	receiver.to.sin_family = AF_INET;
	receiver.to.sin_port = htons(PORT);
	memcpy(&receiver.to.sin_addr, gid.raw + 12, 4);
	receiver.memory = calloc(NR_RECEIVES, GRH_LEN + 4);
	NEED(receiver.memory);
	receiver.mr = ibv_reg_mr(peer_pd, receiver.memory,
				 NR_RECEIVES * (GRH_LEN + 4),
				 IBV_ACCESS_LOCAL_WRITE);
	NEED(receiver.mr);
	receiver.cq = ibv_create_cq(peer_ctx, NR_RECEIVES + 1, NULL, NULL, 0);
	NEED(receiver.cq);
	init.send_cq = receiver.cq;
	init.recv_cq = receiver.cq;
	receiver.qp = ibv_create_qp(peer_pd, &init);
	NEED(receiver.qp);
	NEED(ibv_modify_qp(receiver.qp, &attr,
			   IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				   IBV_QP_QKEY) == 0);
	attr.qp_state = IBV_QPS_RTR;
	NEED(ibv_modify_qp(receiver.qp, &attr, IBV_QP_STATE) == 0);
	for (uint64_t slot = 0; slot < NR_RECEIVES; slot++)
		post_receive(slot);
}

static void receiver_fini(void)
{
	NEED(ibv_destroy_qp(receiver.qp) == 0);
	NEED(ibv_destroy_cq(receiver.cq) == 0);
	NEED(ibv_dereg_mr(receiver.mr) == 0);
	free(receiver.memory);
}

static void use_one_processor(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(sched_getcpu(), &set);
	NEED(sched_setaffinity(0, sizeof(set), &set) == 0);
}

int main(int argc, char **argv)
{
	long nr_packets;

	NEED(argc == 3);
	nr_packets = strtol(argv[1], NULL, 10);
	use_one_processor();
	peer_open(atoi(argv[2]));
	receiver_init();
	marker = source_new(SEGMENT);
	for (int kind = 0; kind < NR_KINDS; kind++) {
		test_every_id((enum kind)kind);
		test_restart((enum kind)kind);
	}
	test_random_icrcs(SEGMENT, nr_packets);
	test_random_icrcs(COUNTER, nr_packets);
	test_loss_and_reordering();
	test_many_sources();
	test_no_order();
	printf("all identifications are accepted or refused as they must be\n");
	source_end(&marker);
	receiver_fini();
	peer_close();
	return 0;
}
