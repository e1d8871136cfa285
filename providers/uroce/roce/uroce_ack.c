/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Responses that the requester receives: ACKs, NAKs, and the responses to
 * READs, atomics, FLUSHes and ATOMIC WRITEs (IBTA 9.7.5). uroce_dispatch.c
 * calls uroce_ack_receive(), at the end of the file.
 *
 * Each response also acknowledges all requests before its PSN. If a READ or
 * atomic whose own response is outstanding is among them, that response was
 * lost: the NAK is implied (9.7.5.1.3).
 */
#include <errno.h>
#include <string.h>

#include "uroce/qp/uroce_atomic.h"
#include "uroce/qp/uroce_cause.h"
#include "uroce/qp/uroce_completion.h"
#include "uroce/qp/uroce_sq.h"
#include "uroce/roce/uroce_copy.h"
#include "uroce/roce/uroce_ecn.h"
#include "uroce/roce/uroce_gap.h"
#include "uroce/roce/uroce_psn.h"
#include "uroce/roce/uroce_request.h"
#include "uroce/roce/uroce_requester.h"
#include "uroce/roce/uroce_retry.h"
#include "uroce/roce/uroce_rndv.h"
#include "uroce/roce/uroce_sack.h"

static void ack_count(struct uroce_qp *qp, enum uroce_counter counter)
{
	uroce_core_count(qp->core, counter, 1);
}

void uroce_ack_moved_on(struct uroce_qp *qp, uint32_t old, uint64_t now)
{
	struct uroce_requester *req = &qp->roce->req;

	if (qp->roce->sack)
		uroce_sack_moved_on(qp, old, now);
	while (req->rd_first != req->rd_last &&
	       uroce_psn_before(req->rd_end[req->rd_first & req->rd_mask],
				req->una_psn))
		req->rd_first++;
	uroce_retry_acked(qp, (uint32_t)uroce_psn_diff(req->una_psn, old), now);
}

/* Process the advance of una_psn from @old. */
static void ack_moved_on(struct uroce_qp *qp, uint32_t old, uint64_t now)
{
	/* una_psn may have passed packets that are being retransmitted */
	if (uroce_psn_before(qp->roce->req.next_psn, qp->roce->req.una_psn))
		uroce_retry_rewind(qp);
	uroce_ack_moved_on(qp, old, now);
	uroce_engine_activate(qp->roce->engine, qp);
}

/*
 * Acknowledge the requests before @end, up to the first that has a response of
 * its own (a READ, for example). Returns whether una_psn has reached @end.
 */
static bool acknowledge(struct uroce_qp *qp, uint32_t end, uint64_t now)
{
	struct uroce_requester *req = &qp->roce->req;
	uint32_t old = req->una_psn;

	while (req->una_psn != end) {
		const struct uroce_send_wqe *wqe = uroce_ring_front(&qp->sq);
		uint32_t wqe_end = uroce_psn_add(wqe->psn, wqe->nr_packets);

		if (uroce_sq_has_response(wqe))
			break;
		if (uroce_psn_before(end, wqe_end)) {
			req->una_psn = end;
			break;
		}
		req->una_psn = wqe_end;
		uroce_complete_send(qp, IBV_WC_SUCCESS);
	}
	if (req->una_psn != old)
		ack_moved_on(qp, old, now);
	return req->una_psn == end;
}

static void implied_nak(struct uroce_qp *qp, uint64_t now)
{
	ack_count(qp, UROCE_C_IMPLIED_NAKS);
	uroce_retry_lost(qp, now);
}

/* Record the response to @nr_packets PSNs of the oldest message. */
static void response_received(struct uroce_qp *qp, uint32_t nr_packets,
			      uint64_t now)
{
	struct uroce_requester *req = &qp->roce->req;
	const struct uroce_send_wqe *wqe = uroce_ring_front(&qp->sq);
	uint32_t old = req->una_psn;

	req->una_psn = uroce_psn_add(old, nr_packets);
	if (req->una_psn == uroce_psn_add(wqe->psn, wqe->nr_packets)) {
		req->in = (struct uroce_cursor){};
		uroce_memory_end_access(qp->core->memory);
		uroce_complete_send(qp, IBV_WC_SUCCESS);
	}
	ack_moved_on(qp, old, now);
}

/* Missing responses to READs before @psn are requested again (uroce_gap.h). */
static void ack_plain(struct uroce_qp *qp, uint32_t psn, uint64_t now)
{
	if (!acknowledge(qp, uroce_psn_add(psn, 1), now) &&
	    !uroce_sack_is_of_responses(qp))
		implied_nak(qp, now);
}

