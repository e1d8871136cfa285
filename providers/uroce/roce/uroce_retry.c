/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Retransmission by the requester, from una_psn on. Its causes are NAKs and
 * gaps in the responses, which uroce_ack.c detects, and timeouts.
 */
#include "uroce/roce/uroce_retry.h"

#include "uroce/qp/uroce_cause.h"
#include "uroce/qp/uroce_migration.h"
#include "uroce/qp/uroce_sq.h"
#include "uroce/roce/uroce_engine.h"
#include "uroce/roce/uroce_path_rtts.h"
#include "uroce/roce/uroce_psn.h"
#include "uroce/roce/uroce_request.h"
#include "uroce/roce/uroce_requester.h"
#include "uroce/roce/uroce_sack.h"
#include "uroce/roce/uroce_timers.h"
#include "util/clock.h"

/*
 * If no ACK comes for so long, and two RTTs, the last packet is sent again: its
 * loss, or that of its ACK, shows in no NAK, and the timeout is much longer (as
 * the tail loss probe of RFC 8985). The time is that for which a busy peer may
 * delay an ACK.
 */
#define PROBE_NS   (2 * VERBS_NS_PER_MS)
#define MAX_PROBES 20u /* that double the time */

uint64_t uroce_retry_deadline(const struct uroce_qp *qp)
{
	const struct uroce_requester *req = &qp->roce->req;
	uint64_t deadline = req->ack_ns < req->resume_ns ? req->ack_ns
							 : req->resume_ns;

	return deadline < req->probe_ns ? deadline : req->probe_ns;
}

static void stop_timer(struct uroce_requester *req)
{
	req->ack_ns = UROCE_NEVER;
	req->probe_ns = UROCE_NEVER;
}

/*
 * The peer responds, so the next probe waits for the shortest time again.
 * Without an RTT, the probes keep their interval (Karn's algorithm).
 */
static void stop_timer_answered(struct uroce_requester *req)
{
	stop_timer(req);
	if (req->cwnd.rtt.min_ns)
		req->nr_probes = 0;
}

static uint64_t timeout_from(const struct uroce_qp *qp, uint64_t now)
{
	uint64_t timeout = uroce_sq_timeout_ns(qp->timeout);

	return timeout == UROCE_NEVER ? UROCE_NEVER : now + timeout;
}

/* A number below @below: not random, but different for each QP and time. */
static uint64_t spread(const struct uroce_qp *qp, uint64_t now, uint64_t below)
{
	uint64_t hash = (now ^ (uint64_t)qp->qpn << 32 ^ qp->sq_psn) *
			UINT64_C(0x9e3779b97f4a7c15);

	return (hash >> 32) * below >> 32;
}

/*
 * Not within a host, where no packet is lost. A probe may be lost, too: the
 * next one waits twice as long. Without an RTT, many QPs may have begun at the
 * same time, and lost all: their probes are spread, so that they do not collide
 * again.
 */
static uint64_t probe_from(const struct uroce_qp *qp, uint64_t now)
{
	const struct uroce_requester *req = &qp->roce->req;
	uint64_t wait_ns;

	if (qp->roce->channel)
		return UROCE_NEVER;
	/* timeout 0: without an RTT nothing would end the probes */
	if (!req->cwnd.rtt.min_ns && req->ack_ns == UROCE_NEVER)
		return UROCE_NEVER;
	wait_ns = (2 * req->cwnd.rtt.min_ns + PROBE_NS) << req->nr_probes;
	if (!req->cwnd.rtt.min_ns)
		wait_ns += spread(qp, now, wait_ns);
	return now + wait_ns < req->ack_ns ? now + wait_ns : UROCE_NEVER;
}

void uroce_retry_begin(struct uroce_qp *qp, uint64_t now)
{
	struct uroce_requester *req = &qp->roce->req;

	req->stale = qp->roce->engine->stale;
	req->ack_ns = timeout_from(qp, now);
	req->probe_ns = probe_from(qp, now);
	uroce_timers_set(qp->roce->engine, qp, uroce_retry_deadline(qp));
}

/*
 * The least RTT of the path. A QP that begins while others fill a queue never
 * sees the RTT without it, so QPs of an engine share it (RFC 9040, section 8).
 */
static uint64_t path_rtt(struct uroce_qp *qp)
{
	const struct uroce_rtt *rtt = &qp->roce->req.cwnd.rtt;

	return uroce_path_rtts_least(&qp->roce->engine->path_rtts,
				     qp->path.dgid, rtt->min_ns);
}

