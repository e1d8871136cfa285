/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Send WQEs to request packets. uroce_engine_next() calls
 * uroce_requester_next() for each packet; there, begin() assigns the PSNs of a
 * message, and uroce_request_fill() writes the headers of a packet and finds
 * its payload. uroce_ack.c processes ACKs and responses.
 */
#include "uroce/roce/uroce_requester.h"

#include <errno.h>

#include "uroce/qp/uroce_chaos.h"
#include "uroce/qp/uroce_completion.h"
#include "uroce/qp/uroce_sq.h"
#include "uroce/roce/uroce_direct.h"
#include "uroce/roce/uroce_ecn.h"
#include "uroce/roce/uroce_gap.h"
#include "uroce/roce/uroce_pace.h"
#include "uroce/roce/uroce_psn.h"
#include "uroce/roce/uroce_request.h"
#include "uroce/roce/uroce_retry.h"
#include "uroce/roce/uroce_rndv.h"
#include "uroce/roce/uroce_sack.h"
#include "util/clock.h"
#include "util/min.h"

/*
 * The last packet of a message, and one in so many packets, requests an ACK,
 * and at least four of a window: then the loss of one of them does not stop the
 * QP.
 */
#define ACK_EVERY      16
#define ACKS_OF_WINDOW 4
/* Initial window; see uroce_cwnd.h. */
#define FIRST_WINDOW_BYTES (64 * 1024)
/*
 * Limit of packets and responses in flight through a channel, which has flow
 * control of its own. Far below half of the PSN space (IBTA 9.7.1).
 */
#define CHANNEL_PACKETS (1u << 20)

static uint8_t nr_unanswered(const struct uroce_requester *req)
{
	return (uint8_t)(req->rd_last - req->rd_first);
}

static bool is_reliable(const struct uroce_qp *qp)
{
	return qp->type == IBV_QPT_RC;
}

/*
 * Number of response packets that fit into the socket buffer. Linux charges
 * each packet with its memory: sk_buff (256 bytes), and headers, payload and
 * skb_shared_info (446 bytes beside the payload) rounded up to a power of two.
 * An eighth is reserved for other packets.
 */
static uint32_t count_room(const struct uroce_qp *qp)
{
	uint32_t packet_bytes = 2 * (qp->mtu < 512 ? 512 : qp->mtu) + 256;
	uint32_t bytes = qp->roce->engine->room_bytes;
	uint32_t room = (bytes - bytes / 8) / packet_bytes;

	if (qp->roce->channel)
		return CHANNEL_PACKETS;
	return room ? room : 1;
}

static uint32_t first_window(const struct uroce_qp *qp)
{
	return qp->roce->channel ? CHANNEL_PACKETS
				 : FIRST_WINDOW_BYTES / qp->mtu;
}

static struct uroce_cwnd new_window(const struct uroce_qp *qp, uint32_t psn)
{
	return (struct uroce_cwnd){
		.packets = first_window(qp),
		.rtt.end_psn = psn,
	};
}

void uroce_requester_restart_window(struct uroce_qp *qp)
{
	struct uroce_requester *req = &qp->roce->req;

	req->cwnd = new_window(qp, req->sent_psn);
	req->reduced_psn = req->sent_psn;
	req->nr_probes = 0;
}

void uroce_requester_init(struct uroce_qp *qp)
{
	qp->cur = qp->sq.tail;
	qp->roce->req = (struct uroce_requester){
		.rd_end = qp->roce->req.rd_end,
		.rd_mask = qp->roce->req.rd_mask,
		.una_psn = qp->sq_psn,
		.next_psn = qp->sq_psn,
		.sent_psn = qp->sq_psn,
		.new_psn = qp->sq_psn,
		.reduced_psn = qp->sq_psn,
		.retry_left = qp->retry_cnt,
		.rnr_left = qp->rnr_retry,
		.cwnd = new_window(qp, qp->sq_psn),
		.room = count_room(qp),
		.ack_ns = UROCE_NEVER,
		.probe_ns = UROCE_NEVER,
		.resume_ns = UROCE_NEVER,
	};
}

