/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fill slots of a send queue, for ibv_post_send() and ibv_wr_*(). Slots that
 * are filled and not yet published begin at the ring's head. The caller holds
 * sq_lock, except for uroce_sq_expect(), uroce_sq_post() and its slow path.
 */
#ifndef UROCE_SEND_H
#define UROCE_SEND_H

#include <errno.h>
#include <string.h>

#include "uroce/verbs/uroce_verbs.h"
#include "util/prefetch.h"

/* Properties of an operation. */
enum uroce_op_trait {
	UROCE_OP_RC = 1 << 0, /* allowed on RC (IBTA 9.2.1, table 36) */
	UROCE_OP_UC = 1 << 1,
	UROCE_OP_UD = 1 << 2,
	UROCE_OP_DATA = 1 << 3,	  /* has SGEs */
	UROCE_OP_INLINE = 1 << 4, /* may have inline data instead of SGEs */
	UROCE_OP_XRC = 1 << 5,	  /* allowed on XRC_SEND */
};

#define UROCE_NR_OPS (IBV_WR_ATOMIC_WRITE + 1)

/* enum uroce_op_trait, by enum ibv_wr_opcode; use uroce_op_traits(). */
extern const uint8_t uroce_op_table[UROCE_NR_OPS];

/** uroce_op_traits() - get enum uroce_op_trait; 0: @opcode is unsupported */
static inline unsigned int uroce_op_traits(enum ibv_wr_opcode opcode)
{
	return (size_t)opcode < UROCE_NR_OPS ? uroce_op_table[opcode] : 0;
}

/** uroce_op_trait_of() - get the trait of operations that a QP type supports */
static inline unsigned int uroce_op_trait_of(enum ibv_qp_type type)
{
	switch (type) {
	case IBV_QPT_RC:
		return UROCE_OP_RC;
	case IBV_QPT_UC:
		return UROCE_OP_UC;
	case IBV_QPT_UD:
		return UROCE_OP_UD;
	case IBV_QPT_XRC_SEND:
		return UROCE_OP_XRC;
	default:
		return 0;
	}
}

/**
 * uroce_sq_op() - get the traits of an operation that is to be posted
 * @qp: the QP
 * @opcode: the operation
 * @flags: enum ibv_send_flags; no QP can compute IP checksums
 *
 * Return: enum uroce_op_trait; 0: the QP does not support the operation.
 */
static inline unsigned int uroce_sq_op(const struct uroce_verbs_qp *qp,
				       enum ibv_wr_opcode opcode,
				       unsigned int flags)
{
	unsigned int op = uroce_op_traits(opcode);

	return op & qp->op_trait && !(flags & IBV_SEND_IP_CSUM) ? op : 0;
}

/** uroce_sq_may_post() - test the state: from RTS on (IBTA 10.8.3.1) */
static inline bool uroce_sq_may_post(const struct uroce_verbs_qp *qp)
{
	return uroce_qp_state(qp->qp) >= IBV_QPS_RTS;
}

/** uroce_sq_expect() - prefetch for write, at the beginning of a post */
static inline void uroce_sq_expect(const struct uroce_verbs_qp *qp)
{
	const void *next =
		__atomic_load_n(&qp->qp->roce->next_put, __ATOMIC_RELAXED);

	if (next)
		prefetch_for_write(next);
}

/**
 * uroce_sq_slot() - get the next slot to fill
 * @qp: the QP
 * @nr: slots that are filled and not published
 *
 * Return: the slot, or NULL if the queue is full.
 */
static inline struct uroce_send_wqe *
uroce_sq_slot(const struct uroce_verbs_qp *qp, uint32_t nr)
{
	const struct uroce_ring *ring = &qp->qp->sq;
	/* pairs with the release in uroce_ring_take() */
	uint32_t tail = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);

	if (ring->head + nr - tail >= ring->size)
		return NULL;
	return uroce_ring_at(ring, ring->head + nr);
}

