/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Execution of the messages of the peer (IBTA 9.7.4, 9.8.2), fragment by
 * fragment. SENDs are executed here, requests with an address in
 * uroce_msg_remote.c; uroce_msg_reply.c sends the responses.
 */
#include <errno.h>
#include <string.h>

#include "uroce/qp/uroce_cause.h"
#include "uroce/qp/uroce_completion.h"
#include "uroce/shm/uroce_msg_state.h"
#include "uroce/wire/uroce_packet.h"

/* Messages that are a duplicate: half of the numbers. */
#define MAX_BEHIND (1u << 23)

void uroce_msg_start_responder(struct uroce_msg_qp *mqp)
{
	struct uroce_msg_responder *resp = &mqp->resp;

	/* qp->receive stays: its WQE is no longer in the queue */
	*resp = (struct uroce_msg_responder){
		.rx_msn = mqp->qp->rq_psn,
		.owed = resp->owed,
		.max_owed = resp->max_owed,
		.pass = mqp->msg->pass - 1,
	};
}

static void msg_rx_count(const struct uroce_msg_qp *mqp,
			 enum uroce_counter counter)
{
	uroce_core_count(mqp->qp->core, counter, 1);
}

/* The receive WQE is unusable. Only RC reports this to the requester (NAK). */
static void msg_fail_receive(struct uroce_msg_qp *mqp, int err)
{
	bool too_long = err == -EMSGSIZE;

	if (uroce_msg_is_reliable(mqp))
		uroce_cause_note(mqp->qp, UROCE_CAUSE_REFUSED, mqp->resp.rx_msn,
				 too_long ? UROCE_NAK_INVALID_REQUEST
					  : UROCE_NAK_REMOTE_OP);
	/* 9.9.3, table 61: UC drops a message that is too long */
	if (uroce_msg_is_reliable(mqp) || !too_long)
		uroce_qp_fault(mqp->qp, UROCE_FAULT_RQ,
			       too_long ? IBV_WC_LOC_LEN_ERR
					: IBV_WC_LOC_PROT_ERR);
	uroce_msg_refuse(mqp,
			 too_long ? uroce_rx_refused(UROCE_RX_INVALID_REQUEST,
						     UROCE_C_TOO_LONG)
				  : uroce_rx_refused(UROCE_RX_REMOTE_OP,
						     UROCE_C_LOCAL_PROTECTION));
}

static void msg_complete_send(struct uroce_msg_qp *mqp,
			      const struct uroce_msg_entry *entry)
{
	struct uroce_cqe cqe = {
		.status = IBV_WC_SUCCESS,
		.opcode = IBV_WC_RECV,
		.byte_len = mqp->resp.offset,
	};

	if (entry->flags & UROCE_MSG_IMM) {
		cqe.wc_flags = IBV_WC_WITH_IMM;
		memcpy(&cqe.imm, &entry->word, sizeof(cqe.imm));
	} else if (entry->flags & UROCE_MSG_INV) {
		cqe.wc_flags = IBV_WC_WITH_INV;
		cqe.inv_rkey = entry->word;
	}
	uroce_complete_receive(mqp->qp, &cqe,
			       entry->flags & UROCE_MSG_SOLICITED);
}

/* Copies a fragment into the receive WQE; false: the error is handled. */
static bool msg_store_send(struct uroce_msg_qp *mqp,
			   const struct uroce_msg_received *in)
{
	const struct uroce_qp *qp = mqp->qp;
	struct uroce_sge_list list = {
		.memory = qp->core->memory,
		.sge = qp->receive.sge,
		.nr_sge = qp->receive.nr_sge,
		.pd = qp->rq->pd,
		.write = true,
	};
	struct uroce_iovecs iovecs;
	int ret;

	ret = uroce_sge_resolve(&list, &mqp->resp.cursor, mqp->resp.offset,
				in->bytes, &iovecs);
	if (ret) {
		msg_fail_receive(mqp, ret);
		return false;
	}
	return uroce_msg_copy(mqp, in, &iovecs, false);
}

static void msg_execute_send(struct uroce_msg_qp *mqp,
			     const struct uroce_msg_received *in)
{
	struct uroce_msg_responder *resp = &mqp->resp;
	struct uroce_qp *qp = mqp->qp;

	if (uroce_hold_receive(qp)) {
		uroce_msg_not_ready(mqp, 0);
		return;
	}
	if (in->entry.flags & UROCE_MSG_FIRST) {
		resp->cursor = (struct uroce_cursor){};
		resp->offset = 0;
	}
	if (resp->offset + in->bytes > UROCE_MAX_MESSAGE) {
		uroce_msg_refuse_invalid(mqp, UROCE_C_BAD_LENGTH);
		return;
	}
	if (!msg_store_send(mqp, in))
		return;
	/* 9.4.1.1.3: invalidate the key before the message completes */
	if ((in->entry.flags & UROCE_MSG_INV) &&
	    uroce_window_invalidate(qp->core->memory, in->entry.word, qp->pd,
				    qp->qpn)) {
		uroce_msg_refuse(mqp, uroce_rx_refused(UROCE_RX_REMOTE_ACCESS,
						       UROCE_C_BAD_KEY));
		return;
	}
	resp->kind = UROCE_MSG_KIND_SEND;
	resp->offset += in->bytes;
	if (in->entry.flags & UROCE_MSG_LAST)
		msg_complete_send(mqp, &in->entry);
	uroce_msg_executed(mqp, &in->entry);
}

