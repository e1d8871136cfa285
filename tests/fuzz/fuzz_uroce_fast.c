/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fuzz target: what another process may put into our inbox, for a connection
 * whose packets go through memory. Each packet goes to two engines: one looks
 * at it in the fast way first, the other one in the ordinary way only. Memory,
 * completions and the state of the connection must be the same.
 *
 * The input is a list of steps: a byte that says what is put right, so that it
 * gets past the first checks; a byte of distance; the length of the payload, in
 * two bytes; the length of the headers, in one byte, and the headers, from the
 * BTH on.
 */
#include "fuzz/fuzz_target.h"
#include "uroce/engine/uroce_channel.h"
#include "uroce/engine/uroce_engine.h"
#include "uroce/engine/uroce_fast.h"
#include "uroce/engine/uroce_psn.h"
#include "uroce/local/uroce_inbox.h"
#include "uroce/wire/uroce_wire.h"

#define DEPTH	     32
#define MEMORY	     20000
#define IOVA	     UINT64_C(0x10000)
#define PD	     1
#define MAX_STEPS    100
#define STEP_NS	     200000
#define RIGHT_PSN    0x01 /* what the responder expects, and the distance */
#define RIGHT_UNA    0x02 /* what the requester waits for, and the distance */
#define RIGHT_KEY    0x04
#define RIGHT_VA     0x08
#define RIGHT_LENGTH 0x10
#define RIGHT_HEADER 0x20 /* as long as its opcode says */
#define WITH_ACK     0x40 /* of what the requester waits for, and the distance */
#define AND_POST     0x80

struct world {
	struct uroce_engine engine;
	struct uroce_channel channel;
	struct uroce_cq cq;
	struct uroce_rq rq;
	struct uroce_qp *qp;
	uint8_t *memory;
	uint32_t key;
};

static struct world *worlds[2]; /* the first one is fast */
static uint64_t now;

static void connect(struct world *w)
{
	static const struct uroce_path path;
	struct ibv_qp_attr attr = {
		.path_mtu = IBV_MTU_1024,
		.rq_psn = 0xfffffc,
		.sq_psn = 0xfffff0,
		.dest_qp_num = 0x123,
		.qp_access_flags =
			IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
			IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_FLUSH_GLOBAL,
		.ah_attr = { .is_global = 1 },
		.max_rd_atomic = 4,
		.max_dest_rd_atomic = 4,
		.min_rnr_timer = 1,
		.port_num = 1,
		.timeout = 7,
		.retry_cnt = 7,
		.rnr_retry = 7,
	};
	static const int masks[3] = {
		IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
		IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
		IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC,
	};

	for (int i = 0; i < 3; i++) {
		attr.qp_state = (enum ibv_qp_state)(IBV_QPS_INIT + i);
		if (attr.qp_state == IBV_QPS_RTR)
			uroce_channel_bind(&w->channel, w->qp);
		fuzz_assert(!uroce_qp_modify(w->qp, &attr,
					     masks[i] | IBV_QP_STATE,
					     IBV_MTU_4096, &path, now));
	}
}

static void post_receives(struct world *w)
{
	struct uroce_recv_wqe *wqe;

	while ((wqe = uroce_ring_vacant(&w->rq.ring))) {
		wqe->length = 4000;
		wqe->nr_sge = 2;
		wqe->sge[0] = (struct ibv_sge){ IOVA, 1000, w->key };
		wqe->sge[1] = (struct ibv_sge){ IOVA + 5000, 3000, w->key };
		uroce_ring_put(&w->rq.ring);
	}
}

static void post_sends(struct world *w)
{
	static const uint8_t opcodes[] = {
		IBV_WR_SEND,
		IBV_WR_ATOMIC_FETCH_AND_ADD,
		IBV_WR_RDMA_WRITE,
		IBV_WR_RDMA_READ,
	};

	for (size_t k = 0; k < sizeof(opcodes); k++) {
		struct uroce_send_wqe *wqe = uroce_ring_vacant(&w->qp->sq);

		if (!wqe)
			return;
		*wqe = (struct uroce_send_wqe){
			.opcode = opcodes[k],
			.nr_sge = 1,
			.length = k < 2 ? 8 : 3000,
		};
		wqe->sge[0] =
			(struct ibv_sge){ IOVA + 10000, wqe->length, w->key };
		uroce_ring_put(&w->qp->sq);
	}
	uroce_engine_kick(&w->engine, w->qp);
}

static struct world *world_new(void)
{
	struct world *w = aligned_alloc(UROCE_CACHE_LINE,
					(sizeof(*w) / UROCE_CACHE_LINE + 1) *
						UROCE_CACHE_LINE);
	struct uroce_engine_config config = { .slot = 1 };
	struct uroce_region region = {
		.iova = IOVA,
		.bytes = MEMORY,
		.pd = PD,
		.access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			  IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC |
			  IBV_ACCESS_FLUSH_GLOBAL,
		.kind = UROCE_REGION_MEMORY,
	};
	struct uroce_qp_config qp = {
		.type = IBV_QPT_RC,
		.pd = PD,
		.max_send_wr = DEPTH,
		.max_send_sge = 2,
		.sig_all = true,
	};

	fuzz_assert(w);
	memset(w, 0, sizeof(*w));
	qp.rq = &w->rq;
	qp.send_cq = &w->cq;
	qp.recv_cq = &w->cq;
	w->memory = calloc(1, MEMORY);
	fuzz_assert(w->memory);
	region.base = w->memory;
	uroce_channel_init(&w->channel);
	fuzz_assert(!uroce_engine_init(&w->engine, &config));
	fuzz_assert(!uroce_memory_add(&w->engine.memory, &region, &w->key));
	fuzz_assert(!uroce_cq_init(&w->cq, 512, true));
	fuzz_assert(!uroce_rq_init(&w->rq, DEPTH, 2, PD, false));
	fuzz_assert(!uroce_engine_new_qp(&w->engine, &qp, now, &w->qp));
	connect(w);
	post_receives(w);
	post_sends(w);
	return w;
}