static void grow_window(struct uroce_qp *qp, uint32_t nr_packets, uint64_t now)
{
	struct uroce_requester *req = &qp->roce->req;
	const struct uroce_acked acked = {
		.una_psn = req->una_psn,
		.nr_packets = nr_packets,
		.in_flight = nr_packets + (uint32_t)uroce_psn_diff(
						  req->sent_psn, req->una_psn),
		.limit = UROCE_WINDOW_BYTES / qp->mtu,
	};
	const uint64_t least_ns = req->cwnd.rtt.min_ns;

	uroce_cwnd_acked(&req->cwnd, &acked, now);
	if (req->cwnd.rtt.min_ns != least_ns)
		(void)path_rtt(qp);
}

void uroce_retry_progress(struct uroce_qp *qp, uint64_t now)
{
	struct uroce_requester *req = &qp->roce->req;

	req->recovering = false;
	req->retry_left = qp->retry_cnt;
	req->rnr_left = qp->rnr_retry;
	stop_timer_answered(req);
	if (req->una_psn != req->sent_psn && req->resume_ns == UROCE_NEVER)
		uroce_retry_start(qp, now);
}

void uroce_retry_acked(struct uroce_qp *qp, uint32_t nr_packets, uint64_t now)
{
	uroce_retry_progress(qp, now);
	if (!qp->roce->channel)
		grow_window(qp, nr_packets, now);
}

void uroce_retry_rewind(struct uroce_qp *qp)
{
	struct uroce_requester *req = &qp->roce->req;
	uint32_t cur = qp->sq.tail;

	for (; uroce_ring_has(&qp->sq, cur); cur++) {
		const struct uroce_send_wqe *wqe = uroce_ring_at(&qp->sq, cur);

		if (!wqe->begun || wqe->status != IBV_WC_SUCCESS ||
		    uroce_psn_before(req->una_psn,
				     uroce_psn_add(wqe->psn, wqe->nr_packets)))
			break;
	}
	qp->cur = cur;
	req->next_psn = req->una_psn;
	req->probing = false;
	req->lost_read = false;
	req->out = (struct uroce_cursor){};
	req->rd_last = req->rd_first; /* none ends before una_psn */
	req->packets_since_ack_req = 0;
	qp->roce->rndv.sending = false; /* retransmit with payload */
}

static void window_lost(struct uroce_requester *req, uint64_t now)
{
	if (!req->cwnd.rtt.min_ns && req->nr_probes)
		uroce_cwnd_restart(&req->cwnd);
	else
		uroce_cwnd_lost(&req->cwnd, now);
}

/* As an ACK may be for either packet, none is measured. */
static void retry_all(struct uroce_qp *qp)
{
	uroce_retry_rewind(qp);
	uroce_rtt_stop_all(&qp->roce->req.cwnd.rtt);
}

static void go_back(struct uroce_qp *qp, uint64_t now)
{
	struct uroce_requester *req = &qp->roce->req;

	uroce_sack_drop(qp);
	req->recovering = true;
	/* a channel has flow control of its own */
	if (!qp->roce->channel)
		window_lost(req, now);
	retry_all(qp);
	stop_timer(req);
	uroce_retry_start(qp, now);
	uroce_engine_activate(qp->roce->engine, qp);
}

/*
 * IBTA 9.7.6.1.1, 9.7.6.1.2: after retry_cnt retries the request fails, unless
 * there is an alternate path.
 */
static bool use_retry(struct uroce_qp *qp, enum uroce_cause_kind cause)
{
	struct uroce_requester *req = &qp->roce->req;

	if (req->retry_left) {
		req->retry_left--;
		return true;
	}
	if (uroce_migration_migrate(qp)) {
		req->retry_left = qp->retry_cnt;
		return true;
	}
	uroce_cause_note(qp, cause, req->una_psn, qp->retry_cnt);
	uroce_core_count(qp->core, UROCE_C_RETRY_EXCEEDED, 1);
	uroce_qp_fault(qp, UROCE_FAULT_SQ, IBV_WC_RETRY_EXC_ERR);
	return false;
}

static void retry(struct uroce_qp *qp, enum uroce_cause_kind cause,
		  uint64_t now)
{
	if (use_retry(qp, cause))
		go_back(qp, now);
}

