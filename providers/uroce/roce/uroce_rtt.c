/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* RTTs of packets, and the least of each round. */
#include "uroce/roce/uroce_rtt.h"

#include <string.h>

#include "uroce/roce/uroce_psn.h"

/* So many RTTs show the queue before the round ends (RFC 9406 has 8). */
#define ENOUGH_RTTS 4u

/* Removes the @nr packets from @first on. */
static void rtt_remove(struct uroce_rtt *rtt, unsigned int first,
		       unsigned int nr)
{
	rtt->nr_packets = (uint8_t)(rtt->nr_packets - nr);
	memmove(&rtt->packets[first], &rtt->packets[first + nr],
		(rtt->nr_packets - first) * sizeof(rtt->packets[0]));
}

/* How many packets come before @psn. */
static unsigned int rtt_count_before(const struct uroce_rtt *rtt, uint32_t psn)
{
	unsigned int nr = 0;

	while (nr < rtt->nr_packets &&
	       uroce_psn_before(rtt->packets[nr].psn, psn))
		nr++;
	return nr;
}

void uroce_rtt_sent(struct uroce_rtt *rtt, uint32_t psn, uint64_t now)
{
	if (rtt->nr_packets == UROCE_RTT_PACKETS)
		return;
	rtt->packets[rtt->nr_packets++] =
		(struct uroce_rtt_packet){ .sent_ns = now, .psn = psn };
}

static void rtt_add(struct uroce_rtt *rtt, uint64_t sent_ns, uint64_t now)
{
	uint64_t ns = now > sent_ns ? now - sent_ns : 1;

	if (now < sent_ns)
		return;
	if (!rtt->round_ns || ns < rtt->round_ns)
		rtt->round_ns = ns;
	if (rtt->nr_taken < UINT8_MAX)
		rtt->nr_taken++;
	if (!rtt->min_ns || ns < rtt->min_ns)
		rtt->min_ns = ns;
}

void uroce_rtt_take(struct uroce_rtt *rtt, unsigned int index, uint64_t now)
{
	uint64_t sent_ns = rtt->packets[index].sent_ns;

	rtt_remove(rtt, index, 1);
	rtt_add(rtt, sent_ns, now);
}

static void rtt_end_round(struct uroce_rtt *rtt, uint32_t sent_psn)
{
	rtt->end_psn = sent_psn;
	rtt->nr_taken = 0;
	if (!rtt->round_ns)
		return;
	rtt->previous_ns = rtt->round_ns;
	rtt->round_ns = 0;
}

uint64_t uroce_rtt_acked(struct uroce_rtt *rtt, uint32_t una_psn,
			 uint32_t sent_psn, unsigned int nr_rtts, uint64_t now)
{
	unsigned int nr = rtt_count_before(rtt, una_psn);
	bool had_enough = rtt->nr_taken >= ENOUGH_RTTS;
	uint64_t known_ns = 0;

	if (nr) {
		uint64_t sent_ns = rtt->packets[nr - 1].sent_ns;

		rtt_remove(rtt, 0, nr);
		rtt_add(rtt, sent_ns, now);
	}
	if (!had_enough && rtt->nr_taken >= ENOUGH_RTTS)
		known_ns = rtt->round_ns;
	if (uroce_psn_before(una_psn, rtt->end_psn) || rtt->nr_taken < nr_rtts)
		return known_ns;
	if (!had_enough)
		known_ns = rtt->round_ns;
	rtt_end_round(rtt, sent_psn);
	return known_ns;
}

void uroce_rtt_stop(struct uroce_rtt *rtt, uint32_t psn)
{
	rtt->nr_packets = (uint8_t)rtt_count_before(rtt, psn);
}

void uroce_rtt_stop_packet(struct uroce_rtt *rtt, uint32_t psn)
{
	unsigned int at = rtt_count_before(rtt, psn);

	if (at < rtt->nr_packets && rtt->packets[at].psn == psn)
		rtt_remove(rtt, at, 1);
}
