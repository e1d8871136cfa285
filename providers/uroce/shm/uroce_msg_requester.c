/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Send WQEs to ring entries. uroce_msg_send_requests() begins the WQEs of a QP
 * in their order, and puts each message into the ring as one entry or as
 * several fragments. uroce_msg_response.c completes them.
 */
#include <errno.h>
#include <string.h>

#include "uroce/qp/uroce_completion.h"
#include "uroce/qp/uroce_sq.h"
#include "uroce/shm/uroce_msg_state.h"
#include "util/min.h"

void uroce_msg_start_requester(struct uroce_msg_qp *mqp)
{
	struct uroce_qp *qp = mqp->qp;

	qp->cur = qp->sq.tail;
	mqp->req = (struct uroce_msg_requester){
		.next_msn = qp->sq_psn,
		.una_msn = qp->sq_psn,
		.begun_msn = qp->sq_psn,
		.sent_msn = qp->sq_psn,
		.rnr_left = qp->rnr_retry,
		.retry_left = qp->retry_cnt,
	};
}

void uroce_msg_go_back(struct uroce_msg_qp *mqp, uint32_t resume)
{
	struct uroce_qp *qp = mqp->qp;

	uroce_core_count(qp->core, UROCE_C_RETRANSMITTED,
			 qp->cur - qp->sq.tail);
	qp->cur = qp->sq.tail;
	mqp->req.nr_unanswered = 0;
	mqp->req.offset = resume;
	mqp->req.out = (struct uroce_cursor){};
	uroce_msg_wake(mqp);
}

/* Raises a limit of the messages that were sent to the one after @msn. */
static void msg_raise(const struct uroce_msg_requester *req, uint32_t *limit,
		      uint32_t msn)
{
	uint32_t next = uroce_msg_next(msn);

	if (uroce_msg_diff(next, req->una_msn) >
	    uroce_msg_diff(*limit, req->una_msn))
		*limit = next;
}

/* The peer process is gone, and with timeout 0 no timer detects that. */
static bool msg_is_cut_off(const struct uroce_msg_qp *mqp)
{
	return mqp->pair->failed && mqp->qp->type == IBV_QPT_RC &&
	       !mqp->qp->timeout;
}

/* Starts the message at qp->cur and numbers it; false: not yet allowed. */
static bool msg_begin_wqe(struct uroce_msg_qp *mqp, struct uroce_send_wqe *wqe)
{
	struct uroce_msg_requester *req = &mqp->req;
	const struct uroce_qp *qp = mqp->qp;

	/* 10.3.1.6: in SQD no message is started */
	if (qp->state != IBV_QPS_RTS)
		return false;
	/* 10.8.3.3: a fence waits for READs and atomics */
	if ((wqe->flags & IBV_SEND_FENCE) && req->nr_unanswered)
		return false;
	/* bind and invalidate wait until no older WQE can use the old key */
	if (uroce_sq_is_local(wqe) && qp->cur != qp->sq.tail)
		return false;
	wqe->begun = true;
	wqe->status = msg_is_cut_off(mqp) ? IBV_WC_RETRY_EXC_ERR
					  : (uint8_t)uroce_sq_check(qp, wqe);
	req->offset = 0;
	req->out = (struct uroce_cursor){};
	wqe->psn = req->next_msn;
	if (qp->cur == qp->sq.tail)
		req->has_moved = true;
	if (wqe->status == IBV_WC_SUCCESS && !uroce_sq_is_local(wqe))
		req->next_msn = uroce_msg_next(req->next_msn);
	return true;
}

static void msg_do_local(struct uroce_qp *qp, struct uroce_send_wqe *wqe)
{
	wqe->status = (uint8_t)uroce_sq_execute_local(qp, wqe);
	if (wqe->status == IBV_WC_SUCCESS) {
		qp->cur++;
		uroce_complete_send(qp, IBV_WC_SUCCESS);
	}
	uroce_sq_check_oldest(qp);
}

