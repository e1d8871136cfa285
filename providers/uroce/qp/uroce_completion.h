/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Completes send and receive WQEs, and takes WQEs out of receive queues. */
#ifndef UROCE_COMPLETION_H
#define UROCE_COMPLETION_H

#include "uroce/qp/uroce_qp.h"

/**
 * uroce_describe_send() - fill in what a CQE says of the operation
 * @wqe: its opcode is supported by the device
 * @cqe: receives opcode and byte_len
 */
void uroce_describe_send(const struct uroce_send_wqe *wqe,
			 struct uroce_cqe *cqe);

/**
 * uroce_complete_send() - complete the oldest send WQE and free its slot
 * @qp: the QP
 * @status: an error generates a CQE for an unsignaled WQE as well
 */
void uroce_complete_send(struct uroce_qp *qp, enum ibv_wc_status status);

/**
 * uroce_hold_receive() - take a receive WQE into qp->receive
 *
 * Does nothing if a WQE is already there.
 *
 * Return: 0; -ENOENT if no WQE is posted.
 */
int uroce_hold_receive(struct uroce_qp *qp);

/**
 * uroce_complete_receive() - complete the receive WQE in qp->receive
 * @qp: the QP
 * @cqe: status, opcode, byte_len, flags, immediate, src_qpn; the function fills
 *	in the rest
 * @solicited: whether the sender has requested an event
 */
void uroce_complete_receive(struct uroce_qp *qp, struct uroce_cqe *cqe,
			    bool solicited);

/**
 * uroce_complete_front_receive() - take the next receive WQE and complete it
 *
 * Preconditions: a WQE is posted, and qp->receive has none. The parameters
 * are those of uroce_complete_receive().
 */
void uroce_complete_front_receive(struct uroce_qp *qp, struct uroce_cqe *cqe,
				  bool solicited);

/** uroce_flush_send() - flush all send WQEs */
void uroce_flush_send(struct uroce_qp *qp);

/** uroce_flush_receive() - flush qp->receive and an RQ that is no SRQ */
void uroce_flush_receive(struct uroce_qp *qp);

/**
 * uroce_sq_check_oldest() - check the send queue after a completion
 *
 * Fails the QP if the oldest WQE has failed locally; raises SQ_DRAINED in SQD
 * once all messages that were started have completed.
 */
void uroce_sq_check_oldest(struct uroce_qp *qp);

#endif
