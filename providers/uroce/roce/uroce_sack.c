/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "uroce/roce/uroce_sack.h"

#include "uroce/roce/uroce_pages.h"
#include "uroce/roce/uroce_psn.h"
#include "uroce/roce/uroce_psn_set.h"
#include "util/list.h"
#include "util/min.h"

/*
 * Requests that arrive after a missing one until that is lost (RFC 6675). The
 * number doubles when one was only late, as the network reorders packets
 * (RFC 4653), up to MAX_LATE times.
 */
#define LATER_ARRIVALS 3
#define MAX_LATE       4

/* A PSN that was sent again. */
struct sack_again {
	struct list_node entry;
	bool linked;	   /* neither arrived nor lost since then */
	uint32_t sent_psn; /* of the requester at that time */
	uint64_t sent_ns;
};

struct uroce_sack {
	uint32_t end_psn;     /* behind the last one that has arrived */
	uint32_t lost_psn;    /* of those sent before it, missing is lost */
	uint32_t nr_received; /* behind una_psn */
	uint32_t nr_lost;     /* not sent again */
	bool of_responses;    /* of READs; else of requests */
	uint32_t late_psn;    /* sent_psn when nr_late has grown */
	struct uroce_psn_set received;
	struct list_node again; /* those that are linked, oldest first */
	struct sack_again sent_again[UROCE_PSN_SET];
};

/* Whether it has not arrived, though enough that was sent later has. */
static bool request_is_lost(const struct uroce_sack *sack, uint32_t psn)
{
	return uroce_psn_before(psn, sack->lost_psn) &&
	       !uroce_psn_set_has(&sack->received, psn) &&
	       !sack->sent_again[uroce_psn_set_at(psn)].linked;
}

uint32_t uroce_sack_find_lost(const struct uroce_sack *sack, uint32_t psn,
			      uint32_t end)
{
	if (!sack->nr_lost)
		return end;
	while (uroce_psn_before(psn, end) &&
	       uroce_psn_before(psn, sack->lost_psn)) {
		if (uroce_psn_set_byte(&sack->received, psn) == UINT8_MAX)
			psn = uroce_psn_add(psn, 8);
		else if (request_is_lost(sack, psn))
			return psn;
		else
			psn = uroce_psn_add(psn, 1);
	}
	return end;
}

static void sack_unlink(struct sack_again *again)
{
	list_del(&again->entry);
	again->linked = false;
}

/*
 * A packet that was sent again, and arrives in less than the least RTT, was
 * late, not lost (as in RFC 8985, section 6.2): a window that it has reduced
 * grows again. A half, because a QP that begins while others fill a queue takes
 * a long RTT for the least. Packets that were sent again before this one has
 * arrived show nothing new.
 */
static void check_late(struct uroce_qp *qp, const struct sack_again *again,
		       uint64_t now)
{
	struct uroce_requester *req = &qp->roce->req;
	struct uroce_sack *sack = qp->roce->sack;

	if (req->nr_late == MAX_LATE ||
	    uroce_psn_before(again->sent_psn, sack->late_psn) ||
	    now - again->sent_ns >= req->cwnd.rtt.min_ns / 2)
		return;
	req->nr_late++;
	sack->late_psn = req->sent_psn;
	uroce_cwnd_undo(&req->cwnd);
}

static void sack_add(struct uroce_qp *qp, uint32_t psn, uint64_t now)
{
	struct uroce_sack *sack = qp->roce->sack;
	struct sack_again *again = &sack->sent_again[uroce_psn_set_at(psn)];

	if (uroce_psn_set_has(&sack->received, psn))
		return;
	if (again->linked) {
		check_late(qp, again, now);
		sack_unlink(again);
	} else if (uroce_psn_before(psn, sack->lost_psn)) {
		sack->nr_lost--;
	}
	uroce_psn_set_add(&sack->received, psn);
	sack->nr_received++;
}

