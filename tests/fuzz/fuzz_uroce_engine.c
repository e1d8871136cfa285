/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fuzz target: any packets of a peer on established connections. There are an
 * RC, a UC and a UD QP, with posted receives and outstanding work requests, and
 * an XRC target with two SRQs, each of a PD of its own.
 *
 * The input is a list of steps. A step is a byte of kind (bits 0-1: the QP;
 * bits 2-7: the fields that are corrected, so that the packet passes the first
 * checks), a byte of distance, a length in two bytes, and the bytes of a packet
 * from the BTH on. After each step the target takes all outgoing packets, and
 * time advances.
 */
#include "fuzz/fuzz_target.h"
#include "fuzz/uroce_connected.h"
#include "uroce/qp/uroce_xrc.h"
#include "uroce/roce/uroce_psn.h"
#include "uroce/wire/uroce_wire.h"

#define NR_QPS	     4
#define XRC	     3 /* index of the target, and of its first SRQ */
#define NR_RQS	     5
#define DEPTH	     32
#define PD	     1
#define MTU	     1024
#define MAX_STEPS    200
#define STEP_NS	     200000
#define RIGHT_PSN    0x04 /* the PSN that the responder expects, plus distance */
#define RIGHT_UNA    0x08 /* the oldest unacknowledged PSN, plus distance */
#define RIGHT_KEY    0x10
#define RIGHT_VA     0x20
#define RIGHT_LENGTH 0x40
#define RIGHT_QKEY   0x80 /* XRC: an SRQ that exists */

struct world {
	struct uroce_memory regions;
	struct uroce_engine engine;
	struct uroce_cq cq;
	struct uroce_rq rq[NR_RQS];
	struct uroce_qp *qp[NR_QPS];
	uint8_t *memory;
	uint32_t key;
	uint64_t now;
};

static const struct uroce_path path_out = {
	.sgid = { [10] = 0xff, 0xff, 10, 0, 0, 2 },
	.dgid = { [10] = 0xff, 0xff, 10, 0, 0, 1 },
};
static const struct uroce_path path_in = {
	.sgid = { [10] = 0xff, 0xff, 10, 0, 0, 1 },
	.dgid = { [10] = 0xff, 0xff, 10, 0, 0, 2 },
};

/* Posts one work request of each kind, so that responses match something. */
static void post_sends(struct world *w, unsigned int i)
{
	static const uint8_t opcodes[] = {
		IBV_WR_SEND,
		IBV_WR_RDMA_WRITE,
		IBV_WR_RDMA_READ,
		IBV_WR_ATOMIC_CMP_AND_SWP,
		IBV_WR_ATOMIC_FETCH_AND_ADD,
		IBV_WR_FLUSH,
		IBV_WR_ATOMIC_WRITE,
		IBV_WR_RDMA_READ,
	};
	size_t nr = i == 0 ? sizeof(opcodes) : 1;

	for (size_t k = 0; k < nr; k++) {
		struct uroce_send_wqe *wqe = uroce_ring_vacant(&w->qp[i]->sq);

		fuzz_assert(wqe);
		*wqe = (struct uroce_send_wqe){
			.opcode = opcodes[k],
			.flush_placement = IBV_FLUSH_GLOBAL,
			.nr_sge = 1,
			.length = k < 3 ? 3000 : 8,
		};
		if (i == 2)
			wqe->ud.path = path_out;
		wqe->sge[0] = (struct ibv_sge){ FUZZ_IOVA + 10000, wqe->length,
						w->key };
		uroce_ring_put(&w->qp[i]->sq);
	}
	uroce_engine_kick(&w->engine, w->qp[i]);
}

