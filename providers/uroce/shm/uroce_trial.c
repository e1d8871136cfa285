/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "uroce/shm/uroce_trial.h"

#include <stddef.h>

/*
 * A sampling window begins with each power of two from here, then every EVERY.
 */
#define ROW	   24
#define SECOND_ROW 64
#define EVERY	   1024

/* Messages that end within this time ended together. */
#define TOGETHER_NS 2000

static enum uroce_way other(enum uroce_way way)
{
	return way == UROCE_WAY_RING ? UROCE_WAY_RNDV : UROCE_WAY_RING;
}

static enum uroce_way best(const struct uroce_trial *trial)
{
	return trial->rate[UROCE_WAY_RNDV] > trial->rate[UROCE_WAY_RING]
		       ? UROCE_WAY_RNDV
		       : UROCE_WAY_RING;
}

/* The first rates are not representative, because memory is cold. */
static bool begins_row(uint32_t nr)
{
	if (nr < SECOND_ROW)
		return nr == 0 || nr == ROW;
	return (nr & (nr - 1)) == 0 || nr % EVERY == 0;
}

static enum uroce_way trial_choose(struct uroce_trial *trial)
{
	if (begins_row(trial->nr)) {
		trial->tried = trial->nr ? other(best(trial)) : UROCE_WAY_RING;
		trial->left = ROW;
	}
	if (!trial->left)
		return best(trial);
	trial->left--;
	return trial->tried;
}

enum uroce_way uroce_trial_begin(struct uroce_trial *trial, uint32_t qpn,
				 uint32_t psn, uint64_t now)
{
	uint32_t at = trial->nr % UROCE_TRIAL_MESSAGES;
	enum uroce_way way = trial_choose(trial);

	trial->message[at].begun_ns = now;
	trial->message[at].qpn = qpn;
	trial->message[at].psn = psn;
	trial->message[at].way = way;
	trial->nr++;
	if (!trial->nr) /* do not begin again with the first windows */
		trial->nr = EVERY;
	return way;
}

/*
 * A message that was slower than the average has less weight than a faster one,
 * because one of the processes may not have been running.
 */
static uint32_t mix(uint64_t old, uint64_t rate)
{
	if (rate > UINT32_MAX)
		rate = UINT32_MAX;
	if (!old)
		return (uint32_t)rate;
	if (rate < old / 2)
		rate = old / 2;
	return (uint32_t)(rate > old ? (old + rate) / 2 : (3 * old + rate) / 4);
}

/*
 * Only messages of one path count, after the caches have no data of the other.
 */
static void trial_learn(struct uroce_trial *trial)
{
	for (unsigned int way = 0; way < UROCE_NR_WAYS; way++)
		if (trial->ways == 1u << way && trial->ways_before == 1u << way)
			trial->rate[way] =
				mix(trial->rate[way],
				    trial->bytes * 1000 /
					    (trial->until_ns - trial->from_ns));
}

/* The first message of those that end together waited for those before it. */
static void end_first(struct uroce_trial *trial, uint64_t begun_ns)
{
	if (trial->bytes && trial->until_ns > trial->from_ns)
		trial_learn(trial);
	trial->ways_before = trial->ways;
	trial->ways = 0;
	trial->bytes = 0;
	trial->from_ns = begun_ns > trial->until_ns ? begun_ns
						    : trial->until_ns;
}

/*
 * The latest record of a message; an earlier one may have failed. NULL: none.
 */
static struct uroce_trial_message *trial_find(struct uroce_trial *trial,
					      uint32_t qpn, uint32_t psn)
{
	for (uint32_t i = 1; i <= UROCE_TRIAL_MESSAGES; i++) {
		struct uroce_trial_message *message =
			&trial->message[(trial->nr - i) % UROCE_TRIAL_MESSAGES];

		if (message->begun_ns && message->qpn == qpn &&
		    message->psn == psn)
			return message;
	}
	return NULL;
}

void uroce_trial_end(struct uroce_trial *trial, uint32_t qpn, uint32_t psn,
		     uint32_t bytes, uint64_t now)
{
	struct uroce_trial_message *message = trial_find(trial, qpn, psn);

	if (!message)
		return;
	if (now - trial->until_ns > TOGETHER_NS)
		end_first(trial, message->begun_ns);
	trial->until_ns = now;
	trial->bytes += bytes;
	trial->ways |= 1u << message->way;
	message->begun_ns = 0;
}
