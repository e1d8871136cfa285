/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Taking completions out of a ring, for both ways of polling. */
#ifndef UROCE_TAKE_H
#define UROCE_TAKE_H

#include "uroce/verbs/uroce_verbs.h"

/** uroce_take_cqe() - the oldest completion, copied; with poll_lock */
static inline bool uroce_take_cqe(struct uroce_verbs_cq *cq,
				  struct uroce_cqe *ret_cqe)
{
	const struct uroce_cqe *cqe = uroce_ring_front(&cq->cq.ring);

	if (!cqe)
		return false;
	*ret_cqe = *cqe;
	uroce_ring_take(&cq->cq.ring);
	return true;
}

/**
 * uroce_polled() - at the end of a poll
 * @cq: the queue; its lock is not held
 * @look: what uroce_loop_poll() has said; FOUND if there is a completion now
 *
 * A thread that polls in vain for longer than an answer takes lets others run:
 * the one that is to give the answer may be waiting for this very core.
 */
void uroce_polled(struct uroce_verbs_cq *cq, enum uroce_look look);

#endif
