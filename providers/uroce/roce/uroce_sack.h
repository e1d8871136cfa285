/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Selective retransmission, the requester's half (uroce_reorder.h is the
 * other): which requests wait at the responder behind a gap, and which are
 * lost. A request is lost if it has not arrived although three requests have
 * that were sent after it (as in RFC 6675; a retransmission counts from the
 * time when it was sent), or if nothing else is in flight. Only lost requests
 * are sent again, and what arrived or is lost does not fill the window.
 *
 * For responses of READs the record is the same: of those that have arrived
 * behind a gap (uroce_gap.h). A QP has one record, of requests or of responses.
 *
 * The record exists from the first list of the responder until all PSNs before
 * the end of the last list are acknowledged. A timeout, an RNR NAK or a lost
 * response ends it as well; then all is sent again from una_psn on
 * (uroce_retry.h).
 */
#ifndef UROCE_SACK_H
#define UROCE_SACK_H

#include "uroce/roce/uroce_engine.h"

/* Most packets behind una_psn that may be sent while a record exists. */
#define UROCE_SACK_SPAN 8000

/**
 * uroce_sack_receive() - record the list of a NAK
 * @qp: the QP, whose una_psn is the PSN of the NAK
 * @packet: the NAK; its list is not trusted
 * @now: ns
 * @ret_news: receives whether more has arrived than was known before
 *
 * Return: whether there is a record now; false: the list is not valid, or there
 * is no memory, and nothing has changed.
 */
bool uroce_sack_receive(struct uroce_qp *qp, const struct uroce_packet *packet,
			uint64_t now, bool *ret_news);

/** uroce_sack_moved_on() - una_psn has advanced from @old; ends the record */
void uroce_sack_moved_on(struct uroce_qp *qp, uint32_t old, uint64_t now);

/**
 * uroce_sack_find_lost() - find a lost request that is not sent again
 * @sack: the record
 * @psn: the first PSN of interest, not in front of una_psn
 * @end: behind the last one
 *
 * Return: the first such PSN, or @end.
 */
uint32_t uroce_sack_find_lost(const struct uroce_sack *sack, uint32_t psn,
			      uint32_t end);

/**
 * uroce_sack_give_up() - nothing arrives any more
 * @qp: the QP, with a record
 *
 * All requests that are missing in front of the last arrival are lost, or all
 * responses that are missing.
 */
void uroce_sack_give_up(struct uroce_qp *qp);

/** uroce_sack_has() - whether the request or response has arrived */
bool uroce_sack_has(const struct uroce_sack *sack, uint32_t psn);

/**
 * uroce_sack_add_response() - record responses behind a gap
 * @qp: the QP, without a record of requests
 * @psn: the first PSN
 * @nr_psns: how many
 * @now: ns
 *
 * A READ response is lost under the same conditions as a request.
 *
 * Return: false: too far behind una_psn, or no memory; nothing has changed.
 */
bool uroce_sack_add_response(struct uroce_qp *qp, uint32_t psn,
			     uint32_t nr_psns, uint64_t now);

/** uroce_sack_is_of_responses() - whether there is a record of responses */
bool uroce_sack_is_of_responses(const struct uroce_qp *qp);

/** uroce_sack_count_lost() - how many from @psn on, at most @max, are lost */
uint32_t uroce_sack_count_lost(const struct uroce_sack *sack, uint32_t psn,
			       uint32_t max);

/** uroce_sack_sent() - @psn, which is lost, is sent or requested again */
void uroce_sack_sent(struct uroce_qp *qp, uint32_t psn, uint64_t now);

/** uroce_sack_in_flight() - packets in flight: those that fill the window */
uint32_t uroce_sack_in_flight(const struct uroce_qp *qp);

/** uroce_sack_drop() - end the record, if there is one */
void uroce_sack_drop(struct uroce_qp *qp);

#endif
