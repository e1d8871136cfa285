/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fast path for short messages between processes of one host. It converts
 * between WQEs and ring entries (struct uroce_eager_entry) without a struct
 * uroce_packet. If a precondition fails, a function changes nothing and the
 * caller takes the slow path; otherwise the effect is that of the slow path.
 */
#ifndef UROCE_FAST_H
#define UROCE_FAST_H

#include "uroce/roce/uroce_engine.h"

/**
 * uroce_fast_next() - make the next packet of a QP, for a ring entry
 * @qp: QP whose channel is not full
 * @now: ns
 * @ret_eager: receives the packet; as for struct uroce_out, the payload is
 *	valid until the caller drops the engine lock
 *
 * Return: whether there is a packet; if not, call uroce_engine_next(), which
 * makes packets of all kinds.
 */
bool uroce_fast_next(struct uroce_qp *qp, uint64_t now,
		     struct uroce_eager_entry *ret_eager);

/**
 * uroce_fast_direct() - execute posted send WQEs by direct access
 * @qp: QP whose channel has memory that both processes have mapped
 *
 * Return: true if all posted WQEs are complete; false: send the others.
 */
bool uroce_fast_direct(struct uroce_qp *qp);

/** uroce_fast_is_idle() - whether a QP has no request or response to send */
bool uroce_fast_is_idle(const struct uroce_qp *qp);

/**
 * uroce_fast_receive() - handle a packet that a channel has received
 * @engine: the engine
 * @channel: channel of the packet
 * @eager: packet from the peer; only the place of its payload is checked
 * @now: ns
 *
 * Return: false if the caller must decode the packet and pass it to
 * uroce_engine_receive().
 */
bool uroce_fast_receive(struct uroce_engine *engine,
			const struct uroce_channel *channel,
			const struct uroce_eager_entry *eager, uint64_t now);

/** uroce_fast_has_postponed() - whether a QP has a postponed ACK */
static inline bool uroce_fast_has_postponed(const struct uroce_qp *qp)
{
	return !list_empty(&qp->roce->postponed);
}

/**
 * uroce_fast_catch_up_qp() - process the postponed ACK of a QP
 * @qp: has one
 * @now: ns
 *
 * uroce_fast_receive() postpones a piggybacked ACK, so that the completion of
 * earlier sends does not delay the message that brings the ACK. Call this
 * function, or uroce_fast_catch_up(), before any other use of the QP except
 * sending.
 */
void uroce_fast_catch_up_qp(struct uroce_qp *qp, uint64_t now);

/** uroce_fast_catch_up() - process the postponed ACKs of all QPs */
void uroce_fast_catch_up(struct uroce_engine *engine, uint64_t now);

#endif
