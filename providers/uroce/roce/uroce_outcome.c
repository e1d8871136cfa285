/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Outcomes of a request packet: the expected PSN advances and an ACK is
 * scheduled, or the packet is refused, or was lost. uroce_responder.c and
 * uroce_remote.c decide on one of them.
 */
#include "uroce/roce/uroce_responder.h"

#include "uroce/qp/uroce_cause.h"
#include "uroce/roce/uroce_copy.h"
#include "uroce/roce/uroce_delack.h"
#include "uroce/roce/uroce_psn.h"
#include "uroce/roce/uroce_reorder.h"

static void outcome_count(struct uroce_qp *qp, enum uroce_counter counter)
{
	uroce_core_count(qp->core, counter, 1);
}

/* 9.9.3, table 61 */
static const uint8_t naks[] = {
	[UROCE_RX_INVALID_REQUEST] = UROCE_NAK_INVALID_REQUEST,
	[UROCE_RX_REMOTE_ACCESS] = UROCE_NAK_REMOTE_ACCESS,
	[UROCE_RX_REMOTE_OP] = UROCE_NAK_REMOTE_OP,
};

void uroce_responder_refuse(struct uroce_qp *qp, struct uroce_packet *packet,
			    struct uroce_rx_result result)
{
	if (uroce_packet_check(packet)) {
		outcome_count(qp, UROCE_C_BAD_ICRC);
		return;
	}
	outcome_count(qp, result.counter);
	qp->roce->resp.message = UROCE_MESSAGE_NONE;
	if (qp->type != IBV_QPT_RC) {
		outcome_count(qp, UROCE_C_UC_LOST);
		return; /* 9.8.2.2: dropped without a NAK */
	}
	uroce_cause_note_refused(qp, packet->psn, naks[result.error],
				 result.counter);
	uroce_reply_nak(qp, (uint8_t)(UROCE_AETH_NAK | naks[result.error]),
			packet->psn);
	uroce_rx_fail(qp, result.error);
}

void uroce_responder_not_ready(struct uroce_qp *qp, struct uroce_packet *packet)
{
	if (uroce_packet_check(packet)) {
		outcome_count(qp, UROCE_C_BAD_ICRC);
		return;
	}
	outcome_count(qp, UROCE_C_NO_RECEIVE);
	if (qp->type == IBV_QPT_RC) {
		/* 9.7.5.2.8; packets behind it are dropped without a NAK */
		uroce_reply_nak(qp,
				(uint8_t)(UROCE_AETH_RNR | qp->min_rnr_timer),
				packet->psn);
		qp->roce->resp.nak_sent = true;
		qp->roce->resp.dropped_psn = packet->psn;
	} else {
		qp->roce->resp.message = UROCE_MESSAGE_NONE;
	}
}

static void forget_old(struct uroce_qp *qp)
{
	struct uroce_responder *resp = &qp->roce->resp;

	for (uint8_t i = 0; i < resp->max_resources; i++) {
		struct uroce_resource *res = &resp->resource[i];

		if (!res->pending && uroce_psn_diff(resp->epsn, res->psn) >=
					     1 << UROCE_FORGET_BITS)
			res->op = 0;
	}
}

/* Schedules an ACK; the cumulative ACK also covers the delayed one. */
static void ack_now(struct uroce_qp *qp)
{
	uroce_delack_renew(qp);
	uroce_reply_ack(qp);
}

/*
 * The packet of a pending NAK has arrived before the NAK was sent. If packets
 * behind it were dropped earlier, or wait, the new epsn needs a NAK instead.
 */
static void renew_nak(struct uroce_qp *qp)
{
	struct uroce_responder *resp = &qp->roce->resp;

	if (uroce_reorder_is_empty(qp) &&
	    uroce_psn_before(resp->dropped_psn, resp->epsn)) {
		ack_now(qp);
		return;
	}
	uroce_reply_nak(qp, UROCE_AETH_NAK | UROCE_NAK_PSN_SEQ, resp->epsn);
	/* a probe of the requester needs another list if this one is lost */
	resp->nak_sent = uroce_reorder_is_empty(qp);
}

void uroce_responder_executed(struct uroce_qp *qp,
			      const struct uroce_packet *packet,
			      uint32_t nr_psns)
{
	struct uroce_responder *resp = &qp->roce->resp;
	uint32_t old = resp->epsn;

	resp->epsn = uroce_psn_add(old, nr_psns);
	if ((old ^ resp->epsn) >> UROCE_FORGET_BITS)
		forget_old(qp);
	if (packet->traits & UROCE_T_LAST) {
		resp->message = UROCE_MESSAGE_NONE;
		resp->msn = uroce_psn_add(resp->msn, 1);
	}
	resp->nak_sent = false;
	resp->selective = packet->selective;
	if (qp->type != IBV_QPT_RC)
		return;
	if (resp->reply == UROCE_REPLY_NAK)
		renew_nak(qp);
	else if (packet->ack_req)
		ack_now(qp);
}

/* 9.7.5.2.2: one NAK for each gap, but a list of what has arrived is news. */
void uroce_responder_lost(struct uroce_qp *qp,
			  const struct uroce_packet *packet, bool held)
{
	struct uroce_responder *resp = &qp->roce->resp;

	outcome_count(qp, UROCE_C_OUT_OF_SEQUENCE);
	if (!resp->nak_sent || uroce_psn_before(resp->dropped_psn, packet->psn))
		resp->dropped_psn = packet->psn;
	if (resp->nak_sent)
		return;
	uroce_reply_nak(qp, UROCE_AETH_NAK | UROCE_NAK_PSN_SEQ, resp->epsn);
	resp->nak_sent = !held;
}
