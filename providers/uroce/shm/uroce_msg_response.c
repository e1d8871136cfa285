/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Responses that the requester receives: acknowledgements, NAKs, data of READs
 * and results of atomics. Every response also acknowledges all messages before
 * its own.
 */
#include <errno.h>
#include <string.h>

#include "uroce/qp/uroce_atomic.h"
#include "uroce/qp/uroce_cause.h"
#include "uroce/qp/uroce_completion.h"
#include "uroce/qp/uroce_sq.h"
#include "uroce/shm/uroce_msg_state.h"
#include "uroce/wire/uroce_packet.h"

static void msg_resp_count(const struct uroce_msg_qp *mqp,
			   enum uroce_counter counter)
{
	uroce_core_count(mqp->qp->core, counter, 1);
}

/* The peer has sent a response that does not fit to the requests. */
static void msg_bad_response(struct uroce_msg_qp *mqp, uint32_t msn)
{
	msg_resp_count(mqp, UROCE_C_BAD_RESPONSES);
	uroce_cause_note(mqp->qp, UROCE_CAUSE_RESPONSE, msn, 0);
	uroce_qp_fault(mqp->qp, UROCE_FAULT_SQ, IBV_WC_BAD_RESP_ERR);
}

/* The oldest message, of which at least a part was sent; or NULL. */
static struct uroce_send_wqe *msg_find_oldest(const struct uroce_msg_qp *mqp)
{
	struct uroce_send_wqe *wqe;

	if (mqp->req.una_msn == mqp->req.begun_msn)
		return NULL;
	wqe = uroce_ring_front(&mqp->qp->sq);
	return wqe && wqe->begun && wqe->status == IBV_WC_SUCCESS ? wqe : NULL;
}

/* The oldest message is complete. */
static void msg_complete_oldest(struct uroce_msg_qp *mqp)
{
	struct uroce_msg_requester *req = &mqp->req;
	struct uroce_qp *qp = mqp->qp;
	bool again = qp->cur == qp->sq.tail;

	req->una_msn = uroce_msg_next(req->una_msn);
	uroce_complete_send(qp, IBV_WC_SUCCESS);
	if (again) {
		qp->cur++;
		req->offset = 0;
		req->out = (struct uroce_cursor){};
	}
}

/* After progress: all retries are available again, and WQEs may go on. */
static void msg_has_moved(struct uroce_msg_qp *mqp)
{
	struct uroce_qp *qp = mqp->qp;

	mqp->req.rnr_left = qp->rnr_retry;
	mqp->req.retry_left = qp->retry_cnt;
	mqp->req.has_moved = true;
	if (!uroce_qp_is_stopped(qp))
		uroce_sq_check_oldest(qp);
	if (uroce_ring_has(&qp->sq, qp->cur))
		uroce_msg_wake(mqp);
}

/*
 * Completes all messages before @until. Returns false if it is stale: it names
 * messages that are complete already, or were not sent. Leftovers of an earlier
 * connection of the two QPs look like this.
 */
static bool msg_complete_until(struct uroce_msg_qp *mqp, uint32_t until)
{
	struct uroce_msg_requester *req = &mqp->req;
	const struct uroce_qp *qp = mqp->qp;
	bool moved = false;

	if (uroce_msg_diff(until, req->una_msn) >
	    uroce_msg_diff(req->sent_msn, req->una_msn)) {
		msg_resp_count(mqp, UROCE_C_STALE_ACKS);
		return false;
	}
	while (req->una_msn != until) {
		const struct uroce_send_wqe *wqe = uroce_ring_front(&qp->sq);

		/* these have data in their response */
		if (uroce_sq_kind(wqe) == UROCE_SQ_READ ||
		    uroce_sq_kind(wqe) == UROCE_SQ_ATOMIC) {
			msg_bad_response(mqp, until);
			return false;
		}
		msg_complete_oldest(mqp);
		moved = true;
	}
	if (moved)
		msg_has_moved(mqp);
	return true;
}

void uroce_msg_acknowledge(struct uroce_msg_qp *mqp, uint32_t until)
{
	(void)msg_complete_until(mqp, until); /* false: it is counted */
}

static void msg_receive_rnr(struct uroce_msg_qp *mqp, uint8_t timer,
			    uint32_t resume)
{
	struct uroce_msg_requester *req = &mqp->req;
	struct uroce_qp *qp = mqp->qp;
	const struct uroce_send_wqe *wqe = uroce_ring_front(&qp->sq);

	msg_resp_count(mqp, UROCE_C_NAKS_RNR);
	if (resume && resume >= wqe->length) {
		msg_bad_response(mqp, req->una_msn);
		return;
	}
	if (!req->rnr_left) {
		uroce_cause_note(qp, UROCE_CAUSE_RNR, req->una_msn,
				 qp->rnr_retry);
		uroce_qp_fault(qp, UROCE_FAULT_SQ, IBV_WC_RNR_RETRY_EXC_ERR);
		return;
	}
	if (qp->rnr_retry != UROCE_RNR_RETRY_INFINITE)
		req->rnr_left--;
	req->retry_left = qp->retry_cnt; /* the peer responds */
	uroce_msg_go_back(mqp, resume);
	req->not_ready = true;
	req->rnr_timer = timer;
	/* the next full pass knows the time */
	list_del(&mqp->timer);
	uroce_msg_time(mqp);
}

