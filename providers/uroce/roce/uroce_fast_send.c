/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fast path of the requester: from the WQE of a SEND, WRITE or atomic of one
 * packet to the bytes of a ring entry. uroce_worker_shm.c calls it before
 * uroce_engine_next(), which handles the WQEs that do not qualify. No state
 * changes before all preconditions hold.
 *
 * Preconditions of the fast path: an RC QP in RTS without a rate limit; no
 * retransmission, NAK or RNR wait; one SGE with a valid lkey; room in the
 * window and in the ring.
 */
#include <endian.h>
#include <stddef.h>
#include <string.h>

#include "uroce/roce/uroce_delack.h"
#include "uroce/roce/uroce_fast_parts.h"
#include "uroce/roce/uroce_psn.h"
#include "uroce/roce/uroce_requester.h"
#include "uroce/roce/uroce_responder.h"
#include "uroce/roce/uroce_retry.h"

/* More unacknowledged packets than this make a stream (in_stream). */
#define STREAM 4

/*
 * Writes the pair of header words with this index; unused words are 0. Pairs
 * have the size in which a header is copied into the ring entry.
 */
static void put_pair(struct uroce_eager_entry *eager, int index, uint32_t first,
		     uint32_t second)
{
	uint64_t pair = htobe64((uint64_t)first << 32 | second);

	memcpy(eager->header + 8 * index, &pair, sizeof(pair));
}

static void put_64(struct uroce_eager_entry *eager, int index, uint64_t value)
{
	put_pair(eager, index, (uint32_t)(value >> 32), (uint32_t)value);
}

/* Whether no packet is being retransmitted, and the window is open. */
static bool is_flowing(const struct uroce_qp *qp)
{
	const struct uroce_requester *req = &qp->roce->req;

	return qp->roce->shortcuts && uroce_qp_is_running(qp) &&
	       !qp->roce->channel->failed && !req->recovering &&
	       req->resume_ns == UROCE_NEVER && req->next_psn == req->new_psn &&
	       req->sent_psn == req->new_psn &&
	       (uint32_t)uroce_psn_diff(req->next_psn, req->una_psn) <
		       req->cwnd.packets &&
	       qp->roce->resp.reply <= UROCE_REPLY_ACK;
}

static bool find_data(const struct uroce_qp *qp,
		      const struct uroce_send_wqe *wqe,
		      struct uroce_eager_entry *eager)
{
	eager->payload_len = wqe->length;
	eager->payload = (const uint8_t *)wqe->sge;
	if ((wqe->flags & IBV_SEND_INLINE) || !wqe->length)
		return true;
	eager->payload = uroce_fast_memory(qp->core->memory, qp->pd,
					   &wqe->sge[0], wqe->sge[0].length, 0);
	return wqe->nr_sge == 1 && eager->payload;
}

/* Whether one more atomic may be outstanding, and its response has room. */
static bool may_ask(const struct uroce_qp *qp, const struct uroce_send_wqe *wqe)
{
	const struct uroce_requester *req = &qp->roce->req;

	return (uint8_t)(req->rd_last - req->rd_first) < qp->max_rd_atomic &&
	       (uint32_t)uroce_psn_diff(req->next_psn, req->una_psn) <
		       req->room &&
	       wqe->length == UROCE_ATOMIC_BYTES;
}

/* Fills the last BTH word, @psn, and the headers behind; opcode or -1. */
static int fill_behind(const struct uroce_send_wqe *wqe, uint32_t psn,
		       struct uroce_eager_entry *eager)
{
	uint32_t va_high = (uint32_t)(wqe->remote.va >> 32);
	uint32_t va_low = (uint32_t)wqe->remote.va;

	switch (wqe->opcode) {
	case IBV_WR_SEND:
		put_pair(eager, 1, psn, 0);
		eager->header_len = BTH_LEN;
		return UROCE_SEND_ONLY;
	case IBV_WR_SEND_WITH_IMM:
		put_pair(eager, 1, psn, be32toh(wqe->imm));
		eager->header_len = BTH_LEN + IMM_LEN;
		return UROCE_SEND_ONLY_IMM;
	case IBV_WR_RDMA_WRITE:
		put_pair(eager, 1, psn, va_high);
		put_pair(eager, 2, va_low, wqe->remote.rkey);
		put_pair(eager, 3, wqe->length, 0);
		eager->header_len = BTH_LEN + RETH_LEN;
		return UROCE_WRITE_ONLY;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		put_pair(eager, 1, psn, va_high);
		put_pair(eager, 2, va_low, wqe->remote.rkey);
		put_64(eager, 3, wqe->remote.compare_add);
		put_64(eager, 4, 0);
		eager->header_len = BTH_LEN + ATOMIC_LEN;
		return UROCE_FETCH_ADD;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		put_pair(eager, 1, psn, va_high);
		put_pair(eager, 2, va_low, wqe->remote.rkey);
		put_64(eager, 3, wqe->remote.swap);
		put_64(eager, 4, wqe->remote.compare_add);
		eager->header_len = BTH_LEN + ATOMIC_LEN;
		return UROCE_CMP_SWAP;
	default:
		return -1;
	}
}

