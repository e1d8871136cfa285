/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rate limits of the requester: a token bucket. A QP with a limit sends a
 * packet if its credit covers a full one, and otherwise waits for a timer. The
 * timer expires when the credit covers the data of 250 us. So a QP does not
 * wait for each packet, and a timer that is late does not lower the rate, as
 * long as the credit is less than a burst.
 *
 * Packets of requests count, with their payload, BTH and ICRC; the responses of
 * the QP to its peer do not. Fast path, direct access and rendezvous protocol
 * take no requests of a QP with a limit.
 */
#ifndef UROCE_PACE_H
#define UROCE_PACE_H

#include "uroce/roce/uroce_roce.h"

/**
 * uroce_pace_limit() - set the rate limit of a QP
 * @qp: the QP
 * @kbps: kbit/s; 0: none
 * @burst_bytes: maximum of a burst, at least a packet; 0: what the QP may send
 *	in 10 ms, at least two packets
 */
void uroce_pace_limit(struct uroce_qp *qp, uint32_t kbps, uint32_t burst_bytes);

/**
 * uroce_pace_limit_path() - set the limit of the path (static rate)
 * @qp: the QP, for which the smaller limit applies
 * @kbps: kbit/s; 0: none
 */
void uroce_pace_limit_path(struct uroce_qp *qp, uint32_t kbps);

/** uroce_pace_end() - remove both limits */
void uroce_pace_end(struct uroce_qp *qp);

/**
 * uroce_pace_admits() - whether a QP with a limit may send a packet now
 *
 * If not, the QP becomes active again when it may.
 */
bool uroce_pace_admits(struct uroce_qp *qp, uint64_t now);

/**
 * uroce_pace_spend() - account packets of a QP with a limit
 * @qp: the QP
 * @nr_packets: that are sent
 * @payload_len: bytes of each
 */
void uroce_pace_spend(struct uroce_qp *qp, uint32_t nr_packets,
		      uint32_t payload_len);

/** uroce_pace_count() - count full packets that the credit of a QP covers */
uint32_t uroce_pace_count(const struct uroce_qp *qp);

/** uroce_pace_expire() - end the wait if its time has come */
void uroce_pace_expire(struct uroce_qp *qp, uint64_t now);

/** uroce_pace_room() - uroce_pace_count(), or UINT32_MAX without a limit */
static inline uint32_t uroce_pace_room(const struct uroce_qp *qp)
{
	return qp->roce->kbps ? uroce_pace_count(qp) : UINT32_MAX;
}

#endif
