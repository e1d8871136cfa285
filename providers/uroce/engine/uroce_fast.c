/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The fast path of QPs with a channel: a SEND or WRITE of one packet from a
 * request to the bytes of a slot, and from there to memory and a completion;
 * and the ACK for it. The loop calls it before uroce_engine_next() and
 * uroce_engine_receive(), which have the last word: each function here first
 * makes sure that all is as usual, and changes nothing until it is.
 *
 * As usual means: RC, in RTS, nothing repeated, refused or waited for, one
 * piece of memory with a good key, and room wherever something is to be put.
 * Headers come from another process: they are read once, from a copy.
 */
#include "uroce/engine/uroce_fast.h"

#include <endian.h>
#include <stddef.h>
#include <string.h>

#include "uroce/engine/uroce_completion.h"
#include "uroce/engine/uroce_place.h"
#include "uroce/engine/uroce_psn.h"
#include "uroce/engine/uroce_requester.h"
#include "uroce/engine/uroce_responder.h"
#include "uroce/engine/uroce_retry.h"

/* The BTH as three words (IBTA 9.2). */
#define OPCODE_SHIFT 24
#define SOLICITED    (0x80u << 16)
#define MIG_REQ	     (0x40u << 16)
#define VERSION_MASK (0x0fu << 16)
#define PKEY_MASK    0xffffu
#define ACK_REQ	     (0x80u << 24)

/* Packets that are not acknowledged, of one who sends without end. */
#define STREAM 4

#define BTH_LEN	     UROCE_BTH_LEN
#define RETH_LEN     16
#define AETH_LEN     4
#define IMM_LEN	     4
#define ATOMIC_LEN   28
#define ATOMIC_BYTES 8

static uint32_t get32(const uint8_t *at)
{
	uint32_t word;

	memcpy(&word, at, sizeof(word));
	return be32toh(word);
}

/*
 * Headers are written in pairs of words, as they are copied into the slot. The
 * pair with this index; what a header does not have is 0.
 */
static void put_pair(struct uroce_brief *brief, int index, uint32_t first,
		     uint32_t second)
{
	uint64_t pair = htobe64((uint64_t)first << 32 | second);

	memcpy(brief->header + 8 * index, &pair, sizeof(pair));
}

static void put_64(struct uroce_brief *brief, int index, uint64_t value)
{
	put_pair(brief, index, (uint32_t)(value >> 32), (uint32_t)value);
}

/* Of an address that is not aligned to its size; a word at a time, as above. */
static uint64_t get64(const uint8_t *at)
{
	return (uint64_t)get32(at) << 32 | get32(at + 4);
}

/* -- sending -- */

/* All that was sent is acknowledged or on its way for the first time. */
static bool is_flowing(const struct uroce_qp *qp)
{
	const struct uroce_requester *req = &qp->req;

	return qp->type == IBV_QPT_RC && qp->state == IBV_QPS_RTS &&
	       !qp->channel->lost && !req->recovering &&
	       req->resume_ns == UROCE_NEVER && req->next_psn == req->new_psn &&
	       req->sent_psn == req->new_psn &&
	       (uint32_t)uroce_psn_diff(req->next_psn, req->una_psn) <
		       req->window &&
	       qp->resp.reply <= UROCE_REPLY_ACK;
}

/*
 * What uroce_memory_local() would find for a piece of ordinary memory; NULL for
 * all else.
 */
static uint8_t *find_memory(const struct uroce_memory *memory, uint32_t pd,
			    const struct ibv_sge *sge, uint32_t bytes,
			    unsigned int access)
{
	uint32_t index = sge->lkey >> 8;
	const struct uroce_region *region;
	uint64_t offset;

	if (index - 1 >= memory->nr_regions - 1)
		return NULL;
	region = memory->regions[index];
	offset = sge->addr - region->iova;
	if (region->kind != UROCE_REGION_MEMORY || region->key != sge->lkey ||
	    region->pd != pd || (region->access & access) != access ||
	    sge->addr < region->iova || offset > region->bytes ||
	    bytes > region->bytes - offset)
		return NULL;
	return region->base + offset;
}

