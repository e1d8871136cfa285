/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A pass of a host receives the packets that have arrived, completes requests,
 * posts new ones, and sends as long as the queue of the adapter is short.
 */
#include "net_host.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "providers/uroce/roce/uroce_connect.h"
#include "uroce/roce/uroce_psn.h"
#include "uroce/wire/uroce_wire.h"

#define NET_PD	    3
#define NET_IOVA    UINT64_C(0x700000000000)
#define CQ_ENTRIES  4096
#define FIRST_SPORT 49152
#define NR_SPORTS   8 /* source ports of a process, by the slot of the peer */
/* A batch of the worker: GSO calls that the adapter sends in one go. */
#define ADAPTER_BYTES (64u << 10)
#define RUN_PACKETS   32
/* Ethernet with preamble and gap, IPv4, UDP, BTH, ICRC */
#define FRAME_BYTES (38 + 20 + 8 + UROCE_BTH_LEN + UROCE_ICRC_LEN)
#define RETH_BYTES  16
#define AETH_BYTES  4
/* In each such time, other programs have the processor for up to busy_ns. */
#define BUSY_PERIOD (8 * NET_MS)

uint32_t net_host_frame_bytes(const struct uroce_packet *packet)
{
	uint32_t bytes = FRAME_BYTES + packet->payload_len +
			 uroce_wire_pad(packet->payload_len);

	if (packet->traits & UROCE_T_RETH)
		bytes += RETH_BYTES;
	if (packet->traits & UROCE_T_AETH)
		bytes += AETH_BYTES;
	return bytes;
}

/* The payload is in the common memory, or the list of a NAK, which may change.
 */
static void host_set_payload(struct net_packet *packet,
			     const struct uroce_iovecs *iovecs)
{
	const struct iovec *iov = &iovecs->iov[0];

	packet->packet.payload = NULL;
	if (!iovecs->nr)
		return;
	NET_REQUIRE(iovecs->nr == 1);
	packet->packet.payload = iov->iov_base;
	if (!(packet->packet.traits & UROCE_T_AETH) ||
	    packet->packet.traits & UROCE_T_READ_RESP)
		return;
	packet->list = malloc(iov->iov_len);
	NET_REQUIRE(packet->list);
	memcpy(packet->list, iov->iov_base, iov->iov_len);
	packet->packet.payload = packet->list;
}

static void host_emit(struct net_host *host, const struct uroce_out *out)
{
	struct net *net = host->all->net;
	const struct net_end *end = out->qp->owner;
	struct net_packet *packet = net_packet_new(net);
	const struct uroce_path *path = out->packet.path;
	uint32_t to;

	packet->packet = out->packet;
	packet->packet.traits = uroce_wire_traits(out->packet.opcode);
	if (host->all->config.go_back_n)
		packet->packet.selective = false;
	host_set_payload(packet, &out->iovecs);
	packet->may_mark = path->tclass & UROCE_ECN_ECT0;
	packet->hash = end->hash;
	packet->bytes = net_host_frame_bytes(&packet->packet);
	memcpy(&to, &path->dgid[UROCE_GID_IPV4_AT], sizeof(to));
	packet->to = ntohl(to) & 0xffffff;
	net->stats.packets++;
	if (!packet->list)
		net->stats.payload_bytes += packet->packet.payload_len;
	net_link_send(net, host->out, packet);
}

/* Packets of the middle of a message. */
static void host_emit_run(struct net_host *host, struct uroce_out *out)
{
	uint32_t nr = uroce_engine_next_run(&host->engine, host->all->net->now,
					    RUN_PACKETS, out);

	if (!nr)
		return;
	out->iovecs.iov[0].iov_len = out->packet.payload_len;
	for (; nr; nr--) {
		host_emit(host, out);
		out->packet.psn = uroce_psn_add(out->packet.psn, 1);
		out->iovecs.iov[0].iov_base =
			(uint8_t *)out->iovecs.iov[0].iov_base +
			out->packet.payload_len;
	}
}