/* Has uroce_requester_sent() called when all packets are sent. */
static void await_sent(struct uroce_qp *qp)
{
	if (list_empty(&qp->roce->unsent))
		list_add_tail(&qp->roce->engine->unsent, &qp->roce->unsent);
}

/*
 * Records a local failure of @wqe. It takes effect when @wqe is the oldest WQE
 * and all packets that were handed out, and point to memory, are sent.
 */
static void fail_locally(struct uroce_qp *qp, struct uroce_send_wqe *wqe,
			 enum ibv_wc_status status)
{
	wqe->status = (uint8_t)status;
	await_sent(qp);
}

/* The peer process is gone, and with timeout 0 no timer detects that. */
static bool is_cut_off(const struct uroce_qp *qp)
{
	return is_reliable(qp) && !qp->timeout && qp->roce->channel &&
	       qp->roce->channel->failed;
}

/*
 * Whether only the limit of the window ends its growth, and the RTT is short:
 * the network has room for more, so that longer READ requests pay.
 */
static bool window_is_full(const struct uroce_qp *qp)
{
	const struct uroce_cwnd *cwnd = &qp->roce->req.cwnd;

	return cwnd->packets >= UROCE_WINDOW_BYTES / qp->mtu &&
	       cwnd->rtt.min_ns < VERBS_NS_PER_MS;
}

/*
 * log2 of the packets that a READ request reads. On the network, a request
 * reads half a window at most if a queue has been seen there: the requester
 * sends the next request when half of the window is free, so the responder does
 * not wait for it. Two requests fit into the socket buffer.
 */
static uint8_t choose_part(const struct uroce_qp *qp, bool rendezvous)
{
	const struct uroce_requester *req = &qp->roce->req;
	uint32_t part = UROCE_READ_PART / qp->mtu;
	uint32_t packets = req->cwnd.packets;

	packets = window_is_full(qp) ? packets * 2 : packets / 2;
	if (rendezvous)
		part = UROCE_LONG_READ_PART / qp->mtu;
	else if (!qp->roce->channel && (packets > part || req->cwnd.steady))
		part = min_u32(packets, UROCE_MAX_READ_PART / qp->mtu);
	if (part > req->room / 2)
		part = req->room / 2;
	return part ? (uint8_t)(31 - __builtin_clz(part)) : 0;
}

/* Starts the message at qp->cur and assigns its PSNs; false: not yet allowed.
 */
static bool begin(struct uroce_qp *qp, struct uroce_send_wqe *wqe)
{
	struct uroce_requester *req = &qp->roce->req;
	bool local = uroce_sq_is_local(wqe);

	/* 10.3.1.6: in SQD no message is started */
	if (qp->state != IBV_QPS_RTS)
		return false;
	/* 10.8.3.3: a fence waits for READs and atomics */
	if ((wqe->flags & IBV_SEND_FENCE) && nr_unanswered(req))
		return false;
	if ((wqe->flags & IBV_SEND_FENCE) && qp->core->chaos)
		uroce_chaos_place(qp, UROCE_CHAOS_RESPONSE);
	/* bind and invalidate wait until no older WQE can use the old key */
	if (local && qp->cur != qp->sq.tail)
		return false;

	wqe->begun = true;
	wqe->psn = req->new_psn;
	wqe->nr_packets = 0;
	wqe->status = is_cut_off(qp) ? IBV_WC_RETRY_EXC_ERR
				     : (uint8_t)uroce_sq_check(qp, wqe);
	if (wqe->status == IBV_WC_SUCCESS)
		wqe->nr_packets = uroce_request_count_packets(qp, wqe);
	if (wqe->nr_packets > 1 && req->selective)
		uroce_ecn_allow(qp);
	req->new_psn = uroce_psn_add(req->new_psn, wqe->nr_packets);
	wqe->part_bits = choose_part(qp, uroce_rndv_begin(qp, wqe));
	return true;
}

