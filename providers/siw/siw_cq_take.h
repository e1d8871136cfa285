/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Removes the next CQE of a CQ; the caller holds its lock. */
#ifndef SIW_CQ_TAKE_H
#define SIW_CQ_TAKE_H

#include <stdbool.h>

#include "siw/siw.h"
#include "siw/siw_ring.h"

/*
 * Copies the next CQE of the ring and frees its slot at once: the kernel
 * reports a CQ error when it finds no free slot. Return: false if the ring is
 * empty.
 */
static inline bool siw_ring_take_cqe(struct siw_ring *ring,
				     struct siw_cqe *ret_cqe)
{
	struct siw_cqe *cqe = siw_cqe_at(ring, ring->index);

	if (!(__atomic_load_n(&cqe->flags, __ATOMIC_ACQUIRE) & SIW_WQE_VALID))
		return false;
	*ret_cqe = *cqe;
	__atomic_store_n(&cqe->flags, 0, __ATOMIC_RELEASE);
	ring->index++;
	return true;
}

/*
 * Takes a CQE of the kernel, or else one that the library has generated. CQEs
 * of the kernel come first: when a QP moves to ERR, the kernel writes its CQEs
 * before the library generates any. So a thread that sees a generated CQE
 * (pairs with the release in siw_flush.c) checks the ring a second time.
 */
static inline bool siw_cq_take_cqe(struct siw_cq *cq, struct siw_cqe *ret_cqe)
{
	if (siw_ring_take_cqe(&cq->ring, ret_cqe))
		return true;
	if (!__atomic_load_n(&cq->flushed.nr, __ATOMIC_ACQUIRE))
		return false;
	return siw_ring_take_cqe(&cq->ring, ret_cqe) ||
	       siw_flushed_take(cq, ret_cqe);
}

#endif
