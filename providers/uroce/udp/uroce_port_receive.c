/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Receives several messages in one call. A message may consist of many
 * datagrams of one length, merged by GRO or by GSO of a sender on this host.
 * This file separates the datagrams, checks that each is RoCEv2 and for an
 * address of the port, and passes it on before the ICRC verification.
 *
 * Packets for the slot of another process arrive here if GRO has merged them
 * with packets for this process. They are forwarded to the inbox of the other
 * process.
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "uroce/udp/uroce_socket.h"
#include "uroce/udp/uroce_udp.h"
#include "uroce/wire/uroce_icrc.h"
#include "uroce/wire/uroce_wire.h"
#include "util/clock.h"
#include "util/nocancel.h"

#define MAX_MESSAGES	 8
#define BUFFER		 65536 /* bytes; no UDP datagram is longer */
#define MAX_INBOX	 64
#define MAX_GSI_MESSAGES 32 /* in one call; each is a packet */

union control {
	struct cmsghdr align;
	uint8_t bytes[CMSG_SPACE(sizeof(struct in6_pktinfo)) +
		      CMSG_SPACE(sizeof(struct in_pktinfo)) +
		      6 * CMSG_SPACE(sizeof(int))];
};

/* ICRC state that packets from one sender share. */
struct origin_icrc {
	struct uroce_path path;
	struct uroce_icrc_path icrc;
	uint16_t next_id; /* expected in the next packet */
};

struct uroce_receive_batch {
	struct mmsghdr headers[MAX_MESSAGES];
	struct iovec iovs[MAX_MESSAGES];
	struct sockaddr_in6 from[MAX_MESSAGES]; /* or a sockaddr_in */
	union control controls[MAX_MESSAGES];
	bool no_many;	    /* recvmmsg() is forbidden */
	uint32_t doublings; /* 1 << doublings: messages to ask for */
	struct uroce_ip_id_table *sources;
	struct origin_icrc last; /* of the sender of the last message */
	uint8_t buffers[MAX_MESSAGES][BUFFER];
};

/* Format of a datagram in an inbox. */
struct forwarded {
	struct uroce_path path;
	uint8_t bytes[UROCE_MAX_HEADER + UROCE_MAX_MTU + UROCE_ICRC_LEN];
};

#define FORWARDED_HEADER offsetof(struct forwarded, bytes)

/* Properties of a received message. */
struct origin {
	struct uroce_path path;
	uint32_t segment_len; /* 0: the message is one datagram */
};

/* For the sockets of all workers. */
static struct uroce_ip_id_latest latest_ids;

/* The coarse clock is precise enough for clock ticks, and cheap to read. */
static uint64_t clock_ms(void)
{
	return verbs_clock_ns(CLOCK_MONOTONIC_COARSE) / VERBS_NS_PER_MS;
}

struct uroce_receive_batch *uroce_udp_new_receive(void)
{
	struct uroce_receive_batch *batch = calloc(1, sizeof(*batch));

	if (!batch)
		return NULL;
	batch->sources = uroce_ip_id_new_table(clock_ms, &latest_ids);
	if (!batch->sources) {
		free(batch);
		return NULL;
	}
	return batch;
}

void uroce_udp_free_receive(struct uroce_receive_batch *batch)
{
	if (batch)
		free(batch->sources);
	free(batch);
}

void uroce_udp_count_ip_ids(const struct uroce_receive_batch *batch,
			    struct uroce_port_counters *counters)
{
	const struct uroce_ip_id_counters *counted =
		uroce_ip_id_table_counters(batch->sources);

	counters->rx_ip_id_refused = counted->refused;
	counters->rx_ip_id_unordered = counted->unordered;
}

static void map_ipv4(uint8_t *gid, const void *addr)
{
	memset(gid, 0, 10);
	gid[10] = 0xff;
	gid[11] = 0xff;
	memcpy(gid + 12, addr, 4);
}

