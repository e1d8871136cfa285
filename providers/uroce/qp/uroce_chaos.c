/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "uroce/qp/uroce_chaos.h"

#include <stdlib.h>
#include <string.h>

#include "uroce/qp/uroce_place.h"
#include "uroce/qp/uroce_qp_ops.h"
#include "util/min.h"

#define MAX_LATE_STORES 256
#define MAX_STORE_BYTES 4096U /* the largest MTU */
#define MAX_LATE_CQES	256
/* Of this number of steps, one does something. */
#define IDLE_STEPS 4

struct chaos_store {
	struct uroce_qp *qp;
	enum uroce_chaos_source source;
	uint32_t bytes;
	uint8_t *to;
	uint8_t data[MAX_STORE_BYTES];
};

struct chaos_cqe {
	struct uroce_cq *cq;
	struct uroce_cqe cqe;
	bool solicited;
};

struct uroce_chaos {
	uint64_t random; /* never 0 */
	/* The first @nr_stores are in use, in any order. */
	struct chaos_store *stores[MAX_LATE_STORES];
	uint32_t nr_stores;
	struct chaos_cqe cqes[MAX_LATE_CQES]; /* the oldest first */
	uint32_t nr_cqes;
	struct chaos_store store_memory[MAX_LATE_STORES];
};

struct uroce_chaos *uroce_chaos_new(uint64_t seed)
{
	struct uroce_chaos *chaos = calloc(1, sizeof(*chaos));

	if (!chaos)
		return NULL;
	chaos->random = seed * UINT64_C(0x9e3779b97f4a7c15);
	for (uint32_t i = 0; i < MAX_LATE_STORES; i++)
		chaos->stores[i] = &chaos->store_memory[i];
	return chaos;
}

/* xorshift64 */
uint32_t uroce_chaos_random(struct uroce_chaos *chaos, uint32_t end)
{
	chaos->random ^= chaos->random << 13;
	chaos->random ^= chaos->random >> 7;
	chaos->random ^= chaos->random << 17;
	return (uint32_t)(chaos->random >> 32) % end;
}

/* ------------------------------------------------------------------------ */
/* Stores                                                                    */
/* ------------------------------------------------------------------------ */

bool uroce_chaos_has_late_request(const struct uroce_qp *qp)
{
	const struct uroce_chaos *chaos = qp->core->chaos;

	for (uint32_t i = 0; i < chaos->nr_stores; i++)
		if (chaos->stores[i]->qp == qp &&
		    chaos->stores[i]->source == UROCE_CHAOS_REQUEST)
			return true;
	return false;
}

static void chaos_place_store(struct uroce_chaos *chaos, uint32_t at)
{
	struct chaos_store *store = chaos->stores[at];

	uroce_place(store->to, store->data, store->bytes);
	chaos->stores[at] = chaos->stores[--chaos->nr_stores];
	chaos->stores[chaos->nr_stores] = store;
	if (store->source == UROCE_CHAOS_REQUEST)
		store->qp->ops->wake(store->qp); /* the ACK */
}

static void chaos_place_qpn(struct uroce_chaos *chaos, uint32_t qpn,
			    enum uroce_chaos_source source)
{
	for (uint32_t i = chaos->nr_stores; i-- > 0;)
		if (chaos->stores[i]->qp->qpn == qpn &&
		    chaos->stores[i]->source == source)
			chaos_place_store(chaos, i);
}

void uroce_chaos_place(struct uroce_qp *qp, enum uroce_chaos_source source)
{
	chaos_place_qpn(qp->core->chaos, qp->qpn, source);
}

void uroce_chaos_place_all(struct uroce_chaos *chaos)
{
	while (chaos->nr_stores)
		chaos_place_store(chaos, chaos->nr_stores - 1);
}

/* Stores earlier data for the same bytes. */
static void chaos_place_range(struct uroce_chaos *chaos, const uint8_t *to,
			      uint32_t bytes)
{
	for (uint32_t i = chaos->nr_stores; i-- > 0;) {
		const struct chaos_store *store = chaos->stores[i];

		if (store->to < to + bytes && to < store->to + store->bytes)
			chaos_place_store(chaos, i);
	}
}

/* The length of the first of the parts that are stored in any order. */
static uint32_t chaos_cut(struct uroce_chaos *chaos, const uint8_t *to,
			  uint32_t bytes)
{
	uint32_t len = 1 + uroce_chaos_random(chaos, bytes);

	len += (uint32_t) - ((uintptr_t)to + len) % 8;
	return min_u32(min_u32(len, bytes), MAX_STORE_BYTES);
}

