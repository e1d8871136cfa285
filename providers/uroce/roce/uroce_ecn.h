/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Explicit congestion notification (RFC 3168; IBTA A17.9.2 and A17.9.3). A
 * switch marks packets when its queue grows, instead of dropping them. The
 * receiver of a mark reports it: to another uroce end in the BECN bit of the
 * next response or acknowledgement, to other devices by a congestion
 * notification packet (CNP). The sender shrinks its window, at most once per
 * round trip.
 *
 * Packets may be marked if their traffic class says so: that of the application
 * does, or the QP has messages of several packets to a peer that reports marks.
 * Small messages alone do not pay for it: the kernel needs time to set and to
 * report the traffic class of each.
 */
#ifndef UROCE_ECN_H
#define UROCE_ECN_H

#include "uroce/roce/uroce_engine.h"

/** uroce_ecn_reset() - forget the marks and what the peer reports */
void uroce_ecn_reset(struct uroce_qp *qp);

/** uroce_ecn_allow() - the peer reports marks: packets to it may be marked */
void uroce_ecn_allow(struct uroce_qp *qp);

/**
 * uroce_ecn_marked() - a packet to the QP has arrived with a mark
 * @qp: a connected QP
 * @packet: the packet
 * @now: ns
 */
void uroce_ecn_marked(struct uroce_qp *qp, const struct uroce_packet *packet,
		      uint64_t now);

/** uroce_ecn_take_mark() - whether the next response reports a mark */
bool uroce_ecn_take_mark(struct uroce_qp *qp);

/** uroce_ecn_next_cnp() - make the CNP that is due; false: none is */
bool uroce_ecn_next_cnp(struct uroce_qp *qp, struct uroce_out *ret_out);

#endif