static void host_send(struct net_host *host)
{
	struct net *net = host->all->net;
	uint64_t limit_ps =
		net->now * 1000 + ADAPTER_BYTES * host->out->ps_per_byte;
	struct uroce_out out;

	do {
		while (host->out->free_ps < limit_ps &&
		       uroce_engine_next(&host->engine, net->now, &out)) {
			host_emit(host, &out);
			host_emit_run(host, &out);
		}
		uroce_engine_sent(&host->engine, net->now);
	} while (host->out->free_ps < limit_ps &&
		 (!list_empty(&host->engine.active) ||
		  uroce_engine_has_kicks(&host->engine)));
	if (!list_empty(&host->engine.active) ||
	    uroce_engine_has_kicks(&host->engine))
		net_timer_set(net, &host->wake,
			      (host->out->free_ps -
			       ADAPTER_BYTES / 2 * host->out->ps_per_byte) /
					      1000 +
				      1);
	net_timer_set(net, &host->expiry, uroce_engine_deadline(&host->engine));
}

static bool host_poll(struct uroce_cq *cq, struct uroce_cqe *ret_cqe)
{
	const struct uroce_cqe *cqe = uroce_ring_front(&cq->ring);

	NET_REQUIRE(!cq->overrun);
	if (!cqe)
		return false;
	*ret_cqe = *cqe;
	uroce_ring_take(&cq->ring);
	return true;
}

/* Posts the next messages of a transfer; the last one has an immediate. */
static void conn_post(struct net_conn *conn)
{
	struct uroce_qp *qp = conn->end[0].qp;
	const struct net_hosts *hosts = conn->from->all;
	struct uroce_send_wqe *wqe;

	while (conn->left_bytes && (wqe = uroce_ring_vacant(&qp->sq))) {
		uint32_t bytes = hosts->config.message_bytes;

		if (bytes > conn->left_bytes)
			bytes = (uint32_t)conn->left_bytes;
		conn->left_bytes -= bytes;
		*wqe = (struct uroce_send_wqe){
			.wr_id = (uint64_t)bytes << 32 | conn->number,
			.opcode = (uint8_t)conn->opcode,
			.flags = IBV_SEND_SIGNALED,
			.nr_sge = 1,
			.length = bytes,
			.remote = { .va = NET_IOVA +
					  hosts->config.message_bytes,
				    .rkey = conn->to->key },
		};
		if (!conn->left_bytes && conn->opcode == IBV_WR_RDMA_WRITE)
			wqe->opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
		if (!conn->left_bytes && conn->opcode == IBV_WR_SEND)
			wqe->opcode = IBV_WR_SEND_WITH_IMM;
		wqe->sge[0] = (struct ibv_sge){ .addr = NET_IOVA,
						.length = bytes,
						.lkey = conn->from->key };
		uroce_ring_put(&qp->sq);
		uroce_engine_kick(&conn->from->engine, qp);
	}
}

/* False: the receive queue is full. */
static bool conn_post_receive(struct net_conn *conn)
{
	struct uroce_ring *ring = &conn->end[1].rq.ring;
	struct uroce_recv_wqe *wqe = uroce_ring_vacant(ring);
	const uint32_t bytes = conn->to->all->config.message_bytes;

	if (!wqe)
		return false;
	*wqe = (struct uroce_recv_wqe){ .wr_id = conn->number,
					.length = bytes,
					.nr_sge = 1 };
	wqe->sge[0] = (struct ibv_sge){ .addr = NET_IOVA + bytes,
					.length = bytes,
					.lkey = conn->to->key };
	uroce_ring_put(ring);
	return true;
}

static void host_complete(struct net_host *host)
{
	struct net *net = host->all->net;
	struct uroce_cqe cqe;

	while (host_poll(&host->recv_cq, &cqe)) {
		struct net_conn *conn = host->all->conns[cqe.wr_id];

		if (cqe.status != IBV_WC_SUCCESS) {
			conn->failed = true;
			continue;
		}
		NET_REQUIRE(conn_post_receive(conn));
		if (conn->done && cqe.wc_flags & IBV_WC_WITH_IMM)
			conn->done(net, conn);
	}
	while (host_poll(&host->send_cq, &cqe)) {
		struct net_conn *conn = host->all->conns[(uint32_t)cqe.wr_id];

		if (cqe.status != IBV_WC_SUCCESS) {
			conn->failed = true;
			continue;
		}
		conn->done_bytes += cqe.wr_id >> 32;
		conn_post(conn);
	}
}

/*
 * Whether other programs have the processor; if so, the timer acts after them.
 * For how long they have it differs from period to period.
 */