static bool find_data(const struct uroce_qp *qp,
		      const struct uroce_send_wqe *wqe,
		      struct uroce_brief *brief)
{
	brief->payload_len = wqe->length;
	brief->payload = (const uint8_t *)wqe->sge;
	if ((wqe->flags & IBV_SEND_INLINE) || !wqe->length)
		return true;
	brief->payload = find_memory(&qp->engine->memory, qp->pd, &wqe->sge[0],
				     wqe->sge[0].length, 0);
	return wqe->nr_sge == 1 && brief->payload;
}

/* Whether one more answer may be awaited, which has a place to go to. */
static bool may_ask(const struct uroce_qp *qp, const struct uroce_send_wqe *wqe)
{
	const struct uroce_requester *req = &qp->req;

	return (uint8_t)(req->rd_last - req->rd_first) < qp->max_rd_atomic &&
	       (uint32_t)uroce_psn_diff(req->next_psn, req->una_psn) <
		       req->room &&
	       wqe->length == ATOMIC_BYTES;
}

/* The headers behind the BTH, whose last word is @psn; -1: not here. */
static int fill_behind(const struct uroce_send_wqe *wqe, uint32_t psn,
		       struct uroce_brief *brief)
{
	uint32_t va_high = (uint32_t)(wqe->remote.va >> 32);
	uint32_t va_low = (uint32_t)wqe->remote.va;

	switch (wqe->opcode) {
	case IBV_WR_SEND:
		put_pair(brief, 1, psn, 0);
		brief->header_len = BTH_LEN;
		return UROCE_SEND_ONLY;
	case IBV_WR_SEND_WITH_IMM:
		put_pair(brief, 1, psn, be32toh(wqe->imm));
		brief->header_len = BTH_LEN + IMM_LEN;
		return UROCE_SEND_ONLY_IMM;
	case IBV_WR_RDMA_WRITE:
		put_pair(brief, 1, psn, va_high);
		put_pair(brief, 2, va_low, wqe->remote.rkey);
		put_pair(brief, 3, wqe->length, 0);
		brief->header_len = BTH_LEN + RETH_LEN;
		return UROCE_WRITE_ONLY;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		put_pair(brief, 1, psn, va_high);
		put_pair(brief, 2, va_low, wqe->remote.rkey);
		put_64(brief, 3, wqe->remote.compare_add);
		put_64(brief, 4, 0);
		brief->header_len = BTH_LEN + ATOMIC_LEN;
		return UROCE_FETCH_ADD;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		put_pair(brief, 1, psn, va_high);
		put_pair(brief, 2, va_low, wqe->remote.rkey);
		put_64(brief, 3, wqe->remote.swap);
		put_64(brief, 4, wqe->remote.compare_add);
		brief->header_len = BTH_LEN + ATOMIC_LEN;
		return UROCE_CMP_SWAP;
	default:
		return -1;
	}
}

/* All of them; returns the opcode, or -1. */
static int fill_header(const struct uroce_qp *qp,
		       const struct uroce_send_wqe *wqe,
		       struct uroce_brief *brief)
{
	int opcode = fill_behind(wqe, ACK_REQ | qp->req.next_psn, brief);
	uint32_t first = MIG_REQ | qp->pkey;

	if (opcode < 0)
		return -1;
	if (wqe->flags & IBV_SEND_SOLICITED)
		first |= SOLICITED;
	put_pair(brief, 0,
		 first | (uint32_t)(UROCE_RC | opcode) << OPCODE_SHIFT,
		 qp->dest_qpn);
	return opcode;
}

/* A message of one packet, and that packet: begun and on its way. */
static void advance(struct uroce_qp *qp, struct uroce_send_wqe *wqe,
		    bool answered, uint64_t now)
{
	struct uroce_requester *req = &qp->req;

	wqe->begun = true;
	wqe->status = IBV_WC_SUCCESS;
	wqe->psn = req->next_psn;
	wqe->nr_packets = 1;
	if (answered)
		req->rd_end[req->rd_last++ % UROCE_MAX_RD_ATOMIC] = wqe->psn;
	req->next_psn = uroce_psn_add(req->next_psn, 1);
	req->sent_psn = req->next_psn;
	req->new_psn = req->next_psn;
	req->cur++;
	req->unasked = 0;
	uroce_retry_start(qp, now);
}

static void was_made(struct uroce_qp *qp, const struct uroce_brief *brief)
{
	uroce_engine_count(qp->engine, UROCE_C_TX_PACKETS, 1);
	uroce_engine_count(qp->engine, UROCE_C_TX_BYTES, brief->payload_len);
}

