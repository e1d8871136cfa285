/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Makes a connection and corrects headers: see uroce_flow.h. */
#include "fuzz/uroce_flow.h"

#include "fuzz/fuzz_target.h"
#include "uroce/roce/uroce_psn.h"
#include "uroce/wire/uroce_wire.h"

#define FLOW_PD 1

/*
 * Some receives are too short, and some have a first SGE that cannot be a
 * sink.
 */
static void post_long_receives(struct flow *w)
{
	static const uint32_t firsts[] = { FLOW_LONG_READ, FLOW_LONG_MEMORY,
					   500000, 100 };
	struct uroce_recv_wqe *wqe;

	for (uint32_t i = 0; (wqe = uroce_ring_vacant(&w->rq.ring)); i++) {
		uint32_t first = firsts[i % 4];
		uint32_t rest = i % 4 ? w->bytes - first : 0;

		wqe->length = first + rest;
		wqe->nr_sge = rest ? 2 : 1;
		wqe->sge[0] = (struct ibv_sge){ FUZZ_IOVA, first, w->key };
		wqe->sge[1] =
			(struct ibv_sge){ FUZZ_IOVA + first, rest, w->key };
		uroce_ring_put(&w->rq.ring);
	}
}

void flow_post_receives(struct flow *w)
{
	if (w->is_long)
		post_long_receives(w);
	else
		fuzz_post_receives(&w->rq, w->key);
}

/* One work request of each kind: opcode and length. */
struct op_spec {
	uint8_t opcode;
	uint32_t length;
};

static void post_send(struct flow *w, const struct op_spec *op_spec)
{
	struct uroce_send_wqe *wqe = uroce_ring_vacant(&w->qp->sq);

	if (!wqe)
		return;
	*wqe = (struct uroce_send_wqe){
		.opcode = op_spec->opcode,
		.nr_sge = 1,
		.length = op_spec->length,
	};
	wqe->sge[0] =
		(struct ibv_sge){ w->is_long ? FUZZ_IOVA : FUZZ_IOVA + 10000,
				  wqe->length, w->key };
	if (w->is_long) {
		wqe->remote.va = FUZZ_IOVA;
		wqe->remote.rkey = w->key;
	}
	uroce_ring_put(&w->qp->sq);
}

void flow_post_sends(struct flow *w)
{
	static const struct op_spec wishes[] = {
		{ IBV_WR_SEND, 8 },
		{ IBV_WR_ATOMIC_FETCH_AND_ADD, 8 },
		{ IBV_WR_RDMA_WRITE, 3000 },
		{ IBV_WR_RDMA_READ, 3000 },
	};
	static const struct op_spec long_wishes[] = {
		{ IBV_WR_RDMA_READ, FLOW_LONG_READ },
		{ IBV_WR_SEND, 600000 },
		{ IBV_WR_RDMA_WRITE, 400000 },
		{ IBV_WR_RDMA_READ, FLOW_LONG_MEMORY },
		{ IBV_WR_SEND, 8 },
	};

	const size_t nr_long = sizeof(long_wishes) / sizeof(long_wishes[0]);

	if (w->is_long)
		for (size_t k = 0; k < nr_long; k++)
			post_send(w, &long_wishes[(w->first + k) % nr_long]);
	else
		for (size_t k = 0; k < sizeof(wishes) / sizeof(wishes[0]); k++)
			post_send(w, &wishes[k]);
	uroce_engine_kick(&w->engine, w->qp);
}

