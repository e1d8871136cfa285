/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fuzz target: packets that another process writes into this process's ring,
 * for a connection through shared memory. Each packet goes to two engines: one
 * tries the fast path first, the other one uses only the slow path. Memory,
 * completions and connection state must be equal.
 *
 * The input is a list of steps: a byte with the fields that are corrected, so
 * that the packet passes the first checks; a byte of distance; the length of
 * the payload in two bytes; the length of the headers in one byte, and the
 * headers, from the BTH on.
 */
#include "fuzz/fuzz_target.h"
#include "fuzz/uroce_flow.h"
#include "uroce/roce/uroce_fast.h"
#include "uroce/shm/uroce_shm_ring.h"

#define MAX_STEPS 100
#define STEP_NS	  200000
#define AND_POST  0x80 /* besides FLOW_RIGHT_* */

static struct flow *worlds[2]; /* the first one uses the fast path */
static uint64_t now;

/* Both flows must be in the same state. */
static void assert_equal_flows(struct flow *a, struct flow *b)
{
	const struct uroce_cqe *x, *y;

	fuzz_assert(a->qp->state == b->qp->state);
	fuzz_assert(a->qp->roce->resp.epsn == b->qp->roce->resp.epsn);
	fuzz_assert(a->qp->roce->resp.msn == b->qp->roce->resp.msn);
	fuzz_assert(a->qp->roce->req.una_psn == b->qp->roce->req.una_psn);
	fuzz_assert(a->qp->roce->req.sent_psn == b->qp->roce->req.sent_psn);
	fuzz_assert(memcmp(a->memory, b->memory, FUZZ_MEMORY) == 0);
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

static void receive(struct flow *w, const struct uroce_eager_entry *eager,
		    bool fast)
{
	struct uroce_packet packet;

	if (fast && uroce_fast_receive(&w->engine, w->channel, eager, now))
		return;
	if (uroce_shm_ring_decode(eager, &packet))
		return;
	packet.channel = w->channel;
	uroce_engine_receive(&w->engine, &packet, now);
}

static void step(struct fuzz_reader *input)
{
	uint8_t kind = fuzz_take_u8(input);
	int8_t distance = (int8_t)fuzz_take_u8(input);
	struct uroce_eager_entry eager = {
		.payload_len = fuzz_take_u16(input) % 1200,
	};
	uint8_t want = fuzz_take_u8(input) % (UROCE_MAX_HEADER + 1);
	const uint8_t *bytes;
	uint8_t *payload;
	size_t len;

	bytes = fuzz_take(input, want, &len);
	memcpy(eager.header, bytes, len);
	eager.header_len = (uint32_t)len;
	payload = malloc(eager.payload_len ? eager.payload_len : 1);
	fuzz_assert(payload);
	memset(payload, kind ^ want, eager.payload_len);
	eager.payload = payload;
	flow_correct_headers(worlds[1], kind, distance, &eager);
	for (int i = 0; i < 2; i++) {
		receive(worlds[i], &eager, i == 0);
		if (kind & AND_POST) {
			flow_post_receives(worlds[i]);
			flow_post_sends(worlds[i]);
		}
		flow_send_all(worlds[i], now);
	}
	free(payload);
	assert_equal_flows(worlds[0], worlds[1]);
	now += STEP_NS;
	for (int i = 0; i < 2; i++) {
		(void)uroce_engine_expire(&worlds[i]->engine, now);
		flow_send_all(worlds[i], now);
	}
	assert_equal_flows(worlds[0], worlds[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct fuzz_reader input = { .data = data, .len = len };

	now = 0;
	for (int i = 0; i < 2; i++) {
		worlds[i] = flow_new(NULL, now);
		flow_send_all(worlds[i], now);
	}
	for (int i = 0; i < MAX_STEPS && input.len; i++)
		step(&input);
	for (int i = 0; i < 2; i++)
		flow_free(worlds[i], now);
	return 0;
}