/* The answer to an atomic, which comes before all else. */
static bool answer_atomic(struct uroce_qp *qp, struct uroce_brief *brief)
{
	const struct uroce_resource *res;

	if (qp->state != IBV_QPS_RTS || qp->channel->lost)
		return false;
	res = uroce_reply_take_atomic(qp);
	if (!res)
		return false;
	memset(brief, 0, offsetof(struct uroce_brief, header));
	put_pair(brief, 0,
		 (uint32_t)(UROCE_RC | UROCE_ATOMIC_ACK) << OPCODE_SHIFT |
			 MIG_REQ | qp->pkey,
		 qp->dest_qpn);
	put_pair(brief, 1, res->psn,
		 (uint32_t)(UROCE_AETH_ACK | UROCE_AETH_NO_CREDITS) << 24 |
			 res->msn);
	put_64(brief, 2, res->orig);
	brief->header_len = BTH_LEN + AETH_LEN + ATOMIC_BYTES;
	was_made(qp, brief);
	return true;
}

/* A peer that does not look needs not be sent a WRITE: uroce_direct_try(). */
static bool may_be_direct(const struct uroce_qp *qp,
			  const struct uroce_send_wqe *wqe)
{
	struct uroce_channel *channel = qp->channel;

	return channel->copy && qp->req.cur == qp->sq.tail &&
	       !channel->is_attended(channel, wqe->length);
}

bool uroce_fast_next(struct uroce_qp *qp, uint64_t now,
		     struct uroce_brief *ret_brief)
{
	struct uroce_send_wqe *wqe;
	bool answered = false;
	int opcode;

	if (qp->resp.nr_pending)
		return answer_atomic(qp, ret_brief);
	if (!uroce_ring_has(&qp->sq, qp->req.cur) || !is_flowing(qp))
		return false;
	wqe = uroce_ring_at(&qp->sq, qp->req.cur);
	if (wqe->begun || (wqe->flags & IBV_SEND_FENCE) ||
	    wqe->length > qp->mtu)
		return false;
	if (wqe->opcode == IBV_WR_RDMA_WRITE && may_be_direct(qp, wqe))
		return false;
	opcode = fill_header(qp, wqe, ret_brief);
	if (opcode < 0)
		return false;
	if (opcode == UROCE_FETCH_ADD || opcode == UROCE_CMP_SWAP) {
		if (!may_ask(qp, wqe))
			return false;
		ret_brief->payload_len = 0;
		answered = true;
	} else if (!find_data(qp, wqe, ret_brief)) {
		return false;
	}
	advance(qp, wqe, answered, now);
	ret_brief->ack = 0;
	ret_brief->more = uroce_ring_has(&qp->sq, qp->req.cur);
	ret_brief->in_stream =
		uroce_psn_diff(qp->req.next_psn, qp->req.una_psn) > STREAM;
	if (qp->resp.reply == UROCE_REPLY_ACK)
		ret_brief->ack = UROCE_BRIEF_ACK | uroce_reply_take_ack(qp);
	was_made(qp, ret_brief);
	return true;
}

bool uroce_fast_is_idle(const struct uroce_qp *qp)
{
	return qp->state == IBV_QPS_RTS && qp->engine->put_off != qp &&
	       qp->resp.reply == UROCE_REPLY_NONE && !qp->resp.nr_pending &&
	       !uroce_ring_has(&qp->sq, qp->req.cur) && list_empty(&qp->unsent);
}

/* -- receiving -- */

/* A packet while it is looked at. */
struct arrival {
	struct uroce_qp *qp;
	const struct uroce_brief *brief;
	uint32_t first, psn; /* words of the BTH */
	bool ack_req;
	uint64_t now;
};

/* The next request, with nothing to be said or thought of besides. */
static bool is_expected(const struct arrival *in)
{
	const struct uroce_responder *resp = &in->qp->resp;

	return in->psn == resp->epsn && resp->message == UROCE_MESSAGE_NONE &&
	       resp->reply <= UROCE_REPLY_ACK &&
	       /* then it is to forget what is old */
	       (resp->epsn & UROCE_FORGET_MASK) != UROCE_FORGET_MASK &&
	       in->brief->payload_len <= in->qp->mtu;
}

/* -- completions, built where they are polled -- */

