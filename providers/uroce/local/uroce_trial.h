/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which of two ways is the faster one for long messages is not known before,
 * and may change: a row of messages goes one way, the next row the other, and
 * from then on a row now and then tries the slower one again. A row, as each
 * way leaves the data in the caches where it is best for itself.
 */
#ifndef UROCE_TRIAL_H
#define UROCE_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

/* Messages on the way that are remembered; of more the oldest is forgotten. */
#define UROCE_TRIAL_MESSAGES 64

enum uroce_way {
	UROCE_WAY_INBOX,
	UROCE_WAY_SPLIT,
	UROCE_NR_WAYS,
};

struct uroce_trial_message {
	uint64_t begun_ns; /* 0: none */
	uint32_t qpn, psn;
	enum uroce_way way;
};

struct uroce_trial {
	uint32_t rate[UROCE_NR_WAYS]; /* bytes in a us, lately; 0: not known */
	uint32_t nr;		      /* messages that have begun; wraps */
	uint32_t left;		      /* of the row that tries a way */
	enum uroce_way tried;	      /* which one */
	/* messages that have ended at a time: one ACK can be for many */
	uint64_t from_ns, until_ns;
	uint64_t bytes;
	uint32_t ways, ways_before; /* of them, of those before; 1 << way */
	struct uroce_trial_message message[UROCE_TRIAL_MESSAGES];
};

/**
 * uroce_trial_begin() - the way of a message that begins
 * @qpn: its QP; with @psn, of its first packet, its name
 * @now: ns, not 0
 */
enum uroce_way uroce_trial_begin(struct uroce_trial *trial, uint32_t qpn,
				 uint32_t psn, uint64_t now);

/**
 * uroce_trial_end() - a message has ended well
 * @bytes: of it
 *
 * Of one that has failed nothing need be said.
 */
void uroce_trial_end(struct uroce_trial *trial, uint32_t qpn, uint32_t psn,
		     uint32_t bytes, uint64_t now);

#endif
