/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RFC 9438: after a loss the window is 0.7 of what it was. t seconds later it
 * is 0.4 * (t - K)^3 + most, where K is the time of rise to the old value, or
 * what Reno's would be if that is more. A random loss leaves it as it is.
 * Before the first loss it doubles with each RTT (slow start), until the RTT
 * rises by a quarter. Then it grows by a quarter with each of the next RTTs
 * (conservative slow start, RFC 9406), since the queue of the own adapter is
 * enough for a short RTT to rise: it ends if the RTT shows a queue. If the RTT
 * falls meanwhile, the window doubles again.
 */
#include "uroce/roce/uroce_cwnd.h"

#include "uroce/roce/uroce_psn.h"
#include "util/clock.h"
#include "util/min.h"

#define MIN_PACKETS 2u
/* Far below half of the PSN space (IBTA 9.7.1) */
#define MAX_PACKETS (1u << 20)
/* (t - K)^3 with t in ms is 10^9 times that with t in s; 0.4 = 1 / 2.5 */
#define CUBIC_SCALE 2500000000LL
/*
 * A loss is random, and no sign of congestion, if the RTT shows no queue, and
 * if less than one packet in RANDOM_LOSS was lost (2 %, as in BBRv2,
 * draft-cardwell-iccrg-bbr-congestion-control) of those of the last windows and
 * LOSS_PACKETS more.
 */
#define RANDOM_LOSS  50u
#define LOSS_ROUNDS  4u
#define LOSS_PACKETS 500u
/* RFC 9406, section 4.3 */
#define CSS_ROUNDS  5u
#define CSS_DIVISOR 4u
/* Of a round after slow start; a busy processor makes single ones longer. */
#define LEAST_RTTS 16u
/* Beyond it, the window exceeds MAX_PACKETS. */
#define MAX_CUBIC_MS 250000

/* The largest number whose third power is at most @cube. */
static uint32_t cube_root(uint64_t cube)
{
	uint64_t root = 0;

	for (uint64_t bit = 1u << 20; bit; bit >>= 1)
		if ((root | bit) * (root | bit) * (root | bit) <= cube)
			root |= bit;
	return (uint32_t)root;
}

static void begin_rise(struct uroce_cwnd *cwnd, uint32_t most, uint64_t now)
{
	cwnd->steady = true;
	cwnd->most = most;
	cwnd->since_ns = now;
	cwnd->acked = 0;
	cwnd->least = cwnd->packets;
	cwnd->rounds = 0;
	cwnd->rise_ms =
		cube_root((most - cwnd->packets) * (uint64_t)CUBIC_SCALE);
}

static uint32_t cwnd_limit(const struct uroce_cwnd *cwnd, uint32_t limit)
{
	uint64_t rtt_ms = cwnd->rtt.min_ns / VERBS_NS_PER_MS;

	if (!rtt_ms || !limit)
		return limit;
	return rtt_ms > MAX_PACKETS / limit ? MAX_PACKETS
					    : limit * (uint32_t)rtt_ms;
}

/* The window of the cubic function, at least 0. */
static uint32_t cubic(const struct uroce_cwnd *cwnd, uint64_t now)
{
	uint64_t passed_ms = now > cwnd->since_ns
				     ? (now - cwnd->since_ns) / VERBS_NS_PER_MS
				     : 0;
	int64_t t, packets;

	if (passed_ms > MAX_CUBIC_MS)
		return MAX_PACKETS;
	t = (int64_t)passed_ms - cwnd->rise_ms;
	packets = (int64_t)cwnd->most + t * t * t / CUBIC_SCALE;
	return packets < 0 ? 0 : (uint32_t)packets;
}

/* Section 4.3: a window with the same share of the network as Reno's */
static uint32_t reno(const struct uroce_cwnd *cwnd)
{
	return cwnd->least + (uint32_t)((uint64_t)cwnd->rounds * 53 / 100);
}

/*
 * Whether there was no queue, or a short one for less than CSS_ROUNDS. @ns is
 * the least RTT of a round.
 */
