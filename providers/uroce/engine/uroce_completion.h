/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From work requests to completions, and the requests of a receive queue. */
#ifndef UROCE_COMPLETION_H
#define UROCE_COMPLETION_H

#include "uroce/engine/uroce_qp.h"

/**
 * uroce_describe_send() - what a completion says of the request itself
 * @wqe: whose operation the device has
 * @cqe: receives opcode and byte_len
 */
void uroce_describe_send(const struct uroce_send_wqe *wqe,
			 struct uroce_cqe *cqe);

/**
 * uroce_complete_send() - complete the request at the tail and free its slot
 * @qp: the QP
 * @status: an error completes requests that are not signaled as well
 * @now: ns
 */
void uroce_complete_send(struct uroce_qp *qp, enum ibv_wc_status status,
			 uint64_t now);

/**
 * uroce_hold_receive() - have a receive request in qp->resp.receive
 *
 * Return: 0; -ENOENT if none is posted.
 */
int uroce_hold_receive(struct uroce_qp *qp);

/**
 * uroce_complete_receive() - complete the receive request that is held
 * @qp: the QP
 * @cqe: status, opcode, byte_len, flags, immediate, src_qpn; the rest is filled
 *	in
 * @solicited: by the sender
 */
void uroce_complete_receive(struct uroce_qp *qp, struct uroce_cqe *cqe,
			    bool solicited);

/**
 * uroce_complete_front_receive() - hold the next receive request and complete
 * it
 *
 * There is one, and none is held. The rest as uroce_complete_receive().
 */
void uroce_complete_front_receive(struct uroce_qp *qp, struct uroce_cqe *cqe,
				  bool solicited);

/** uroce_flush_send() - complete all send requests as flushed */
void uroce_flush_send(struct uroce_qp *qp, uint64_t now);

/** uroce_flush_receive() - the same for the held one and an own queue */
void uroce_flush_receive(struct uroce_qp *qp, uint64_t now);

#endif
