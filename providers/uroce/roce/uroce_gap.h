/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Selective retransmission of READ responses, the requester's half: the data of
 * packets behind a gap is stored, and a duplicate READ requests the lost
 * packets alone. IBTA 9.7.5.1.4 lets a duplicate request a part of the original
 * READ; a responder that goes on with the response which the duplicate
 * interrupts (uroce_interrupted.h) says so in its packets
 * (uroce_packet.selective).
 */
#ifndef UROCE_GAP_H
#define UROCE_GAP_H

#include "uroce/roce/uroce_engine.h"

/**
 * uroce_gap_receive() - store a READ response behind a gap
 * @qp: the QP; una_psn is the PSN of an earlier READ response
 * @packet: the response; its ICRC is correct
 * @now: ns
 *
 * Return: false: the response is of no use before all packets in front of it
 * have arrived.
 */
bool uroce_gap_receive(struct uroce_qp *qp, struct uroce_packet *packet,
		       uint64_t now);

/**
 * uroce_gap_receive_nak() - handle the loss of a READ request
 * @qp: the QP; una_psn is the PSN of an earlier READ response, which may come
 * @packet: the NAK of a PSN sequence error
 * @now: ns
 *
 * Return: false: the NAK is of no use before that response has arrived.
 */
bool uroce_gap_receive_nak(struct uroce_qp *qp,
			   const struct uroce_packet *packet, uint64_t now);

/**
 * uroce_gap_next() - request lost packets of a READ response again
 * @qp: the QP
 * @now: ns
 * @ret_out: receives the request
 *
 * Return: whether there is a packet.
 */
bool uroce_gap_next(struct uroce_qp *qp, uint64_t now,
		    struct uroce_out *ret_out);

#endif
