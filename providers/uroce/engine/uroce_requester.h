/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The sending side of a QP. */
#ifndef UROCE_REQUESTER_H
#define UROCE_REQUESTER_H

#include "uroce/engine/uroce_engine.h"

/*
 * Bytes of one READ request, at most. A longer READ is asked for in parts,
 * since that is the only way for a requester to have no more coming than
 * buffers take (uroce_requester_init()); the parts always end at the same PSNs,
 * so that a repeated one is recognised.
 */
#define UROCE_READ_PART (64 * 1024)
/* The same for one that is split: each side has to get a long part of it. */
#define UROCE_LONG_READ_PART (1024 * 1024)

/** uroce_requester_init() - at the transition to RTS; the ring is empty */
void uroce_requester_init(struct uroce_qp *qp);

/**
 * uroce_requester_next() - the next request packet of a QP
 *
 * Completes local operations on the way, and the QP may fail.
 *
 * Return: whether there is one.
 */
bool uroce_requester_next(struct uroce_qp *qp, uint64_t now,
			  struct uroce_out *ret_out);

/**
 * uroce_requester_next_run() - request packets that differ in their PSN only
 * @qp: the QP, whose uroce_requester_next() has just given a packet
 * @now: ns
 * @max: so many at most
 * @out: receives the first one, with the payload of all of them
 *
 * Return: how many; 0: @out is unchanged.
 */
uint32_t uroce_requester_next_run(struct uroce_qp *qp, uint64_t now,
				  uint32_t max, struct uroce_out *out);

/**
 * uroce_requester_sent() - what was handed out is sent
 *
 * UC and UD: so it is complete. A request that failed locally completes.
 */
void uroce_requester_sent(struct uroce_qp *qp, uint64_t now);

/** uroce_requester_rewind() - continue with the packet una_psn */
void uroce_requester_rewind(struct uroce_qp *qp);

/**
 * uroce_requester_settle() - look at the tail of the ring
 *
 * Fails the QP if the oldest request has failed locally; reports a drained
 * queue. To be called when a request has completed.
 */
void uroce_requester_settle(struct uroce_qp *qp, uint64_t now);

/**
 * uroce_ack_moved_on() - una_psn is not @old any more: answers that are no
 * longer awaited are forgotten, and timers begin again; uroce_ack.c
 */
void uroce_ack_moved_on(struct uroce_qp *qp, uint32_t old, uint64_t now);

/** uroce_ack_plain() - an ACK, and no NAK; uroce_ack.c */
void uroce_ack_plain(struct uroce_qp *qp, uint32_t psn, uint64_t now);

/** uroce_ack_receive() - an ACK, NAK or response; uroce_ack.c */
void uroce_ack_receive(struct uroce_qp *qp, struct uroce_packet *packet,
		       uint64_t now);

#endif
