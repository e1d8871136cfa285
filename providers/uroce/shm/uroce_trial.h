/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Path selection for long messages. Which of two paths is faster is not known
 * in advance and may change: a sampling window of messages uses one path, the
 * next window the other, and later windows sample the slower path again from
 * time to time. Single samples would not do, because each path leaves the data
 * in those caches that suit itself.
 */
#ifndef UROCE_TRIAL_H
#define UROCE_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

/* Outstanding messages with a record; the oldest record is overwritten. */
#define UROCE_TRIAL_MESSAGES 64

enum uroce_way {
	UROCE_WAY_RING,
	UROCE_WAY_RNDV,
	UROCE_NR_WAYS,
};

struct uroce_trial_message {
	uint64_t begun_ns; /* 0: none */
	uint32_t qpn, psn;
	enum uroce_way way;
};

struct uroce_trial {
	uint32_t rate[UROCE_NR_WAYS]; /* recent bytes per us; 0: unknown */
	uint32_t nr;		      /* messages begun; wraps */
	uint32_t left;		      /* messages of the window */
	enum uroce_way tried;	      /* path of the window */
	/* messages that ended at one time: an ACK can cover many */
	uint64_t from_ns, until_ns;
	uint64_t bytes;
	uint32_t ways, ways_before; /* paths now and before; 1 << way */
	struct uroce_trial_message message[UROCE_TRIAL_MESSAGES];
};

/**
 * uroce_trial_begin() - select the path of a message
 * @qpn: its QP; identifies the message together with @psn, its first PSN
 * @now: ns, not 0
 */
enum uroce_way uroce_trial_begin(struct uroce_trial *trial, uint32_t qpn,
				 uint32_t psn, uint64_t now);

/**
 * uroce_trial_end() - record a message that completed successfully
 * @bytes: length of the message
 *
 * Not called for a message that failed.
 */
void uroce_trial_end(struct uroce_trial *trial, uint32_t qpn, uint32_t psn,
		     uint32_t bytes, uint64_t now);

#endif
