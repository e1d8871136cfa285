/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fast path of the responder: from the bytes of a ring entry to memory and a
 * completion. uroce_worker_shm.c calls it before uroce_engine_receive(), which
 * handles the packets that do not qualify. No state changes before all
 * preconditions hold (see uroce_fast_send.c). Headers come from another
 * process, so they are read once, from a copy.
 */
#include <string.h>

#include "uroce/roce/uroce_fast_parts.h"
#include "uroce/roce/uroce_psn.h"
#include "uroce/roce/uroce_requester.h"
#include "uroce/roce/uroce_responder.h"
#include "uroce/wire/uroce_bytes.h"

/* Two reads of 32 bits: the address is not aligned to 8 bytes. */
static uint64_t fast_rx_get64(const uint8_t *at)
{
	return (uint64_t)uroce_get32(at) << 32 | uroce_get32(at + 4);
}

/* A received packet and the parsed words of its BTH. */
struct arrival {
	struct uroce_qp *qp;
	const struct uroce_eager_entry *eager;
	uint32_t first, psn; /* first word of the BTH; PSN */
	bool ack_req;
	uint64_t now;
};

/*
 * Whether it is the next request, no message is in progress, and no NAK or
 * duplicate ACK is pending.
 */
static bool fast_rx_is_expected(const struct arrival *in)
{
	const struct uroce_responder *resp = &in->qp->roce->resp;

	return in->psn == resp->epsn && resp->message == UROCE_MESSAGE_NONE &&
	       resp->reply <= UROCE_REPLY_ACK &&
	       /* at this PSN the responder drops old resources */
	       (resp->epsn & UROCE_FORGET_MASK) != UROCE_FORGET_MASK &&
	       in->eager->payload_len <= in->qp->mtu;
}

/* For a full CQ, an SRQ with a limit, or a QP with a completion counter. */
static __attribute__((noinline)) void
complete_with_care(const struct arrival *in, bool imm)
{
	struct uroce_cqe cqe = {
		.byte_len = in->eager->payload_len,
		.opcode = IBV_WC_RECV,
		.wc_flags = imm ? IBV_WC_WITH_IMM : 0,
	};

	if (imm)
		memcpy(&cqe.imm, in->eager->header + BTH_LEN, IMM_LEN);
	uroce_complete_front_receive(in->qp, &cqe, in->first & SOLICITED);
}

static void complete_receive(const struct arrival *in,
			     const struct uroce_recv_wqe *wqe, bool imm)
{
	struct uroce_qp *qp = in->qp;
	struct uroce_cqe *cqe = uroce_cq_vacant(qp->recv_cq);

	if (!cqe || qp->counted_ops ||
	    __atomic_load_n(&qp->rq->limit, __ATOMIC_RELAXED)) {
		complete_with_care(in, imm);
		return;
	}
	cqe->imm = 0;
	cqe->wc_flags = 0;
	if (imm) {
		memcpy(&cqe->imm, in->eager->header + BTH_LEN, IMM_LEN);
		cqe->wc_flags = IBV_WC_WITH_IMM;
	}
	cqe->wr_id = wqe->wr_id;
	cqe->stamp_ns = uroce_cq_time(qp->recv_cq);
	cqe->byte_len = in->eager->payload_len;
	cqe->opcode = IBV_WC_RECV;
	uroce_ring_take(&qp->rq->ring);
	uroce_fast_complete(qp, qp->recv_cq, cqe, in->first & SOLICITED);
}

/*
 * Processes the piggybacked ACK before the message, or postpones it until
 * uroce_fast_catch_up(). Returns false if the ACK has moved the QP out of RTS.
 */
