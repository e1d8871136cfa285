/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A work request as packets: what kind it is, how many packets it takes, and
 * what is in each of them.
 */
#ifndef UROCE_REQUEST_H
#define UROCE_REQUEST_H

#include "uroce/engine/uroce_engine.h"

/** uroce_request_is_local() - whether it is done without any packet */
bool uroce_request_is_local(const struct uroce_send_wqe *wqe);

/** uroce_request_is_answered() - whether it has an answer of its own */
bool uroce_request_is_answered(const struct uroce_send_wqe *wqe);

/**
 * uroce_request_check() - what is wrong with it, whatever the memory is
 *
 * Return: the status that it fails with, or IBV_WC_SUCCESS.
 */
enum ibv_wc_status uroce_request_check(const struct uroce_qp *qp,
				       const struct uroce_send_wqe *wqe);

/** uroce_request_remote_access() - the right that a WRITE, READ or atomic needs
 */
static inline unsigned int
uroce_request_remote_access(const struct uroce_send_wqe *wqe)
{
	switch (wqe->opcode) {
	case IBV_WR_RDMA_READ:
		return IBV_ACCESS_REMOTE_READ;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		return IBV_ACCESS_REMOTE_ATOMIC;
	default:
		return IBV_ACCESS_REMOTE_WRITE;
	}
}

/**
 * uroce_request_count_packets() - PSNs that it takes (IBTA 9.7.2)
 *
 * Those of a READ are the PSNs of its answers.
 */
uint32_t uroce_request_count_packets(const struct uroce_qp *qp,
				     const struct uroce_send_wqe *wqe);

/**
 * uroce_request_fill() - make the packet with the PSN qp->req.next_psn
 * @qp: the QP
 * @wqe: the request that the PSN belongs to
 * @ret_out: receives the packet
 * @ret_nr_psns: receives how many PSNs it takes; a READ: how many it asks for
 *
 * Return: 0, or what uroce_sge_resolve() returns.
 */
int uroce_request_fill(struct uroce_qp *qp, struct uroce_send_wqe *wqe,
		       struct uroce_out *ret_out, uint32_t *ret_nr_psns);

/**
 * uroce_request_fill_run() - make packets from the PSN qp->req.next_psn on
 * @qp: the QP
 * @wqe: the request, of which a packet was made already
 * @max: so many at most, of which none is the last of the request
 * @out: receives the first one, with the payload of all of them
 *
 * Return: how many; 0: they must be made one by one, @out is unchanged.
 */
uint32_t uroce_request_fill_run(struct uroce_qp *qp,
				const struct uroce_send_wqe *wqe, uint32_t max,
				struct uroce_out *out);

#endif