static void world_free(struct world *w)
{
	uroce_engine_free_qp(&w->engine, w->qp, now, 0);
	uroce_rq_fini(&w->rq);
	uroce_cq_fini(&w->cq);
	uroce_engine_fini(&w->engine);
	free(w->memory);
	free(w);
}

static void send_all(struct world *w)
{
	struct uroce_out out;
	int nr = 0;

	while (uroce_engine_next(&w->engine, now, &out))
		fuzz_assert(++nr < 10000);
	uroce_engine_sent(&w->engine, now);
	while (uroce_engine_take_qp(&w->engine))
		w->qp->events = 0;
	while (uroce_engine_take_rq(&w->engine))
		;
	while (uroce_engine_take_cq(&w->engine))
		;
}

/* Both must say the same of what has become of it. */
static void compare(struct world *a, struct world *b)
{
	const struct uroce_cqe *x, *y;

	fuzz_assert(a->qp->state == b->qp->state);
	fuzz_assert(a->qp->resp.epsn == b->qp->resp.epsn);
	fuzz_assert(a->qp->resp.msn == b->qp->resp.msn);
	fuzz_assert(a->qp->req.una_psn == b->qp->req.una_psn);
	fuzz_assert(a->qp->req.sent_psn == b->qp->req.sent_psn);
	fuzz_assert(memcmp(a->memory, b->memory, MEMORY) == 0);
	do {
		x = uroce_ring_front(&a->cq.ring);
		y = uroce_ring_front(&b->cq.ring);
		fuzz_assert(!x == !y);
		if (!x)
			break;
		fuzz_assert(x->status == y->status && x->wr_id == y->wr_id);
		fuzz_assert(x->status != IBV_WC_SUCCESS ||
			    (x->opcode == y->opcode && x->imm == y->imm &&
			     x->byte_len == y->byte_len &&
			     x->wc_flags == y->wc_flags));
		uroce_ring_take(&a->cq.ring);
		uroce_ring_take(&b->cq.ring);
	} while (true);
}

static void put(uint8_t *at, uint64_t value, size_t bytes)
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

static void put_right(uint8_t kind, int8_t distance, struct uroce_brief *brief)
{
	const struct uroce_qp *qp = worlds[1]->qp;
	uint32_t una = uroce_psn_add(qp->req.una_psn, distance);
	uint8_t *header = brief->header;

	put(header + 2, UROCE_PKEY_DEFAULT, 2);
	put(header + 5, qp->qpn, 3);
	if (kind & RIGHT_PSN)
		put(header + 9, uroce_psn_add(qp->resp.epsn, distance), 3);
	else if (kind & RIGHT_UNA)
		put(header + 9, una, 3);
	if (kind & RIGHT_VA)
		put(header + UROCE_BTH_LEN, IOVA + header[19] % 128, 8);
	if (kind & RIGHT_KEY)
		put(header + UROCE_BTH_LEN + 8, worlds[1]->key, 4);
	if (kind & RIGHT_LENGTH)
		put(header + UROCE_BTH_LEN + 12, brief->payload_len, 4);
	if (kind & RIGHT_HEADER)
		brief->header_len = header_len_of(header[0]);
	if (kind & WITH_ACK)
		brief->ack = UROCE_BRIEF_ACK | una;
}

static void receive(struct world *w, const struct uroce_brief *brief, bool fast)
{
	struct uroce_packet packet;

	if (fast && uroce_fast_receive(&w->engine, &w->channel, brief, now))
		return;
	if (uroce_inbox_decode(brief, &packet))
		return;
	packet.channel = &w->channel;
	uroce_engine_receive(&w->engine, &packet, now);
}

static void step(struct fuzz_reader *input)
{
	uint8_t kind = fuzz_take_u8(input);
	int8_t distance = (int8_t)fuzz_take_u8(input);
	struct uroce_brief brief = {
		.payload_len = fuzz_take_u16(input) % 1200,
	};
	uint8_t want = fuzz_take_u8(input) % (UROCE_MAX_HEADER + 1);
	const uint8_t *bytes;
	uint8_t *payload;
	size_t len;

	bytes = fuzz_take(input, want, &len);
	memcpy(brief.header, bytes, len);
	brief.header_len = (uint32_t)len;
	payload = malloc(brief.payload_len ? brief.payload_len : 1);
	fuzz_assert(payload);
	memset(payload, kind ^ want, brief.payload_len);
	brief.payload = payload;
	put_right(kind, distance, &brief);
	for (int i = 0; i < 2; i++) {
		receive(worlds[i], &brief, i == 0);
		if (kind & AND_POST) {
			post_receives(worlds[i]);
			post_sends(worlds[i]);
		}
		send_all(worlds[i]);
	}
	free(payload);
	compare(worlds[0], worlds[1]);
	now += STEP_NS;
	for (int i = 0; i < 2; i++) {
		(void)uroce_engine_expire(&worlds[i]->engine, now);
		send_all(worlds[i]);
	}
	compare(worlds[0], worlds[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct fuzz_reader input = { .data = data, .len = len };

	now = 0;
	for (int i = 0; i < 2; i++) {
		worlds[i] = world_new();
		send_all(worlds[i]);
	}
	for (int i = 0; i < MAX_STEPS && input.len; i++)
		step(&input);
	for (int i = 0; i < 2; i++)
		world_free(worlds[i]);
	return 0;
}