/* In its slot are those members that the kind of completion is about. */
static void complete(struct uroce_qp *qp, struct uroce_cq *cq,
		     struct uroce_cqe *cqe, bool solicited)
{
	cqe->qpn = qp->qpn;
	cqe->src_qpn = 0;
	cqe->status = IBV_WC_SUCCESS;
	cqe->sl = 0;
	uroce_ring_put(&cq->ring);
	if (cq->has_channel && uroce_cq_grant(cq, solicited)) {
		cq->wake = true;
		uroce_engine_cq_event(qp->engine, cq);
	}
}

/* As uroce_complete_send(), for what has no answer of its own. */
static void complete_send(struct uroce_qp *qp, struct uroce_send_wqe *wqe,
			  uint64_t now)
{
	struct uroce_cqe *cqe;

	if (!qp->sig_all && !(wqe->flags & IBV_SEND_SIGNALED)) {
		wqe->begun = false;
		uroce_ring_take(&qp->sq);
		return;
	}
	cqe = uroce_cq_vacant(qp->send_cq);
	if (!cqe) {
		uroce_complete_send(qp, IBV_WC_SUCCESS, now);
		return;
	}
	cqe->wr_id = wqe->wr_id;
	cqe->now_ns = now;
	cqe->byte_len = 0;
	cqe->imm = 0;
	cqe->wc_flags = 0;
	cqe->opcode = wqe->opcode <= IBV_WR_RDMA_WRITE_WITH_IMM
			      ? IBV_WC_RDMA_WRITE
			      : IBV_WC_SEND;
	wqe->begun = false;
	uroce_ring_take(&qp->sq);
	complete(qp, qp->send_cq, cqe, false);
}

static void complete_receive(const struct arrival *in,
			     const struct uroce_recv_wqe *wqe, bool imm)
{
	struct uroce_qp *qp = in->qp;
	struct uroce_cqe *cqe = uroce_cq_vacant(qp->recv_cq);
	struct uroce_cqe lost = {};

	if (!cqe || __atomic_load_n(&qp->rq->limit, __ATOMIC_RELAXED)) {
		lost.now_ns = in->now;
		lost.opcode = IBV_WC_RECV;
		lost.byte_len = in->brief->payload_len;
		cqe = &lost;
	}
	cqe->imm = 0;
	cqe->wc_flags = 0;
	if (imm) {
		memcpy(&cqe->imm, in->brief->header + BTH_LEN, IMM_LEN);
		cqe->wc_flags = IBV_WC_WITH_IMM;
	}
	if (cqe == &lost) {
		uroce_complete_front_receive(qp, cqe, in->first & SOLICITED);
		return;
	}
	cqe->wr_id = wqe->wr_id;
	cqe->now_ns = in->now;
	cqe->byte_len = in->brief->payload_len;
	cqe->opcode = IBV_WC_RECV;
	uroce_ring_take(&qp->rq->ring);
	complete(qp, qp->recv_cq, cqe, in->first & SOLICITED);
}

/* -- ACKs -- */

static bool is_simple(const struct uroce_send_wqe *wqe)
{
	return wqe->opcode <= IBV_WR_SEND_WITH_IMM; /* WRITEs and SENDs */
}

/* una_psn was @old before: as after any ACK. */
static void moved_on(struct uroce_qp *qp, uint32_t old, uint64_t now)
{
	uroce_ack_moved_on(qp, old, now);
	/* nothing else can have waited for it in a QP that is flowing */
	if (uroce_ring_has(&qp->sq, qp->req.cur))
		uroce_engine_activate(qp->engine, qp);
}

/*
 * Whole messages that have no answers of their own, of a QP that was not sent
 * back: whatever is different is left to uroce_ack_plain().
 */
static void take_ack(struct uroce_qp *qp, uint32_t psn, uint64_t now)
{
	struct uroce_requester *req = &qp->req;
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
		if (!is_simple(wqe) || uroce_psn_before(end, wqe_end))
			break;
		req->una_psn = wqe_end;
		complete_send(qp, wqe, now);
	}
	if (req->una_psn != old)
		moved_on(qp, old, now);
	if (req->una_psn != end) {
		uroce_ack_plain(qp, psn, now);
		return;
	}
	wqe = uroce_ring_front(&qp->sq);
	if (wqe && wqe->begun && wqe->status != IBV_WC_SUCCESS)
		uroce_requester_settle(qp, now);
}

