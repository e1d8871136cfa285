/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Outcomes of a message of the peer: it was executed, refused, or has no
 * receive WQE. The other files of the responder decide on one of them.
 */
#include "uroce/qp/uroce_cause.h"
#include "uroce/shm/uroce_msg_state.h"
#include "uroce/wire/uroce_packet.h"

static void msg_outcome_count(const struct uroce_msg_qp *mqp,
			      enum uroce_counter counter)
{
	uroce_core_count(mqp->qp->core, counter, 1);
}

void uroce_msg_nak(struct uroce_msg_qp *mqp, uint8_t syndrome, uint32_t resume)
{
	mqp->resp.syndrome = syndrome;
	mqp->resp.resume = resume;
	uroce_msg_wake(mqp);
}

void uroce_msg_refuse(struct uroce_msg_qp *mqp, struct uroce_rx_result result)
{
	/* 9.9.3, table 61 */
	static const uint8_t naks[] = {
		[UROCE_RX_INVALID_REQUEST] = UROCE_NAK_INVALID_REQUEST,
		[UROCE_RX_REMOTE_ACCESS] = UROCE_NAK_REMOTE_ACCESS,
		[UROCE_RX_REMOTE_OP] = UROCE_NAK_REMOTE_OP,
	};

	msg_outcome_count(mqp, result.counter);
	mqp->resp.kind = UROCE_MSG_KIND_NONE;
	if (!uroce_msg_is_reliable(mqp)) {
		msg_outcome_count(mqp, UROCE_C_UC_LOST);
		return; /* 9.8.2.2: dropped without a NAK */
	}
	uroce_cause_note(mqp->qp, UROCE_CAUSE_REFUSED, mqp->resp.rx_msn,
			 naks[result.error]);
	uroce_msg_nak(mqp, (uint8_t)(UROCE_AETH_NAK | naks[result.error]), 0);
	uroce_rx_fail(mqp->qp, result.error);
}

void uroce_msg_refuse_invalid(struct uroce_msg_qp *mqp,
			      enum uroce_counter counter)
{
	uroce_msg_refuse(mqp,
			 uroce_rx_refused(UROCE_RX_INVALID_REQUEST, counter));
}

/*
 * No receive WQE is posted. The requester goes on at @resume after the RNR
 * wait; everything before that is dropped.
 */
void uroce_msg_not_ready(struct uroce_msg_qp *mqp, uint32_t resume)
{
	msg_outcome_count(mqp, UROCE_C_NO_RECEIVE);
	if (!resume)
		mqp->resp.kind = UROCE_MSG_KIND_NONE;
	if (!uroce_msg_is_reliable(mqp)) {
		mqp->resp.kind = UROCE_MSG_KIND_NONE;
		return;
	}
	/* 9.7.5.2.8 */
	mqp->resp.dropping = true;
	uroce_msg_nak(mqp, (uint8_t)(UROCE_AETH_RNR | mqp->qp->min_rnr_timer),
		      resume);
}

/* A message was executed, or a fragment of it. */
void uroce_msg_executed(struct uroce_msg_qp *mqp,
			const struct uroce_msg_entry *entry)
{
	if (!(entry->flags & UROCE_MSG_LAST))
		return;
	mqp->resp.kind = UROCE_MSG_KIND_NONE;
	mqp->resp.rx_msn = uroce_msg_next(entry->msn);
	if (uroce_msg_is_reliable(mqp))
		uroce_msg_owe(mqp);
}