static bool receive_list(struct uroce_qp *qp, const struct uroce_packet *packet,
			 uint64_t now)
{
	if (!packet->payload_len)
		return false;
	ack_count(qp, UROCE_C_NAKS_SELECTIVE);
	if (uroce_gap_receive_nak(qp, packet, now))
		return true;
	return packet->psn == qp->roce->req.una_psn &&
	       uroce_retry_selectively(qp, packet, now);
}

/* IBTA 9.7.5.2.2: the responder has rejected the request at una_psn. */
static void receive_nak(struct uroce_qp *qp, const struct uroce_packet *packet,
			uint8_t code, uint64_t now)
{
	static const uint8_t status[] = {
		[UROCE_NAK_INVALID_REQUEST] = IBV_WC_REM_INV_REQ_ERR,
		[UROCE_NAK_REMOTE_ACCESS] = IBV_WC_REM_ACCESS_ERR,
		[UROCE_NAK_REMOTE_OP] = IBV_WC_REM_OP_ERR,
	};

	if (code == UROCE_NAK_PSN_SEQ) {
		ack_count(qp, UROCE_C_NAKS_SEQ);
		if (!receive_list(qp, packet, now))
			uroce_retry_lost(qp, now);
	} else if (code < sizeof(status)) {
		ack_count(qp, UROCE_C_NAKS_FATAL);
		uroce_cause_note(qp, UROCE_CAUSE_NAK, qp->roce->req.una_psn,
				 code);
		uroce_qp_fault(qp, UROCE_FAULT_SQ,
			       (enum ibv_wc_status)status[code]);
	} else {
		ack_count(qp, UROCE_C_BAD_RESPONSES);
	}
}

static void receive_acknowledge(struct uroce_qp *qp,
				const struct uroce_packet *packet, uint64_t now)
{
	uint8_t value = packet->syndrome & UROCE_AETH_VALUE;

	/* Only the list of received packets (uroce_sack.h) is a payload. */
	if (packet->payload_len &&
	    packet->syndrome != (UROCE_AETH_NAK | UROCE_NAK_PSN_SEQ)) {
		ack_count(qp, UROCE_C_BAD_RESPONSES);
		return;
	}
	switch (packet->syndrome & UROCE_AETH_KIND) {
	case UROCE_AETH_ACK:
		ack_plain(qp, packet->psn, now);
		break;
	case UROCE_AETH_RNR:
		ack_count(qp, UROCE_C_NAKS_RNR);
		if (acknowledge(qp, packet->psn, now))
			uroce_retry_not_ready(qp, value, now);
		else
			implied_nak(qp, now);
		break;
	case UROCE_AETH_NAK:
		if (acknowledge(qp, packet->psn, now))
			receive_nak(qp, packet, value, now);
		else if (value != UROCE_NAK_PSN_SEQ ||
			 !receive_list(qp, packet, now))
			implied_nak(qp, now);
		break;
	default: /* reserved (9.7.5.2.4) */
		ack_count(qp, UROCE_C_BAD_RESPONSES);
	}
}

/* Resolve the SGEs of the oldest READ or atomic: @bytes from @offset. */
static int ack_resolve(struct uroce_qp *qp, uint32_t offset, uint32_t bytes,
		       struct uroce_iovecs *iovecs)
{
	const struct uroce_send_wqe *wqe = uroce_ring_front(&qp->sq);
	const struct uroce_sge_list list = uroce_sq_sge_list(qp, wqe, true);

	return uroce_sge_resolve(&list, &qp->roce->req.in, offset, bytes,
				 iovecs);
}

static void fail_resolved(struct uroce_qp *qp, int ret)
{
	uroce_qp_fault(qp, UROCE_FAULT_SQ,
		       ret == -EMSGSIZE ? IBV_WC_LOC_LEN_ERR
					: IBV_WC_LOC_PROT_ERR);
}

/*
 * Fetch the payload of a chunk of a READ response that came without it
 * (uroce_rndv.h). The copy checks the rkey: the responder has checked the
 * access once, and the MR may have been deregistered since. If packet->source
 * is 0, the responder has already written the payload.
 */
static int take_absent(struct uroce_qp *qp, const struct uroce_packet *packet,
		       uint32_t offset, const struct uroce_iovecs *iovecs)
{
	const struct uroce_send_wqe *wqe = uroce_ring_front(&qp->sq);
	struct uroce_channel *channel = qp->roce->channel;
	const struct uroce_direct_access copy = {
		.read = true,
		.access = IBV_ACCESS_REMOTE_READ,
		.qpn = qp->qpn,
		.dest_qpn = qp->dest_qpn,
		.rkey = wqe->remote.rkey,
		.va = wqe->remote.va,
		.bytes = wqe->length,
		.offset = offset,
		.chunk = packet->payload_len,
		.iov = iovecs->iov,
		.nr_iov = iovecs->nr,
	};

	if (!packet->source)
		return 0;
	/* a system call cannot discard the data of a null MR */
	for (uint32_t i = 0; i < iovecs->nr; i++)
		if (!iovecs->iov[i].iov_base)
			return -EFAULT;
	return channel->direct_copy ? channel->direct_copy(channel, &copy)
				    : -EPERM;
}