static int read_int(const struct cmsghdr *cmsg)
{
	int value;

	memcpy(&value, CMSG_DATA(cmsg), sizeof(value));
	return value;
}

static void read_ip(const struct cmsghdr *cmsg, struct origin *origin)
{
	struct in_pktinfo info;

	switch (cmsg->cmsg_type) {
	case IP_PKTINFO:
		memcpy(&info, CMSG_DATA(cmsg), sizeof(info));
		map_ipv4(origin->path.dgid, &info.ipi_addr);
		break;
	case IP_TOS:
		origin->path.tclass = *CMSG_DATA(cmsg);
		break;
	case IP_TTL:
		origin->path.hop_limit = (uint8_t)read_int(cmsg);
		break;
	default:
		break;
	}
}

static void read_ipv6(const struct cmsghdr *cmsg, struct origin *origin)
{
	switch (cmsg->cmsg_type) {
	case IPV6_PKTINFO: /* for IPv4 too, as a mapped address */
		memcpy(origin->path.dgid, CMSG_DATA(cmsg), UROCE_GID_LEN);
		break;
	case IPV6_TCLASS:
		origin->path.tclass = (uint8_t)read_int(cmsg);
		break;
	case IPV6_HOPLIMIT:
		origin->path.hop_limit = (uint8_t)read_int(cmsg);
		break;
	default:
		break;
	}
}

static void read_origin(struct msghdr *msg, struct origin *ret_origin)
{
	const struct sockaddr_in6 *ipv6 = msg->msg_name;
	const struct sockaddr_in *ipv4 = msg->msg_name;
	struct origin *origin = ret_origin;
	struct cmsghdr *cmsg;

	*origin = (struct origin){};
	if (ipv6->sin6_family == AF_INET6) {
		memcpy(origin->path.sgid, &ipv6->sin6_addr, UROCE_GID_LEN);
		origin->path.sport = ntohs(ipv6->sin6_port);
	} else {
		map_ipv4(origin->path.sgid, &ipv4->sin_addr);
		origin->path.sport = ntohs(ipv4->sin_port);
	}
	for (cmsg = CMSG_FIRSTHDR(msg); cmsg; cmsg = CMSG_NXTHDR(msg, cmsg)) {
		if (cmsg->cmsg_level == IPPROTO_IP)
			read_ip(cmsg, origin);
		else if (cmsg->cmsg_level == IPPROTO_IPV6)
			read_ipv6(cmsg, origin);
		else if (cmsg->cmsg_level == IPPROTO_UDP &&
			 cmsg->cmsg_type == UDP_GRO)
			origin->segment_len = (uint32_t)read_int(cmsg);
	}
}

static void receive_capture(struct uroce_port *port,
			    const struct uroce_icrc *icrc,
			    const struct uroce_path *path, uint8_t *bytes,
			    size_t len)
{
	struct iovec iov = { .iov_base = bytes, .iov_len = len };

	uroce_pcap_write(port->pcap, path, uroce_icrc_solve(icrc), &iov, 1);
}

static void pass_on(struct uroce_port *port, const struct uroce_path *path,
		    uint32_t slot, const uint8_t *bytes, size_t len)
{
	struct forwarded forwarded;

	if (len > sizeof(forwarded.bytes)) {
		port->counters.rx_bad++;
		return;
	}
	port->counters.rx_foreign++;
	memset(&forwarded, 0, FORWARDED_HEADER);
	forwarded.path = *path;
	memcpy(forwarded.bytes, bytes, len);
	/* an inbox without room loses the packet, as a network may */
	(void)uroce_slots_forward(&port->slots, slot, &forwarded,
				  FORWARDED_HEADER + len);
}

/*
 * MADs of a source arrive at any process, so a source with a counter has no
 * order in this process. As the first packet of a source, a MAD may have any
 * identification.
 */
