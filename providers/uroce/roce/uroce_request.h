/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Packetization of a send WQE: its kind, the number of its packets, and the
 * contents of each packet.
 */
#ifndef UROCE_REQUEST_H
#define UROCE_REQUEST_H

#include "uroce/roce/uroce_engine.h"

/** uroce_request_remote_access() - access right of a WRITE, READ or atomic */
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
 * uroce_request_count_packets() - count the PSNs of @wqe (IBTA 9.7.2)
 *
 * A READ has the PSNs of its response packets.
 */
uint32_t uroce_request_count_packets(const struct uroce_qp *qp,
				     const struct uroce_send_wqe *wqe);

/**
 * uroce_request_find() - find the WQE that a PSN belongs to
 * @qp: the QP
 * @psn: of a packet that was sent, or of its response, and is not acknowledged
 */
const struct uroce_send_wqe *uroce_request_find(const struct uroce_qp *qp,
						uint32_t psn);

/**
 * uroce_request_count_response() - PSNs of the request for packet @at of @wqe
 *
 * @wqe has a response of its own; a READ may be several requests.
 */
uint32_t uroce_request_count_response(const struct uroce_send_wqe *wqe,
				      uint32_t at);

/**
 * uroce_request_fill() - make the packet with the PSN qp->roce->req.next_psn
 * @qp: the QP
 * @wqe: WQE that the PSN belongs to
 * @ret_out: receives the packet
 * @ret_nr_psns: receives the PSNs of the packet; READ: of the data it requests
 *
 * Return: 0, or what uroce_sge_resolve() returns.
 */
int uroce_request_fill(struct uroce_qp *qp, struct uroce_send_wqe *wqe,
		       struct uroce_out *ret_out, uint32_t *ret_nr_psns);

/**
 * uroce_request_fill_read_part() - request part of a READ again
 * @qp: the QP
 * @wqe: the READ, which was requested
 * @at: the first packet
 * @nr: number of packets, all of one request
 * @ret_out: receives the packet
 */
void uroce_request_fill_read_part(struct uroce_qp *qp,
				  const struct uroce_send_wqe *wqe, uint32_t at,
				  uint32_t nr, struct uroce_out *ret_out);

/**
 * uroce_request_fill_run() - make packets from the PSN qp->roce->req.next_psn
 * on
 * @qp: the QP
 * @wqe: WQE of which at least one packet has been made
 * @max: maximum number; excludes the last packet of @wqe
 * @out: receives the first packet, with the payload of all of them
 *
 * Return: number of packets; 0: @out is unchanged, use uroce_request_fill().
 */
uint32_t uroce_request_fill_run(struct uroce_qp *qp,
				const struct uroce_send_wqe *wqe, uint32_t max,
				struct uroce_out *out);

#endif