static bool take_carried(const struct arrival *in)
{
	struct uroce_engine *engine = in->qp->roce->engine;
	uint32_t ack = in->eager->ack;

	uroce_core_count(&engine->core, UROCE_C_RX_PACKETS, 1);
	uroce_core_count(&engine->core, UROCE_C_RX_BYTES,
			 in->eager->payload_len);
	if (engine->may_postpone_ack && (ack & UROCE_EAGER_ACK)) {
		list_add_tail(&engine->postponed_acks,
			      &in->qp->roce->postponed);
		in->qp->roce->postponed_psn = ack & UROCE_PSN_MASK;
		return true;
	}
	if (ack & UROCE_EAGER_ACK)
		uroce_fast_take_ack(in->qp, ack & UROCE_PSN_MASK, in->now);
	if (uroce_qp_is_running(in->qp))
		return true;
	uroce_core_count(&engine->core, UROCE_C_BAD_STATE, 1);
	return false;
}

static void executed(const struct arrival *in)
{
	struct uroce_responder *resp = &in->qp->roce->resp;

	resp->epsn = uroce_psn_add(resp->epsn, 1);
	resp->msn = uroce_psn_add(resp->msn, 1);
	resp->nak_sent = false;
	if (in->ack_req)
		uroce_reply_ack(in->qp);
}

static bool fast_rx_receive_send(const struct arrival *in, bool imm)
{
	struct uroce_qp *qp = in->qp;
	const struct uroce_eager_entry *eager = in->eager;
	const struct uroce_recv_wqe *wqe = uroce_ring_front(&qp->rq->ring);
	uint8_t *ptr = NULL;

	if (qp->receive.in_use || !wqe || eager->payload_len > wqe->length)
		return false;
	if (eager->payload_len) {
		if (!wqe->nr_sge || wqe->sge[0].length < eager->payload_len)
			return false;
		ptr = uroce_fast_memory(qp->core->memory, qp->rq->pd,
					&wqe->sge[0], eager->payload_len,
					IBV_ACCESS_LOCAL_WRITE);
		if (!ptr)
			return false;
	}
	if (!take_carried(in))
		return true;
	if (ptr && uroce_fast_is_word(ptr, eager->payload_len))
		memcpy(ptr, eager->payload, sizeof(uint64_t));
	else if (ptr)
		memcpy(ptr, eager->payload, eager->payload_len);
	complete_receive(in, wqe, imm);
	executed(in);
	return true;
}

static bool receive_write(const struct arrival *in)
{
	struct uroce_qp *qp = in->qp;
	const uint8_t *reth = in->eager->header + BTH_LEN;
	const struct ibv_sge remote = {
		.addr = fast_rx_get64(reth),
		.length = in->eager->payload_len,
		.lkey = uroce_get32(reth + 8),
	};
	uint8_t *ptr;

	if (!(qp->access & IBV_ACCESS_REMOTE_WRITE) || qp->counted_ops ||
	    !remote.length || uroce_get32(reth + 12) != remote.length)
		return false;
	ptr = uroce_fast_memory(qp->core->memory, qp->pd, &remote,
				remote.length, IBV_ACCESS_REMOTE_WRITE);
	if (!ptr)
		return false;
	if (!take_carried(in))
		return true;
	uroce_fast_place(ptr, in->eager->payload, in->eager->payload_len);
	executed(in);
	return true;
}

/*
 * Only decodes the headers. uroce_remote_nonposted() checks the access rights,
 * allocates the resource and creates the response.
 */
static bool receive_atomic(const struct arrival *in, uint8_t opcode)
{
	const uint8_t *eth = in->eager->header + BTH_LEN;
	struct uroce_packet packet = {
		.channel = in->qp->roce->channel,
		.traits = UROCE_T_FIRST | UROCE_T_LAST | UROCE_T_ATOMIC_ETH |
			  UROCE_T_NONPOSTED,
		.opcode = opcode,
		.ack_req = in->ack_req,
		.psn = in->psn,
		.va = fast_rx_get64(eth),
		.rkey = uroce_get32(eth + 8),
		.swap_add = fast_rx_get64(eth + 12),
		.compare = fast_rx_get64(eth + 20),
	};

	if (in->eager->payload_len)
		return false;
	if (take_carried(in))
		uroce_remote_nonposted(in->qp, &packet);
	return true;
}

