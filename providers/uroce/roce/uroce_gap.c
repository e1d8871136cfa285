/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "uroce/roce/uroce_gap.h"

#include "uroce/qp/uroce_sq.h"
#include "uroce/roce/uroce_copy.h"
#include "uroce/roce/uroce_psn.h"
#include "uroce/roce/uroce_request.h"
#include "uroce/roce/uroce_retry.h"
#include "uroce/roce/uroce_sack.h"
#include "util/min.h"

/*
 * The response to @read also acknowledges the SENDs and WRITEs in front of it.
 * Return: false: the response of an atomic may be missing, or no memory.
 */
static bool record_acknowledged(struct uroce_qp *qp,
				const struct uroce_send_wqe *read, uint64_t now)
{
	uint32_t una_psn = qp->roce->req.una_psn;

	for (uint32_t cur = qp->sq.tail;; cur++) {
		const struct uroce_send_wqe *wqe = uroce_ring_at(&qp->sq, cur);
		uint32_t end = uroce_psn_add(wqe->psn, wqe->nr_packets);
		uint32_t from = uroce_psn_before(wqe->psn, una_psn) ? una_psn
								    : wqe->psn;

		if (wqe == read)
			return true;
		if (wqe->opcode == IBV_WR_RDMA_READ || from == end ||
		    (qp->roce->sack && uroce_sack_has(qp->roce->sack, from)))
			continue;
		if (uroce_sq_has_response(wqe) ||
		    !uroce_sack_add_response(
			    qp, from, (uint32_t)uroce_psn_diff(end, from), now))
			return false;
	}
}

static bool gap_store(struct uroce_qp *qp, const struct uroce_send_wqe *read,
		      struct uroce_packet *packet)
{
	uint32_t at = (uint32_t)uroce_psn_diff(packet->psn, read->psn);
	uint32_t offset = at * qp->mtu;
	struct uroce_cursor cursor = {};
	struct uroce_iovecs iovecs;
	const struct uroce_sge_list list = uroce_sq_sge_list(qp, read, true);

	return packet->payload_len == min_u32(read->length - offset, qp->mtu) &&
	       !uroce_sge_resolve(&list, &cursor, offset, packet->payload_len,
				  &iovecs) &&
	       !uroce_copy_in(qp, &iovecs, packet, false);
}

/* Nothing is being sent again but lost responses to READs. */
static bool gap_is_selective(const struct uroce_qp *qp)
{
	const struct uroce_requester *req = &qp->roce->req;

	return !qp->roce->channel && req->next_psn == req->sent_psn &&
	       (!qp->roce->sack || uroce_sack_is_of_responses(qp));
}

bool uroce_gap_receive(struct uroce_qp *qp, struct uroce_packet *packet,
		       uint64_t now)
{
	const struct uroce_send_wqe *read;

	if (!packet->selective || packet->nr_absent || !gap_is_selective(qp))
		return false;
	if (qp->roce->sack && uroce_sack_has(qp->roce->sack, packet->psn))
		return true;
	/* the oldest READ is in front of the gap */
	if (uroce_gather_store(qp, &qp->roce->responses)) {
		uroce_qp_fault(qp, UROCE_FAULT_SQ, IBV_WC_LOC_PROT_ERR);
		return true;
	}
	read = uroce_request_find(qp, packet->psn);
	return read->opcode == IBV_WR_RDMA_READ &&
	       gap_store(qp, read, packet) &&
	       record_acknowledged(qp, read, now) &&
	       uroce_retry_response(qp, packet->psn, now);
}

bool uroce_gap_receive_nak(struct uroce_qp *qp,
			   const struct uroce_packet *packet, uint64_t now)
{
	struct uroce_requester *req = &qp->roce->req;

	if (!gap_is_selective(qp) ||
	    uroce_request_find(qp, packet->psn)->opcode != IBV_WR_RDMA_READ)
		return false;
	/* the responder repeats the NAK until the request has arrived */
	if (req->lost_psn == packet->psn &&
	    now < req->lost_ns + 2 * req->cwnd.rtt.min_ns)
		return true;
	req->lost_read = true;
	req->lost_psn = packet->psn;
	req->lost_ns = now;
	req->cwnd.lost++;
	/* later requests wait behind this one */
	uroce_rtt_stop(&req->cwnd.rtt, packet->psn);
	uroce_engine_activate(qp->roce->engine, qp);
	return true;
}