void uroce_fast_catch_up(struct uroce_engine *engine, uint64_t now)
{
	struct uroce_qp *qp = engine->late;

	engine->late = NULL;
	if (qp->state == IBV_QPS_RTS)
		take_ack(qp, engine->late_psn, now);
}

/*
 * What comes with the packet comes before it, and can be the end of the QP. But
 * it may have to wait.
 */
static bool take_carried(const struct arrival *in)
{
	struct uroce_engine *engine = in->qp->engine;
	uint32_t ack = in->brief->ack;

	uroce_engine_count(engine, UROCE_C_RX_PACKETS, 1);
	uroce_engine_count(engine, UROCE_C_RX_BYTES, in->brief->payload_len);
	if (engine->may_be_late && (ack & UROCE_BRIEF_ACK)) {
		engine->late = in->qp;
		engine->late_psn = ack & UROCE_PSN_MASK;
		return true;
	}
	if (ack & UROCE_BRIEF_ACK)
		take_ack(in->qp, ack & UROCE_PSN_MASK, in->now);
	if (in->qp->state == IBV_QPS_RTS)
		return true;
	uroce_engine_count(engine, UROCE_C_BAD_STATE, 1);
	return false;
}

static void executed(const struct arrival *in)
{
	struct uroce_responder *resp = &in->qp->resp;

	resp->epsn = uroce_psn_add(resp->epsn, 1);
	resp->msn = uroce_psn_add(resp->msn, 1);
	resp->nak_sent = false;
	if (in->ack_req)
		uroce_reply_ack(in->qp);
}

/* Of a length that is the one of most, which needs no loop to copy. */
static bool is_word(const uint8_t *to, const struct uroce_brief *brief)
{
	return brief->payload_len == sizeof(uint64_t) &&
	       (uintptr_t)to % sizeof(uint64_t) == 0;
}

static bool receive_send(const struct arrival *in, bool imm)
{
	struct uroce_qp *qp = in->qp;
	const struct uroce_brief *brief = in->brief;
	const struct uroce_recv_wqe *wqe = uroce_ring_front(&qp->rq->ring);
	uint8_t *ptr = NULL;

	if (qp->resp.receive.held || !wqe || brief->payload_len > wqe->length)
		return false;
	if (brief->payload_len) {
		if (!wqe->nr_sge || wqe->sge[0].length < brief->payload_len)
			return false;
		ptr = find_memory(&qp->engine->memory, qp->rq->pd, &wqe->sge[0],
				  brief->payload_len, IBV_ACCESS_LOCAL_WRITE);
		if (!ptr)
			return false;
	}
	if (!take_carried(in))
		return true;
	if (ptr && is_word(ptr, brief))
		memcpy(ptr, brief->payload, sizeof(uint64_t));
	else if (ptr)
		memcpy(ptr, brief->payload, brief->payload_len);
	complete_receive(in, wqe, imm);
	executed(in);
	return true;
}

static bool receive_write(const struct arrival *in)
{
	struct uroce_qp *qp = in->qp;
	const uint8_t *reth = in->brief->header + BTH_LEN;
	struct uroce_remote_access wanted = {
		.va = get64(reth),
		.bytes = in->brief->payload_len,
		.rkey = get32(reth + 8),
		.pd = qp->pd,
		.qpn = qp->qpn,
		.access = IBV_ACCESS_REMOTE_WRITE,
	};
	uint8_t *ptr;

	if (!(qp->access & IBV_ACCESS_REMOTE_WRITE) || !wanted.bytes ||
	    get32(reth + 12) != wanted.bytes ||
	    uroce_memory_remote(&qp->engine->memory, &wanted, &ptr) || !ptr)
		return false;
	if (!take_carried(in))
		return true;
	if (is_word(ptr, in->brief))
		uroce_place_word(ptr, in->brief->payload, sizeof(uint64_t));
	else
		uroce_place(ptr, in->brief->payload, wanted.bytes);
	executed(in);
	return true;
}

/*
 * Its rights and its resource are looked at where they always are, so that only
 * the headers are read here; the same holds for the answer.
 */
