/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Execution of request packets of the peer (IBTA 9.7.4, 9.8.2, 9.8.3).
 * uroce_dispatch.c calls uroce_responder_receive(), at the end of this file,
 * which decides by the PSN whether the packet is the expected one, a duplicate
 * or behind a gap. SENDs are executed here, requests with an address in
 * uroce_remote.c; uroce_reply.c makes the responses.
 */
#include "uroce/roce/uroce_responder.h"

#include <errno.h>

#include "uroce/qp/uroce_cause.h"
#include "uroce/qp/uroce_chaos.h"
#include "uroce/qp/uroce_completion.h"
#include "uroce/qp/uroce_xrc.h"
#include "uroce/roce/uroce_copy.h"
#include "uroce/roce/uroce_delack.h"
#include "uroce/roce/uroce_ecn.h"
#include "uroce/roce/uroce_grh.h"
#include "uroce/roce/uroce_interrupted.h"
#include "uroce/roce/uroce_psn.h"
#include "uroce/roce/uroce_reorder.h"
#include "uroce/roce/uroce_rndv.h"

void uroce_responder_init(struct uroce_qp *qp)
{
	struct uroce_responder *resp = &qp->roce->resp;

	uroce_reorder_drop(qp);
	uroce_interrupted_drop(resp, NULL);
	/* qp->receive stays: its WQE is no longer in the queue */
	resp->epsn = qp->rq_psn;
	resp->msn = 0;
	resp->message = UROCE_MESSAGE_NONE;
	resp->established = false;
	resp->nak_sent = false;
	resp->reply = UROCE_REPLY_NONE;
	uroce_delack_init(qp);
	resp->nr_pending = 0;
	resp->res_next = 0;
	resp->selective = false;
	uroce_ecn_reset(qp);
}

static void responder_count(struct uroce_qp *qp, enum uroce_counter counter)
{
	uroce_core_count(qp->core, counter, 1);
}

/* The receive WQE is unusable. Only RC reports this to the requester (NAK). */
static void fail_receive(struct uroce_qp *qp, struct uroce_packet *packet,
			 enum ibv_wc_status status)
{
	bool too_long = status == IBV_WC_LOC_LEN_ERR;

	if (uroce_packet_check(packet)) {
		responder_count(qp, UROCE_C_BAD_ICRC);
		return;
	}
	/* 9.9.3, table 61: UC and UD drop a message that is too long */
	if (qp->type == IBV_QPT_RC)
		uroce_cause_note_refused(qp, packet->psn,
					 too_long ? UROCE_NAK_INVALID_REQUEST
						  : UROCE_NAK_REMOTE_OP,
					 too_long ? UROCE_C_TOO_LONG
						  : UROCE_C_LOCAL_PROTECTION);
	if (qp->type == IBV_QPT_RC || !too_long)
		uroce_qp_fault(qp, UROCE_FAULT_RQ, status);
	uroce_responder_refuse(
		qp, packet,
		too_long ? uroce_rx_refused(UROCE_RX_INVALID_REQUEST,
					    UROCE_C_TOO_LONG)
			 : uroce_rx_refused(UROCE_RX_REMOTE_OP,
					    UROCE_C_LOCAL_PROTECTION));
}

void uroce_responder_bad_page(struct uroce_qp *qp)
{
	struct uroce_packet last = {
		.psn = uroce_psn_add(qp->roce->resp.epsn, -1),
	};

	if (qp->roce->resp.message == UROCE_MESSAGE_SEND)
		fail_receive(qp, &last, IBV_WC_LOC_PROT_ERR);
	else
		uroce_responder_refuse(qp, &last,
				       uroce_rx_refused(UROCE_RX_REMOTE_ACCESS,
							UROCE_C_BAD_PAGE));
}

/* Memory of the receive WQE in use: @bytes at @offset. */
static int responder_resolve(struct uroce_qp *qp, uint32_t offset,
			     uint32_t bytes, struct uroce_iovecs *iovecs)
{
	struct uroce_receive *receive = &qp->receive;
	struct uroce_sge_list list = {
		.memory = qp->core->memory,
		.sge = receive->sge,
		.nr_sge = receive->nr_sge,
		.pd = qp->rq->pd,
		.write = true,
	};

	return uroce_sge_resolve(&list, &qp->roce->resp.cursor, offset, bytes,
				 iovecs);
}

