/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * interop_icrc DEVICE GID_INDEX PORT - waits for datagrams
 * interop_icrc - GID_INDEX PORT ADDRESS - sends them, by a plain UDP socket
 *
 * The sender makes RoCEv2 packets itself. In all but the last packet one bit is
 * wrong, a different one in each: of the headers, the data, the ICRC. Only the
 * last packet may arrive. (IBTA A17.3.4 defines the bytes that the ICRC
 * covers.)
 */
#include "interop_end.h"

#define ROCE_PORT 4791
#define BTH	  12
#define HEADERS	  20 /* BTH and DETH */
#define PAYLOAD	  100
#define LENGTH	  (HEADERS + PAYLOAD + 4)

static uint32_t crc32_add(uint32_t crc, const void *data, size_t len)
{
	const uint8_t *bytes = data;

	for (size_t i = 0; i < len; i++) {
		crc ^= bytes[i];
		for (int bit = 0; bit < 8; bit++)
			crc = (crc >> 1) ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return crc;
}

static void put16(uint8_t *to, uint32_t value)
{
	to[0] = (uint8_t)(value >> 8);
	to[1] = (uint8_t)value;
}

static void put32(uint8_t *to, uint32_t value)
{
	put16(to, value >> 16);
	put16(to + 2, value);
}

/*
 * Makes the IP header with ones where routers may change it. Return: its
 * length.
 */
static size_t ip_header(uint8_t *ip, const struct sockaddr_storage *from,
			const struct sockaddr_storage *to)
{
	const struct sockaddr_in *from4 = (void *)from, *to4 = (void *)to;
	const struct sockaddr_in6 *from6 = (void *)from, *to6 = (void *)to;

	if (from->ss_family == AF_INET6) {
		put32(ip, 0x6fffffff);
		put16(ip + 4, 8 + LENGTH);
		ip[6] = IPPROTO_UDP;
		ip[7] = 0xff;
		memcpy(ip + 8, &from6->sin6_addr, 16);
		memcpy(ip + 24, &to6->sin6_addr, 16);
		return 40;
	}
	put16(ip, 0x45ff);
	put16(ip + 2, 20 + 8 + LENGTH);
	put16(ip + 4,
	      0); /* 0 on an unconnected socket that sets "don't fragment" */
	put16(ip + 6, 0x4000);
	ip[8] = 0xff;
	ip[9] = IPPROTO_UDP;
	put16(ip + 10, 0xffff);
	memcpy(ip + 12, &from4->sin_addr, 4);
	memcpy(ip + 16, &to4->sin_addr, 4);
	return 20;
}

static void add_icrc(uint8_t *packet, const struct sockaddr_storage *from,
		     const struct sockaddr_storage *to)
{
	uint8_t head[8 + 40 + 8], bth[BTH];
	uint32_t crc;
	size_t len = 8;

	memset(head, 0xff, sizeof(head));
	len += ip_header(head + len, from, to);
	/* the port has the same offset in both kinds of address */
	memcpy(head + len, &((const struct sockaddr_in *)from)->sin_port, 2);
	put16(head + len + 2, ROCE_PORT);
	put16(head + len + 4, 8 + LENGTH);
	put16(head + len + 6, 0xffff);
	memcpy(bth, packet, BTH);
	bth[4] = 0xff;
	crc = crc32_add(0xffffffff, head, len + 8);
	crc = crc32_add(crc, bth, BTH);
	crc = ~crc32_add(crc, packet + BTH, HEADERS - BTH + PAYLOAD);
	for (int i = 0; i < 4; i++)
		packet[HEADERS + PAYLOAD + i] = (uint8_t)(crc >> (8 * i));
}

/* A UD SEND ONLY packet to @qpn; each has a different seed to identify it. */
static void make_packet(uint8_t *packet, uint32_t qpn, uint32_t seed)
{
	memset(packet, 0, LENGTH);
	packet[0] = 0x64;
	put16(packet + 2, 0xffff); /* P_Key */
	put32(packet + 4, qpn);
	put32(packet + 8, seed); /* PSN */
	put32(packet + 12, QKEY);
	put32(packet + 16, 2); /* source QP */
	for (uint32_t i = 0; i < PAYLOAD; i++)
		packet[HEADERS + i] = pattern(seed, i);
}

static socklen_t address_of(const union ibv_gid *gid, uint16_t port,
			    struct sockaddr_storage *ret)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	struct sockaddr_in6 *in6 = (void *)ret;
	struct sockaddr_in *in = (void *)ret;

	memset(ret, 0, sizeof(*ret));
	if (memcmp(gid, mapped, sizeof(mapped)) == 0) {
		in->sin_family = AF_INET;
		in->sin_port = htons(port);
		memcpy(&in->sin_addr, gid->raw + 12, 4);
		return sizeof(*in);
	}
	in6->sin6_family = AF_INET6;
	in6->sin6_port = htons(port);
	memcpy(&in6->sin6_addr, gid, 16);
	return sizeof(*in6);
}