static bool msg_is_send(const struct uroce_msg_entry *entry)
{
	return entry->type == UROCE_MSG_SEND ||
	       entry->type == UROCE_MSG_SEND_CHUNK;
}

/* 9.7.4.1.2, table 44: whether the entry may follow the previous one. */
static bool msg_sequence_is_valid(const struct uroce_msg_qp *mqp,
				  const struct uroce_msg_entry *entry)
{
	uint8_t kind = mqp->resp.kind;

	if (entry->flags & UROCE_MSG_FIRST)
		return kind == UROCE_MSG_KIND_NONE;
	return msg_is_send(entry) ? kind == UROCE_MSG_KIND_SEND
				  : kind == UROCE_MSG_KIND_WRITE;
}

static void msg_execute(struct uroce_msg_qp *mqp,
			const struct uroce_msg_received *in)
{
	if (!msg_sequence_is_valid(mqp, &in->entry))
		uroce_msg_refuse_invalid(mqp, UROCE_C_BAD_OP_SEQUENCE);
	else if (msg_is_send(&in->entry))
		msg_execute_send(mqp, in);
	else if (in->entry.type == UROCE_MSG_WRITE ||
		 in->entry.type == UROCE_MSG_WRITE_CHUNK)
		uroce_msg_execute_write(mqp, in);
	else
		uroce_msg_execute_nonposted(mqp, in);
}

/*
 * A ring loses nothing, but a QP drops what arrives before RTR. The first entry
 * behind such a gap causes a NAK, and the requester begins again. After an RNR
 * NAK the entries up to the one that is sent again are dropped without a NAK.
 */
static void msg_receive_rc(struct uroce_msg_qp *mqp,
			   const struct uroce_msg_received *in)
{
	struct uroce_msg_responder *resp = &mqp->resp;

	if (uroce_msg_diff(resp->rx_msn, in->entry.msn) - 1 < MAX_BEHIND) {
		/* the response to the original is in the ring, or will be */
		msg_rx_count(mqp, UROCE_C_DUPLICATES);
		return;
	}
	if (in->entry.msn != resp->rx_msn ||
	    (!(in->entry.flags & UROCE_MSG_FIRST) &&
	     resp->kind == UROCE_MSG_KIND_NONE)) {
		msg_rx_count(mqp, UROCE_C_OUT_OF_SEQUENCE);
		if (!resp->dropping)
			uroce_msg_nak(mqp, UROCE_AETH_NAK | UROCE_NAK_PSN_SEQ,
				      0);
		resp->dropping = true;
		return;
	}
	/* the requester has begun again */
	if (in->entry.flags & UROCE_MSG_FIRST)
		resp->kind = UROCE_MSG_KIND_NONE;
	resp->dropping = false;
	msg_execute(mqp, in);
}

/* 9.8.2.2: a gap loses only the message that contains it. */
static void msg_receive_uc(struct uroce_msg_qp *mqp,
			   const struct uroce_msg_received *in)
{
	struct uroce_msg_responder *resp = &mqp->resp;
	bool first = in->entry.flags & UROCE_MSG_FIRST;

	if (in->entry.type != UROCE_MSG_SEND &&
	    in->entry.type != UROCE_MSG_WRITE) {
		msg_rx_count(mqp, UROCE_C_BAD_TRANSPORT);
		return;
	}
	if ((first || in->entry.msn != resp->rx_msn) &&
	    resp->kind != UROCE_MSG_KIND_NONE) {
		msg_rx_count(mqp, UROCE_C_UC_LOST);
		resp->kind = UROCE_MSG_KIND_NONE;
	}
	resp->rx_msn = in->entry.msn;
	msg_execute(mqp, in);
	/* the next message is expected even if this one was dropped */
	if (in->entry.flags & UROCE_MSG_LAST)
		resp->rx_msn = uroce_msg_next(in->entry.msn);
}

void uroce_msg_receive_request(struct uroce_msg_qp *mqp,
			       const struct uroce_msg_received *in)
{
	struct uroce_qp *qp = mqp->qp;

	if (!mqp->resp.established && qp->state == IBV_QPS_RTR) {
		mqp->resp.established = true;
		uroce_qp_event(qp, IBV_EVENT_COMM_EST);
		uroce_qp_tell(qp);
	}
	if (uroce_msg_is_reliable(mqp))
		msg_receive_rc(mqp, in);
	else
		msg_receive_uc(mqp, in);
}