/* Executes a bind or invalidate; @wqe is the oldest WQE. */
static void do_local(struct uroce_qp *qp, struct uroce_send_wqe *wqe)
{
	enum ibv_wc_status status;

	if (qp->core->chaos)
		uroce_chaos_place_all(qp->core->chaos);
	status = uroce_sq_execute_local(qp, wqe);
	if (status != IBV_WC_SUCCESS) {
		fail_locally(qp, wqe, status);
		return;
	}
	qp->cur++;
	uroce_complete_send(qp, IBV_WC_SUCCESS);
	uroce_sq_check_oldest(qp);
}

static uint32_t ack_every(const struct uroce_requester *req)
{
	uint32_t every = req->cwnd.packets / ACKS_OF_WINDOW;

	return every ? min_u32(every, ACK_EVERY) : 1;
}

static bool is_retransmission(const struct uroce_requester *req)
{
	return uroce_psn_before(req->next_psn, req->sent_psn);
}

/* How many packets the window lets the QP send. */
static uint32_t window_room(const struct uroce_qp *qp)
{
	const struct uroce_requester *req = &qp->roce->req;
	uint32_t ahead = (uint32_t)uroce_psn_diff(req->next_psn, req->una_psn);
	uint32_t in_flight = ahead;

	if (req->probing)
		return 1;
	if (qp->roce->sack) {
		if (ahead >= UROCE_SACK_SPAN)
			return 0;
		/* the oldest packet is sent again at once */
		if (!ahead)
			return 1;
		in_flight = uroce_sack_in_flight(qp);
	}
	return in_flight < req->cwnd.packets ? req->cwnd.packets - in_flight
					     : 0;
}

/*
 * Whether the window lets the QP request the next part of a READ: it fits, or
 * half of the window is free, so that the responder need not wait.
 */
static bool window_has_part(const struct uroce_qp *qp,
			    const struct uroce_send_wqe *wqe)
{
	const struct uroce_requester *req = &qp->roce->req;
	uint32_t at = (uint32_t)uroce_psn_diff(req->next_psn, wqe->psn);
	uint32_t room = window_room(qp);

	return is_retransmission(req) || window_is_full(qp) ||
	       room >= min_u32(uroce_request_count_response(wqe, at),
			       req->cwnd.packets / 2);
}

/*
 * Requests ACKs so that one is outstanding if the window closes (9.7.5.1.1), or
 * if the rate limit makes the QP wait.
 */
static void ask_for_ack(struct uroce_qp *qp, struct uroce_packet *packet,
			bool is_new, uint64_t now)
{
	struct uroce_requester *req = &qp->roce->req;

	req->packets_since_ack_req++;
	/* after a loss each ACK is progress, which restores all retries */
	if (req->recovering || (qp->roce->sack && !is_new) || req->probing ||
	    req->packets_since_ack_req >= ack_every(req) || !window_room(qp) ||
	    !uroce_pace_room(qp))
		packet->ack_req = is_reliable(qp);
	if (!packet->ack_req)
		return;
	req->packets_since_ack_req = 0;
	if (is_new && !qp->roce->channel)
		uroce_rtt_sent(&req->cwnd.rtt, packet->psn, now);
}

/* Advances next_psn by @nr_psns, and cur at the end of the message. */
static void move_on(struct uroce_qp *qp, const struct uroce_send_wqe *wqe,
		    uint32_t nr_psns, bool has_response)
{
	struct uroce_requester *req = &qp->roce->req;

	req->next_psn = uroce_psn_add(req->next_psn, nr_psns);
	if (has_response)
		req->rd_end[req->rd_last++ & req->rd_mask] =
			uroce_psn_add(req->next_psn, -1);
	if (req->next_psn != uroce_psn_add(wqe->psn, wqe->nr_packets))
		return;
	qp->cur++;
	req->out = (struct uroce_cursor){};
}

/* Processes a packet that was made. */
static void requester_advance(struct uroce_qp *qp,
			      const struct uroce_send_wqe *wqe,
			      uint32_t nr_psns, bool has_response, uint64_t now)
{
	struct uroce_requester *req = &qp->roce->req;

	if (req->probing)
		uroce_core_count(qp->core, UROCE_C_PROBES, 1);
	else if (is_retransmission(req))
		uroce_core_count(qp->core, UROCE_C_RETRANSMITTED,
				 has_response ? 1 : nr_psns);
	move_on(qp, wqe, nr_psns, has_response);
	if (uroce_psn_before(req->sent_psn, req->next_psn))
		req->sent_psn = req->next_psn;
	if (is_reliable(qp))
		uroce_retry_start(qp, now);
	else
		await_sent(qp);
}