/** uroce_sq_publish() - publish @nr filled slots to the engine */
static inline void uroce_sq_publish(struct uroce_verbs_qp *qp, uint32_t nr)
{
	struct uroce_ring *ring = &qp->qp->sq;

	/* pairs with the acquire in uroce_ring_has() */
	__atomic_store_n(&ring->head, ring->head + nr, __ATOMIC_RELEASE);
}

/**
 * uroce_wqe_start() - initialize the fixed part of a WQE, without data
 *
 * Fields that the operation does not use keep their old values: clearing the
 * whole WQE would take half as long as the rest of the work.
 */
static inline void uroce_wqe_start(struct uroce_send_wqe *wqe, uint64_t wr_id,
				   enum ibv_wr_opcode opcode,
				   unsigned int flags)
{
	wqe->wr_id = wr_id;
	wqe->length = 0;
	wqe->imm = 0;
	wqe->opcode = (uint8_t)opcode;
	wqe->flags = (uint8_t)flags;
	wqe->nr_sge = 0;
	wqe->begun = false;
	wqe->status = IBV_WC_SUCCESS;
}

/** uroce_wqe_set_sges() - set the SGEs; returns 0 or EINVAL */
int uroce_wqe_set_sges(const struct uroce_verbs_qp *qp,
		       struct uroce_send_wqe *wqe, const struct ibv_sge *sge,
		       size_t nr_sge);

/**
 * uroce_wqe_add_inline() - append to the inline data of a WQE
 *
 * Return: 0, or EINVAL if the data exceeds max_inline_data.
 */
static inline int uroce_wqe_add_inline(const struct uroce_verbs_qp *qp,
				       struct uroce_send_wqe *wqe,
				       const void *data, size_t length)
{
	uint8_t *to = (uint8_t *)wqe->sge + wqe->length;

	if (length > qp->max_inline - wqe->length)
		return EINVAL;
	if (length == sizeof(uint64_t)) /* most frequent: one store */
		memcpy(to, data, sizeof(uint64_t));
	else if (length) /* 0: the address may be invalid */
		memcpy(to, data, length);
	wqe->length += (uint32_t)length;
	return 0;
}

/** uroce_wqe_set_ud() - set the destination of a datagram */
static inline void uroce_wqe_set_ud(struct uroce_verbs_qp *qp,
				    struct uroce_send_wqe *wqe,
				    struct ibv_ah *ah, uint32_t qpn,
				    uint32_t qkey)
{
	wqe->ud.path = to_uroce_ah(ah)->path;
	wqe->ud.qpn = qpn & UROCE_QPN_MASK;
	wqe->ud.qkey = qkey;
	if (wqe->ud.path.here && !uroce_worker_has_ud_peer(qp->worker, qpn)) {
		qp->pending_ud_path = wqe->ud.path;
		__atomic_store_n(&qp->pending_ud_qpn, wqe->ud.qpn,
				 __ATOMIC_RELAXED);
	}
}

/** uroce_sq_resolve_ud_peer() - slow path of uroce_sq_post(): connect by shm */
void uroce_sq_resolve_ud_peer(struct uroce_verbs_qp *qp);

/**
 * uroce_sq_post() - send the published requests
 *
 * For a UD destination of this host without an shm connection, opens one first.
 *
 * Context: without sq_lock.
 */
static inline void uroce_sq_post(struct uroce_verbs_qp *qp)
{
	if (__atomic_load_n(&qp->pending_ud_qpn, __ATOMIC_RELAXED))
		uroce_sq_resolve_ud_peer(qp);
	uroce_worker_post(qp->worker, qp->qp);
}

/**
 * uroce_wqe_set_bind() - set the parameters of a BIND_MW
 * @wqe: the WQE
 * @mw: the window; mw->rkey changes on success
 * @rkey: the low 8 bits are those of the new key; the others are ignored,
 *        because the index of a window does not change (IBTA 10.6.7.2.6)
 * @info: region, range and access flags
 *
 * Return: 0, or EINVAL.
 */
int uroce_wqe_set_bind(struct uroce_send_wqe *wqe, struct ibv_mw *mw,
		       uint32_t rkey, const struct ibv_mw_bind_info *info);

#endif
