/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A connection in which something is going on, for the fuzz targets of what
 * comes through memory: an engine with one QP of RC, bound to a channel, with
 * receives that wait, requests that are on their way, and memory that its peer
 * has all rights to. All of it is made anew for each input.
 */
#ifndef FUZZ_UROCE_FLOW_H
#define FUZZ_UROCE_FLOW_H

#include "fuzz/uroce_connected.h"

#define FLOW_DEPTH 32

/* Of a connection of long messages: more than uroce_split.h asks for. */
#define FLOW_LONG_MEMORY (1u << 20)
#define FLOW_LONG_READ	 300000

/* What is put right in headers, so that they get past the first checks. */
#define FLOW_RIGHT_PSN	  0x01 /* what the responder expects, and the distance */
#define FLOW_RIGHT_UNA	  0x02 /* what the requester waits for, and the same */
#define FLOW_RIGHT_KEY	  0x04
#define FLOW_RIGHT_VA	  0x08
#define FLOW_RIGHT_LENGTH 0x10
#define FLOW_RIGHT_HEADER 0x20 /* as long as its opcode says */
#define FLOW_WITH_ACK	  0x40 /* of what the requester waits for, likewise */

struct flow {
	struct uroce_engine engine;
	struct uroce_channel *channel; /* own, or the caller's */
	struct uroce_channel own;
	struct uroce_cq cq;
	struct uroce_rq rq;
	struct uroce_qp *qp;
	bool is_long;
	uint8_t first; /* request */
	uint8_t *memory;
	uint32_t bytes; /* of it */
	uint32_t key;
};

/**
 * flow_new() - connected, with receives and requests
 * @channel: that packets come through; NULL: one of its own
 * @now: ns
 */
struct flow *flow_new(struct uroce_channel *channel, uint64_t now);

/**
 * flow_new_long() - the same; receives, SENDs, WRITEs and READs are long
 * @first: which of them comes first: any number
 */
struct flow *flow_new_long(struct uroce_channel *channel, uint8_t first,
			   uint64_t now);

void flow_free(struct flow *w, uint64_t now);

/** flow_post_receives() - until there is no room */
void flow_post_receives(struct flow *w);

/** flow_post_sends() - one of each kind, if there is room */
void flow_post_sends(struct flow *w);

/** flow_settle() - what has happened is taken note of, and forgotten */
void flow_settle(struct flow *w, uint64_t now);

/** flow_send_all() - what the engine wants to send is sent, to nobody */
void flow_send_all(struct flow *w, uint64_t now);

/**
 * flow_put_right() - make headers those of a packet for this QP
 * @kind: in which respects: FLOW_RIGHT_*
 * @distance: from the right PSN
 * @brief: its header, and perhaps ack and header_len, are changed
 */
void flow_put_right(const struct flow *w, uint8_t kind, int8_t distance,
		    struct uroce_brief *brief);

#endif
