/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The wire in memory, and the setup of the pair. */
#include "uroce_pair.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "uroce/roce/uroce_psn.h"
#include "uroce/wire/uroce_crc32.h"
#include "uroce/wire/uroce_icrc.h"
#include "uroce/wire/uroce_wire.h"

#define LATENCY_NS 1000
/* Ethernet, IPv4 and UDP of a datagram, with preamble, FCS and gap */
#define LINK_HEADER 66
#define NS_PER_S    UINT64_C(1000000000)

struct pair_options pair_defaults(void)
{
	return (struct pair_options){
		.type = IBV_QPT_RC,
		.mtu = IBV_MTU_1024,
		.psn = 0xfffff0,
		.timeout = 8, /* 1 ms */
		.retry_cnt = 7,
		.rnr_retry = 7,
		.min_rnr_timer = 1,
		.rd_atomic = 16,
		.depth = 128,
		.memory_bytes = PAIR_MEMORY,
		.seed = 1,
	};
}

uint32_t pair_random(struct pair *pair, uint32_t below)
{
	return net_random(&pair->net, below);
}

static bool draw_chance(struct pair *pair, unsigned int per_1000)
{
	return per_1000 && pair_random(pair, 1000) < per_1000;
}

static size_t build_datagram(const struct uroce_packet *packet,
			     const uint8_t *payload, uint8_t *bytes)
{
	uint32_t rest =
		packet->payload_len + uroce_wire_pad(packet->payload_len);
	int header = uroce_wire_encode(packet, bytes);
	uint32_t reg;

	assert_true(header > 0);
	memset(bytes + header, 0, rest);
	if (packet->payload_len)
		memcpy(bytes + header, payload, packet->payload_len);
	reg = uroce_icrc_start(packet->path, 0, bytes, (uint32_t)header, rest);
	reg = uroce_crc32(reg, bytes + header, rest);
	uroce_icrc_end(reg, bytes + header + rest);
	return (size_t)header + rest + UROCE_ICRC_LEN;
}

/*
 * When a datagram that is sent now arrives, and whether a mark is due; false:
 * it does not.
 */
static bool pass_link(struct pair *pair, struct pair_link *link, uint32_t bytes,
		      uint64_t *ret_at_ns, bool *ret_marked)
{
	uint64_t queued;

	if (!link->bits_per_s)
		return true;
	if (link->free_ns < pair->now)
		link->free_ns = pair->now;
	queued = (link->free_ns - pair->now) * link->bits_per_s / 8 / NS_PER_S;
	if (queued > link->queue_bytes)
		return false;
	*ret_marked = link->mark_bytes && queued > link->mark_bytes;
	link->free_ns += 8 * (uint64_t)(bytes + LINK_HEADER) * NS_PER_S /
			 link->bits_per_s;
	*ret_at_ns = link->free_ns + link->delay_ns;
	return true;
}

static void receive_datagram(struct pair *pair,
			     const struct pair_datagram *datagram)
{
	struct pair_side *to = &pair->side[datagram->to];
	const struct uroce_path *path = &pair->side[!datagram->to].path;
	struct uroce_packet packet;
	struct uroce_icrc icrc;

	if (datagram->over_channel) {
		packet = datagram->packet;
		packet.path = NULL;
		packet.channel = &to->channel;
		packet.payload = datagram->bytes;
		packet.traits = uroce_wire_traits(packet.opcode);
		uroce_engine_receive(&to->engine, &packet, pair->now);
		return;
	}
	if (uroce_wire_decode(datagram->bytes, datagram->len - UROCE_ICRC_LEN,
			      &packet))
		return;
	if (uroce_icrc_open(&icrc, path, datagram->bytes, datagram->len,
			    &packet))
		return;
	packet.path = path;
	packet.icrc_check = &icrc.check;
	if (datagram->marked)
		packet.fecn = true;
	uroce_engine_receive(&to->engine, &packet, pair->now);
}