/* An RQ, or an SRQ of the target: the first has the PD of the region. */
static void init_rq(struct world *w, unsigned int i)
{
	static const bool shared[NR_RQS] = {
		[1] = true, [XRC] = true, [XRC + 1] = true
	};
	struct uroce_rq *rq = &w->rq[i];

	fuzz_assert(
		!uroce_rq_init(rq, DEPTH, 2, i > XRC ? PD + 1 : PD, shared[i]));
	fuzz_post_receives(rq, w->key);
	if (i < XRC)
		return;
	rq->xrc_cq = &w->cq;
	rq->xrc_domain = w;
	fuzz_assert(!uroce_xrc_add_srq(&w->engine.core.xrc, rq));
}

static void init(struct world *w)
{
	static const enum ibv_qp_type types[NR_QPS] = { IBV_QPT_RC, IBV_QPT_UC,
							IBV_QPT_UD,
							IBV_QPT_XRC_RECV };
	struct uroce_engine_config config = { .memory = &w->regions,
					      .slot = 1 };
	struct uroce_region region = {
		.iova = FUZZ_IOVA,
		.bytes = FUZZ_MEMORY,
		.pd = PD,
		.access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			  IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC |
			  IBV_ACCESS_FLUSH_GLOBAL,
		.kind = UROCE_REGION_MEMORY,
	};

	memset(w, 0, sizeof(*w));
	w->memory = calloc(1, FUZZ_MEMORY);
	fuzz_assert(w->memory);
	region.base = w->memory;
	uroce_memory_init(&w->regions, 0);
	fuzz_assert(!uroce_engine_init(&w->engine, &config));
	fuzz_assert(!uroce_memory_add(w->engine.core.memory, &region, &w->key));
	fuzz_assert(!uroce_cq_init(&w->cq, 512, true));
	for (unsigned int i = 0; i < NR_RQS; i++)
		init_rq(w, i);
	for (unsigned int i = 0; i < NR_QPS; i++) {
		struct uroce_qp_config qp = {
			.type = types[i],
			.pd = PD,
			.max_send_wr = DEPTH,
			.max_send_sge = 2,
			.sig_all = true,
			.rq = &w->rq[i],
			.send_cq = &w->cq,
			.recv_cq = &w->cq,
			.xrc_domain = w,
		};

		fuzz_assert(!uroce_engine_new_qp(&w->engine, &qp, w->now,
						 &w->qp[i]));
		fuzz_connect(w->qp[i], NULL, &path_out, w->now);
		if (i != XRC)
			post_sends(w, i);
	}
}

static void fini(struct world *w)
{
	/* the target forgets an SRQ that it may be using */
	uroce_xrc_remove_srq(&w->engine.core.xrc, &w->rq[XRC]);
	for (unsigned int i = 0; i < NR_QPS; i++)
		uroce_engine_free_qp(&w->engine, w->qp[i], w->now, 0);
	for (unsigned int i = 0; i < NR_RQS; i++)
		uroce_rq_fini(&w->rq[i]);
	uroce_cq_fini(&w->cq);
	uroce_engine_fini(&w->engine);
	uroce_memory_fini(&w->regions);
	free(w->memory);
}

static void check_out(const struct uroce_out *out)
{
	uint8_t headers[UROCE_MAX_HEADER];
	size_t len = 0;
	unsigned int sum = 0;

	fuzz_assert(uroce_wire_encode(&out->packet, headers) > 0);
	for (uint32_t i = 0; i < out->iovecs.nr; i++) {
		const uint8_t *bytes = out->iovecs.iov[i].iov_base;

		/* read, for the address sanitizer */
		for (size_t k = 0; k < out->iovecs.iov[i].iov_len; k++)
			sum += bytes[k];
		len += out->iovecs.iov[i].iov_len;
	}
	fuzz_assert(len == out->packet.payload_len && len <= UROCE_MAX_MTU);
	fuzz_assert(sum <= 255 * len);
}

static void check_qp(const struct uroce_qp *qp)
{
	const struct uroce_requester *req = &qp->roce->req;

	fuzz_assert(qp->state <= IBV_QPS_ERR);
	fuzz_assert(!uroce_psn_before(req->next_psn, req->una_psn));
	fuzz_assert(!uroce_psn_before(req->new_psn, req->una_psn));
	fuzz_assert(!uroce_psn_before(req->sent_psn, req->next_psn) ||
		    qp->state == IBV_QPS_SQE);
	fuzz_assert(qp->roce->resp.nr_pending <= qp->roce->resp.max_resources);
	fuzz_assert(uroce_ring_used(&qp->sq) <= DEPTH);
}

