/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Retransmission: the acknowledge timer, the RNR wait, both retry counters, and
 * the restart at una_psn (go-back-N), or the return to what was lost.
 */
#ifndef UROCE_RETRY_H
#define UROCE_RETRY_H

#include "uroce/qp/uroce_cause.h"
#include "uroce/roce/uroce_roce.h"

/** uroce_retry_deadline() - time when uroce_retry_expire() must be called */
uint64_t uroce_retry_deadline(const struct uroce_qp *qp);

/** uroce_retry_expire() - handle a deadline of @qp that has passed */
void uroce_retry_expire(struct uroce_qp *qp, uint64_t now);

/** uroce_retry_begin() - start the acknowledge timer, which is not running */
void uroce_retry_begin(struct uroce_qp *qp, uint64_t now);

/** uroce_retry_start() - start the acknowledge timer unless it is running */
static inline void uroce_retry_start(struct uroce_qp *qp, uint64_t now)
{
	if (qp->roce->req.ack_ns == UROCE_NEVER)
		uroce_retry_begin(qp, now);
}

/** uroce_retry_rewind() - retransmit from una_psn on */
void uroce_retry_rewind(struct uroce_qp *qp);

/**
 * uroce_retry_progress() - restore the retries after an acknowledgement
 *
 * Also restarts the timer, or stops it if no packet is in flight (9.7.6.1.3).
 */
void uroce_retry_progress(struct uroce_qp *qp, uint64_t now);

/**
 * uroce_retry_acked() - uroce_retry_progress(), and grow the window
 * @qp: the QP
 * @nr_packets: packets that were acknowledged
 * @now: ns
 *
 * A channel has flow control of its own and no window.
 */
void uroce_retry_acked(struct uroce_qp *qp, uint32_t nr_packets, uint64_t now);

/**
 * uroce_retry_lost() - retransmit from una_psn on, because it was lost
 * @qp: the QP
 * @now: ns
 *
 * Uses up one retry; without any left the QP fails. Does nothing if the QP is
 * already recovering from the loss, or in an RNR wait. A channel loses no
 * packets: there the peer could not use a packet without payload
 * (uroce_rndv.h). The retransmission contains the payload and uses no retry.
 */
void uroce_retry_lost(struct uroce_qp *qp, uint64_t now);

/**
 * uroce_retry_congested() - shrink the window because of an ECN mark
 * @qp: the QP
 * @psn: of a request that was marked, or the oldest one that may be
 * @now: ns
 */
void uroce_retry_congested(struct uroce_qp *qp, uint32_t psn, uint64_t now);

/**
 * uroce_retry_selectively() - handle a NAK that lists what has arrived
 * @qp: the QP, whose una_psn is the PSN of the NAK
 * @packet: the NAK
 * @now: ns
 *
 * What was lost will be sent again; roce/uroce_sack.h decides what that is.
 *
 * Return: false if the list is of no use; then nothing has changed.
 */
bool uroce_retry_selectively(struct uroce_qp *qp,
			     const struct uroce_packet *packet, uint64_t now);

/**
 * uroce_retry_sent_again() - a lost packet is sent, or requested, again
 * @qp: the QP, with a record
 * @psn: of the packet
 * @now: ns
 *
 * This uses up no retry: the peer has responded, and a full queue may lose a
 * packet many times. If nothing more arrives, timeouts use up the retries.
 */
void uroce_retry_sent_again(struct uroce_qp *qp, uint32_t psn, uint64_t now);

/**
 * uroce_retry_response() - record a READ response behind a gap
 * @qp: the QP; it has no record of requests
 * @psn: of the response, whose data is in memory
 * @now: ns
 *
 * Return: false if it cannot be recorded; then nothing has changed.
 */
bool uroce_retry_response(struct uroce_qp *qp, uint32_t psn, uint64_t now);

/**
 * uroce_retry_not_ready() - handle an RNR NAK for una_psn
 * @qp: the QP
 * @timer: timer field of the NAK
 * @now: ns
 */
void uroce_retry_not_ready(struct uroce_qp *qp, uint8_t timer, uint64_t now);

#endif
