/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the parts of the fast path share: the headers, a piece of memory, and
 * the completion of what has succeeded. For uroce_fast_*.c alone.
 */
#ifndef UROCE_FAST_PARTS_H
#define UROCE_FAST_PARTS_H

#include "uroce/engine/uroce_fast.h"

#include "uroce/engine/uroce_completion.h"

/* The BTH as three words (IBTA 9.2). */
#define OPCODE_SHIFT 24
#define SOLICITED    (0x80u << 16)
#define MIG_REQ	     (0x40u << 16)
#define VERSION_MASK (0x0fu << 16)
#define PKEY_MASK    0xffffu
#define ACK_REQ	     (0x80u << 24)

#define BTH_LEN	     UROCE_BTH_LEN
#define RETH_LEN     16
#define AETH_LEN     4
#define IMM_LEN	     4
#define ATOMIC_LEN   28
#define ATOMIC_BYTES 8

/*
 * What uroce_memory_local() would find for a piece of ordinary memory; NULL for
 * all else.
 */
static inline uint8_t *uroce_fast_memory(const struct uroce_memory *memory,
					 uint32_t pd, const struct ibv_sge *sge,
					 uint32_t bytes, unsigned int access)
{
	uint32_t index = sge->lkey >> 8;
	const struct uroce_region *region;
	uint64_t offset;

	if (index - 1 >= memory->nr_regions - 1)
		return NULL;
	region = memory->regions[index];
	offset = sge->addr - region->iova;
	if (region->kind != UROCE_REGION_MEMORY || region->key != sge->lkey ||
	    region->pd != pd || (region->access & access) != access ||
	    sge->addr < region->iova || offset > region->bytes ||
	    bytes > region->bytes - offset)
		return NULL;
	return region->base + offset;
}

/* In its slot are those members that the kind of completion is about. */
static inline void uroce_fast_complete(struct uroce_qp *qp, struct uroce_cq *cq,
				       struct uroce_cqe *cqe, bool solicited)
{
	cqe->qpn = qp->qpn;
	cqe->src_qpn = 0;
	cqe->status = IBV_WC_SUCCESS;
	cqe->sl = 0;
	uroce_ring_put(&cq->ring);
	if (cq->has_channel && uroce_cq_grant(cq, solicited)) {
		cq->wake = true;
		uroce_engine_cq_event(qp->engine, cq);
	}
}

/** uroce_fast_take_ack() - an ACK of a QP in RTS; uroce_fast_ack.c */
void uroce_fast_take_ack(struct uroce_qp *qp, uint32_t psn, uint64_t now);

#endif