static void take_all_packets(struct world *w)
{
	const struct uroce_cqe *cqe;
	struct uroce_out out;
	struct uroce_qp *qp;
	int nr = 0;

	while (uroce_engine_next(&w->engine, w->now, &out)) {
		check_out(&out);
		fuzz_assert(++nr < 10000);
	}
	uroce_engine_sent(&w->engine, w->now);
	while ((cqe = uroce_ring_front(&w->cq.ring))) {
		fuzz_assert(cqe->status <= IBV_WC_GENERAL_ERR);
		uroce_ring_take(&w->cq.ring);
	}
	while ((qp = uroce_core_take_qp(&w->engine.core)))
		qp->events = 0;
	while (uroce_core_take_rq(&w->engine.core))
		;
	while (uroce_core_take_cq(&w->engine.core))
		;
	for (unsigned int i = 0; i < NR_QPS; i++)
		check_qp(w->qp[i]);
}

/* Corrects the fields that @kind selects; the others stay as they came. */
static void correct_fields(const struct world *w, struct uroce_packet *packet,
			   uint8_t kind, int8_t distance)
{
	const struct uroce_qp *qp = w->qp[kind % NR_QPS];

	packet->path = &path_in;
	packet->dest_qpn = qp->qpn;
	packet->pkey = UROCE_PKEY_DEFAULT;
	packet->opcode =
		(uint8_t)(qp->roce->opcode | (packet->opcode & UROCE_OP_MASK));
	packet->traits = uroce_wire_traits(packet->opcode);
	if (kind & RIGHT_PSN)
		packet->psn = uroce_psn_add(qp->roce->resp.epsn, distance);
	else if (kind & RIGHT_UNA)
		packet->psn = uroce_psn_add(qp->roce->req.una_psn, distance);
	if (kind & RIGHT_KEY)
		packet->rkey = w->key;
	if (kind & RIGHT_VA)
		packet->va = FUZZ_IOVA + packet->va % FUZZ_MEMORY;
	if (kind & RIGHT_LENGTH)
		packet->dma_len =
			packet->dma_len % 3 * MTU + packet->payload_len;
	if (kind & RIGHT_QKEY) {
		packet->qkey = 0x1ee7;
		packet->xrc_srqn = w->rq[XRC + packet->xrc_srqn % 2].xrc_number;
	}
}

static void step(struct world *w, struct fuzz_reader *input)
{
	uint8_t kind = fuzz_take_u8(input);
	int8_t distance = (int8_t)fuzz_take_u8(input);
	uint16_t want = fuzz_take_u16(input);
	struct uroce_packet packet;
	const uint8_t *bytes;
	uint8_t *copy;
	size_t len;

	bytes = fuzz_take(input, want, &len);
	copy = malloc(len ? len : 1);
	fuzz_assert(copy);
	memcpy(copy, bytes, len);
	if (uroce_wire_decode(copy, len, &packet) == 0) {
		correct_fields(w, &packet, kind, distance);
		if (packet.traits &&
		    (packet.traits & UROCE_T_PAYLOAD || !packet.payload_len))
			uroce_engine_receive(&w->engine, &packet, w->now);
	}
	free(copy);
	take_all_packets(w);
	w->now += STEP_NS;
	(void)uroce_engine_expire(&w->engine, w->now);
	take_all_packets(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct fuzz_reader input = { .data = data, .len = len };
	struct world *w = aligned_alloc(UROCE_CACHE_LINE, sizeof(*w));

	fuzz_assert(w);
	init(w);
	take_all_packets(w);
	for (int i = 0; i < MAX_STEPS && input.len; i++)
		step(w, &input);
	fini(w);
	free(w);
	return 0;
}