/* IBTA 9.7.5.2.2: the responder has rejected the oldest request. */
static void msg_receive_nak(struct uroce_msg_qp *mqp, uint8_t code,
			    uint32_t resume)
{
	static const uint8_t status[] = {
		[UROCE_NAK_INVALID_REQUEST] = IBV_WC_REM_INV_REQ_ERR,
		[UROCE_NAK_REMOTE_ACCESS] = IBV_WC_REM_ACCESS_ERR,
		[UROCE_NAK_REMOTE_OP] = IBV_WC_REM_OP_ERR,
	};

	if (code == UROCE_NAK_PSN_SEQ) {
		msg_resp_count(mqp, UROCE_C_NAKS_SEQ);
		if (resume == UROCE_MSG_NO_CHUNKS)
			mqp->req.no_chunks = true;
		uroce_msg_go_back(mqp, 0);
		return;
	}
	if (code >= sizeof(status)) {
		msg_bad_response(mqp, mqp->req.una_msn);
		return;
	}
	msg_resp_count(mqp, UROCE_C_NAKS_FATAL);
	uroce_cause_note(mqp->qp, UROCE_CAUSE_NAK, mqp->req.una_msn, code);
	uroce_qp_fault(mqp->qp, UROCE_FAULT_SQ,
		       (enum ibv_wc_status)status[code]);
}

static void msg_receive_status(struct uroce_msg_qp *mqp,
			       const struct uroce_msg_entry *entry)
{
	struct uroce_msg_status status;
	uint8_t value;

	memcpy(&status, entry->body, sizeof(status));
	value = status.syndrome & UROCE_AETH_VALUE;
	if (!msg_complete_until(mqp, entry->msn))
		return;
	if ((status.syndrome & UROCE_AETH_KIND) == UROCE_AETH_ACK)
		return;
	/* the message may be in the ring in part only */
	if (!msg_find_oldest(mqp)) {
		msg_resp_count(mqp, UROCE_C_STALE_ACKS);
		return;
	}
	switch (status.syndrome & UROCE_AETH_KIND) {
	case UROCE_AETH_RNR:
		msg_receive_rnr(mqp, value, status.resume);
		break;
	case UROCE_AETH_NAK:
		msg_receive_nak(mqp, value, status.resume);
		break;
	default: /* reserved */
		msg_bad_response(mqp, entry->msn);
	}
}

/* Copies a part of the response into the SGEs of the oldest WQE. */
static bool msg_store(struct uroce_msg_qp *mqp,
		      const struct uroce_send_wqe *wqe, uint32_t offset,
		      const struct uroce_msg_received *in, uint32_t bytes)
{
	const struct uroce_sge_list list =
		uroce_sq_sge_list(mqp->qp, wqe, true);
	struct uroce_iovecs iovecs;
	int ret =
		uroce_sge_resolve(&list, &mqp->req.in, offset, bytes, &iovecs);

	if (ret) {
		uroce_qp_fault(mqp->qp, UROCE_FAULT_SQ,
			       ret == -EMSGSIZE ? IBV_WC_LOC_LEN_ERR
						: IBV_WC_LOC_PROT_ERR);
		return false;
	}
	(void)uroce_msg_copy(mqp, in, &iovecs, false); /* no chunk */
	return true;
}

static void msg_complete_response(struct uroce_msg_qp *mqp)
{
	mqp->req.received = 0;
	mqp->req.in = (struct uroce_cursor){};
	uroce_memory_end_access(mqp->qp->core->memory);
	msg_complete_oldest(mqp);
	msg_has_moved(mqp);
}

static void msg_receive_read(struct uroce_msg_qp *mqp,
			     const struct uroce_send_wqe *wqe,
			     const struct uroce_msg_received *in)
{
	struct uroce_msg_requester *req = &mqp->req;
	struct uroce_msg_data data;
	uint32_t bytes = in->entry.bytes;
	bool last = in->entry.flags & UROCE_MSG_LAST;

	memcpy(&data, in->entry.body, sizeof(data));
	if (data.offset != req->received ||
	    bytes > wqe->length - req->received ||
	    last != (req->received + bytes == wqe->length)) {
		msg_bad_response(mqp, in->entry.msn);
		return;
	}
	if (!msg_store(mqp, wqe, data.offset, in, bytes))
		return;
	req->received += bytes;
	req->has_moved = true;
	req->retry_left = mqp->qp->retry_cnt;
	if (last)
		msg_complete_response(mqp);
}

static void msg_receive_data(struct uroce_msg_qp *mqp,
			     const struct uroce_msg_received *in)
{
	const struct uroce_send_wqe *wqe;
	enum uroce_sq_kind kind;

	if (!msg_complete_until(mqp, in->entry.msn))
		return;
	if (mqp->req.una_msn == mqp->req.sent_msn) {
		msg_resp_count(mqp, UROCE_C_STALE_ACKS);
		return;
	}
	wqe = uroce_ring_front(&mqp->qp->sq);
	kind = uroce_sq_kind(wqe);
	if (kind == UROCE_SQ_READ && in->entry.type == UROCE_MSG_READ_RESP)
		msg_receive_read(mqp, wqe, in);
	else if (kind != UROCE_SQ_ATOMIC ||
		 in->entry.type != UROCE_MSG_ATOMIC_RESP)
		msg_bad_response(mqp, in->entry.msn);
	else if (msg_store(mqp, wqe, 0, in, UROCE_ATOMIC_BYTES))
		msg_complete_response(mqp);
}

void uroce_msg_receive_response(struct uroce_msg_qp *mqp,
				const struct uroce_msg_received *in)
{
	if (in->entry.type == UROCE_MSG_RESP)
		msg_receive_status(mqp, &in->entry);
	else
		msg_receive_data(mqp, in);
}