/* What was sent again when the next PSN was @sent_psn, or before, is lost. */
static void sack_lose_again(struct uroce_sack *sack, uint32_t sent_psn)
{
	while (!list_empty(&sack->again)) {
		struct sack_again *again =
			list_entry(sack->again.next, struct sack_again, entry);

		if (uroce_psn_before(sent_psn, again->sent_psn))
			return;
		sack_unlink(again);
		sack->nr_lost++;
	}
}

/* What is missing and was sent before @lost_psn is lost. */
static void sack_advance(struct uroce_sack *sack, uint32_t lost_psn)
{
	for (; sack->lost_psn != lost_psn;
	     sack->lost_psn = uroce_psn_add(sack->lost_psn, 1))
		sack->nr_lost +=
			!uroce_psn_set_has(&sack->received, sack->lost_psn);
	sack_lose_again(sack, uroce_psn_add(lost_psn, -1));
}

/* All in the list was sent and is not acknowledged; una_psn is missing. */
static bool list_is_valid(const struct uroce_requester *req,
			  const struct uroce_packet *packet, uint32_t *ret_end)
{
	const uint8_t *list = packet->payload;
	uint32_t bytes = packet->payload_len;
	uint32_t end;

	while (bytes && !list[bytes - 1])
		bytes--;
	if (!bytes || bytes > UROCE_PSN_SET_BYTES || list[0] & 1)
		return false;
	end = 8 * bytes -
	      (uint32_t)__builtin_clz((unsigned int)list[bytes - 1] << 24);
	*ret_end = uroce_psn_add(req->una_psn, end);
	return end <= (uint32_t)uroce_psn_diff(req->sent_psn, req->una_psn);
}

/* Returns whether the list has PSNs that were not known to have arrived. */
static bool add_list(struct uroce_qp *qp, const struct uroce_packet *packet,
		     uint64_t now)
{
	const struct uroce_sack *sack = qp->roce->sack;
	uint32_t psn = qp->roce->req.una_psn;
	uint32_t before = sack->nr_received;

	for (uint32_t i = 0; i < packet->payload_len;
	     i++, psn = uroce_psn_add(psn, 8)) {
		uint8_t news =
			packet->payload[i] &
			(uint8_t)~uroce_psn_set_byte(&sack->received, psn);

		for (uint32_t bit = 0; news; bit++, news >>= 1) {
			if (news & 1)
				sack_add(qp, uroce_psn_add(psn, bit), now);
		}
	}
	return sack->nr_received != before;
}

static void find_lost_psn(struct uroce_sack *sack,
			  const struct uroce_requester *req)
{
	uint32_t psn = sack->end_psn, left = LATER_ARRIVALS << req->nr_late;

	if (sack->end_psn == req->sent_psn) {
		/* nothing else is in flight */
		sack_advance(sack, sack->end_psn);
		return;
	}
	while (left && psn != req->una_psn) {
		psn = uroce_psn_add(psn, -1);
		left -= uroce_psn_set_has(&sack->received, psn);
	}
	if (!left && !uroce_psn_before(psn, sack->lost_psn))
		sack_advance(sack, uroce_psn_add(psn, 1));
}

/* The record, which is new if there was none; NULL: no memory. */
static struct uroce_sack *sack_open(struct uroce_qp *qp, bool of_responses,
				    uint32_t end)
{
	struct uroce_sack *sack = qp->roce->sack;

	if (!sack) {
		sack = uroce_pages_take(&qp->roce->engine->sack_pages,
					sizeof(*sack));
		if (!sack)
			return NULL;
		sack->of_responses = of_responses;
		sack->end_psn = end;
		sack->lost_psn = qp->roce->req.una_psn;
		sack->late_psn = qp->roce->req.una_psn;
		list_init(&sack->again);
		qp->roce->sack = sack;
	}
	if (uroce_psn_before(sack->end_psn, end))
		sack->end_psn = end;
	return sack;
}

bool uroce_sack_receive(struct uroce_qp *qp, const struct uroce_packet *packet,
			uint64_t now, bool *ret_news)
{
	const struct uroce_requester *req = &qp->roce->req;
	struct uroce_sack *sack;
	uint32_t end;

	if (!list_is_valid(req, packet, &end))
		return false;
	sack = sack_open(qp, false, end);
	if (!sack)
		return false;
	*ret_news = add_list(qp, packet, now);
	find_lost_psn(sack, req);
	return true;
}