void uroce_chaos_store(struct uroce_qp *qp, enum uroce_chaos_source source,
		       uint8_t *to, const uint8_t *from, uint32_t bytes)
{
	struct uroce_chaos *chaos = qp->core->chaos;

	chaos_place_range(chaos, to, bytes);
	/* a dma-buf may be accessed now, but not later */
	if (qp->core->memory->nr_dmabufs) {
		uroce_place(to, from, bytes);
		return;
	}
	while (bytes) {
		uint32_t len = chaos_cut(chaos, to, bytes);
		struct chaos_store *store;

		if (chaos->nr_stores == MAX_LATE_STORES)
			chaos_place_store(
				chaos,
				uroce_chaos_random(chaos, MAX_LATE_STORES));
		store = chaos->stores[chaos->nr_stores++];
		store->qp = qp;
		store->source = source;
		store->to = to;
		store->bytes = len;
		memcpy(store->data, from, len);
		to += len;
		from += len;
		bytes -= len;
	}
}

/* ------------------------------------------------------------------------ */
/* Completions                                                               */
/* ------------------------------------------------------------------------ */

static bool is_receive(const struct uroce_cqe *cqe)
{
	return cqe->opcode & IBV_WC_RECV;
}

/* Adds the completion @at to its CQ, in which uroce_chaos_hold() saw room. */
static void chaos_release(struct uroce_core *core, uint32_t at)
{
	struct uroce_chaos *chaos = core->chaos;
	struct chaos_cqe held = chaos->cqes[at];
	bool wake = false;

	chaos->nr_cqes--;
	memmove(&chaos->cqes[at], &chaos->cqes[at + 1],
		(chaos->nr_cqes - at) * sizeof(held));
	chaos_place_qpn(chaos, held.cqe.qpn,
			is_receive(&held.cqe) ? UROCE_CHAOS_REQUEST
					      : UROCE_CHAOS_RESPONSE);
	if (!uroce_cq_push(held.cq, &held.cqe, held.solicited, &wake) && wake) {
		held.cq->wake = true;
		uroce_core_cq_event(core, held.cq);
	}
}

/* Of a queue that is chosen at random, the oldest completion. */
static void chaos_release_any(struct uroce_core *core)
{
	struct uroce_chaos *chaos = core->chaos;
	const struct uroce_cqe *any =
		&chaos->cqes[uroce_chaos_random(chaos, chaos->nr_cqes)].cqe;
	uint32_t at = 0;

	while (chaos->cqes[at].cqe.qpn != any->qpn ||
	       is_receive(&chaos->cqes[at].cqe) != is_receive(any))
		at++;
	chaos_release(core, at);
}

void uroce_chaos_release_all(struct uroce_core *core)
{
	while (core->chaos->nr_cqes)
		chaos_release_any(core);
}

static bool cq_has_room(const struct uroce_chaos *chaos,
			const struct uroce_cq *cq)
{
	uint32_t nr = uroce_ring_used(&cq->ring);

	for (uint32_t i = 0; i < chaos->nr_cqes; i++)
		nr += chaos->cqes[i].cq == cq;
	return !cq->overrun && nr < cq->ring.size;
}

bool uroce_chaos_hold(struct uroce_core *core, struct uroce_cq *cq,
		      const struct uroce_cqe *cqe, bool solicited)
{
	struct uroce_chaos *chaos = core->chaos;

	if (!cq_has_room(chaos, cq)) {
		uroce_chaos_release_all(core);
		uroce_chaos_place_all(chaos);
		return false;
	}
	if (chaos->nr_cqes == MAX_LATE_CQES)
		chaos_release_any(core);
	chaos->cqes[chaos->nr_cqes++] = (struct chaos_cqe){
		.cq = cq,
		.cqe = *cqe,
		.solicited = solicited,
	};
	return true;
}

/* ------------------------------------------------------------------------ */
/* Passes                                                                    */
/* ------------------------------------------------------------------------ */

bool uroce_chaos_is_late(const struct uroce_chaos *chaos)
{
	return chaos->nr_stores || chaos->nr_cqes;
}

void uroce_chaos_step(struct uroce_core *core)
{
	struct uroce_chaos *chaos = core->chaos;
	uint32_t nr;

	if (uroce_chaos_random(chaos, IDLE_STEPS))
		return;
	/* up to half of all, and one more */
	nr = uroce_chaos_random(chaos, chaos->nr_stores / 2 + 2);
	for (nr = min_u32(nr, chaos->nr_stores); nr; nr--)
		chaos_place_store(chaos,
				  uroce_chaos_random(chaos, chaos->nr_stores));
	nr = uroce_chaos_random(chaos, chaos->nr_cqes / 2 + 2);
	for (nr = min_u32(nr, chaos->nr_cqes); nr; nr--)
		chaos_release_any(core);
}