/* The message at qp->cur is wholly in the ring. */
static void msg_was_sent(struct uroce_msg_qp *mqp,
			 const struct uroce_send_wqe *wqe)
{
	struct uroce_msg_requester *req = &mqp->req;
	struct uroce_qp *qp = mqp->qp;

	msg_raise(req, &req->sent_msn, wqe->psn);
	req->nr_unanswered += uroce_sq_has_response(wqe);
	req->offset = 0;
	req->out = (struct uroce_cursor){};
	qp->cur++;
	if (qp->type == IBV_QPT_RC) {
		uroce_msg_time(mqp);
		return;
	}
	req->una_msn = req->next_msn;
	req->sent_msn = req->next_msn;
	req->begun_msn = req->next_msn;
	uroce_complete_send(qp, IBV_WC_SUCCESS);
	uroce_sq_check_oldest(qp);
}

static void msg_put_remote(struct uroce_msg_entry *entry,
			   const struct uroce_send_wqe *wqe)
{
	const struct uroce_msg_range range = {
		.va = wqe->remote.va,
		.rkey = wqe->remote.rkey,
		.bytes = wqe->length,
	};

	memcpy(entry->body, &range, sizeof(range));
}

/* Puts a request without payload. */
static void msg_put_short(struct uroce_msg_qp *mqp,
			  const struct uroce_send_wqe *wqe,
			  enum uroce_msg_type type)
{
	struct uroce_msg_entry *entry = uroce_msg_begin(
		mqp, type, UROCE_MSG_FIRST | UROCE_MSG_LAST, wqe->psn);
	const bool add = wqe->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
	const struct uroce_msg_atomic atomic = {
		.va = wqe->remote.va,
		.rkey = wqe->remote.rkey,
		.add = add,
		.compare = add ? 0 : wqe->remote.compare_add,
		.operand = add ? wqe->remote.compare_add : wqe->remote.swap,
	};
	struct uroce_msg_flush flush = {
		.placement = wqe->flush_placement,
		.level = wqe->flush_level,
	};

	entry->bytes = 0;
	msg_put_remote(entry, wqe);
	if (type == UROCE_MSG_ATOMIC_REQ) {
		memcpy(entry->body, &atomic, sizeof(atomic));
	} else if (type == UROCE_MSG_FLUSH) {
		memcpy(&flush.range, entry->body, sizeof(flush.range));
		memcpy(entry->body, &flush, sizeof(flush));
	}
	msg_raise(&mqp->req, &mqp->req.begun_msn, wqe->psn);
	uroce_msg_take_ack(mqp, entry);
	uroce_msg_commit(mqp, entry,
			 uroce_ring_has(&mqp->qp->sq, mqp->qp->cur + 1));
}

static uint8_t msg_last_flags(const struct uroce_send_wqe *wqe)
{
	uint8_t flags = UROCE_MSG_LAST;

	if (wqe->flags & IBV_SEND_SOLICITED)
		flags |= UROCE_MSG_SOLICITED;
	if (wqe->opcode == IBV_WR_SEND_WITH_IMM ||
	    wqe->opcode == IBV_WR_RDMA_WRITE_WITH_IMM)
		flags |= UROCE_MSG_IMM;
	else if (wqe->opcode == IBV_WR_SEND_WITH_INV)
		flags |= UROCE_MSG_INV;
	return flags;
}

static void msg_put_word(struct uroce_msg_entry *entry,
			 const struct uroce_send_wqe *wqe)
{
	if (entry->flags & UROCE_MSG_IMM)
		memcpy(&entry->word, &wqe->imm, sizeof(entry->word));
	else
		entry->word = wqe->inv_rkey;
}

static int msg_find_payload(struct uroce_msg_qp *mqp,
			    struct uroce_send_wqe *wqe, uint32_t bytes,
			    struct uroce_iovecs *iovecs)
{
	struct uroce_msg_requester *req = &mqp->req;
	const struct uroce_sge_list list =
		uroce_sq_sge_list(mqp->qp, wqe, false);

	if (!(wqe->flags & IBV_SEND_INLINE))
		return uroce_sge_resolve(&list, &req->out, req->offset, bytes,
					 iovecs);
	uroce_iovecs_set(iovecs, (uint8_t *)wqe->sge + req->offset, bytes,
			 false);
	return 0;
}