static struct flow *make_flow(struct uroce_channel *channel, bool is_long,
			      uint8_t first, uint64_t now)
{
	struct flow *w = aligned_alloc(UROCE_CACHE_LINE,
				       (sizeof(*w) / UROCE_CACHE_LINE + 1) *
					       UROCE_CACHE_LINE);
	static const struct uroce_path path;
	struct uroce_engine_config config = { .memory = &w->regions,
					      .slot = 1 };
	struct uroce_region region = {
		.iova = FUZZ_IOVA,
		.bytes = is_long ? FLOW_LONG_MEMORY : FUZZ_MEMORY,
		.pd = FLOW_PD,
		.access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			  IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC |
			  IBV_ACCESS_FLUSH_GLOBAL,
		.kind = UROCE_REGION_MEMORY,
	};
	struct uroce_qp_config qp = {
		.type = IBV_QPT_RC,
		.pd = FLOW_PD,
		.max_send_wr = FLOW_DEPTH,
		.max_send_sge = 2,
		.sig_all = true,
	};

	fuzz_assert(w);
	memset(w, 0, sizeof(*w));
	qp.rq = &w->rq;
	qp.send_cq = &w->cq;
	qp.recv_cq = &w->cq;
	w->is_long = is_long;
	w->first = first;
	w->bytes = (uint32_t)region.bytes;
	w->memory = calloc(1, w->bytes);
	fuzz_assert(w->memory);
	region.base = w->memory;
	uroce_channel_init(&w->own);
	w->channel = channel ?: &w->own;
	uroce_memory_init(&w->regions, 0);
	fuzz_assert(!uroce_engine_init(&w->engine, &config));
	fuzz_assert(!uroce_memory_add(w->engine.core.memory, &region, &w->key));
	fuzz_assert(!uroce_cq_init(&w->cq, 512, true));
	fuzz_assert(!uroce_rq_init(&w->rq, FLOW_DEPTH, 2, FLOW_PD, false));
	fuzz_assert(!uroce_engine_new_qp(&w->engine, &qp, now, &w->qp));
	fuzz_connect(w->qp, w->channel, &path, now);
	flow_post_receives(w);
	flow_post_sends(w);
	return w;
}

struct flow *flow_new(struct uroce_channel *channel, uint64_t now)
{
	return make_flow(channel, false, 0, now);
}

struct flow *flow_new_long(struct uroce_channel *channel, uint8_t first,
			   uint64_t now)
{
	return make_flow(channel, true, first, now);
}

void flow_free(struct flow *w, uint64_t now)
{
	uroce_engine_free_qp(&w->engine, w->qp, now, 0);
	uroce_rq_fini(&w->rq);
	uroce_cq_fini(&w->cq);
	uroce_engine_fini(&w->engine);
	uroce_memory_fini(&w->regions);
	free(w->memory);
	free(w);
}

void flow_quiesce(struct flow *w, uint64_t now)
{
	uroce_engine_sent(&w->engine, now);
	while (uroce_core_take_qp(&w->engine.core))
		w->qp->events = 0;
	while (uroce_core_take_rq(&w->engine.core))
		;
	while (uroce_core_take_cq(&w->engine.core))
		;
}

void flow_send_all(struct flow *w, uint64_t now)
{
	struct uroce_out out;
	int nr = 0;

	while (uroce_engine_next(&w->engine, now, &out))
		fuzz_assert(++nr < 10000);
	flow_quiesce(w, now);
}

static void put_field(uint8_t *at, uint64_t value, size_t bytes)
{
	while (bytes) {
		at[--bytes] = (uint8_t)value;
		value >>= 8;
	}
}

static uint32_t header_len_of(uint8_t opcode)
{
	uint8_t header[UROCE_MAX_HEADER];
	struct uroce_packet packet = {
		.opcode = opcode,
		.traits = uroce_wire_traits(opcode),
	};

	return packet.traits ? (uint32_t)uroce_wire_encode(&packet, header)
			     : UROCE_BTH_LEN;
}

void flow_correct_headers(const struct flow *w, uint8_t kind, int8_t distance,
			  struct uroce_eager_entry *eager)
{
	const struct uroce_qp *qp = w->qp;
	uint32_t una = uroce_psn_add(qp->roce->req.una_psn, distance);
	uint8_t *header = eager->header;

	put_field(header + 2, UROCE_PKEY_DEFAULT, 2);
	put_field(header + 5, qp->qpn, 3);
	if (kind & FLOW_RIGHT_PSN)
		put_field(header + 9,
			  uroce_psn_add(qp->roce->resp.epsn, distance), 3);
	else if (kind & FLOW_RIGHT_UNA)
		put_field(header + 9, una, 3);
	if (kind & FLOW_RIGHT_VA)
		put_field(header + UROCE_BTH_LEN, FUZZ_IOVA + header[19] % 128,
			  8);
	if (kind & FLOW_RIGHT_KEY)
		put_field(header + UROCE_BTH_LEN + 8, w->key, 4);
	if (kind & FLOW_RIGHT_LENGTH)
		put_field(header + UROCE_BTH_LEN + 12, eager->payload_len, 4);
	if (kind & FLOW_RIGHT_HEADER)
		eager->header_len = header_len_of(header[0]);
	if (kind & FLOW_WITH_ACK)
		eager->ack = UROCE_EAGER_ACK | una;
}