/* Copies the payload into the receive WQE; false: the error is handled. */
static bool store(struct uroce_qp *qp, struct uroce_packet *packet,
		  uint32_t offset)
{
	struct uroce_iovecs iovecs;
	int ret;

	ret = responder_resolve(qp, offset, packet->payload_len, &iovecs);
	if (ret) {
		fail_receive(qp, packet,
			     ret == -EMSGSIZE ? IBV_WC_LOC_LEN_ERR
					      : IBV_WC_LOC_PROT_ERR);
		return false;
	}
	if (packet->nr_absent) {
		ret = uroce_rndv_copy(qp, packet, &iovecs);
		if (ret)
			uroce_responder_lost(qp, packet, false);
		return !ret;
	}
	ret = uroce_copy_in(qp, &iovecs, packet, qp->receive.nr_sge == 1);
	if (ret == -EFAULT)
		fail_receive(qp, packet, IBV_WC_LOC_PROT_ERR);
	else if (ret)
		responder_count(qp, UROCE_C_BAD_ICRC);
	return !ret;
}

static void complete_send_message(struct uroce_qp *qp,
				  const struct uroce_packet *packet,
				  uint32_t bytes)
{
	struct uroce_cqe cqe = {
		.status = IBV_WC_SUCCESS,
		.opcode = IBV_WC_RECV,
		.byte_len = bytes,
		.src_qpn = packet->src_qpn,
	};

	if (packet->traits & UROCE_T_IMM) {
		cqe.wc_flags = IBV_WC_WITH_IMM;
		cqe.imm = packet->imm;
	} else if (packet->traits & UROCE_T_IETH) {
		cqe.wc_flags = IBV_WC_WITH_INV;
		cqe.inv_rkey = packet->inv_rkey;
	}
	if (packet->traits & UROCE_T_DETH) {
		cqe.wc_flags |= IBV_WC_GRH;
		cqe.sl = uroce_grh_kind(packet);
	}
	uroce_complete_receive(qp, &cqe, packet->solicited);
}

/* Executes a packet of a SEND of RC or UC. */
static void responder_receive_send(struct uroce_qp *qp,
				   struct uroce_packet *packet)
{
	struct uroce_responder *resp = &qp->roce->resp;
	bool first = packet->traits & UROCE_T_FIRST;
	uint32_t offset = first ? 0 : resp->offset;

	if (uroce_hold_receive(qp)) {
		uroce_responder_not_ready(qp, packet);
		return;
	}
	if (first)
		resp->cursor = (struct uroce_cursor){};
	if (first && !(packet->traits & UROCE_T_LAST))
		uroce_rndv_publish_receive(qp, packet->psn);
	if (!store(qp, packet, offset))
		return;
	/* late data came when the key was valid */
	if ((packet->traits & UROCE_T_IETH) && qp->core->chaos)
		uroce_chaos_place_all(qp->core->chaos);
	/* 9.4.1.1.3: invalidate the key before the message completes */
	if ((packet->traits & UROCE_T_IETH) &&
	    uroce_window_invalidate(qp->core->memory, packet->inv_rkey, qp->pd,
				    qp->qpn)) {
		uroce_responder_refuse(qp, packet,
				       uroce_rx_refused(UROCE_RX_REMOTE_ACCESS,
							UROCE_C_BAD_KEY));
		return;
	}
	resp->message = UROCE_MESSAGE_SEND;
	resp->offset = offset + packet->payload_len;
	if (packet->traits & UROCE_T_LAST)
		complete_send_message(qp, packet, resp->offset);
	uroce_responder_executed(qp, packet, uroce_rndv_count(packet));
}