/* Puts the next fragment of a SEND, a WRITE or an ATOMIC WRITE. */
static int msg_put_fragment(struct uroce_msg_qp *mqp,
			    struct uroce_send_wqe *wqe,
			    enum uroce_msg_type type)
{
	struct uroce_msg_requester *req = &mqp->req;
	uint32_t bytes = min_u32(wqe->length - req->offset, UROCE_MSG_FRAGMENT);
	bool last = req->offset + bytes == wqe->length;
	uint8_t flags = last ? msg_last_flags(wqe) : 0;
	struct uroce_msg_entry *entry;
	struct uroce_iovecs iovecs;
	uint8_t *payload;
	int ret;

	ret = msg_find_payload(mqp, wqe, bytes, &iovecs);
	if (ret)
		return ret;
	if (!req->offset)
		flags |= UROCE_MSG_FIRST;
	else if (mqp->qp->cur == mqp->qp->sq.tail)
		req->has_moved = true; /* the peer makes room */
	if (type == UROCE_MSG_ATOMIC_WRITE)
		flags &= UROCE_MSG_FIRST | UROCE_MSG_LAST;
	entry = uroce_msg_begin(mqp, type, flags, wqe->psn);
	if (type != UROCE_MSG_SEND)
		msg_put_remote(entry, wqe);
	if (last)
		msg_put_word(entry, wqe);
	else
		uroce_msg_mark_sample(mqp->pair, entry);
	payload = uroce_msg_ring_begin_payload(&mqp->pair->out, entry, bytes);
	for (uint32_t i = 0; i < iovecs.nr; i++) {
		memcpy(payload, iovecs.iov[i].iov_base, iovecs.iov[i].iov_len);
		payload += iovecs.iov[i].iov_len;
	}
	msg_raise(req, &req->begun_msn, wqe->psn);
	uroce_msg_take_ack(mqp, entry);
	req->offset += bytes;
	uroce_msg_commit(
		mqp, entry,
		!last || uroce_ring_has(&mqp->qp->sq, mqp->qp->cur + 1));
	return 0;
}

/* Puts the next part of a SEND or WRITE as a chunk. */
static void msg_put_chunk(struct uroce_msg_qp *mqp,
			  const struct uroce_send_wqe *wqe,
			  const struct uroce_msg_chunk *chunk)
{
	struct uroce_msg_requester *req = &mqp->req;
	enum uroce_msg_type type = uroce_sq_kind(wqe) == UROCE_SQ_SEND
					   ? UROCE_MSG_SEND_CHUNK
					   : UROCE_MSG_WRITE_CHUNK;
	bool last = req->offset + chunk->bytes == wqe->length;
	uint8_t flags = last ? msg_last_flags(wqe) : 0;
	struct uroce_msg_entry *entry;

	if (!req->offset)
		flags |= UROCE_MSG_FIRST;
	else if (mqp->qp->cur == mqp->qp->sq.tail)
		req->has_moved = true; /* the peer makes room */
	entry = uroce_msg_begin(mqp, type, flags, wqe->psn);
	entry->bytes = 0;
	msg_put_remote(entry, wqe);
	memcpy(entry->body + uroce_msg_payload_at((uint8_t)type), chunk,
	       sizeof(*chunk));
	msg_put_word(entry, wqe);
	msg_raise(req, &req->begun_msn, wqe->psn);
	uroce_msg_take_ack(mqp, entry);
	req->offset += chunk->bytes;
	req->out = (struct uroce_cursor){};
	/* at once, since the copy takes longer than the entries after it */
	uroce_msg_commit(mqp, entry, false);
}

