/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Short messages through a channel, without the detour over struct
 * uroce_packet. What these functions do not like they leave to the ordinary
 * way, untouched; what they do is what that would have done.
 */
#ifndef UROCE_FAST_H
#define UROCE_FAST_H

#include "uroce/engine/uroce_engine.h"

/**
 * uroce_fast_next() - the next packet of a QP, ready to be put
 * @qp: the QP; its channel is not full
 * @now: ns
 * @ret_brief: receives it; its payload is valid as uroce_out.pieces are
 *
 * Return: false if there is none, or none of the simple kind: then
 * uroce_engine_next() has it.
 */
bool uroce_fast_next(struct uroce_qp *qp, uint64_t now,
		     struct uroce_brief *ret_brief);

/**
 * uroce_fast_direct() - do what was posted in memory that both sides have
 * mapped
 * @qp: the QP, whose channel is shared
 * @now: ns
 *
 * Return: whether that was all there is; the rest is to be sent.
 */
bool uroce_fast_direct(struct uroce_qp *qp, uint64_t now);

/** uroce_fast_is_idle() - whether a QP has nothing at all to send */
bool uroce_fast_is_idle(const struct uroce_qp *qp);

/**
 * uroce_fast_receive() - a packet has come through a channel
 * @engine: the engine
 * @channel: which
 * @brief: of which nothing was checked, but for the place of its payload
 * @now: ns
 *
 * Return: false if it is for uroce_engine_receive(), once it is decoded.
 */
bool uroce_fast_receive(struct uroce_engine *engine,
			const struct uroce_channel *channel,
			const struct uroce_brief *brief, uint64_t now);

/**
 * uroce_fast_catch_up() - look at the ACK that was left for later
 *
 * Who waits for a message needs not wait for the completion of what he has sent
 * before. To be called before anything else is done with the engine, but for
 * uroce_fast_next(), if its member "late" is set.
 */
void uroce_fast_catch_up(struct uroce_engine *engine, uint64_t now);

#endif
