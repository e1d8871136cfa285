/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The token bucket. The unit of the credit is the microbit, as 1 kbit/s are so
 * many in 1 ns, so that nothing is rounded.
 */
#include "uroce/roce/uroce_pace.h"

#include "uroce/roce/uroce_engine.h"
#include "uroce/roce/uroce_timers.h"
#include "util/clock.h"

#define BYTE_MICROBITS INT64_C(8000000)
/*
 * Burst if the application does not choose it: as long as a thread that is late
 * on a busy machine.
 */
#define BURST_NS (10 * VERBS_NS_PER_MS)
/* A wait ends with the credit of this time, or of half a burst. */
#define WAIT_NS UINT64_C(250000)

static int64_t packet_cost(uint32_t payload_len)
{
	return (payload_len + UROCE_BTH_LEN + UROCE_ICRC_LEN) * BYTE_MICROBITS;
}

static int64_t max_i64(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t max_credit(const struct uroce_qp *qp)
{
	const struct uroce_pace *pace = &qp->roce->pace;
	int64_t packet = packet_cost(qp->mtu);

	if (pace->burst_bytes)
		return max_i64(pace->burst_bytes * BYTE_MICROBITS, packet);
	return max_i64(qp->roce->kbps * (int64_t)BURST_NS, 2 * packet);
}

static void pace_refill(struct uroce_qp *qp, uint64_t now)
{
	struct uroce_pace *pace = &qp->roce->pace;
	uint64_t passed = now > pace->since_ns ? now - pace->since_ns : 0;
	int64_t full = max_credit(qp), missing = full - pace->credit;

	pace->since_ns += passed;
	if (missing <= 0 || passed > (uint64_t)missing / qp->roce->kbps)
		pace->credit = full;
	else
		pace->credit += (int64_t)passed * qp->roce->kbps;
}

static void pace_wait(struct uroce_qp *qp)
{
	struct uroce_pace *pace = &qp->roce->pace;
	int64_t part = qp->roce->kbps * (int64_t)WAIT_NS;
	int64_t half = max_credit(qp) / 2;
	int64_t wanted =
		max_i64(packet_cost(qp->mtu), part < half ? part : half);
	uint64_t missing = (uint64_t)(wanted - pace->credit);

	pace->until_ns = pace->since_ns + missing / qp->roce->kbps + 1;
	uroce_timers_set(qp->roce->engine, qp, pace->until_ns);
}

bool uroce_pace_admits(struct uroce_qp *qp, uint64_t now)
{
	struct uroce_pace *pace = &qp->roce->pace;

	if (pace->until_ns != UROCE_NEVER && now < pace->until_ns)
		return false;
	pace->until_ns = UROCE_NEVER;
	pace_refill(qp, now);
	if (uroce_pace_count(qp))
		return true;
	pace_wait(qp);
	return false;
}

void uroce_pace_spend(struct uroce_qp *qp, uint32_t nr_packets,
		      uint32_t payload_len)
{
	qp->roce->pace.credit -= nr_packets * packet_cost(payload_len);
}

uint32_t uroce_pace_count(const struct uroce_qp *qp)
{
	int64_t nr = qp->roce->pace.credit / packet_cost(qp->mtu);

	return nr > 0 ? (uint32_t)nr : 0;
}

static void end_wait(struct uroce_qp *qp)
{
	qp->roce->pace.until_ns = UROCE_NEVER;
	uroce_engine_activate(qp->roce->engine, qp);
}

void uroce_pace_expire(struct uroce_qp *qp, uint64_t now)
{
	if (qp->roce->pace.until_ns <= now)
		end_wait(qp);
}

/*
 * A new limit takes effect at once, with the credit of the old one. The first
 * one begins with a burst.
 */
static void apply_limits(struct uroce_qp *qp)
{
	struct uroce_pace *pace = &qp->roce->pace;
	uint32_t kbps = pace->limit_kbps;

	if (!kbps || (pace->path_kbps && pace->path_kbps < kbps))
		kbps = pace->path_kbps;
	if (!qp->roce->kbps)
		pace->credit = INT64_MAX;
	qp->roce->kbps = kbps;
	qp->roce->shortcuts = qp->type == IBV_QPT_RC && !kbps &&
			      qp->mig_state == IBV_MIG_MIGRATED;
	if (pace->until_ns != UROCE_NEVER)
		end_wait(qp);
}

void uroce_pace_limit(struct uroce_qp *qp, uint32_t kbps, uint32_t burst_bytes)
{
	qp->roce->pace.limit_kbps = kbps;
	qp->roce->pace.burst_bytes = burst_bytes;
	apply_limits(qp);
}

void uroce_pace_limit_path(struct uroce_qp *qp, uint32_t kbps)
{
	qp->roce->pace.path_kbps = kbps;
	apply_limits(qp);
}

void uroce_pace_end(struct uroce_qp *qp)
{
	qp->roce->pace = (struct uroce_pace){ .until_ns = UROCE_NEVER };
	apply_limits(qp);
}