/*
 * The window shrinks once for all losses or marks of a window: whether @psn was
 * sent before the last reduction.
 */
static bool has_shrunk(const struct uroce_requester *req, uint32_t psn)
{
	int32_t reduced = uroce_psn_diff(req->reduced_psn, req->una_psn);

	return reduced <= uroce_psn_diff(req->sent_psn, req->una_psn) &&
	       reduced > uroce_psn_diff(psn, req->una_psn);
}

void uroce_retry_congested(struct uroce_qp *qp, uint32_t psn, uint64_t now)
{
	struct uroce_requester *req = &qp->roce->req;

	if (qp->roce->channel || has_shrunk(req, psn))
		return;
	req->reduced_psn = req->sent_psn;
	uroce_cwnd_marked(&req->cwnd, now);
}

static void shrink_window(struct uroce_qp *qp, uint32_t lost, uint64_t now)
{
	struct uroce_requester *req = &qp->roce->req;

	if (has_shrunk(req, lost) ||
	    !uroce_cwnd_is_congested(&req->cwnd, path_rtt(qp)))
		return;
	req->reduced_psn = req->sent_psn;
	window_lost(req, now);
}

/* Whether the packet @psn has arrived behind a gap. */
static bool is_behind_gap(const struct uroce_qp *qp, uint32_t psn)
{
	return uroce_psn_before(qp->roce->req.una_psn, psn) &&
	       uroce_sack_has(qp->roce->sack, psn);
}

/*
 * Takes the RTTs of packets that have arrived behind a gap. A packet whose
 * predecessor has not arrived may have overtaken it: its RTT is too short.
 */
static void take_rtts(struct uroce_qp *qp, uint64_t now)
{
	struct uroce_rtt *rtt = &qp->roce->req.cwnd.rtt;

	for (unsigned int i = rtt->nr_packets; i-- > 0;) {
		uint32_t psn = rtt->packets[i].psn;

		if (!is_behind_gap(qp, psn))
			continue;
		if (is_behind_gap(qp, uroce_psn_add(psn, -1)))
			uroce_rtt_take(rtt, i, now);
		else
			uroce_rtt_stop_packet(rtt, psn);
	}
}

/* Processes a change of the record; returns the first lost PSN, or sent_psn. */
static uint32_t record_changed(struct uroce_qp *qp, bool news, uint64_t now)
{
	struct uroce_requester *req = &qp->roce->req;
	uint32_t lost;

	req->recovering = false;
	if (news)
		stop_timer_answered(req);
	take_rtts(qp, now);
	uroce_retry_start(qp, now);
	lost = uroce_sack_find_lost(qp->roce->sack, req->una_psn,
				    req->sent_psn);
	if (lost != req->sent_psn)
		shrink_window(qp, lost, now);
	uroce_engine_activate(qp->roce->engine, qp);
	return lost;
}

bool uroce_retry_selectively(struct uroce_qp *qp,
			     const struct uroce_packet *packet, uint64_t now)
{
	struct uroce_requester *req = &qp->roce->req;
	uint32_t lost;
	bool news;

	if (req->resume_ns != UROCE_NEVER)
		return true; /* after the RNR wait all is sent again */
	if (!uroce_sack_receive(qp, packet, now, &news))
		return false;
	lost = record_changed(qp, news, now);
	if (lost != req->sent_psn && uroce_psn_before(lost, req->next_psn))
		uroce_retry_rewind(qp);
	return true;
}

void uroce_retry_sent_again(struct uroce_qp *qp, uint32_t psn, uint64_t now)
{
	struct uroce_cwnd *cwnd = &qp->roce->req.cwnd;

	uroce_sack_sent(qp, psn, now);
	cwnd->lost++;
	uroce_rtt_stop_packet(&cwnd->rtt, psn);
}

bool uroce_retry_response(struct uroce_qp *qp, uint32_t psn, uint64_t now)
{
	if (!uroce_sack_add_response(qp, psn, 1, now))
		return false;
	(void)record_changed(qp, true, now);
	return true;
}

void uroce_retry_lost(struct uroce_qp *qp, uint64_t now)
{
	if (qp->roce->req.recovering || qp->roce->req.resume_ns != UROCE_NEVER)
		return;
	stop_timer_answered(&qp->roce->req);
	if (qp->roce->channel)
		go_back(qp, now);
	else
		retry(qp, UROCE_CAUSE_LOST, now);
}

