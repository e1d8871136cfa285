/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The requester: sends the requests of a QP and processes the responses. */
#ifndef UROCE_REQUESTER_H
#define UROCE_REQUESTER_H

#include "uroce/roce/uroce_engine.h"

/*
 * Maximum length of a READ request packet. A longer READ becomes several such
 * requests: only in this way can the requester limit the responses in flight to
 * the size of its socket buffer. A request costs two packets that do not fit
 * into a GSO call with the others, so requests are longer the larger the window
 * is. All parts of a READ have one length, so they always end at the same PSNs,
 * and the responder recognizes a retransmitted request.
 */
#define UROCE_READ_PART	    (64 * 1024)
#define UROCE_MAX_READ_PART (512 * 1024)
/* The same for the rendezvous protocol: both processes copy long chunks. */
#define UROCE_LONG_READ_PART (1024 * 1024)

/*
 * Limit of the window at a short RTT, because the peer has no flow control. The
 * limit for long ones is in uroce_cwnd.c.
 */
#define UROCE_WINDOW_BYTES (256 * 1024)

/** uroce_requester_init() - initialize for RTS; the send queue is empty */
void uroce_requester_init(struct uroce_qp *qp);

/** uroce_requester_restart_window() - the path to the peer has changed */
void uroce_requester_restart_window(struct uroce_qp *qp);

/**
 * uroce_requester_next() - make the next request packet of a QP
 *
 * Also executes local operations and direct access; the QP may fail.
 *
 * Return: whether there is a packet.
 */
bool uroce_requester_next(struct uroce_qp *qp, uint64_t now,
			  struct uroce_out *ret_out);

/**
 * uroce_requester_next_run() - make request packets that differ in the PSN only
 * @qp: QP of which uroce_requester_next() has just returned a packet
 * @now: ns
 * @max: maximum number of packets
 * @out: receives the first packet, with the payload of all of them
 *
 * Return: number of packets; 0: @out is unchanged.
 */
uint32_t uroce_requester_next_run(struct uroce_qp *qp, uint64_t now,
				  uint32_t max, struct uroce_out *out);

/**
 * uroce_requester_sent() - all packets that the requester made are sent
 *
 * Completes their WQEs on UC and UD, and the oldest WQE if it failed locally.
 */
void uroce_requester_sent(struct uroce_qp *qp);

/**
 * uroce_ack_moved_on() - una_psn has advanced from @old; uroce_ack.c
 *
 * Removes completed READs and atomics from rd_end and restarts the timers.
 */
void uroce_ack_moved_on(struct uroce_qp *qp, uint32_t old, uint64_t now);

/** uroce_ack_plain() - process an ACK that is not a NAK; uroce_ack.c */
void uroce_ack_plain(struct uroce_qp *qp, uint32_t psn, uint64_t now);

/** uroce_ack_receive() - process an ACK, NAK or response; uroce_ack.c */
void uroce_ack_receive(struct uroce_qp *qp, struct uroce_packet *packet,
		       uint64_t now);

#endif