static void expect_any_id(struct uroce_icrc *icrc,
			  struct uroce_ip_id_source *ret_any)
{
	if (!icrc->source || icrc->source->state != UROCE_IP_ID_COUNTER)
		return;
	*ret_any = (struct uroce_ip_id_source){ .table = icrc->source->table };
	icrc->source = ret_any;
}

/* Handles one datagram. @origin: the ICRC state of @path. */
static void receive_take(struct uroce_port *port, const struct uroce_path *path,
			 struct origin_icrc *origin, uint8_t *bytes, size_t len,
			 uroce_port_receive_fn *fn, void *arg)
{
	struct uroce_ip_id_source any;
	struct uroce_packet packet;
	struct uroce_icrc icrc;
	uint32_t slot;

	port->counters.rx_datagrams++;
	if (len < UROCE_BTH_LEN + UROCE_ICRC_LEN ||
	    uroce_wire_decode(bytes, len - UROCE_ICRC_LEN, &packet) ||
	    uroce_icrc_open_next(&icrc, &origin->icrc, origin->next_id, bytes,
				 len, &packet)) {
		port->counters.rx_bad++;
		return;
	}
	if (port->pcap)
		receive_capture(port, &icrc, path, bytes, len);
	slot = packet.dest_qpn >> UROCE_SLOT_SHIFT;
	if (packet.dest_qpn == UROCE_QPN_GSI) {
		expect_any_id(&icrc, &any);
	} else if (packet.dest_qpn != UROCE_QPN_MULTICAST &&
		   slot != port->slots.slot) {
		pass_on(port, path, slot, bytes, len);
		return;
	}
	packet.path = path;
	packet.icrc_check = &icrc.check;
	if ((path->tclass & UROCE_ECN_MASK) == UROCE_ECN_CE)
		packet.fecn = true;
	fn(arg, &packet);
	origin->next_id = (uint16_t)(icrc.ip_id + 1);
}

static bool same_origin(const struct uroce_path *a, const struct uroce_path *b)
{
	return a->sport == b->sport &&
	       memcmp(a->sgid, b->sgid, UROCE_GID_LEN) == 0 &&
	       memcmp(a->dgid, b->dgid, UROCE_GID_LEN) == 0;
}

static struct origin_icrc *find_origin(struct uroce_port *port,
				       const struct uroce_path *path)
{
	struct origin_icrc *last = &port->receive->last;

	if (!same_origin(&last->path, path)) {
		last->path = *path;
		uroce_icrc_path(path, &last->icrc);
		if (last->icrc.ipv4)
			last->icrc.source =
				uroce_ip_id_find(port->receive->sources, path);
	}
	last->next_id =
		last->icrc.source ? uroce_ip_id_expected(last->icrc.source) : 0;
	return last;
}

static bool receive_is_ours(const struct uroce_port *port, const uint8_t *gid)
{
	return uroce_udp_find(port, gid) || uroce_socket_is_multicast(gid);
}

/* @ours: the destination is an address of the port, or a group. */
static void take_message(struct uroce_port *port, struct mmsghdr *header,
			 bool ours, uroce_port_receive_fn *fn, void *arg)
{
	uint8_t *bytes = header->msg_hdr.msg_iov->iov_base;
	size_t len = header->msg_len;
	struct origin_icrc *icrc;
	struct origin origin;

	read_origin(&header->msg_hdr, &origin);
	if ((ours && !receive_is_ours(port, origin.path.dgid)) ||
	    header->msg_hdr.msg_flags & MSG_TRUNC) {
		port->counters.rx_bad++;
		return;
	}
	if (!origin.segment_len)
		origin.segment_len = BUFFER;
	icrc = find_origin(port, &origin.path);
	while (len) {
		size_t segment = len < origin.segment_len ? len
							  : origin.segment_len;

		receive_take(port, &origin.path, icrc, bytes, segment, fn, arg);
		bytes += segment;
		len -= segment;
	}
}