/* How many packets the window permits to request from @psn on. */
static uint32_t gap_limit(const struct uroce_qp *qp, uint32_t psn)
{
	uint32_t in_flight = uroce_sack_in_flight(qp);
	uint32_t window = qp->roce->req.cwnd.packets;

	if (in_flight < window)
		return window - in_flight;
	return psn == qp->roce->req.una_psn;
}

/* Requests @nr packets of @read, all of one part, from @psn on. */
static void gap_request(struct uroce_qp *qp, const struct uroce_send_wqe *read,
			uint32_t psn, uint32_t nr, uint64_t now,
			struct uroce_out *out)
{
	uroce_request_fill_read_part(
		qp, read, (uint32_t)uroce_psn_diff(psn, read->psn), nr, out);
	uroce_retry_start(qp, now);
}

/* How many packets the part with @psn has from there on. */
static uint32_t gap_count_rest(const struct uroce_send_wqe *read, uint32_t psn)
{
	return uroce_request_count_response(
		read, (uint32_t)uroce_psn_diff(psn, read->psn));
}

/* The last packet, whose arrival shows which ones are missing. */
static bool request_last(struct uroce_qp *qp, uint64_t now,
			 struct uroce_out *out)
{
	struct uroce_requester *req = &qp->roce->req;
	uint32_t psn = uroce_psn_add(req->sent_psn, -1);

	req->probing = false;
	if (req->una_psn == req->sent_psn)
		return false;
	gap_request(qp, uroce_request_find(qp, psn), psn, 1, now, out);
	uroce_core_count(qp->core, UROCE_C_PROBES, 1);
	return true;
}

static bool request_lost_read(struct uroce_qp *qp, uint64_t now,
			      struct uroce_out *out)
{
	struct uroce_requester *req = &qp->roce->req;
	const struct uroce_send_wqe *read;

	req->lost_read = false;
	if (uroce_psn_before(req->lost_psn, req->una_psn))
		return false;
	read = uroce_request_find(qp, req->lost_psn);
	gap_request(qp, read, req->lost_psn,
		    gap_count_rest(read, req->lost_psn), now, out);
	uroce_core_count(qp->core, UROCE_C_RETRANSMITTED, 1);
	return true;
}

/* The first READ, from @psn on, with a lost response; NULL: none. */
static const struct uroce_send_wqe *find_lost_read(const struct uroce_qp *qp,
						   uint32_t *psn)
{
	uint32_t end = qp->roce->req.sent_psn;

	for (;;) {
		const struct uroce_send_wqe *wqe;

		*psn = uroce_sack_find_lost(qp->roce->sack, *psn, end);
		if (*psn == end)
			return NULL;
		wqe = uroce_request_find(qp, *psn);
		if (wqe->opcode == IBV_WR_RDMA_READ)
			return wqe;
		*psn = uroce_psn_add(wqe->psn, wqe->nr_packets);
	}
}

bool uroce_gap_next(struct uroce_qp *qp, uint64_t now,
		    struct uroce_out *ret_out)
{
	struct uroce_requester *req = &qp->roce->req;
	uint32_t psn = req->una_psn, nr, rest, limit;
	const struct uroce_send_wqe *read;

	if (req->probing && req->next_psn == req->sent_psn)
		return request_last(qp, now, ret_out);
	if (req->lost_read && request_lost_read(qp, now, ret_out))
		return true;
	if (!uroce_sack_is_of_responses(qp))
		return false;
	read = find_lost_read(qp, &psn);
	if (!read)
		return false;
	rest = gap_count_rest(read, psn);
	nr = uroce_sack_count_lost(qp->roce->sack, psn, rest);
	/*
	 * If nothing of a part arrives, its request may be lost. The request
	 * must have the length of the first one then, as the responder stores
	 * it for duplicates.
	 */
	limit = gap_limit(qp, psn);
	if (nr < rest || !limit)
		nr = min_u32(nr, limit);
	if (!nr)
		return false;
	gap_request(qp, read, psn, nr, now, ret_out);
	uroce_core_count(qp->core, UROCE_C_RETRANSMITTED, 1);
	for (uint32_t i = 0; i < nr; i++)
		uroce_retry_sent_again(qp, uroce_psn_add(psn, i), now);
	return true;
}
