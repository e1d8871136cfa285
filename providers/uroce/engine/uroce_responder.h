/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The receiving side of a QP. */
#ifndef UROCE_RESPONDER_H
#define UROCE_RESPONDER_H

#include "uroce/engine/uroce_engine.h"

/*
 * Resources further back than a number of this size are forgotten: a duplicate
 * cannot be so old, and after a whole circle of PSNs an old one would look like
 * a young one.
 */
#define UROCE_FORGET_BITS 20
#define UROCE_FORGET_MASK ((1u << UROCE_FORGET_BITS) - 1)

/** uroce_responder_init() - at the transition to RTR */
void uroce_responder_init(struct uroce_qp *qp);

/** uroce_responder_receive() - a request has come */
void uroce_responder_receive(struct uroce_qp *qp, struct uroce_packet *packet,
			     uint64_t now);

/**
 * uroce_reply_next() - the next answer, ACK or NAK of a QP; uroce_reply.c
 *
 * Answers come in the order of the requests, ACKs and NAKs after them: an ACK
 * in front of the answer to a READ would tell the peer that the answer is lost.
 *
 * Return: whether there is one.
 */
bool uroce_reply_next(struct uroce_qp *qp, struct uroce_out *ret_out);

/**
 * uroce_reply_take_ack() - the ACK that is owed travels with a request
 *
 * Return: its PSN.
 */
uint32_t uroce_reply_take_ack(struct uroce_qp *qp);

/**
 * uroce_reply_take_atomic() - the oldest answer, if it is that of an atomic
 *
 * Return: its resource, which counts as answered; NULL if it is none.
 */
const struct uroce_resource *uroce_reply_take_atomic(struct uroce_qp *qp);

/* The rest is for the files of the responder. */

/** uroce_reply_ack() - owe an ACK for all that was executed */
void uroce_reply_ack(struct uroce_qp *qp);

/** uroce_reply_drop() - owe nothing any more */
void uroce_reply_drop(struct uroce_qp *qp);

/** uroce_reply_nak() - owe a NAK; @syndrome: kind and value */
void uroce_reply_nak(struct uroce_qp *qp, uint8_t syndrome, uint32_t psn);

/**
 * uroce_responder_refuse() - a request is wrong (IBTA 9.7.4.1, 9.9.3)
 * @qp: the QP; RC goes to ERR, others drop the message
 * @packet: the request; nothing happens if its seal is broken
 * @nak: to answer with
 * @counter: that says why
 * @now: ns
 *
 * Return: whether it is; else the packet was damaged.
 */
bool uroce_responder_refuse(struct uroce_qp *qp, struct uroce_packet *packet,
			    enum uroce_nak nak, enum uroce_counter counter,
			    uint64_t now);

/**
 * uroce_responder_refuse_access() - a request for memory is wrong
 * @err: of uroce_memory_remote(); says which counter it is
 *
 * The rest as uroce_responder_refuse().
 */
void uroce_responder_refuse_access(struct uroce_qp *qp,
				   struct uroce_packet *packet, int err,
				   uint64_t now);

/** uroce_access_counter() - which counter an error of that kind has */
enum uroce_counter uroce_access_counter(int err);

/**
 * uroce_responder_executed() - a request packet of RC or UC is done
 * @qp: the QP
 * @packet: the request
 * @nr_psns: PSNs that it took
 */
void uroce_responder_executed(struct uroce_qp *qp,
			      const struct uroce_packet *packet,
			      uint32_t nr_psns);

/** uroce_responder_lost() - a packet of RC, or one before it, has not come */
void uroce_responder_lost(struct uroce_qp *qp,
			  const struct uroce_packet *packet);

/** uroce_remote_write() etc: one kind of request each; uroce_remote.c */
void uroce_remote_write(struct uroce_qp *qp, struct uroce_packet *packet,
			uint64_t now);
void uroce_remote_nonposted(struct uroce_qp *qp, struct uroce_packet *packet,
			    uint64_t now);

/** uroce_remote_duplicate() - a READ, atomic, ... that was executed before */
void uroce_remote_duplicate(struct uroce_qp *qp,
			    const struct uroce_packet *packet);

/** uroce_responder_not_ready() - there is no receive request for it */
void uroce_responder_not_ready(struct uroce_qp *qp,
			       struct uroce_packet *packet);

#endif
