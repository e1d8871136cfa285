/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rules of send WQEs that do not depend on packets: which operation a WQE is,
 * whether it is valid, and the execution of local operations. The requester of
 * roce/ applies them when the WQE begins.
 */
#ifndef UROCE_SQ_H
#define UROCE_SQ_H

#include "uroce/qp/uroce_qp.h"
#include "uroce/qp/uroce_sge.h"

#define UROCE_RNR_RETRY_INFINITE 7 /* IBTA 9.7.5.2.8 */

enum uroce_sq_kind {
	UROCE_SQ_NONE, /* not supported */
	UROCE_SQ_SEND,
	UROCE_SQ_WRITE,
	UROCE_SQ_READ,
	UROCE_SQ_ATOMIC,
	UROCE_SQ_FLUSH,
	UROCE_SQ_ATOMIC_WRITE,
	UROCE_SQ_LOCAL, /* bind or local invalidate */
};

/** uroce_sq_kind() - get the kind of operation of @wqe */
enum uroce_sq_kind uroce_sq_kind(const struct uroce_send_wqe *wqe);

/** uroce_sq_is_local() - whether @wqe is a bind or a local invalidate */
bool uroce_sq_is_local(const struct uroce_send_wqe *wqe);

/**
 * uroce_sq_has_response() - whether @wqe has a response of its own
 *
 * READ, atomics, FLUSH and ATOMIC WRITE have one; other requests get an ACK.
 */
bool uroce_sq_has_response(const struct uroce_send_wqe *wqe);

/**
 * uroce_sq_check() - check opcode and length of @wqe, but not its memory
 *
 * Return: status with which @wqe fails, or IBV_WC_SUCCESS.
 */
enum ibv_wc_status uroce_sq_check(const struct uroce_qp *qp,
				  const struct uroce_send_wqe *wqe);

/**
 * uroce_sq_execute_local() - bind or invalidate (IBTA 10.6.7.2.5, 10.6.7.2.6)
 * @qp: the QP
 * @wqe: a local operation, the oldest WQE of @qp
 *
 * Return: status with which @wqe completes.
 */
enum ibv_wc_status uroce_sq_execute_local(const struct uroce_qp *qp,
					  const struct uroce_send_wqe *wqe);

/**
 * uroce_sq_sge_list() - get the SGEs of @wqe, which are not inline data
 * @qp: the QP
 * @wqe: the WQE
 * @write: whether the memory is written
 */
static inline struct uroce_sge_list
uroce_sq_sge_list(const struct uroce_qp *qp, const struct uroce_send_wqe *wqe,
		  bool write)
{
	return (struct uroce_sge_list){
		.memory = qp->core->memory,
		.sge = wqe->sge,
		.nr_sge = wqe->nr_sge,
		.pd = qp->pd,
		.write = write,
	};
}

/** uroce_sq_rnr_ns() - decode an RNR timer field (IBTA table 45) */
uint64_t uroce_sq_rnr_ns(uint8_t timer);

/** uroce_sq_timeout_ns() - decode a timeout attribute; 0: UROCE_NEVER */
uint64_t uroce_sq_timeout_ns(uint8_t timeout);

#endif