/* Whether the socket buffer has room for the next response packets of @wqe. */
static bool requester_has_room(const struct uroce_qp *qp,
			       const struct uroce_send_wqe *wqe)
{
	const struct uroce_requester *req = &qp->roce->req;
	uint32_t end = uroce_psn_add(wqe->psn, wqe->nr_packets);
	uint32_t left = (uint32_t)uroce_psn_diff(end, req->next_psn);
	uint32_t coming =
		uroce_sack_is_of_responses(qp)
			? uroce_sack_in_flight(qp)
			: (uint32_t)uroce_psn_diff(req->next_psn, req->una_psn);

	return coming + min_u32(left, 1u << wqe->part_bits) <= req->room;
}

/* The first packet in front of @end that is to be sent again; or @end. */
static uint32_t find_lost(const struct uroce_qp *qp, uint32_t psn, uint32_t end)
{
	uint32_t last = uroce_psn_add(qp->roce->req.sent_psn, -1);

	if (qp->roce->sack)
		return uroce_sack_find_lost(qp->roce->sack, psn, end);
	return uroce_psn_before(last, end) ? last : end;
}

/* Skips requests of the message at qp->cur; false: one of them was lost. */
static bool skip_sent(struct uroce_qp *qp, const struct uroce_send_wqe *wqe)
{
	struct uroce_requester *req = &qp->roce->req;
	uint32_t end = uroce_psn_add(wqe->psn, wqe->nr_packets);
	bool has_response = uroce_sq_has_response(wqe);
	uint32_t nr_psns, lost;

	if (has_response)
		end = uroce_psn_add(req->next_psn, 1);
	else if (uroce_psn_before(req->sent_psn, end))
		end = req->sent_psn;
	lost = find_lost(qp, req->next_psn, end);
	nr_psns = (uint32_t)uroce_psn_diff(lost, req->next_psn);
	if (has_response && nr_psns)
		nr_psns = uroce_request_count_response(
			wqe, (uint32_t)uroce_psn_diff(req->next_psn, wqe->psn));
	move_on(qp, wqe, nr_psns, has_response && nr_psns);
	return lost == end;
}

/* Advances next_psn to the next packet that is sent again, or to sent_psn. */
static void skip_to_lost(struct uroce_qp *qp)
{
	struct uroce_requester *req = &qp->roce->req;

	while (is_retransmission(req) &&
	       skip_sent(qp, uroce_ring_at(&qp->sq, qp->cur)))
		;
}

/* Makes one packet of the message at qp->cur, which has been started. */
static bool make_packet(struct uroce_qp *qp, struct uroce_send_wqe *wqe,
			uint64_t now, struct uroce_out *out)
{
	struct uroce_requester *req = &qp->roce->req;
	bool has_response = uroce_sq_has_response(wqe);
	bool is_new = !is_retransmission(req);
	uint32_t nr_psns;
	int ret;

	if (is_reliable(qp) && !window_room(qp))
		return false;
	if (has_response &&
	    (nr_unanswered(req) >= qp->max_rd_atomic ||
	     !window_has_part(qp, wqe) || !requester_has_room(qp, wqe)))
		return false;
	if (qp->roce->kbps && !uroce_pace_admits(qp, now))
		return false;

	ret = uroce_request_fill(qp, wqe, out, &nr_psns);
	if (ret) {
		fail_locally(qp, wqe,
			     ret == -EMSGSIZE ? IBV_WC_LOC_LEN_ERR
					      : IBV_WC_LOC_PROT_ERR);
		return false;
	}
	if (qp->roce->sack && !is_new)
		uroce_retry_sent_again(qp, req->next_psn, now);
	if (!has_response)
		nr_psns = uroce_rndv_request(qp, wqe, out);
	if (qp->roce->kbps)
		uroce_pace_spend(qp, 1, out->packet.payload_len);
	requester_advance(qp, wqe, nr_psns, has_response, now);
	ask_for_ack(qp, &out->packet, is_new, now);
	req->probing = false;
	return true;
}

