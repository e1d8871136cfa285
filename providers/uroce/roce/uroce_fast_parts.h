/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Parts of the fast path that its files share: header fields, lkey check, store
 * of a payload, and completion of successful work requests. Private to
 * uroce_fast_*.c.
 */
#ifndef UROCE_FAST_PARTS_H
#define UROCE_FAST_PARTS_H

#include "uroce/roce/uroce_fast.h"

#include "uroce/qp/uroce_atomic.h"
#include "uroce/qp/uroce_completion.h"
#include "uroce/qp/uroce_place.h"
#include "uroce/roce/uroce_rndv.h"

/* Fields of the BTH, read as three 32-bit words (IBTA 9.2). */
#define OPCODE_SHIFT 24
#define SOLICITED    (0x80u << 16)
#define MIG_REQ	     (0x40u << 16)
#define VERSION_MASK (0x0fu << 16)
#define PKEY_MASK    0xffffu
#define ACK_REQ	     (0x80u << 24)

#define BTH_LEN	   UROCE_BTH_LEN
#define RETH_LEN   16
#define AETH_LEN   4
#define IMM_LEN	   4
#define ATOMIC_LEN 28

/*
 * uroce_memory_local() for regions of kind UROCE_REGION_MEMORY; also
 * uroce_memory_remote(), with the rkey, which is equal, as the lkey of the SGE.
 * NULL: another kind, or the SGE is invalid.
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

/*
 * Adds the CQE of a success. The caller has filled in the members that depend
 * on the kind of completion.
 */
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
		uroce_core_cq_event(qp->core, cq);
	}
}

/* uroce_complete_send() with status IBV_WC_SUCCESS. */
static inline void uroce_fast_complete_send(struct uroce_qp *qp,
					    struct uroce_send_wqe *wqe)
{
	struct uroce_cqe *cqe;

	/* uroce_rndv_end(), uroce_comp_cntr_count() */
	if (wqe->length >= UROCE_RNDV_MIN || qp->counted_ops) {
		uroce_complete_send(qp, IBV_WC_SUCCESS);
		return;
	}
	if (!qp->sig_all && !(wqe->flags & IBV_SEND_SIGNALED)) {
		wqe->begun = false;
		uroce_ring_take(&qp->sq);
		return;
	}
	cqe = uroce_cq_vacant(qp->send_cq);
	if (!cqe) {
		uroce_complete_send(qp, IBV_WC_SUCCESS);
		return;
	}
	cqe->wr_id = wqe->wr_id;
	cqe->stamp_ns = uroce_cq_time(qp->send_cq);
	cqe->imm = 0;
	cqe->wc_flags = 0;
	uroce_describe_send(wqe, cqe);
	wqe->begun = false;
	uroce_ring_take(&qp->sq);
	uroce_fast_complete(qp, qp->send_cq, cqe, false);
}

/* Whether one store suffices: 8 aligned bytes, the most frequent length. */
static inline bool uroce_fast_is_word(const uint8_t *to, uint32_t bytes)
{
	return bytes == sizeof(uint64_t) &&
	       (uintptr_t)to % sizeof(uint64_t) == 0;
}

/* uroce_place(), with a shortcut for one word. */
static inline void uroce_fast_place(uint8_t *to, const uint8_t *from,
				    uint32_t bytes)
{
	if (uroce_fast_is_word(to, bytes))
		uroce_place_word(to, from, sizeof(uint64_t));
	else
		uroce_place(to, from, bytes);
}

/** uroce_fast_take_ack() - process an ACK of a QP in RTS; uroce_fast_ack.c */
void uroce_fast_take_ack(struct uroce_qp *qp, uint32_t psn, uint64_t now);

/**
 * uroce_fast_take_atomic() - process an atomic response; uroce_fast_ack.c
 * @qp: QP in RTS
 * @psn: PSN of the response
 * @orig: original value of the remote memory
 * @now: ns
 *
 * Return: false if uroce_ack_receive() must process the response.
 */
bool uroce_fast_take_atomic(struct uroce_qp *qp, uint32_t psn, uint64_t orig,
			    uint64_t now);

#endif