void uroce_retry_not_ready(struct uroce_qp *qp, uint8_t timer, uint64_t now)
{
	struct uroce_requester *req = &qp->roce->req;

	if (req->resume_ns != UROCE_NEVER)
		return; /* the RNR wait for una_psn is running */
	if (!req->rnr_left) {
		uroce_cause_note(qp, UROCE_CAUSE_RNR, req->una_psn,
				 qp->rnr_retry);
		uroce_qp_fault(qp, UROCE_FAULT_SQ, IBV_WC_RNR_RETRY_EXC_ERR);
		return;
	}
	if (qp->rnr_retry != UROCE_RNR_RETRY_INFINITE)
		req->rnr_left--;
	req->retry_left = qp->retry_cnt; /* the peer responds */
	uroce_sack_drop(qp);
	retry_all(qp);
	stop_timer_answered(req);
	req->resume_ns = now + uroce_sq_rnr_ns(timer);
	uroce_timers_set(qp->roce->engine, qp, req->resume_ns);
}

/*
 * Of a READ, whose response may be long, the last packet alone is requested
 * again, if the peer goes on with the others.
 */
static void probe(struct uroce_qp *qp)
{
	struct uroce_requester *req = &qp->roce->req;
	bool of_responses = uroce_sack_is_of_responses(qp);
	const struct uroce_send_wqe *last;

	/* if the window is closed, all retransmissions may have been lost */
	if (req->next_psn != req->sent_psn && of_responses)
		return;
	last = uroce_request_find(qp, uroce_psn_add(req->sent_psn, -1));
	if (qp->roce->sack) {
		uroce_sack_give_up(qp);
	} else if (uroce_sq_has_response(last)) {
		if (last->opcode != IBV_WR_RDMA_READ || !req->selective)
			return;
		of_responses = true;
	}
	if (!of_responses) {
		uroce_retry_rewind(qp);
		uroce_rtt_stop_packet(&req->cwnd.rtt,
				      uroce_psn_add(req->sent_psn, -1));
	}
	req->probing = !qp->roce->sack;
	uroce_engine_activate(qp->roce->engine, qp);
}

/*
 * Whether a probe of the last packet is of no use: the oldest one was sent
 * again and is lost, or the peer reports each gap once only, and the NAK is
 * lost.
 */
static bool is_lost_again(const struct uroce_qp *qp)
{
	const struct uroce_requester *req = &qp->roce->req;

	if (qp->roce->sack)
		return false;
	return req->recovering || req->next_psn != req->sent_psn ||
	       (!req->selective && req->cwnd.rtt.min_ns && req->nr_probes > 1 &&
		!uroce_sq_has_response(uroce_ring_front(&qp->sq)));
}

/*
 * As the RTO of TCP (RFC 6298, RFC 5681): the window begins again, and the time
 * doubles. No retry is used, and the acknowledge timer is not started again.
 */
static void send_oldest_again(struct uroce_qp *qp)
{
	struct uroce_requester *req = &qp->roce->req;

	req->recovering = true;
	uroce_cwnd_restart(&req->cwnd);
	retry_all(qp);
	uroce_engine_activate(qp->roce->engine, qp);
}

void uroce_retry_expire(struct uroce_qp *qp, uint64_t now)
{
	struct uroce_requester *req = &qp->roce->req;

	if (req->resume_ns <= now) {
		req->resume_ns = UROCE_NEVER;
		req->recovering = false;
		uroce_engine_activate(qp->roce->engine, qp);
		/* the next packet starts the timer */
		stop_timer(req);
	}
	if (uroce_retry_deadline(qp) <= now && req->stale) {
		/*
		 * A stale timestamp started the timer: start it again. IBTA
		 * 9.7.6.1.3 allows up to four times the timeout.
		 */
		stop_timer(req);
		uroce_retry_start(qp, now);
	} else if (req->ack_ns <= now) {
		uroce_core_count(qp->core, UROCE_C_TIMEOUTS, 1);
		stop_timer(req);
		retry(qp, UROCE_CAUSE_TIMEOUT, now);
	} else if (req->probe_ns <= now) {
		if (req->nr_probes < MAX_PROBES)
			req->nr_probes++;
		req->probe_ns = probe_from(qp, now);
		if (req->una_psn == req->sent_psn)
			return;
		if (is_lost_again(qp))
			send_oldest_again(qp);
		else
			probe(qp);
	}
}
