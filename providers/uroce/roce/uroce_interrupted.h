/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Selective retransmission of READ responses, the responder's half: a requester
 * that misses some packets of a response requests these alone (uroce_gap.h).
 * They are sent at once, and then the rest of the response that they interrupt.
 */
#ifndef UROCE_INTERRUPTED_H
#define UROCE_INTERRUPTED_H

#include "uroce/roce/uroce_engine.h"

/**
 * uroce_interrupted_add() - make way for packets that are requested again
 * @resp: the responder
 * @res: a READ with a pending response
 * @psn: first PSN that is requested again, of that READ
 * @last_psn: the last one; receives an earlier one if the rest of the response
 *            contains the others
 *
 * The caller replaces the range of @res.
 *
 * Return: false: the response goes on. It contains all that is requested, or
 * there is no memory.
 */
bool uroce_interrupted_add(struct uroce_responder *resp,
			   const struct uroce_resource *res, uint32_t psn,
			   uint32_t *last_psn);

/**
 * uroce_interrupted_resume() - go on with a response that was interrupted
 * @resp: the responder
 * @res: all packets of its range are sent
 *
 * Return: whether @res has another range.
 */
bool uroce_interrupted_resume(struct uroce_responder *resp,
			      struct uroce_resource *res);

/** uroce_interrupted_first_psn() - first PSN of @res that is still to be sent
 */
uint32_t uroce_interrupted_first_psn(const struct uroce_responder *resp,
				     const struct uroce_resource *res);

/** uroce_interrupted_drop() - forget the interrupted ranges of @res; NULL: all
 */
void uroce_interrupted_drop(struct uroce_responder *resp,
			    const struct uroce_resource *res);

#endif