static bool host_is_busy(const struct net_host *host, struct net_timer *timer)
{
	struct net *net = host->all->net;
	uint64_t period = net->now / BUSY_PERIOD, busy_ns;

	if (!host->all->config.busy_ns)
		return false;
	busy_ns = (period ^ (uint64_t)host->number << 32) *
			  UINT64_C(0x9e3779b97f4a7c15) >>
		  32;
	busy_ns = busy_ns * host->all->config.busy_ns >> 32;
	if (net->now - period * BUSY_PERIOD >= busy_ns)
		return false;
	net_timer_set(net, timer, period * BUSY_PERIOD + busy_ns);
	return true;
}

static void host_wake(struct net *net, void *arg)
{
	struct net_host *host = arg;
	struct net_packet *packet;

	if (host_is_busy(host, &host->wake))
		return;
	while ((packet = net_link_take(net, host->in))) {
		uroce_engine_receive(&host->engine, &packet->packet, net->now);
		net_packet_free(net, packet);
	}
	if (host->in->first)
		net_timer_set(net, &host->wake,
			      host->in->first->at_ns +
				      host->in->reader_delay_ns);
	host_complete(host);
	host_send(host);
}

static void host_expire(struct net *net, void *arg)
{
	struct net_host *host = arg;

	if (host_is_busy(host, &host->expiry))
		return;
	(void)uroce_engine_expire(&host->engine, net->now);
	host_complete(host);
	host_send(host);
}

static void host_init(struct net_hosts *hosts, uint32_t number)
{
	struct net_host *host = &hosts->host[number];
	struct uroce_region region = {
		.iova = NET_IOVA,
		.bytes = 2 * (uint64_t)hosts->config.message_bytes,
		.pd = NET_PD,
		.access = CONNECT_ALL_RIGHTS,
		.kind = UROCE_REGION_MEMORY,
		.base = hosts->memory,
	};
	struct uroce_engine_config config = {
		.memory = &host->regions,
		.seed = net_random(hosts->net, UINT32_MAX),
		.slot = 1 + net_random(hosts->net, 16),
		.room_bytes = hosts->config.room_bytes,
	};
	int ret;

	host->all = hosts;
	host->number = number;
	host->slot = config.slot;
	net_timer_init(&host->wake, host_wake, host);
	net_timer_init(&host->expiry, host_expire, host);
	uroce_memory_init(&host->regions, config.seed);
	ret = uroce_engine_init(&host->engine, &config);
	if (!ret)
		ret = uroce_memory_add(&host->regions, &region, &host->key);
	if (!ret)
		ret = uroce_cq_init(&host->send_cq, CQ_ENTRIES, false);
	if (!ret)
		ret = uroce_cq_init(&host->recv_cq, CQ_ENTRIES, false);
	NET_REQUIRE(!ret);
}

void net_hosts_init(struct net_hosts *hosts, struct net *net, uint32_t nr_hosts,
		    const struct net_host_config *config)
{
	*hosts = (struct net_hosts){
		.net = net,
		.config = *config,
		.nr_hosts = nr_hosts,
		.host = aligned_alloc(UROCE_CACHE_LINE,
				      nr_hosts * sizeof(struct net_host)),
		.memory = calloc(2, config->message_bytes),
	};
	NET_REQUIRE(hosts->host && hosts->memory);
	memset(hosts->host, 0, nr_hosts * sizeof(struct net_host));
	for (uint32_t i = 0; i < nr_hosts; i++)
		host_init(hosts, i);
}

static void end_fini(struct net_host *host, struct net_end *end)
{
	uroce_engine_free_qp(&host->engine, end->qp, host->all->net->now, 0);
	uroce_rq_fini(&end->rq);
}

void net_hosts_fini(struct net_hosts *hosts)
{
	for (uint32_t i = 0; i < hosts->nr_conns; i++) {
		end_fini(hosts->conns[i]->from, &hosts->conns[i]->end[0]);
		end_fini(hosts->conns[i]->to, &hosts->conns[i]->end[1]);
		free(hosts->conns[i]);
	}
	for (uint32_t i = 0; i < hosts->nr_hosts; i++) {
		struct net_host *host = &hosts->host[i];

		uroce_engine_fini(&host->engine);
		uroce_memory_fini(&host->regions);
		uroce_cq_fini(&host->send_cq);
		uroce_cq_fini(&host->recv_cq);
	}
	free(hosts->conns);
	free(hosts->host);
	free(hosts->memory);
}

void net_host_attach(struct net_host *host, struct net_link *out,
		     struct net_link *in)
{
	host->out = out;
	host->in = in;
	in->reader = &host->wake;
	in->reader_delay_ns = host->all->config.receive_ns;
}

