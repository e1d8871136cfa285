/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Functions that ibv_poll_cq(), extended polling and reads of completion
 * counters share.
 */
#ifndef UROCE_TAKE_H
#define UROCE_TAKE_H

#include "uroce/verbs/uroce_verbs.h"

/** uroce_take_cqe() - remove and copy the oldest CQE; with poll_lock */
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
 * uroce_poll_yield() - yield the CPU in a series of unsuccessful polls
 * @in_vain: of the polled object, whose lock is not held; uroce_polled()
 *
 * If a thread polls unsuccessfully for longer than a round trip, it yields the
 * CPU: the thread that has to respond may be waiting for the same CPU. Call it
 * before uroce_cq_progress(). A poll that yielded afterwards could report an
 * empty queue that has had a completion for milliseconds. Programs that then
 * find DISCONNECTED in an event channel destroy the QP, and its completions.
 */
void uroce_poll_yield(const unsigned int *in_vain);

/**
 * uroce_polled() - count unsuccessful polls, at the end of a poll
 * @in_vain: number of them, in quick polls; atomic
 * @pass: result of uroce_worker_poll(); FOUND if there is a new completion
 */
void uroce_polled(unsigned int *in_vain, enum uroce_pass pass);

#endif
