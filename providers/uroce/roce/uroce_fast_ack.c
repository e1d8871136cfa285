/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fast path of the requester: completion of WRITEs and SENDs by an ACK, and of
 * atomics by their response. uroce_fast_receive.c calls it.
 */
#include <string.h>

#include "uroce/roce/uroce_fast_parts.h"
#include "uroce/roce/uroce_psn.h"
#include "uroce/roce/uroce_requester.h"
#include "uroce/roce/uroce_retry.h"

static bool fast_ack_is_simple(const struct uroce_send_wqe *wqe)
{
	return wqe->opcode <= IBV_WR_SEND_WITH_IMM; /* WRITE or SEND */
}

/* Effects of an ACK that has advanced una_psn from @old. */
static void fast_ack_moved_on(struct uroce_qp *qp, uint32_t old, uint64_t now)
{
	const struct uroce_requester *req = &qp->roce->req;

	if (req->rd_first != req->rd_last)
		uroce_ack_moved_on(qp, old, now);
	else
		uroce_retry_progress(qp, now);
	/* no retransmission is in progress, so only unsent WQEs wait for it */
	if (uroce_ring_has(&qp->sq, qp->cur))
		uroce_engine_activate(qp->roce->engine, qp);
}

/* The QP is in RTS, so the send queue is not draining. */
static void fast_ack_check_oldest(struct uroce_qp *qp)
{
	const struct uroce_send_wqe *wqe = uroce_ring_front(&qp->sq);

	if (wqe && wqe->begun && wqe->status != IBV_WC_SUCCESS)
		uroce_sq_check_oldest(qp);
}

/*
 * Preconditions of the fast path: no retransmission is in progress, and the ACK
 * covers complete WRITEs and SENDs. uroce_ack_plain() handles all other cases.
 */
void uroce_fast_take_ack(struct uroce_qp *qp, uint32_t psn, uint64_t now)
{
	struct uroce_requester *req = &qp->roce->req;
	uint32_t end = uroce_psn_add(psn, 1), old = req->una_psn;
	struct uroce_send_wqe *wqe;

	if (req->next_psn != req->sent_psn || uroce_psn_before(psn, old) ||
	    !uroce_psn_before(psn, req->sent_psn)) {
		uroce_ack_plain(qp, psn, now);
		return;
	}
	while (req->una_psn != end) {
		uint32_t wqe_end;

		wqe = uroce_ring_front(&qp->sq);
		wqe_end = uroce_psn_add(wqe->psn, wqe->nr_packets);
		if (!fast_ack_is_simple(wqe) || uroce_psn_before(end, wqe_end))
			break;
		req->una_psn = wqe_end;
		uroce_fast_complete_send(qp, wqe);
	}
	if (req->una_psn != old)
		fast_ack_moved_on(qp, old, now);
	if (req->una_psn != end) {
		uroce_ack_plain(qp, psn, now);
		return;
	}
	fast_ack_check_oldest(qp);
}

/*
 * The address for the response if it belongs to the oldest WQE, which must be
 * an atomic with one valid SGE; else NULL.
 */
static uint8_t *find_answered(const struct uroce_qp *qp, uint32_t psn)
{
	const struct uroce_requester *req = &qp->roce->req;
	const struct uroce_send_wqe *wqe = uroce_ring_front(&qp->sq);

	if (psn != req->una_psn || psn == req->sent_psn ||
	    req->next_psn != req->sent_psn || !wqe->begun ||
	    (wqe->opcode != IBV_WR_ATOMIC_FETCH_AND_ADD &&
	     wqe->opcode != IBV_WR_ATOMIC_CMP_AND_SWP) ||
	    wqe->nr_sge != 1 || wqe->length != UROCE_ATOMIC_BYTES)
		return NULL;
	return uroce_fast_memory(qp->core->memory, qp->pd, &wqe->sge[0],
				 UROCE_ATOMIC_BYTES, IBV_ACCESS_LOCAL_WRITE);
}

bool uroce_fast_take_atomic(struct uroce_qp *qp, uint32_t psn, uint64_t orig,
			    uint64_t now)
{
	uint8_t *ptr = find_answered(qp, psn);

	if (!ptr)
		return false;
	memcpy(ptr, &orig, sizeof(orig));
	qp->roce->req.una_psn = uroce_psn_add(psn, 1);
	uroce_fast_complete_send(qp, uroce_ring_front(&qp->sq));
	fast_ack_moved_on(qp, psn, now);
	fast_ack_check_oldest(qp);
	return true;
}

void uroce_fast_catch_up_qp(struct uroce_qp *qp, uint64_t now)
{
	list_del(&qp->roce->postponed);
	if (uroce_qp_is_running(qp))
		uroce_fast_take_ack(qp, qp->roce->postponed_psn, now);
}

void uroce_fast_catch_up(struct uroce_engine *engine, uint64_t now)
{
	while (!list_empty(&engine->postponed_acks))
		uroce_fast_catch_up_qp(list_entry(engine->postponed_acks.next,
						  struct uroce_roce, postponed)
					       ->qp,
				       now);
}
