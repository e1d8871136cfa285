/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The responder: executes the requests of the peer and sends responses. */
#ifndef UROCE_RESPONDER_H
#define UROCE_RESPONDER_H

#include "uroce/qp/uroce_rx.h"
#include "uroce/roce/uroce_engine.h"

/*
 * Resources 2^UROCE_FORGET_BITS or more PSNs behind epsn are dropped: no
 * duplicate is so old, and after a wrap of the PSNs an old resource would look
 * like a new one.
 */
#define UROCE_FORGET_BITS 20
#define UROCE_FORGET_MASK ((1u << UROCE_FORGET_BITS) - 1)

/** uroce_responder_init() - initialize for RTR */
void uroce_responder_init(struct uroce_qp *qp);

/** uroce_responder_receive() - process a request packet */
void uroce_responder_receive(struct uroce_qp *qp, struct uroce_packet *packet);

/**
 * uroce_responder_bad_page() - fail the message in progress
 *
 * The gathered data of its packets could not be stored.
 */
void uroce_responder_bad_page(struct uroce_qp *qp);

/**
 * uroce_reply_next() - make the next response, ACK or NAK; uroce_reply.c
 *
 * Responses keep the order of the requests; ACKs and NAKs come after them. An
 * ACK in front of a READ response would be an implied NAK of that READ.
 *
 * Return: whether there is a packet.
 */
bool uroce_reply_next(struct uroce_qp *qp, struct uroce_out *ret_out);

/**
 * uroce_reply_next_run() - make packets of a READ response that follow the last
 * @qp: QP of which uroce_reply_next() has just returned a packet
 * @max: maximum number of packets
 * @out: receives the first packet, with the payload of all of them
 *
 * Return: number of packets, which differ in the PSN only; 0: @out is
 * unchanged.
 */
uint32_t uroce_reply_next_run(struct uroce_qp *qp, uint32_t max,
			      struct uroce_out *out);

/**
 * uroce_reply_take_ack() - piggyback the pending ACK on a request packet
 *
 * Return: PSN of the ACK, which is no longer pending.
 */
uint32_t uroce_reply_take_ack(struct uroce_qp *qp);

/**
 * uroce_reply_take_atomic() - take the oldest response if it is of an atomic
 *
 * Return: resource of the atomic, no longer pending; NULL: no such response.
 */
const struct uroce_resource *uroce_reply_take_atomic(struct uroce_qp *qp);

/* Private to the files of the responder. */

/** uroce_reply_ack() - schedule an ACK for all executed requests */
void uroce_reply_ack(struct uroce_qp *qp);

/** uroce_reply_drop_responses() - cancel responses of READs and atomics */
void uroce_reply_drop_responses(struct uroce_qp *qp);

/** uroce_reply_cancel() - cancel the pending response of @res */
void uroce_reply_cancel(struct uroce_responder *resp,
			struct uroce_resource *res);

/** uroce_reply_drop() - cancel all responses, the ACK and the NAK */
void uroce_reply_drop(struct uroce_qp *qp);

/** uroce_reply_nak() - schedule a NAK; @syndrome: kind and value */
void uroce_reply_nak(struct uroce_qp *qp, uint8_t syndrome, uint32_t psn);

/**
 * uroce_responder_refuse() - reject an invalid request (IBTA 9.7.4.1, 9.9.3)
 * @qp: RC: sends a NAK and goes to ERR; UC and UD: drops the message
 * @packet: the request; with a wrong ICRC it is only counted and dropped
 * @result: the error, not UROCE_RX_OK
 */
void uroce_responder_refuse(struct uroce_qp *qp, struct uroce_packet *packet,
			    struct uroce_rx_result result);

/**
 * uroce_responder_executed() - advance epsn after a request packet
 * @qp: RC or UC
 * @packet: the request, which was executed
 * @nr_psns: number of its PSNs
 *
 * Schedules the ACK if @packet requests one, and counts completed messages.
 */
void uroce_responder_executed(struct uroce_qp *qp,
			      const struct uroce_packet *packet,
			      uint32_t nr_psns);

/**
 * uroce_responder_lost() - a packet of RC is missing: NAK of epsn
 * @qp: the QP
 * @packet: a request behind the gap
 * @held: it waits (uroce_reorder.h), and the NAK says so
 */
void uroce_responder_lost(struct uroce_qp *qp,
			  const struct uroce_packet *packet, bool held);

/** uroce_remote_write() - execute a WRITE packet; uroce_remote.c */
void uroce_remote_write(struct uroce_qp *qp, struct uroce_packet *packet);

/** uroce_remote_nonposted() - execute a READ, atomic, FLUSH or ATOMIC WRITE */
void uroce_remote_nonposted(struct uroce_qp *qp, struct uroce_packet *packet);

/** uroce_remote_duplicate() - respond again to a duplicate READ, atomic, ... */
void uroce_remote_duplicate(struct uroce_qp *qp,
			    const struct uroce_packet *packet);

/** uroce_responder_not_ready() - no receive WQE for @packet: RNR NAK or drop */
void uroce_responder_not_ready(struct uroce_qp *qp,
			       struct uroce_packet *packet);

#endif