/* The slow path for an atomic response. */
static void receive_answer(const struct arrival *in, uint64_t orig)
{
	struct uroce_packet packet = {
		.channel = in->qp->roce->channel,
		.traits = UROCE_T_FIRST | UROCE_T_LAST | UROCE_T_RESPONSE |
			  UROCE_T_AETH | UROCE_T_ATOMIC_ACK_ETH,
		.opcode = UROCE_RC | UROCE_ATOMIC_ACK,
		.psn = in->psn,
		.orig = orig,
	};

	uroce_ack_receive(in->qp, &packet, in->now);
}

static bool fast_rx_receive_atomic_ack(const struct arrival *in)
{
	uint64_t orig = fast_rx_get64(in->eager->header + BTH_LEN + AETH_LEN);

	if (in->eager->ack || in->eager->payload_len)
		return false;
	uroce_core_count(&in->qp->roce->engine->core, UROCE_C_RX_PACKETS, 1);
	if (!uroce_fast_take_atomic(in->qp, in->psn, orig, in->now))
		receive_answer(in, orig);
	return true;
}

static bool receive_ack(const struct arrival *in)
{
	uint32_t aeth = uroce_get32(in->eager->header + BTH_LEN);

	if ((aeth >> 24 & UROCE_AETH_KIND) != UROCE_AETH_ACK ||
	    in->eager->ack || in->eager->payload_len)
		return false;
	uroce_core_count(&in->qp->roce->engine->core, UROCE_C_RX_PACKETS, 1);
	uroce_fast_take_ack(in->qp, in->psn, in->now);
	return true;
}

/* Header lengths must match exactly, as in uroce_wire_decode(). */
static bool fast_rx_receive(const struct arrival *in)
{
	const uint8_t opcode = (uint8_t)(in->first >> OPCODE_SHIFT);
	uint32_t len = in->eager->header_len;

	switch (opcode) {
	case UROCE_RC | UROCE_SEND_ONLY:
	case UROCE_RC | UROCE_SEND_ONLY_IMM: {
		bool imm = opcode == (UROCE_RC | UROCE_SEND_ONLY_IMM);

		return len == BTH_LEN + (imm ? IMM_LEN : 0u) &&
		       fast_rx_is_expected(in) && fast_rx_receive_send(in, imm);
	}
	case UROCE_RC | UROCE_WRITE_ONLY:
		return len == BTH_LEN + RETH_LEN && fast_rx_is_expected(in) &&
		       receive_write(in);
	case UROCE_RC | UROCE_FETCH_ADD:
	case UROCE_RC | UROCE_CMP_SWAP:
		return len == BTH_LEN + ATOMIC_LEN && fast_rx_is_expected(in) &&
		       receive_atomic(in, opcode);
	case UROCE_RC | UROCE_ATOMIC_ACK:
		return len == BTH_LEN + AETH_LEN + UROCE_ATOMIC_BYTES &&
		       fast_rx_receive_atomic_ack(in);
	case UROCE_RC | UROCE_ACKNOWLEDGE:
		return len == BTH_LEN + AETH_LEN && receive_ack(in);
	default:
		return false;
	}
}

bool uroce_fast_receive(struct uroce_engine *engine,
			const struct uroce_channel *channel,
			const struct uroce_eager_entry *eager, uint64_t now)
{
	uint32_t last = uroce_get32(eager->header + 8);
	struct arrival in = {
		.qp = uroce_engine_find_qp(engine,
					   uroce_get32(eager->header + 4) &
						   UROCE_QPN_MASK),
		.eager = eager,
		.first = uroce_get32(eager->header),
		.psn = last & UROCE_PSN_MASK,
		.ack_req = last & ACK_REQ,
		.now = now,
	};

	if (in.qp && uroce_fast_has_postponed(in.qp))
		uroce_fast_catch_up_qp(in.qp, now);
	/* the slow path finds out which check failed, and counts it */
	if (!in.qp || in.qp->roce->channel != channel || eager->nr_absent ||
	    !in.qp->roce->shortcuts || !uroce_qp_is_running(in.qp) ||
	    (in.first & VERSION_MASK) || (in.first & PKEY_MASK) != in.qp->pkey)
		return false;
	return fast_rx_receive(&in);
}
