/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Direct access: the requester executes a WRITE, READ or atomic itself, in
 * memory that both processes have mapped. In other memory of the responder it
 * executes WRITEs and READs by CMA, if the peer does not poll.
 */
#ifndef UROCE_DIRECT_H
#define UROCE_DIRECT_H

#include "uroce/roce/uroce_roce.h"

/* Bytes. Longer requests are sent, so that their QP can be stopped. */
#define UROCE_DIRECT_MAX (8u << 20)

enum uroce_direct {
	UROCE_DIRECT_NO,   /* the request must be sent */
	UROCE_DIRECT_MORE, /* a chunk is done; any thread may continue */
	UROCE_DIRECT_DONE, /* complete; qp->cur is the next request */
};

/**
 * uroce_direct_is_long() - whether the next request has several chunks
 *
 * The QP has a channel.
 */
static inline bool uroce_direct_is_long(const struct uroce_qp *qp)
{
	const struct uroce_send_wqe *wqe;

	if (!uroce_ring_has(&qp->sq, qp->cur))
		return false;
	wqe = uroce_ring_at(&qp->sq, qp->cur);
	return wqe->length > qp->roce->channel->chunk;
}

/**
 * uroce_direct_try() - execute a request, or a chunk of it, without a packet
 * @qp: the QP
 * @wqe: the request at qp->cur, which has not begun
 *
 * Conditions: nothing is outstanding, which keeps the order; the request is
 * valid, since errors must come from the responder; and, unless both processes
 * have mapped the memory, the application of the peer does not poll, since
 * sending is faster then.
 *
 * Return: the result. UROCE_DIRECT_NO: nothing has happened, or the memory has
 * received some of the bytes that sending writes again.
 */
enum uroce_direct uroce_direct_try(struct uroce_qp *qp,
				   struct uroce_send_wqe *wqe);

#endif