bool uroce_sack_add_response(struct uroce_qp *qp, uint32_t psn,
			     uint32_t nr_psns, uint64_t now)
{
	const struct uroce_requester *req = &qp->roce->req;
	uint32_t end = uroce_psn_add(psn, nr_psns);
	struct uroce_sack *sack;

	if (uroce_psn_diff(end, req->una_psn) > UROCE_SACK_SPAN)
		return false;
	sack = sack_open(qp, true, end);
	if (!sack)
		return false;
	for (; psn != end; psn = uroce_psn_add(psn, 1))
		sack_add(qp, psn, now);
	find_lost_psn(sack, req);
	return true;
}

bool uroce_sack_is_of_responses(const struct uroce_qp *qp)
{
	return qp->roce->sack && qp->roce->sack->of_responses;
}

uint32_t uroce_sack_count_lost(const struct uroce_sack *sack, uint32_t psn,
			       uint32_t max)
{
	uint32_t nr = 0;

	while (nr < max && request_is_lost(sack, psn)) {
		psn = uroce_psn_add(psn, 1);
		nr++;
	}
	return nr;
}

bool uroce_sack_has(const struct uroce_sack *sack, uint32_t psn)
{
	return uroce_psn_set_has(&sack->received, psn);
}

void uroce_sack_give_up(struct uroce_qp *qp)
{
	const struct uroce_requester *req = &qp->roce->req;
	struct uroce_sack *sack = qp->roce->sack;
	uint32_t in_flight =
		(uint32_t)uroce_psn_diff(req->sent_psn, req->una_psn);

	if (sack->of_responses)
		sack->end_psn = uroce_psn_add(
			req->una_psn, min_u32(in_flight, UROCE_SACK_SPAN));
	sack_advance(sack, sack->end_psn);
	sack_lose_again(sack, req->sent_psn);
}

void uroce_sack_moved_on(struct uroce_qp *qp, uint32_t old, uint64_t now)
{
	uint32_t una_psn = qp->roce->req.una_psn;
	struct uroce_sack *sack = qp->roce->sack;

	for (; old != una_psn && uroce_psn_before(old, sack->end_psn);
	     old = uroce_psn_add(old, 1)) {
		sack_add(qp, old, now); /* acknowledged */
		uroce_psn_set_remove(&sack->received, old);
		sack->nr_received--;
	}
	if (!uroce_psn_before(una_psn, sack->end_psn))
		uroce_sack_drop(qp);
	else if (uroce_psn_before(sack->lost_psn, una_psn))
		sack->lost_psn = una_psn;
}

void uroce_sack_sent(struct uroce_qp *qp, uint32_t psn, uint64_t now)
{
	struct uroce_sack *sack = qp->roce->sack;
	struct sack_again *again = &sack->sent_again[uroce_psn_set_at(psn)];

	again->sent_psn = qp->roce->req.sent_psn;
	again->sent_ns = now;
	again->linked = true;
	list_add_tail(&sack->again, &again->entry);
	sack->nr_lost--;
}

uint32_t uroce_sack_in_flight(const struct uroce_qp *qp)
{
	const struct uroce_requester *req = &qp->roce->req;
	const struct uroce_sack *sack = qp->roce->sack;

	return (uint32_t)uroce_psn_diff(req->sent_psn, req->una_psn) -
	       sack->nr_received - sack->nr_lost;
}

void uroce_sack_drop(struct uroce_qp *qp)
{
	struct uroce_sack *sack = qp->roce->sack;

	if (!sack)
		return;
	while (!list_empty(&sack->again))
		sack_unlink(
			list_entry(sack->again.next, struct sack_again, entry));
	sack->received = (struct uroce_psn_set){};
	sack->nr_received = 0;
	sack->nr_lost = 0;
	uroce_pages_keep(&qp->roce->engine->sack_pages, sack, sizeof(*sack));
	qp->roce->sack = NULL;
}