/* 9.9.2.4.2; a chunk stands for full packets, all of them requested. */
static bool ack_length_is_valid(const struct uroce_qp *qp,
				const struct uroce_packet *packet)
{
	const struct uroce_send_wqe *wqe = uroce_ring_front(&qp->sq);
	uint32_t at = (uint32_t)uroce_psn_diff(packet->psn, wqe->psn);
	uint32_t left = wqe->nr_packets - at;
	uint32_t asked =
		(uint32_t)uroce_psn_diff(qp->roce->req.sent_psn, packet->psn);

	if (packet->nr_absent)
		return packet->nr_absent < left && packet->nr_absent <= asked &&
		       packet->payload_len == packet->nr_absent * qp->mtu;
	return packet->payload_len ==
	       (left == 1 ? wqe->length - at * qp->mtu : qp->mtu);
}

static void take_payload(struct uroce_qp *qp, struct uroce_packet *packet,
			 const struct uroce_iovecs *iovecs, uint64_t now)
{
	const struct uroce_send_wqe *wqe = uroce_ring_front(&qp->sq);
	/* if the responses behind this one have arrived, it completes @wqe */
	bool in_order = wqe->nr_sge == 1 && !qp->roce->sack;
	int ret = uroce_copy_in(qp, iovecs, packet, in_order);

	if (ret == -EFAULT)
		fail_resolved(qp, ret);
	else if (ret)
		ack_count(qp, UROCE_C_BAD_ICRC);
	else
		response_received(qp, 1, now);
}

/* A packet of the response to the oldest READ; its PSN is una_psn. */
static void receive_read_data(struct uroce_qp *qp, struct uroce_packet *packet,
			      uint64_t now)
{
	const struct uroce_send_wqe *wqe = uroce_ring_front(&qp->sq);
	uint32_t offset =
		(uint32_t)uroce_psn_diff(packet->psn, wqe->psn) * qp->mtu;
	struct uroce_iovecs iovecs;
	int ret = 0;

	if (!ack_length_is_valid(qp, packet))
		ret = -EPROTO;
	if (!ret)
		ret = ack_resolve(qp, offset, packet->payload_len, &iovecs);
	if (ret && uroce_packet_check(packet)) {
		ack_count(qp, UROCE_C_BAD_ICRC);
		return;
	}
	if (ret == -EPROTO) {
		ack_count(qp, UROCE_C_BAD_RESPONSES);
		uroce_cause_note(qp, UROCE_CAUSE_RESPONSE, packet->psn, 0);
		uroce_qp_fault(qp, UROCE_FAULT_SQ, IBV_WC_BAD_RESP_ERR);
	} else if (ret) {
		fail_resolved(qp, ret);
	} else if (packet->nr_absent) {
		if (!take_absent(qp, packet, offset, &iovecs)) {
			response_received(qp, packet->nr_absent, now);
			return;
		}
		qp->roce->rndv.refused = true;
		uroce_retry_lost(qp, now);
	} else {
		take_payload(qp, packet, &iovecs, now);
	}
}

/* Advances over what has arrived behind the gap that is closed. */
static void ack_skip_received(struct uroce_qp *qp, uint64_t now)
{
	const struct uroce_requester *req = &qp->roce->req;

	while (uroce_sack_is_of_responses(qp) &&
	       uroce_sack_has(qp->roce->sack, req->una_psn)) {
		const struct uroce_send_wqe *wqe = uroce_ring_front(&qp->sq);
		uint32_t end = uroce_psn_add(wqe->psn, wqe->nr_packets);
		uint32_t psn = req->una_psn;

		while (psn != end && uroce_sack_has(qp->roce->sack, psn))
			psn = uroce_psn_add(psn, 1);
		if (psn == req->una_psn)
			return;
		if (uroce_sq_has_response(wqe))
			response_received(
				qp, (uint32_t)uroce_psn_diff(psn, req->una_psn),
				now);
		else
			(void)acknowledge(qp, psn, now);
	}
}

static void receive_read_response(struct uroce_qp *qp,
				  struct uroce_packet *packet, uint64_t now)
{
	const struct uroce_send_wqe *wqe;