static bool slow_start_goes_on(struct uroce_cwnd *cwnd, uint64_t ns)
{
	if (uroce_rtt_has_queue(cwnd->rtt.min_ns, ns))
		return false;
	if (cwnd->css_rounds) {
		if (ns >= cwnd->css_ns)
			return --cwnd->css_rounds;
		cwnd->css_rounds = 0;
	} else if (ns > cwnd->rtt.min_ns + ns / 5) {
		cwnd->css_rounds = CSS_ROUNDS;
		cwnd->css_ns = ns;
		cwnd->acked = 0;
	}
	return true;
}

/* By how much the window grows in slow start. */
static uint32_t count_growth(struct uroce_cwnd *cwnd, uint32_t nr_acked)
{
	if (!cwnd->css_rounds)
		return nr_acked;
	nr_acked += cwnd->acked;
	cwnd->acked = nr_acked % CSS_DIVISOR;
	return nr_acked / CSS_DIVISOR;
}

void uroce_cwnd_acked(struct uroce_cwnd *cwnd, const struct uroce_acked *acked,
		      uint64_t now)
{
	uint32_t left = acked->in_flight - acked->nr_packets;
	uint64_t ns =
		uroce_rtt_acked(&cwnd->rtt, acked->una_psn,
				uroce_psn_add(acked->una_psn, (int32_t)left),
				cwnd->steady ? LEAST_RTTS : 1, now);
	uint32_t limit, wanted;

	if (ns && !cwnd->steady && !slow_start_goes_on(cwnd, ns))
		begin_rise(cwnd, cwnd->packets, now);
	cwnd->delivered += acked->nr_packets;
	if (cwnd->delivered > LOSS_ROUNDS * cwnd->packets + LOSS_PACKETS) {
		cwnd->delivered /= 2;
		cwnd->lost /= 2;
	}
	limit = cwnd_limit(cwnd, acked->limit);
	if (cwnd->packets >= limit || acked->in_flight < cwnd->packets / 2)
		return;
	if (!cwnd->steady) {
		cwnd->packets = min_u32(
			cwnd->packets + count_growth(cwnd, acked->nr_packets),
			limit);
		return;
	}
	cwnd->acked += acked->nr_packets;
	if (cwnd->acked < cwnd->packets)
		return;
	cwnd->acked = 0;
	if (cwnd->rounds < MAX_PACKETS)
		cwnd->rounds++;
	wanted = cubic(cwnd, now);
	if (wanted < reno(cwnd))
		wanted = reno(cwnd);
	wanted = min_u32(wanted, cwnd->packets + cwnd->packets / 2);
	if (wanted > cwnd->packets)
		cwnd->packets = min_u32(wanted, limit);
}

bool uroce_cwnd_is_congested(const struct uroce_cwnd *cwnd, uint64_t path_ns)
{
	uint64_t ns = uroce_rtt_least(&cwnd->rtt);

	return !ns || uroce_rtt_has_queue(path_ns, ns) ||
	       cwnd->lost * RANDOM_LOSS > cwnd->delivered + LOSS_PACKETS;
}

static void shrink(struct uroce_cwnd *cwnd, uint32_t percent, uint64_t now)
{
	uint32_t most = cwnd->packets;

	if (cwnd->packets > 2 * MIN_PACKETS)
		cwnd->packets = (uint32_t)((uint64_t)most * percent / 100);
	begin_rise(cwnd, most, now);
	cwnd->before = 0;
}

void uroce_cwnd_lost(struct uroce_cwnd *cwnd, uint64_t now)
{
	uint32_t before = cwnd->packets;

	cwnd->was_steady = cwnd->steady;
	shrink(cwnd, 70, now);
	cwnd->before = before;
	cwnd->delivered = 0;
	cwnd->lost = 0;
}

void uroce_cwnd_undo(struct uroce_cwnd *cwnd)
{
	if (cwnd->packets < cwnd->before) {
		cwnd->packets = cwnd->before;
		cwnd->steady = cwnd->was_steady;
	}
	cwnd->before = 0;
}

void uroce_cwnd_restart(struct uroce_cwnd *cwnd)
{
	cwnd->packets = MIN_PACKETS;
	cwnd->before = 0;
	cwnd->css_rounds = 0;
	cwnd->steady = false;
}

/* RFC 8511: a queue that marks is shorter than one that drops. */
void uroce_cwnd_marked(struct uroce_cwnd *cwnd, uint64_t now)
{
	shrink(cwnd, 85, now);
}