bool uroce_requester_next(struct uroce_qp *qp, uint64_t now,
			  struct uroce_out *ret_out)
{
	struct uroce_requester *req = &qp->roce->req;

	while (!uroce_qp_is_stopped(qp) &&
	       (qp->state == IBV_QPS_RTS || qp->state == IBV_QPS_SQD)) {
		struct uroce_send_wqe *wqe;

		if (uroce_gap_next(qp, now, ret_out))
			return true;
		if (qp->roce->sack || req->probing)
			skip_to_lost(qp);
		if (req->resume_ns != UROCE_NEVER ||
		    !uroce_ring_has(&qp->sq, qp->cur))
			return false;
		wqe = uroce_ring_at(&qp->sq, qp->cur);
		if (!wqe->begun) {
			if (uroce_direct_try(qp, wqe) != UROCE_DIRECT_NO)
				continue;
			if (!begin(qp, wqe))
				return false;
			if (wqe->status != IBV_WC_SUCCESS)
				await_sent(qp);
		}
		if (wqe->status != IBV_WC_SUCCESS)
			return false;
		if (!uroce_sq_is_local(wqe))
			return make_packet(qp, wqe, now, ret_out);
		do_local(qp, wqe);
	}
	return false;
}

/* How many packets may follow that neither are the last nor request an ACK. */
static uint32_t count_run(const struct uroce_qp *qp,
			  const struct uroce_send_wqe *wqe, uint32_t max)
{
	const struct uroce_requester *req = &qp->roce->req;
	uint32_t room = window_room(qp), every = ack_every(req);
	uint32_t credit = uroce_pace_room(qp);
	int inner = (int)wqe->nr_packets - 1 -
		    uroce_psn_diff(req->next_psn, wqe->psn);

	if (is_reliable(qp) &&
	    (req->recovering || req->packets_since_ack_req + 1u >= every ||
	     !room ||
	     ((qp->roce->sack || req->probing) && is_retransmission(req))))
		return 0;
	if (!credit)
		return 0;
	/* the last packet before a wait requests an ACK */
	max = min_u32(max, credit - 1);
	if (is_reliable(qp))
		max = min_u32(max,
			      min_u32(every - 1 - req->packets_since_ack_req,
				      room - 1));
	return inner > 0 ? min_u32(max, (uint32_t)inner) : 0;
}

uint32_t uroce_requester_next_run(struct uroce_qp *qp, uint64_t now,
				  uint32_t max, struct uroce_out *out)
{
	struct uroce_requester *req = &qp->roce->req;
	struct uroce_send_wqe *wqe;
	uint32_t nr;

	if (!uroce_ring_has(&qp->sq, qp->cur) || req->resume_ns != UROCE_NEVER)
		return 0;
	wqe = uroce_ring_at(&qp->sq, qp->cur);
	/* a cursor at 0: @out is no packet of @wqe, or the payload is inline */
	if (!wqe->begun || wqe->status != IBV_WC_SUCCESS || !req->out.offset)
		return 0;
	nr = count_run(qp, wqe, max);
	if (nr)
		nr = uroce_request_fill_run(qp, wqe, nr, out);
	if (!nr)
		return 0;
	if (qp->roce->kbps)
		uroce_pace_spend(qp, nr, out->packet.payload_len);
	requester_advance(qp, wqe, nr, false, now);
	req->packets_since_ack_req += nr;
	return nr;
}

void uroce_requester_sent(struct uroce_qp *qp)
{
	struct uroce_requester *req = &qp->roce->req;

	if (!is_reliable(qp)) {
		req->una_psn = req->next_psn;
		while (qp->sq.tail != qp->cur)
			uroce_complete_send(qp, IBV_WC_SUCCESS);
	}
	uroce_sq_check_oldest(qp);
	uroce_engine_activate(qp->roce->engine,
			      qp); /* bind or invalidate may wait */
}