/* 9.7.4.1.2, table 44: whether the opcode may follow the previous one. */
static bool sequence_is_valid(const struct uroce_qp *qp,
			      const struct uroce_packet *packet)
{
	uint8_t message = qp->roce->resp.message;

	if (packet->traits & UROCE_T_FIRST)
		return message == UROCE_MESSAGE_NONE;
	return packet->traits & UROCE_T_SEND ? message == UROCE_MESSAGE_SEND
					     : message == UROCE_MESSAGE_WRITE;
}

/* 9.7.4.1.6: all packets but the last are full, a LAST is not empty. */
static bool responder_length_is_valid(const struct uroce_qp *qp,
				      const struct uroce_packet *packet)
{
	if (!(packet->traits & (UROCE_T_SEND | UROCE_T_WRITE)))
		return !packet->nr_absent;
	if (packet->nr_absent)
		return !(packet->traits & UROCE_T_LAST) &&
		       packet->payload_len ==
			       (uint64_t)packet->nr_absent * qp->mtu;
	if (!(packet->traits & UROCE_T_LAST))
		return packet->payload_len == qp->mtu;
	if (!(packet->traits & UROCE_T_FIRST) && !packet->payload_len)
		return false;
	return packet->payload_len <= qp->mtu;
}

/* Executes the packet with the expected PSN. */
static void responder_execute(struct uroce_qp *qp, struct uroce_packet *packet)
{
	if (!sequence_is_valid(qp, packet))
		uroce_responder_refuse(
			qp, packet,
			uroce_rx_refused(UROCE_RX_INVALID_REQUEST,
					 UROCE_C_BAD_OP_SEQUENCE));
	else if (!responder_length_is_valid(qp, packet))
		uroce_responder_refuse(
			qp, packet,
			uroce_rx_refused(UROCE_RX_INVALID_REQUEST,
					 UROCE_C_BAD_LENGTH));
	else if (packet->traits & UROCE_T_SEND)
		responder_receive_send(qp, packet);
	else if (packet->traits & UROCE_T_WRITE)
		uroce_remote_write(qp, packet);
	else
		uroce_remote_nonposted(qp, packet);
}

/*
 * 9.7.5.1.3: a duplicate is acknowledged, but not executed again. The ACK must
 * not cover the next READ, atomic, ...: it would be an implied NAK of that
 * request, which the requester retransmits anyway.
 */
static void acknowledge_duplicate(struct uroce_qp *qp,
				  const struct uroce_packet *packet)
{
	struct uroce_responder *resp = &qp->roce->resp;
	uint32_t until = uroce_psn_add(resp->epsn, -1);

	if (!packet->ack_req || resp->reply == UROCE_REPLY_ACK ||
	    resp->reply == UROCE_REPLY_NAK)
		return;
	for (uint8_t i = 0; i < resp->max_resources; i++) {
		const struct uroce_resource *res = &resp->resource[i];

		if (res->op && uroce_psn_before(packet->psn, res->psn) &&
		    !uroce_psn_before(until, res->psn))
			until = uroce_psn_add(res->psn, -1);
	}
	resp->reply = UROCE_REPLY_DUPLICATE;
	resp->ack_psn = until;
	uroce_engine_activate(qp->roce->engine, qp);
}

/* A14: each request names an SRQ. Duplicates are not executed. */
static bool responder_find_srq(struct uroce_qp *qp, struct uroce_packet *packet)
{
	if (qp->xrc != UROCE_XRC_TARGET ||
	    uroce_xrc_select(qp, packet->xrc_srqn,
			     packet->traits & UROCE_T_FIRST))
		return true;
	uroce_responder_refuse(
		qp, packet,
		uroce_rx_refused(UROCE_RX_INVALID_REQUEST, UROCE_C_NO_XRC_SRQ));
	return false;
}

/* Executes the request with the expected PSN, and those that wait for it. */
static void receive_expected(struct uroce_qp *qp, struct uroce_packet *packet)
{
	do {
		if (responder_find_srq(qp, packet))
			responder_execute(qp, packet);
		packet = uroce_qp_is_stopped(qp) ? NULL
						 : uroce_reorder_take(qp);
	} while (packet);
	if (qp->roce->reorder)
		uroce_reorder_end(qp);
}