/* Puts the fragments of a message, as many as have room; false: not all. */
static bool msg_put_data(struct uroce_msg_qp *mqp, struct uroce_send_wqe *wqe,
			 enum uroce_msg_type type)
{
	do {
		struct uroce_msg_chunk chunk;
		int ret;

		if (!uroce_msg_has_room(mqp))
			return false;
		if (type != UROCE_MSG_ATOMIC_WRITE &&
		    uroce_msg_find_chunk(mqp, wqe, &chunk)) {
			msg_put_chunk(mqp, wqe, &chunk);
			continue;
		}
		ret = msg_put_fragment(mqp, wqe, type);
		if (ret) {
			wqe->status = ret == -EMSGSIZE ? IBV_WC_LOC_LEN_ERR
						       : IBV_WC_LOC_PROT_ERR;
			uroce_sq_check_oldest(mqp->qp);
			return false;
		}
	} while (mqp->req.offset < wqe->length);
	return true;
}

/* Puts the message at qp->cur; false: it is not wholly in the ring. */
static bool msg_put_wqe(struct uroce_msg_qp *mqp, struct uroce_send_wqe *wqe)
{
	static const uint8_t types[] = {
		[UROCE_SQ_SEND] = UROCE_MSG_SEND,
		[UROCE_SQ_WRITE] = UROCE_MSG_WRITE,
		[UROCE_SQ_READ] = UROCE_MSG_READ_REQ,
		[UROCE_SQ_ATOMIC] = UROCE_MSG_ATOMIC_REQ,
		[UROCE_SQ_FLUSH] = UROCE_MSG_FLUSH,
		[UROCE_SQ_ATOMIC_WRITE] = UROCE_MSG_ATOMIC_WRITE,
	};
	enum uroce_msg_type type =
		(enum uroce_msg_type)types[uroce_sq_kind(wqe)];

	if (type == UROCE_MSG_SEND || type == UROCE_MSG_WRITE ||
	    type == UROCE_MSG_ATOMIC_WRITE)
		return msg_put_data(mqp, wqe, type);
	if (!uroce_msg_has_room(mqp))
		return false;
	msg_put_short(mqp, wqe, type);
	return true;
}

static bool msg_may_send(const struct uroce_msg_qp *mqp)
{
	const struct uroce_qp *qp = mqp->qp;

	return !uroce_qp_is_stopped(qp) && !mqp->req.not_ready &&
	       (qp->state == IBV_QPS_RTS || qp->state == IBV_QPS_SQD);
}

/* The peer is gone: UC sends are lost, requests of RC wait for their timer. */
static void msg_send_to_nobody(struct uroce_msg_qp *mqp,
			       const struct uroce_send_wqe *wqe)
{
	if (mqp->qp->type == IBV_QPT_UC)
		msg_was_sent(mqp, wqe);
	else
		uroce_msg_time(mqp);
}

void uroce_msg_send_requests(struct uroce_msg_qp *mqp)
{
	struct uroce_qp *qp = mqp->qp;

	while (msg_may_send(mqp) && uroce_ring_has(&qp->sq, qp->cur)) {
		struct uroce_send_wqe *wqe = uroce_ring_at(&qp->sq, qp->cur);
		enum uroce_direct done = UROCE_DIRECT_NO;

		if (!wqe->begun && uroce_msg_awaits_turn(mqp, wqe))
			return;
		if (!wqe->begun)
			done = uroce_msg_try_direct(mqp, wqe);
		if (done == UROCE_DIRECT_DONE)
			continue;
		if (done == UROCE_DIRECT_MORE) {
			uroce_msg_yield(mqp);
			return;
		}
		if (!wqe->begun && !msg_begin_wqe(mqp, wqe))
			return;
		if (wqe->status != IBV_WC_SUCCESS) {
			uroce_sq_check_oldest(qp);
			return;
		}
		if (uroce_sq_is_local(wqe)) {
			msg_do_local(qp, wqe);
			continue;
		}
		/* IBTA 10.8.3.3: the peer has room for so many */
		if (uroce_sq_has_response(wqe) &&
		    mqp->req.nr_unanswered >= qp->max_rd_atomic)
			return;
		if (mqp->pair->failed) {
			msg_send_to_nobody(mqp, wqe);
			if (qp->type == IBV_QPT_RC)
				return;
			continue;
		}
		if (!msg_put_wqe(mqp, wqe)) {
			if (qp->type == IBV_QPT_RC)
				uroce_msg_time(mqp);
			return;
		}
		msg_was_sent(mqp, wqe);
	}
}