/* Binds to the source address of packets to @to, and to a free port. */
static bool bind_towards(int fd, const struct sockaddr_storage *to,
			 socklen_t len, struct sockaddr_storage *ret_from)
{
	int probe = socket(to->ss_family, SOCK_DGRAM, 0);
	int ip = IP_PMTUDISC_DO, ip6 = IPV6_PMTUDISC_DO;

	NEED(probe >= 0 && connect(probe, (const void *)to, len) == 0);
	NEED(getsockname(probe, (void *)ret_from, &len) == 0);
	close(probe);
	((struct sockaddr_in *)ret_from)->sin_port = 0;
	NEED(bind(fd, (void *)ret_from, len) == 0);
	NEED(getsockname(fd, (void *)ret_from, &len) == 0);
	if (to->ss_family == AF_INET)
		NEED(setsockopt(fd, IPPROTO_IP, IP_MTU_DISCOVER, &ip,
				sizeof(ip)) == 0);
	else
		NEED(setsockopt(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, &ip6,
				sizeof(ip6)) == 0);
	return true;
}

/* The wrong bits: byte and bit of each packet except the last. */
static const struct {
	uint32_t byte;
	uint8_t bit;
} wrong[] = {
	{ 3, 0x01 },  /* P_Key: full and limited members */
	{ 8, 0x80 },  /* AckReq, which UD does not use */
	{ 11, 0x01 }, /* PSN */
	{ 19, 0x01 }, /* source QP */
	{ HEADERS, 0x01 },
	{ HEADERS + PAYLOAD / 2, 0x10 },
	{ HEADERS + PAYLOAD - 1, 0x80 },
	{ HEADERS + PAYLOAD, 0x01 }, /* ICRC */
	{ HEADERS + PAYLOAD + 3, 0x80 },
};

#define NR_WRONG ((uint32_t)(sizeof(wrong) / sizeof(wrong[0])))

static bool send_packets(void)
{
	struct sockaddr_storage from, to;
	struct address other;
	uint8_t packet[LENGTH];
	socklen_t len;
	int fd;

	if (!receive_from_other(&other, sizeof(other)))
		return false;
	len = address_of(&other.gid, ROCE_PORT, &to);
	NEED((fd = socket(to.ss_family, SOCK_DGRAM, 0)) >= 0);
	if (!bind_towards(fd, &to, len, &from))
		return false;
	for (uint32_t i = 0; i <= NR_WRONG; i++) {
		make_packet(packet, other.qpn, i);
		add_icrc(packet, &from, &to);
		if (i < NR_WRONG)
			packet[wrong[i].byte] ^= wrong[i].bit;
		NEED(sendto(fd, packet, LENGTH, 0, (void *)&to, len) == LENGTH);
	}
	close(fd);
	printf("sent %u wrong packets and a correct one\n", NR_WRONG);
	return both_passed(true);
}

static bool receive_packets(void)
{
	static const struct check_args args = { .type = IBV_QPT_UD };
	struct ibv_qp_init_attr_ex attr = {
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = pd,
		.qp_type = IBV_QPT_UD,
		.cap = { .max_send_wr = 1,
			 .max_recv_wr = DEPTH,
			 .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};
	struct address own = {};
	struct end end = {};
	struct ibv_wc wc;
	bool ok;

	memset(memory, 0, MEMORY);
	NEED(end.mr = ibv_reg_mr(pd, memory, MEMORY, ACCESS));
	NEED(end.cq = ibv_create_cq(ctx, DEPTH, NULL, NULL, 0));
	attr.send_cq = attr.recv_cq = end.cq;
	NEED(end.qp = ibv_create_qp_ex(ctx, &attr));
	if (!end_connect(&end, &args))
		return false;
	for (uint32_t i = 0; i < DEPTH; i++)
		if (!receive(&end, i, i * 1000, 1000))
			return false;
	own.qpn = end.qp->qp_num;
	NEED(ibv_query_gid(ctx, 1, gid_index, &own.gid) == 0);
	ok = send_to_other(&own, sizeof(own)) &&
	     expect_completion(&end, &wc, IBV_WC_RECV) &&
	     has_pattern(GRH, NR_WRONG, PAYLOAD) && no_completion_left(&end);
	ok = both_passed(ok);
	end_free(&end);
	return ok;
}

int main(int argc, char **argv)
{
	bool sends = argc > 4, ok;

	if (argc < 4)
		return 2;
	gid_index = atoi(argv[2]);
	ok = (sends || open_device(argv[1])) &&
	     find_other_end(atoi(argv[3]), sends ? argv[4] : NULL) &&
	     (sends ? send_packets() : receive_packets());
	printf("%s%s\n", ok ? "ok" : "FAIL ", ok ? "" : why);
	if (!sends && ok)
		ok = ibv_dealloc_pd(pd) == 0 && ibv_close_device(ctx) == 0;
	return !ok;
}