static void deliver_datagram(struct net *net, void *arg)
{
	receive_datagram(list_entry(net, struct pair, net), arg);
	free(arg);
}

static struct pair_datagram *new_datagram(struct pair *pair, uint64_t at_ns)
{
	struct pair_datagram *datagram = malloc(sizeof(*datagram));

	assert_non_null(datagram);
	net_timer_init(&datagram->arrival, deliver_datagram, datagram);
	net_timer_set(&pair->net, &datagram->arrival, at_ns);
	return datagram;
}

struct pair_datagram *pair_first_datagram(const struct pair *pair)
{
	assert_true(pair->net.nr_events);
	return pair->net.events[0].timer->arg;
}

static void drop_datagrams(struct pair *pair)
{
	while (pair->net.nr_events)
		free(pair->net.events[--pair->net.nr_events].timer->arg);
}

static void put_on_wire(struct pair *pair, unsigned int from,
			const struct uroce_packet *packet,
			const uint8_t *payload)
{
	uint64_t at_ns = pair->now + LATENCY_NS;
	struct pair_datagram *datagram;
	bool marked = false;

	if (draw_chance(pair, pair->faults.loss) ||
	    !pass_link(pair, &pair->link[from],
		       UROCE_MAX_HEADER + packet->payload_len, &at_ns, &marked))
		return;
	if (draw_chance(pair, pair->faults.reorder))
		at_ns += pair_random(pair, 30 * LATENCY_NS);
	datagram = new_datagram(pair, at_ns);
	datagram->to = !from;
	datagram->marked = marked && packet->path->tclass & UROCE_ECN_ECT0;
	datagram->over_channel = pair->side[from].qp->roce->channel;
	if (datagram->over_channel) {
		datagram->packet = *packet;
		datagram->len = packet->nr_absent ? 0 : packet->payload_len;
		if (datagram->len)
			memcpy(datagram->bytes, payload, datagram->len);
		return;
	}
	datagram->len = build_datagram(packet, payload, datagram->bytes);
	if (draw_chance(pair, pair->faults.corrupt)) {
		uint32_t bit = pair_random(pair, 8 * (uint32_t)datagram->len);

		datagram->bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
}

static void transmit_packet(struct pair *pair, unsigned int from,
			    const struct uroce_out *out)
{
	uint8_t payload[UROCE_CHANNEL_MTU];
	struct uroce_packet packet;
	size_t len = 0;

	for (uint32_t i = 0; i < out->iovecs.nr; i++) {
		const struct iovec *iov = &out->iovecs.iov[i];

		assert_true(len + iov->iov_len <= sizeof(payload));
		memcpy(payload + len, iov->iov_base, iov->iov_len);
		len += iov->iov_len;
	}
	assert_int_equal(len,
			 out->packet.nr_absent ? 0 : out->packet.payload_len);
	packet = out->packet;
	packet.selective = packet.selective && !pair->go_back_n;
	if (pair->filter && pair->filter(pair, from, &packet) == PAIR_DROP)
		return;
	put_on_wire(pair, from, &packet, payload);
	if (draw_chance(pair, pair->faults.duplicate))
		put_on_wire(pair, from, &packet, payload);
}

void pair_inject(struct pair *pair, unsigned int from,
		 const struct uroce_packet *packet, const void *payload)
{
	put_on_wire(pair, from, packet, payload);
}

/* Packets that the worker would build as a run; not always all of them. */
static void transmit_run(struct pair *pair, unsigned int from,
			 struct uroce_out *out)
{
	uint32_t nr = uroce_engine_next_run(&pair->side[from].engine, pair->now,
					    pair->nr_runs++ % 20, out);
	uint8_t *payload;

	if (!nr)
		return;
	payload = out->iovecs.iov[0].iov_base;
	assert_int_equal(out->iovecs.nr, 1);
	assert_int_equal(out->iovecs.iov[0].iov_len,
			 nr * out->packet.payload_len);
	out->iovecs.iov[0].iov_len = out->packet.payload_len;
	for (uint32_t i = 0; i < nr; i++) {
		out->iovecs.iov[0].iov_base =
			payload + (size_t)i * out->packet.payload_len;
		transmit_packet(pair, from, out);
		out->packet.psn = uroce_psn_add(out->packet.psn, 1);
	}
}

static void send_all(struct pair *pair)
{
	for (unsigned int i = 0; i < 2; i++) {
		struct uroce_engine *engine = &pair->side[i].engine;
		struct uroce_out out;

		do {
			while (uroce_engine_next(engine, pair->now, &out)) {
				transmit_packet(pair, i, &out);
				transmit_run(pair, i, &out);
			}
			uroce_engine_sent(engine, pair->now);
		} while (!list_empty(&engine->active));
	}
}

static uint64_t next_timer(const struct pair *pair)
{
	uint64_t a = uroce_engine_deadline(&pair->side[0].engine);
	uint64_t b = uroce_engine_deadline(&pair->side[1].engine);

	return a < b ? a : b;
}

static uint64_t next_event(const struct pair *pair)
{
	uint64_t timer = next_timer(pair), at_ns;

	if (!pair->net.nr_events)
		return timer;
	at_ns = pair->net.events[0].at_ns;
	return at_ns < timer ? at_ns : timer;
}

bool pair_step(struct pair *pair)
{
	uint64_t at_ns;

	send_all(pair);
	at_ns = next_event(pair);
	if (at_ns == UROCE_NEVER)
		return false;
	if (at_ns > pair->now)
		pair->now = at_ns;
	/* everything that has arrived by then, like the worker */
	while (net_step(&pair->net, pair->now))
		;
	uroce_engine_end_receive(&pair->side[0].engine);
	uroce_engine_end_receive(&pair->side[1].engine);
	(void)uroce_engine_expire(&pair->side[0].engine, pair->now);
	(void)uroce_engine_expire(&pair->side[1].engine, pair->now);
	return true;
}

void pair_run_until(struct pair *pair, uint64_t until_ns)
{
	send_all(pair);
	while (next_event(pair) <= until_ns && pair_step(pair))
		send_all(pair);
	if (pair->now < until_ns)
		pair->now = until_ns;
}

void pair_run(struct pair *pair)
{
	while (pair_step(pair))
		;
}

void pair_use_qp(struct pair *pair, unsigned int number)
{
	for (unsigned int i = 0; i < 2; i++) {
		pair->side[i].qp = pair->side[i].qps[number];
		assert_non_null(pair->side[i].qp);
	}
}

static void connect_qp(struct pair *pair, unsigned int i,
		       const struct pair_options *o)
{
	struct pair_side *side = &pair->side[i];
	const struct connect_options connect = {
		.mtu = o->mtu,
		.rq_psn = i ? o->psn : o->psn / 2,
		.sq_psn = i ? o->psn / 2 : o->psn,
		.dest_qpn = pair->side[!i].qp->qpn,
		.rd_atomic = o->rd_atomic,
		.min_rnr_timer = o->min_rnr_timer,
		.timeout = o->timeout,
		.retry_cnt = o->retry_cnt,
		.rnr_retry = o->rnr_retry,
		.channel = o->bound ? &side->channel : NULL,
	};

	assert_int_equal(
		connect_to_peer(side->qp, &connect, &side->path, pair->now), 0);
}

static void connect_qps(struct pair *pair, const struct pair_options *options)
{
	for (unsigned int n = 0; n < PAIR_QPS && pair->side[0].qps[n]; n++) {
		pair_use_qp(pair, n);
		connect_qp(pair, 0, options);
		connect_qp(pair, 1, options);
	}
	pair_use_qp(pair, 0);
}

void pair_reconnect(struct pair *pair, const struct pair_options *options)
{
	struct uroce_cqe cqe;

	drop_datagrams(pair);
	connect_qps(pair, options);
	for (unsigned int i = 0; i < 2; i++) {
		while (pair_poll(&pair->side[i].send_cq, &cqe))
			;
		while (pair_poll(&pair->side[i].recv_cq, &cqe))
			;
	}
}

/* The first receive queue is @side->rq; if it is an SRQ, all QPs use it. */
static struct uroce_rq *init_rq(struct pair_side *side, unsigned int number,
				const struct pair_options *o)
{
	struct uroce_rq *rq = &side->rq;

	if (number && !o->shared)
		rq = &side->more_rqs[number - 1];
	if (!number || !o->shared)
		assert_int_equal(uroce_rq_init(rq, o->depth, UROCE_MAX_SGE,
					       PAIR_PD, o->shared),
				 0);
	return rq;
}

static void init_qps(struct pair *pair, struct pair_side *side,
		     const struct pair_options *o)
{
	struct uroce_qp_config config = {
		.type = o->type,
		.pd = PAIR_PD,
		.max_send_wr = o->depth,
		.max_send_sge = UROCE_MAX_SGE,
		.max_inline = UROCE_MAX_INLINE,
		.send_cq = &side->send_cq,
		.recv_cq = &side->recv_cq,
	};

	for (unsigned int n = 0; !n || n < o->nr_qps; n++) {
		config.rq = init_rq(side, n, o);
		assert_int_equal(uroce_engine_new_qp(&side->engine, &config,
						     pair->now, &side->qps[n]),
				 0);
	}
}

static void init_side(struct pair *pair, unsigned int i,
		      const struct pair_options *o)
{
	struct pair_side *side = &pair->side[i];
	struct uroce_engine_config engine = { .slot = 5 + i,
					      .memory = &side->regions,
					      .seed = o->seed,
					      .room_bytes = o->room_bytes };
	struct uroce_region region = {
		.iova = PAIR_IOVA,
		.bytes = o->memory_bytes,
		.pd = PAIR_PD,
		.access = PAIR_ALL_RIGHTS,
		.kind = UROCE_REGION_MEMORY,
	};

	uroce_channel_init(&side->channel);
	side->memory = calloc(1, o->memory_bytes);
	assert_non_null(side->memory);
	region.base = side->memory;
	uroce_memory_init(&side->regions, o->seed);
	assert_int_equal(uroce_engine_init(&side->engine, &engine), 0);
	assert_int_equal(
		uroce_memory_add(side->engine.core.memory, &region, &side->key),
		0);
	assert_int_equal(
		uroce_cq_init(&side->send_cq, 2 * o->depth, o->channel), 0);
	assert_int_equal(
		uroce_cq_init(&side->recv_cq, 2 * o->depth, o->channel), 0);
	init_qps(pair, side, o);
}

static void init_paths(struct pair *pair, bool ipv6)
{
	static const uint8_t v4[UROCE_GID_LEN] = { [10] = 0xff, 0xff, 10,
						   0,		0,    1 };
	static const uint8_t v6[UROCE_GID_LEN] = { 0x20, 1, 0xd,
						   0xb8, [15] = 1 };

	for (unsigned int i = 0; i < 2; i++) {
		struct uroce_path *path = &pair->side[i].path;

		memcpy(path->sgid, ipv6 ? v6 : v4, UROCE_GID_LEN);
		memcpy(path->dgid, path->sgid, UROCE_GID_LEN);
		path->sgid[15] = (uint8_t)(1 + i);
		path->dgid[15] = (uint8_t)(2 - i);
		path->sport = 0xc001;
		path->hop_limit = 64;
		path->tclass = 8;
		path->flow_label = 0xabcde;
	}
}

struct pair *pair_new(const struct pair_options *options)
{
	struct pair *pair = aligned_alloc(UROCE_CACHE_LINE, sizeof(*pair));

	assert_non_null(pair);
	uroce_icrc_init();
	memset(pair, 0, sizeof(*pair));
	pair->now = 1000000;
	net_init(&pair->net, options->seed);
	pair->go_back_n = options->go_back_n;
	init_paths(pair, options->ipv6);
	for (unsigned int i = 0; i < 2; i++)
		init_side(pair, i, options);
	connect_qps(pair, options);
	return pair;
}

void pair_free(struct pair *pair)
{
	for (unsigned int i = 0; i < 2; i++) {
		struct pair_side *side = &pair->side[i];

		for (unsigned int n = 0; n < PAIR_QPS; n++)
			if (side->qps[n])
				uroce_engine_free_qp(&side->engine,
						     side->qps[n], pair->now,
						     0);
		uroce_engine_fini(&side->engine);
		uroce_memory_fini(&side->regions);
		uroce_cq_fini(&side->send_cq);
		uroce_cq_fini(&side->recv_cq);
		uroce_rq_fini(&side->rq);
		for (unsigned int n = 0; n < PAIR_QPS - 1; n++)
			uroce_rq_fini(&side->more_rqs[n]);
		free(side->memory);
	}
	drop_datagrams(pair);
	net_fini(&pair->net);
	free(pair);
}

struct ibv_sge pair_sge(const struct pair *pair, unsigned int side,
			uint32_t offset, uint32_t length)
{
	return (struct ibv_sge){
		.addr = PAIR_IOVA + offset,
		.length = length,
		.lkey = pair->side[side].key,
	};
}

void pair_post(struct pair *pair, unsigned int side,
	       const struct uroce_send_wqe *wqe, const struct ibv_sge *sge)
{
	struct pair_side *s = &pair->side[side];
	struct uroce_send_wqe *slot = uroce_ring_vacant(&s->qp->sq);

	assert_non_null(slot);
	*slot = *wqe;
	for (uint32_t i = 0; i < wqe->nr_sge; i++) {
		slot->sge[i] = sge[i];
		slot->length += sge[i].length;
	}
	uroce_ring_put(&s->qp->sq);
	uroce_engine_kick(&s->engine, s->qp);
}

void pair_request(struct pair *pair, uint64_t wr_id, enum ibv_wr_opcode opcode,
		  uint32_t length, uint32_t there)
{
	const struct ibv_sge sge = pair_sge(pair, 0, 0, length);
	const struct uroce_send_wqe wqe = {
		.wr_id = wr_id,
		.opcode = (uint8_t)opcode,
		.flags = IBV_SEND_SIGNALED,
		.nr_sge = 1,
		.remote = { .va = PAIR_IOVA + there,
			    .rkey = pair->side[1].key },
	};

	pair_post(pair, 0, &wqe, &sge);
}

void pair_post_recv(struct pair *pair, unsigned int side, uint64_t wr_id,
		    const struct ibv_sge *sge, uint32_t nr_sge)
{
	struct pair_side *s = &pair->side[side];
	struct uroce_ring *ring = &s->qp->rq->ring;
	struct uroce_recv_wqe *slot = uroce_ring_vacant(ring);

	assert_non_null(slot);
	slot->wr_id = wr_id;
	slot->nr_sge = nr_sge;
	slot->length = 0;
	for (uint32_t i = 0; i < nr_sge; i++) {
		slot->sge[i] = sge[i];
		slot->length += sge[i].length;
	}
	uroce_ring_put(ring);
	if (uroce_qp_state(s->qp) == IBV_QPS_ERR)
		uroce_engine_kick(&s->engine, s->qp);
}

bool pair_poll(struct uroce_cq *cq, struct uroce_cqe *ret_cqe)
{
	const struct uroce_cqe *cqe = uroce_ring_front(&cq->ring);

	if (!cqe)
		return false;
	*ret_cqe = *cqe;
	uroce_ring_take(&cq->ring);
	return true;
}

uint64_t pair_count(const struct pair *pair, unsigned int side,
		    enum uroce_counter counter)
{
	return pair->side[side].engine.core.counters.count[counter];
}