static void receive_rc(struct uroce_qp *qp, struct uroce_packet *packet)
{
	struct uroce_responder *resp = &qp->roce->resp;
	int32_t ahead = uroce_psn_diff(packet->psn, resp->epsn);

	if (!ahead) {
		receive_expected(qp, packet);
	} else if (ahead < 0) {
		responder_count(qp, UROCE_C_DUPLICATES);
		if (packet->traits & UROCE_T_NONPOSTED)
			uroce_remote_duplicate(qp, packet);
		else
			acknowledge_duplicate(qp, packet);
	} else {
		uroce_responder_lost(qp, packet,
				     packet->selective && !packet->channel &&
					     uroce_reorder_hold(qp, packet));
	}
}

/* 9.8.2.2: a gap loses only the message that contains it. */
static void receive_uc(struct uroce_qp *qp, struct uroce_packet *packet)
{
	struct uroce_responder *resp = &qp->roce->resp;
	bool gap = packet->psn != resp->epsn;

	if ((gap || (packet->traits & UROCE_T_FIRST)) &&
	    resp->message != UROCE_MESSAGE_NONE) {
		responder_count(qp, UROCE_C_UC_LOST);
		resp->message = UROCE_MESSAGE_NONE;
	}
	resp->epsn = packet->psn;
	responder_execute(qp, packet);
	/* the next PSN is expected even if the packet was dropped */
	resp->epsn = uroce_psn_add(packet->psn, 1);
}

static void receive_ud(struct uroce_qp *qp, struct uroce_packet *packet)
{
	struct uroce_iovecs iovecs;
	uint8_t grh[UROCE_GRH_LEN];
	int ret;

	if (uroce_hold_receive(qp)) {
		uroce_responder_not_ready(qp, packet);
		return;
	}
	/* 11.4.1.2: the first 40 bytes contain the GRH */
	qp->roce->resp.cursor = (struct uroce_cursor){};
	ret = UROCE_GRH_LEN + packet->payload_len > qp->receive.length
		      ? -EMSGSIZE
		      : responder_resolve(qp, 0, UROCE_GRH_LEN, &iovecs);
	if (!ret) {
		uroce_grh_build(packet, grh);
		ret = uroce_copy_bytes(&iovecs, grh);
	}
	if (ret) {
		fail_receive(qp, packet,
			     ret == -EMSGSIZE ? IBV_WC_LOC_LEN_ERR
					      : IBV_WC_LOC_PROT_ERR);
		return;
	}
	if (store(qp, packet, UROCE_GRH_LEN))
		complete_send_message(qp, packet,
				      UROCE_GRH_LEN + packet->payload_len);
}

/*
 * Whether the ICRC may be verified during the copy: for SENDs of UD and for
 * expected SENDs of RC, since the memory of a receive WQE is undefined until it
 * completes. Other packets are verified first, above all WRITEs: a program may
 * read their memory at any time, and the packet contains the address. A packet
 * of XRC contains the SRQ.
 */
static bool responder_may_check_late(const struct uroce_qp *qp,
				     const struct uroce_packet *packet)
{
	if (!(packet->traits & UROCE_T_SEND) || qp->xrc != UROCE_XRC_NONE)
		return false;
	return qp->type == IBV_QPT_UD ||
	       (qp->type == IBV_QPT_RC && packet->psn == qp->roce->resp.epsn);
}

void uroce_responder_receive(struct uroce_qp *qp, struct uroce_packet *packet)
{
	if (!responder_may_check_late(qp, packet) &&
	    uroce_packet_check(packet)) {
		responder_count(qp, UROCE_C_BAD_ICRC);
		return;
	}
	if (!qp->roce->resp.established && qp->state == IBV_QPS_RTR) {
		qp->roce->resp.established = true;
		uroce_qp_event(qp, IBV_EVENT_COMM_EST);
		uroce_qp_tell(qp);
	}
	if (qp->type == IBV_QPT_RC)
		receive_rc(qp, packet);
	else if (qp->type == IBV_QPT_UC)
		receive_uc(qp, packet);
	else
		receive_ud(qp, packet);
}
