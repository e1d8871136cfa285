/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Protocol selection for long messages. Which of two protocols is faster is not
 * known in advance and may change: a sampling window of messages uses one
 * protocol, the next window the other, and later windows sample the slower
 * protocol again from time to time. Single samples would not do, because each
 * protocol leaves the data in those caches that suit itself.
 */
#ifndef UROCE_SELECTION_H
#define UROCE_SELECTION_H

#include <stdbool.h>
#include <stdint.h>

/* Outstanding messages with a record; the oldest record is overwritten. */
#define UROCE_SELECTION_MESSAGES 64

enum uroce_protocol {
	UROCE_PROTOCOL_RING,
	UROCE_PROTOCOL_RNDV,
	UROCE_NR_PROTOCOLS,
};

struct uroce_selection_message {
	uint64_t begun_ns; /* 0: none */
	uint32_t qpn, psn;
	enum uroce_protocol protocol;
};

struct uroce_selection {
	uint32_t rate[UROCE_NR_PROTOCOLS]; /* recent bytes per us; 0: unknown */
	uint32_t nr;			   /* messages begun; wraps */
	uint32_t left;			   /* messages of the window */
	enum uroce_protocol tried;	   /* protocol of the window */
	/* messages that ended at one time: an ACK can cover many */
	uint64_t from_ns, until_ns;
	uint64_t bytes;
	uint32_t protocols,
		protocols_before; /* protocols now and before; 1 << protocol */
	struct uroce_selection_message message[UROCE_SELECTION_MESSAGES];
};

/**
 * uroce_selection_begin() - select the protocol of a message
 * @qpn: its QP; identifies the message together with @psn, its first PSN
 * @now: ns, not 0
 */
enum uroce_protocol uroce_selection_begin(struct uroce_selection *selection,
					  uint32_t qpn, uint32_t psn,
					  uint64_t now);

/**
 * uroce_selection_end() - record a message that completed successfully
 * @bytes: length of the message
 *
 * Not called for a message that failed.
 */
void uroce_selection_end(struct uroce_selection *selection, uint32_t qpn,
			 uint32_t psn, uint32_t bytes, uint64_t now);

#endif
