/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Taking the next element out of a completion ring; its lock is held. */
#ifndef SIW_CQ_TAKE_H
#define SIW_CQ_TAKE_H

#include <stdbool.h>

#include "siw/siw.h"
#include "siw/siw_ring.h"

/*
 * Copies the element and frees its slot at once: the kernel reports a CQ error
 * when it finds no free slot. Return: false if there is none.
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
 * The same of both kinds of completions. The kernel's come first. Those of a QP
 * that failed were in the ring before it was known to have failed, so whoever
 * sees one of ours (pairs with the release in siw_flush.c) looks there again.
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