static int receive_one(int fd, struct mmsghdr *header)
{
	ssize_t len = recvmsg(fd, &header->msg_hdr, MSG_DONTWAIT);

	if (len < 0)
		return -1;
	header->msg_len = (unsigned int)len;
	return 1;
}

/* recvmsg() is cheaper for one message. A sandbox may forbid recvmmsg(). */
static int receive_now(struct uroce_port *port, int fd, uint32_t room)
{
	struct uroce_receive_batch *batch = port->receive;
	int got;

	if (room == 1)
		return receive_one(fd, batch->headers);
	got = recvmmsg(fd, batch->headers, room, MSG_DONTWAIT, NULL);
	if (got >= 0 || (errno != EPERM && errno != ENOSYS))
		return got;
	batch->no_many = true;
	return receive_one(fd, batch->headers);
}

/* Resets @nr headers: the kernel changes lengths in those that it uses. */
static void prepare(struct uroce_receive_batch *batch, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		batch->iovs[i] = (struct iovec){ batch->buffers[i], BUFFER };
		batch->headers[i].msg_hdr = (struct msghdr){
			.msg_name = &batch->from[i],
			.msg_namelen = sizeof(batch->from[i]),
			.msg_iov = &batch->iovs[i],
			.msg_iovlen = 1,
			.msg_control = batch->controls[i].bytes,
			.msg_controllen = sizeof(batch->controls[i].bytes),
		};
	}
}

/*
 * Mostly one message waits, or none. Room for more would only make the call
 * longer, and a second call would find nothing. The room doubles whenever
 * messages fill it, and shrinks to 1 when no message waits.
 */
bool uroce_port_receive(struct uroce_port *port, uroce_port_receive_fn *fn,
			void *arg)
{
	struct uroce_receive_batch *batch = port->receive;
	uint32_t room = batch->no_many ? 1 : 1u << batch->doublings;
	int got;

	prepare(batch, room);
	got = receive_now(port, uroce_port_fd(port), room);
	if (got <= 0) {
		uroce_ip_id_note_empty(batch->sources);
		batch->doublings = 0;
		return false;
	}
	port->counters.rx_calls++;
	for (int i = 0; i < got; i++)
		take_message(port, &batch->headers[i], true, fn, arg);
	if (!batch->no_many && (uint32_t)got < room) {
		uroce_ip_id_note_empty(batch->sources);
		return false;
	}
	if (!batch->no_many && room < MAX_MESSAGES)
		batch->doublings++;
	return true;
}

uint32_t uroce_port_receive_gsi(struct uroce_port *port,
				uroce_port_receive_fn *fn, void *arg)
{
	struct uroce_receive_batch *batch = port->receive;
	uint32_t nr = 0;

	while (nr < MAX_GSI_MESSAGES) {
		uint32_t room = batch->no_many ? 1 : MAX_MESSAGES;
		int got;

		prepare(batch, room);
		got = receive_now(port, uroce_port_gsi_fd(port), room);
		if (got <= 0)
			break;
		for (int i = 0; i < got; i++)
			take_message(port, &batch->headers[i], false, fn, arg);
		nr += (uint32_t)got;
	}
	return nr;
}

bool uroce_port_receive_inbox(struct uroce_port *port,
			      uroce_port_receive_fn *fn, void *arg)
{
	struct forwarded forwarded;
	bool rejected = false;

	for (int i = 0; i < MAX_INBOX; i++) {
		int got = uroce_slots_inbox(&port->slots, &forwarded,
					    sizeof(forwarded));

		if (got == -EAGAIN)
			break;
		rejected = rejected || got == -EPERM;
		if (got < (int)FORWARDED_HEADER)
			continue;
		if (!receive_is_ours(port, forwarded.path.dgid)) {
			port->counters.rx_bad++;
			continue;
		}
		receive_take(port, &forwarded.path,
			     find_origin(port, &forwarded.path),
			     forwarded.bytes, (size_t)got - FORWARDED_HEADER,
			     fn, arg);
	}
	return rejected;
}