static void end_init(struct net_host *host, struct net_end *end,
		     uint32_t requests)
{
	struct uroce_qp_config config = {
		.type = IBV_QPT_RC,
		.pd = NET_PD,
		.max_send_wr = requests,
		.max_send_sge = 1,
		.send_cq = &host->send_cq,
		.recv_cq = &host->recv_cq,
		.rq = &end->rq,
		.owner = end,
	};
	int ret = uroce_rq_init(&end->rq, requests, 1, NET_PD, false);

	if (!ret)
		ret = uroce_engine_new_qp(&host->engine, &config,
					  host->all->net->now, &end->qp);
	NET_REQUIRE(!ret);
}

static void host_set_gid(uint8_t *gid, const struct net_host *host)
{
	uint32_t address = htonl(10u << 24 | host->number);

	memset(gid, 0, UROCE_GID_LEN);
	memset(gid + UROCE_GID_IPV4_AT - 2, 0xff, 2);
	memcpy(gid + UROCE_GID_IPV4_AT, &address, sizeof(address));
}

static enum ibv_mtu mtu_of_bytes(uint32_t bytes)
{
	enum ibv_mtu mtu = IBV_MTU_256;

	while (mtu < IBV_MTU_4096 && 256u << (mtu - IBV_MTU_256) < bytes)
		mtu++;
	return mtu;
}

static void conn_connect(struct net_conn *conn, int side)
{
	const struct net_host *host[] = { conn->from, conn->to };
	const struct net_host_config *config = &conn->from->all->config;
	uint32_t psns[2] = { 0xfffff0 - conn->number, conn->number };
	struct connect_options connect = {
		.mtu = mtu_of_bytes(config->mtu),
		.sq_psn = psns[side] & UROCE_PSN_MASK,
		.rq_psn = psns[!side] & UROCE_PSN_MASK,
		.dest_qpn = conn->end[!side].qp->qpn,
		.rd_atomic = 16,
		.timeout = config->timeout,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.min_rnr_timer = 1,
	};
	struct uroce_path path = {
		.sport =
			(uint16_t)(FIRST_SPORT + host[!side]->slot % NR_SPORTS),
		.hop_limit = 64,
		.tclass = config->ect ? UROCE_ECN_ECT0 : 0,
	};
	uint32_t hash = path.sport;
	int ret;

	host_set_gid(path.sgid, host[side]);
	host_set_gid(path.dgid, host[!side]);
	ret = connect_to_peer(conn->end[side].qp, &connect, &path,
			      conn->from->all->net->now);
	NET_REQUIRE(!ret);
	hash = hash * 2654435761u ^ host[side]->number;
	conn->end[side].hash = hash * 2654435761u ^ host[!side]->number;
}

struct net_conn *net_conn_new(struct net_hosts *hosts, uint32_t from,
			      uint32_t to)
{
	struct net_conn *conn = aligned_alloc(UROCE_CACHE_LINE, sizeof(*conn));

	NET_REQUIRE(conn && from != to);
	memset(conn, 0, sizeof(*conn));
	if (hosts->nr_conns == hosts->max_conns) {
		hosts->max_conns = hosts->max_conns ? 2 * hosts->max_conns : 64;
		hosts->conns = reallocarray(hosts->conns, hosts->max_conns,
					    sizeof(struct net_conn *));
		NET_REQUIRE(hosts->conns);
	}
	conn->from = &hosts->host[from];
	conn->to = &hosts->host[to];
	conn->opcode = IBV_WR_RDMA_WRITE;
	conn->number = hosts->nr_conns;
	hosts->conns[hosts->nr_conns++] = conn;
	end_init(conn->from, &conn->end[0], hosts->config.outstanding);
	end_init(conn->to, &conn->end[1], hosts->config.outstanding);
	conn_connect(conn, 0);
	conn_connect(conn, 1);
	NET_REQUIRE(conn_post_receive(conn));
	return conn;
}

void net_conn_start(struct net_conn *conn, uint64_t bytes)
{
	struct net *net = conn->from->all->net;

	conn->left_bytes = bytes;
	while (conn->opcode == IBV_WR_SEND && conn_post_receive(conn))
		;
	conn_post(conn);
	net_timer_set(net, &conn->from->wake, net->now);
}

uint64_t net_hosts_count(const struct net_hosts *hosts,
			 enum uroce_counter counter)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < hosts->nr_hosts; i++)
		sum += hosts->host[i].engine.core.counters.count[counter];
	return sum;
}