static bool receive_atomic(const struct arrival *in, uint8_t opcode)
{
	const uint8_t *eth = in->brief->header + BTH_LEN;
	struct uroce_packet packet = {
		.channel = in->qp->channel,
		.traits = UROCE_T_FIRST | UROCE_T_LAST | UROCE_T_ATOMIC_ETH |
			  UROCE_T_NONPOSTED,
		.opcode = UROCE_RC | opcode,
		.ack_req = in->ack_req,
		.psn = in->psn,
		.va = get64(eth),
		.rkey = get32(eth + 8),
		.swap_add = get64(eth + 12),
		.compare = get64(eth + 20),
	};

	if (in->brief->payload_len)
		return false;
	if (take_carried(in))
		uroce_remote_nonposted(in->qp, &packet, in->now);
	return true;
}

static bool receive_atomic_ack(const struct arrival *in)
{
	const uint8_t *aeth = in->brief->header + BTH_LEN;
	struct uroce_packet packet = {
		.channel = in->qp->channel,
		.traits = UROCE_T_FIRST | UROCE_T_LAST | UROCE_T_RESPONSE |
			  UROCE_T_AETH | UROCE_T_ATOMIC_ACK_ETH,
		.opcode = UROCE_RC | UROCE_ATOMIC_ACK,
		.psn = in->psn,
		.orig = get64(aeth + AETH_LEN),
	};

	if (in->brief->ack || in->brief->payload_len)
		return false;
	uroce_engine_count(in->qp->engine, UROCE_C_RX_PACKETS, 1);
	uroce_ack_receive(in->qp, &packet, in->now);
	return true;
}

static bool receive_ack(const struct arrival *in)
{
	uint32_t aeth = get32(in->brief->header + BTH_LEN);

	if ((aeth >> 24 & UROCE_AETH_KIND) != UROCE_AETH_ACK ||
	    in->brief->ack || in->brief->payload_len)
		return false;
	uroce_engine_count(in->qp->engine, UROCE_C_RX_PACKETS, 1);
	take_ack(in->qp, in->psn, in->now);
	return true;
}

/* Headers of just this length, as uroce_wire_decode() wants them. */
static bool receive(const struct arrival *in)
{
	uint32_t len = in->brief->header_len;

	switch (in->first >> OPCODE_SHIFT) {
	case UROCE_RC | UROCE_SEND_ONLY:
		return len == BTH_LEN && is_expected(in) &&
		       receive_send(in, false);
	case UROCE_RC | UROCE_SEND_ONLY_IMM:
		return len == BTH_LEN + IMM_LEN && is_expected(in) &&
		       receive_send(in, true);
	case UROCE_RC | UROCE_WRITE_ONLY:
		return len == BTH_LEN + RETH_LEN && is_expected(in) &&
		       receive_write(in);
	case UROCE_RC | UROCE_FETCH_ADD:
		return len == BTH_LEN + ATOMIC_LEN && is_expected(in) &&
		       receive_atomic(in, UROCE_FETCH_ADD);
	case UROCE_RC | UROCE_CMP_SWAP:
		return len == BTH_LEN + ATOMIC_LEN && is_expected(in) &&
		       receive_atomic(in, UROCE_CMP_SWAP);
	case UROCE_RC | UROCE_ATOMIC_ACK:
		return len == BTH_LEN + AETH_LEN + ATOMIC_BYTES &&
		       receive_atomic_ack(in);
	case UROCE_RC | UROCE_ACKNOWLEDGE:
		return len == BTH_LEN + AETH_LEN && receive_ack(in);
	default:
		return false;
	}
}

bool uroce_fast_receive(struct uroce_engine *engine,
			const struct uroce_channel *channel,
			const struct uroce_brief *brief, uint64_t now)
{
	uint32_t last = get32(brief->header + 8);
	struct arrival in = {
		.qp = uroce_engine_find_qp(engine, get32(brief->header + 4) &
							   UROCE_QPN_MASK),
		.brief = brief,
		.first = get32(brief->header),
		.psn = last & UROCE_PSN_MASK,
		.ack_req = last & ACK_REQ,
		.now = now,
	};

	if (engine->late)
		uroce_fast_catch_up(engine, now);
	/* the ordinary way knows what is wrong with it, and counts that */
	if (!in.qp || in.qp->channel != channel || in.qp->type != IBV_QPT_RC ||
	    in.qp->state != IBV_QPS_RTS || (in.first & VERSION_MASK) ||
	    (in.first & PKEY_MASK) != in.qp->pkey)
		return false;
	return receive(&in);
}
