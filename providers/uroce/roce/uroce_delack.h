/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Waiting ACKs of the responder. An ACK that is all that a QP has to send may
 * wait: first until the next pass (deferred), and if the application responds
 * to the message, for later messages (delayed). Each QP has its own state.
 */
#ifndef UROCE_DELACK_H
#define UROCE_DELACK_H

#include "uroce/roce/uroce_engine.h"

/** uroce_delack_unpark() - return a QP to the list of active QPs */
static inline void uroce_delack_unpark(struct uroce_qp *qp)
{
	qp->roce->resp.delack.parked = false;
	list_del(&qp->roce->active);
	list_add_tail(&qp->roce->engine->active, &qp->roce->active);
}

/**
 * uroce_delack_has_posted() - move a deferred ACK behind the requests of its QP
 *
 * Call it before a QP is scheduled.
 */
static inline void uroce_delack_has_posted(struct uroce_qp *qp)
{
	struct uroce_delack *delack = &qp->roce->resp.delack;

	if (delack->state != UROCE_DELACK_DEFERRED)
		return;
	delack->state = UROCE_DELACK_LAST;
	delack->request_sent = false;
	qp->roce->engine->nr_deferred--;
	if (delack->parked)
		uroce_delack_unpark(qp);
}

/**
 * uroce_delack_park() - skip an active QP whose ACK is deferred
 *
 * Return: false if the ACK of the QP is not deferred.
 */
static inline bool uroce_delack_park(struct uroce_qp *qp)
{
	if (qp->roce->resp.delack.state != UROCE_DELACK_DEFERRED)
		return false;
	qp->roce->resp.delack.parked = true;
	list_del(&qp->roce->active);
	list_add_tail(&qp->roce->engine->parked, &qp->roce->active);
	return true;
}

/** uroce_delack_requests_first() - whether requests of a QP precede its ACK */
static inline bool uroce_delack_requests_first(const struct uroce_qp *qp)
{
	return qp->roce->resp.delack.state == UROCE_DELACK_LAST;
}

/** uroce_delack_is_delayed() - whether the ACK of a QP must not be sent yet */
static inline bool uroce_delack_is_delayed(const struct uroce_qp *qp)
{
	return qp->roce->resp.delack.state == UROCE_DELACK_DELAYED;
}

/** uroce_delack_end() - end the wait: the ACK is sent now, or is dropped */
static inline void uroce_delack_end(struct uroce_qp *qp)
{
	struct uroce_delack *delack = &qp->roce->resp.delack;

	if (delack->state == UROCE_DELACK_DELAYED)
		list_del(&qp->roce->delayed);
	else
		uroce_delack_has_posted(qp);
	delack->state = UROCE_DELACK_NONE;
	delack->nr_messages = 0;
	delack->deferred_before = false;
}

/**
 * uroce_delack_renew() - end the wait, because the ACK covers a new message
 *
 * The new ACK may be delayed again.
 */
static inline void uroce_delack_renew(struct uroce_qp *qp)
{
	if (qp->roce->resp.delack.state != UROCE_DELACK_DELAYED)
		return;
	list_del(&qp->roce->delayed);
	qp->roce->resp.delack.state = UROCE_DELACK_NONE;
}

/** uroce_delack_init() - forget the ACK and the history of a QP */
void uroce_delack_init(struct uroce_qp *qp);

/**
 * uroce_delack_start() - delay the ACK behind the requests of a QP
 *
 * Call it when all requests of the QP are sent and its ACK would be next.
 *
 * Return: whether the ACK is delayed; else it must be sent now.
 */
bool uroce_delack_start(struct uroce_qp *qp, uint64_t now);

#endif