	if (!acknowledge(qp, packet->psn, now)) {
		/*
		 * The packets of a READ response arrive in order, so one was
		 * lost, or this one responds to a request before the last
		 * rewind.
		 */
		if (!uroce_gap_receive(qp, packet, now))
			implied_nak(qp, now);
		return;
	}
	wqe = uroce_ring_front(&qp->sq);
	if (wqe->opcode == IBV_WR_RDMA_READ) {
		receive_read_data(qp, packet, now);
		ack_skip_received(qp, now);
	} else if ((wqe->opcode == IBV_WR_FLUSH ||
		    wqe->opcode == IBV_WR_ATOMIC_WRITE) &&
		   !packet->payload_len) {
		response_received(qp, 1, now); /* A19.4.3, A19.4.4 */
	} else {
		ack_count(qp, UROCE_C_BAD_RESPONSES);
	}
}

static void ack_receive_atomic_ack(struct uroce_qp *qp,
				   const struct uroce_packet *packet,
				   uint64_t now)
{
	const struct uroce_send_wqe *wqe;
	struct uroce_iovecs iovecs;
	int ret;

	if (!acknowledge(qp, packet->psn, now)) {
		implied_nak(qp, now);
		return;
	}
	wqe = uroce_ring_front(&qp->sq);
	if (wqe->opcode != IBV_WR_ATOMIC_CMP_AND_SWP &&
	    wqe->opcode != IBV_WR_ATOMIC_FETCH_AND_ADD) {
		ack_count(qp, UROCE_C_BAD_RESPONSES);
		return;
	}
	ret = ack_resolve(qp, 0, UROCE_ATOMIC_BYTES, &iovecs);
	if (!ret)
		ret = uroce_copy_bytes(&iovecs, (const uint8_t *)&packet->orig);
	if (ret)
		fail_resolved(qp, ret);
	else
		response_received(qp, 1, now);
}

/*
 * Whether to verify the ICRC during the copy. This is allowed for data of a
 * READ only: until the READ completes, the content of its memory is undefined.
 * All other packets are verified first.
 */
static bool ack_may_check_late(const struct uroce_qp *qp,
			       const struct uroce_packet *packet)
{
	const struct uroce_send_wqe *wqe = uroce_ring_front(&qp->sq);

	return packet->psn == qp->roce->req.una_psn && wqe->begun &&
	       wqe->opcode == IBV_WR_RDMA_READ &&
	       (packet->traits & UROCE_T_READ_RESP);
}

/* 9.7.5.1.2: the PSN is already acknowledged, or was never sent */
static bool is_stale(const struct uroce_requester *req, uint32_t psn)
{
	return uroce_psn_before(psn, req->una_psn) ||
	       !uroce_psn_before(psn, req->sent_psn);
}

static void ack_check_oldest(struct uroce_qp *qp)
{
	if (!uroce_qp_is_stopped(qp))
		uroce_sq_check_oldest(qp);
}

void uroce_ack_plain(struct uroce_qp *qp, uint32_t psn, uint64_t now)
{
	if (is_stale(&qp->roce->req, psn)) {
		ack_count(qp, UROCE_C_STALE_ACKS);
		return;
	}
	ack_plain(qp, psn, now);
	ack_check_oldest(qp);
}

/* A message that began before the peer has responded may be marked now. */
static void ack_learn_selective(struct uroce_qp *qp,
				const struct uroce_packet *packet)
{
	struct uroce_requester *req = &qp->roce->req;
	const struct uroce_send_wqe *wqe = uroce_ring_front(&qp->sq);

	if (packet->selective && !req->selective && wqe->nr_packets > 1)
		uroce_ecn_allow(qp);
	req->selective = packet->selective;
}

void uroce_ack_receive(struct uroce_qp *qp, struct uroce_packet *packet,
		       uint64_t now)
{
	if (is_stale(&qp->roce->req, packet->psn)) {
		ack_count(qp, UROCE_C_STALE_ACKS);
		return;
	}
	if (!ack_may_check_late(qp, packet) && uroce_packet_check(packet)) {
		ack_count(qp, UROCE_C_BAD_ICRC);
		return;
	}
	ack_learn_selective(qp, packet);
	if (packet->becn ||
	    (packet->fecn && packet->traits & UROCE_T_READ_RESP)) {
		ack_count(qp, UROCE_C_CNPS_HANDLED);
		uroce_retry_congested(qp, packet->psn, now);
	}
	if (packet->traits & UROCE_T_READ_RESP)
		receive_read_response(qp, packet, now);
	else if (packet->traits & UROCE_T_ATOMIC_ACK_ETH)
		ack_receive_atomic_ack(qp, packet, now);
	else
		receive_acknowledge(qp, packet, now);
	ack_check_oldest(qp);
}
