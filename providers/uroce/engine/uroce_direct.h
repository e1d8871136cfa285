/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * WRITEs, READs and atomics of a QP with a channel that its own side can do
 * alone: by a copy of the system's, if the other side does not poll; or, in
 * memory that both sides have mapped, always.
 */
#ifndef UROCE_DIRECT_H
#define UROCE_DIRECT_H

#include "uroce/engine/uroce_qp.h"

/* Longer ones are sent, so that a QP with one can be stopped. */
#define UROCE_DIRECT_MAX (8u << 20)

enum uroce_direct {
	UROCE_DIRECT_NO,   /* it is to be sent */
	UROCE_DIRECT_MORE, /* there is more to do, by whoever comes next */
	UROCE_DIRECT_DONE, /* it is complete, and another one is at @cur */
};

/** uroce_direct_is_long() - whether the next request of a QP with a channel has
 * several parts
 */
static inline bool uroce_direct_is_long(const struct uroce_qp *qp)
{
	const struct uroce_send_wqe *wqe;

	if (!uroce_ring_has(&qp->sq, qp->req.cur))
		return false;
	wqe = uroce_ring_at(&qp->sq, qp->req.cur);
	return wqe->length > qp->channel->part;
}

/**
 * uroce_direct_try() - do a request, or a part of it, without a packet
 * @qp: the QP
 * @wqe: the request at @cur, which has not begun
 * @now: ns
 *
 * Only if nothing is on the way, so that all stays in order; if nothing is
 * wrong with the request, as an error has to come from the responder, too; and,
 * unless it is memory of both, if the application at the other side does not
 * poll, since else it is faster to ask it.
 *
 * Return: what has become of it. UROCE_DIRECT_NO: nothing has happened, or its
 * memory has got some of what it will get when it is sent.
 */
enum uroce_direct uroce_direct_try(struct uroce_qp *qp,
				   struct uroce_send_wqe *wqe, uint64_t now);

#endif
