/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "uroce/shm/uroce_selection.h"

#include <stddef.h>

/*
 * A sampling window begins with each power of two from here, then every EVERY.
 */
#define ROW	   24
#define SECOND_ROW 64
#define EVERY	   1024

/* Messages that end within this time ended together. */
#define TOGETHER_NS 2000

static enum uroce_protocol other(enum uroce_protocol protocol)
{
	return protocol == UROCE_PROTOCOL_RING ? UROCE_PROTOCOL_RNDV
					       : UROCE_PROTOCOL_RING;
}

static enum uroce_protocol best(const struct uroce_selection *selection)
{
	return selection->rate[UROCE_PROTOCOL_RNDV] >
			       selection->rate[UROCE_PROTOCOL_RING]
		       ? UROCE_PROTOCOL_RNDV
		       : UROCE_PROTOCOL_RING;
}

/* The first rates are not representative, because memory is cold. */
static bool begins_row(uint32_t nr)
{
	if (nr < SECOND_ROW)
		return nr == 0 || nr == ROW;
	return (nr & (nr - 1)) == 0 || nr % EVERY == 0;
}

static enum uroce_protocol selection_choose(struct uroce_selection *selection)
{
	if (begins_row(selection->nr)) {
		selection->tried = selection->nr ? other(best(selection))
						 : UROCE_PROTOCOL_RING;
		selection->left = ROW;
	}
	if (!selection->left)
		return best(selection);
	selection->left--;
	return selection->tried;
}

enum uroce_protocol uroce_selection_begin(struct uroce_selection *selection,
					  uint32_t qpn, uint32_t psn,
					  uint64_t now)
{
	uint32_t at = selection->nr % UROCE_SELECTION_MESSAGES;
	enum uroce_protocol protocol = selection_choose(selection);

	selection->message[at].begun_ns = now;
	selection->message[at].qpn = qpn;
	selection->message[at].psn = psn;
	selection->message[at].protocol = protocol;
	selection->nr++;
	if (!selection->nr) /* do not begin again with the first windows */
		selection->nr = EVERY;
	return protocol;
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
 * Only messages of one protocol count, after the caches have no data of the
 * other.
 */
static void selection_learn(struct uroce_selection *selection)
{
	for (unsigned int protocol = 0; protocol < UROCE_NR_PROTOCOLS;
	     protocol++)
		if (selection->protocols == 1u << protocol &&
		    selection->protocols_before == 1u << protocol)
			selection->rate[protocol] =
				mix(selection->rate[protocol],
				    selection->bytes * 1000 /
					    (selection->until_ns -
					     selection->from_ns));
}

/* The first message of those that end together waited for those before it. */
static void end_first(struct uroce_selection *selection, uint64_t begun_ns)
{
	if (selection->bytes && selection->until_ns > selection->from_ns)
		selection_learn(selection);
	selection->protocols_before = selection->protocols;
	selection->protocols = 0;
	selection->bytes = 0;
	selection->from_ns =
		begun_ns > selection->until_ns ? begun_ns : selection->until_ns;
}

/*
 * The latest record of a message; an earlier one may have failed. NULL: none.
 */
static struct uroce_selection_message *
selection_find(struct uroce_selection *selection, uint32_t qpn, uint32_t psn)
{
	for (uint32_t i = 1; i <= UROCE_SELECTION_MESSAGES; i++) {
		struct uroce_selection_message *message =
			&selection->message[(selection->nr - i) %
					    UROCE_SELECTION_MESSAGES];

		if (message->begun_ns && message->qpn == qpn &&
		    message->psn == psn)
			return message;
	}
	return NULL;
}

void uroce_selection_end(struct uroce_selection *selection, uint32_t qpn,
			 uint32_t psn, uint32_t bytes, uint64_t now)
{
	struct uroce_selection_message *message =
		selection_find(selection, qpn, psn);

	if (!message)
		return;
	if (now - selection->until_ns > TOGETHER_NS)
		end_first(selection, message->begun_ns);
	selection->until_ns = now;
	selection->bytes += bytes;
	selection->protocols |= 1u << message->protocol;
	message->begun_ns = 0;
}