/* Fills all headers. Returns the opcode, or -1 if it does not qualify. */
static int fill_header(const struct uroce_qp *qp,
		       const struct uroce_send_wqe *wqe,
		       struct uroce_eager_entry *eager)
{
	int opcode = fill_behind(wqe, ACK_REQ | qp->roce->req.next_psn, eager);
	uint32_t first = MIG_REQ | qp->pkey;

	if (opcode < 0)
		return -1;
	if (wqe->flags & IBV_SEND_SOLICITED)
		first |= SOLICITED;
	put_pair(eager, 0,
		 first | (uint32_t)(UROCE_RC | opcode) << OPCODE_SHIFT,
		 qp->dest_qpn);
	return opcode;
}

/* Begins a message of one packet; the packet is outstanding from now on. */
static void fast_tx_advance(struct uroce_qp *qp, struct uroce_send_wqe *wqe,
			    bool has_response, uint64_t now)
{
	struct uroce_requester *req = &qp->roce->req;

	wqe->begun = true;
	wqe->status = IBV_WC_SUCCESS;
	wqe->psn = req->next_psn;
	wqe->nr_packets = 1;
	if (has_response)
		req->rd_end[req->rd_last++ & req->rd_mask] = wqe->psn;
	req->next_psn = uroce_psn_add(req->next_psn, 1);
	req->sent_psn = req->next_psn;
	req->new_psn = req->next_psn;
	qp->cur++;
	req->packets_since_ack_req = 0;
	uroce_retry_start(qp, now);
}

static void was_made(struct uroce_qp *qp, const struct uroce_eager_entry *eager)
{
	uroce_core_count(qp->core, UROCE_C_TX_PACKETS, 1);
	uroce_core_count(qp->core, UROCE_C_TX_BYTES, eager->payload_len);
}

/* Makes the oldest response if it is an atomic one; it precedes requests. */
static bool fill_atomic_response(struct uroce_qp *qp,
				 struct uroce_eager_entry *eager)
{
	const struct uroce_resource *res;

	if (!uroce_qp_is_running(qp) || qp->roce->channel->failed)
		return false;
	res = uroce_reply_take_atomic(qp);
	if (!res)
		return false;
	memset(eager, 0, offsetof(struct uroce_eager_entry, header));
	put_pair(eager, 0,
		 (uint32_t)(UROCE_RC | UROCE_ATOMIC_ACK) << OPCODE_SHIFT |
			 MIG_REQ | qp->pkey,
		 qp->dest_qpn);
	put_pair(eager, 1, res->psn,
		 (uint32_t)(UROCE_AETH_ACK | UROCE_AETH_NO_CREDITS) << 24 |
			 res->msn);
	put_64(eager, 2, res->orig);
	eager->header_len = BTH_LEN + AETH_LEN + UROCE_ATOMIC_BYTES;
	was_made(qp, eager);
	return true;
}

/* If the peer does not poll, uroce_direct_try() may execute the WRITE. */
static bool may_be_direct(const struct uroce_qp *qp,
			  const struct uroce_send_wqe *wqe)
{
	struct uroce_channel *channel = qp->roce->channel;

	return channel->direct_copy && qp->cur == qp->sq.tail &&
	       !channel->is_recently_polling(channel, wqe->length);
}

bool uroce_fast_next(struct uroce_qp *qp, uint64_t now,
		     struct uroce_eager_entry *ret_eager)
{
	struct uroce_send_wqe *wqe;
	bool has_response = false;
	int opcode;

	if (qp->roce->resp.nr_pending)
		return fill_atomic_response(qp, ret_eager);
	if (!uroce_ring_has(&qp->sq, qp->cur) || !is_flowing(qp))
		return false;
	wqe = uroce_ring_at(&qp->sq, qp->cur);
	if (wqe->begun || (wqe->flags & IBV_SEND_FENCE) ||
	    wqe->length > qp->mtu)
		return false;
	if (wqe->opcode == IBV_WR_RDMA_WRITE && may_be_direct(qp, wqe))
		return false;
	opcode = fill_header(qp, wqe, ret_eager);
	if (opcode < 0)
		return false;
	if (opcode == UROCE_FETCH_ADD || opcode == UROCE_CMP_SWAP) {
		if (!may_ask(qp, wqe))
			return false;
		ret_eager->payload_len = 0;
		has_response = true;
	} else if (!find_data(qp, wqe, ret_eager)) {
		return false;
	}
	fast_tx_advance(qp, wqe, has_response, now);
	ret_eager->ack = 0;
	ret_eager->more = uroce_ring_has(&qp->sq, qp->cur);
	ret_eager->in_stream = uroce_psn_diff(qp->roce->req.next_psn,
					      qp->roce->req.una_psn) > STREAM;
	if (qp->roce->resp.reply == UROCE_REPLY_ACK)
		ret_eager->ack = UROCE_EAGER_ACK | uroce_reply_take_ack(qp);
	was_made(qp, ret_eager);
	return true;
}

bool uroce_fast_is_idle(const struct uroce_qp *qp)
{
	return qp->state == IBV_QPS_RTS && !uroce_delack_requests_first(qp) &&
	       qp->roce->resp.reply == UROCE_REPLY_NONE &&
	       !qp->roce->resp.nr_pending &&
	       !uroce_ring_has(&qp->sq, qp->cur) &&
	       list_empty(&qp->roce->unsent) && list_empty(&qp->faulted);
}
