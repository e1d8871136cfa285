/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Conditions and steps of direct access that its fast path and its slow path
 * share. Used by uroce_direct.c and uroce_fast_direct.c only.
 */
#ifndef UROCE_DIRECT_PARTS_H
#define UROCE_DIRECT_PARTS_H

#include "uroce/qp/uroce_atomic.h"
#include "uroce/roce/uroce_channel.h"
#include "uroce/roce/uroce_request.h"
#include "uroce/roce/uroce_roce.h"

/*
 * Whether a QP with a channel may use direct access now: it has no rate limit,
 * is in RTS with no error pending, and the peer has acknowledged, hence
 * executed, all earlier requests.
 */
static inline bool uroce_direct_is_free(const struct uroce_qp *qp)
{
	const struct uroce_requester *req = &qp->roce->req;

	return qp->roce->shortcuts && uroce_qp_is_running(qp) &&
	       !qp->roce->channel->failed && qp->cur == qp->sq.tail &&
	       req->una_psn == req->new_psn && req->resume_ns == UROCE_NEVER;
}

/* A misaligned atomic is sent, since the responder must report it. */
static inline bool uroce_direct_is_aligned(uint64_t address)
{
	return address % UROCE_ATOMIC_BYTES == 0;
}

/* The request in the form of the channel; the caller sets the part. */
static inline struct uroce_direct_access
uroce_direct_wish(const struct uroce_qp *qp, const struct uroce_send_wqe *wqe)
{
	return (struct uroce_direct_access){
		.access = uroce_request_remote_access(wqe),
		.qpn = qp->qpn,
		.dest_qpn = qp->dest_qpn,
		.rkey = wqe->remote.rkey,
		.va = wqe->remote.va,
		.bytes = wqe->length,
	};
}

/* Execute an atomic at @there; returns the original value. */
static inline uint64_t uroce_direct_atomic(const struct uroce_send_wqe *wqe,
					   uint8_t *there)
{
	if (wqe->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD)
		return uroce_atomic_add(there, wqe->remote.compare_add);
	return uroce_atomic_swap(there, wqe->remote.compare_add,
				 wqe->remote.swap);
}

#endif
