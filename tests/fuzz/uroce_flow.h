/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An active connection for the fuzz targets of the shared-memory transport: an
 * engine with one RC QP bound to a channel, with posted receives, outstanding
 * work requests, and memory to which its peer has all access rights. It is made
 * anew for each input.
 */
#ifndef FUZZ_UROCE_FLOW_H
#define FUZZ_UROCE_FLOW_H

#include "fuzz/uroce_connected.h"

#define FLOW_DEPTH 32

/* For long messages: larger than the minimum of uroce_rndv.h. */
#define FLOW_LONG_MEMORY (1u << 20)
#define FLOW_LONG_READ	 300000

/*
 * Header fields that are corrected, so that a packet passes the first checks.
 */
#define FLOW_RIGHT_PSN	  0x01 /* the expected PSN, plus distance */
#define FLOW_RIGHT_UNA	  0x02 /* oldest unacknowledged PSN, plus distance */
#define FLOW_RIGHT_KEY	  0x04
#define FLOW_RIGHT_VA	  0x08
#define FLOW_RIGHT_LENGTH 0x10
#define FLOW_RIGHT_HEADER 0x20 /* the header length of the opcode */
#define FLOW_WITH_ACK	  0x40 /* an ACK of that PSN, plus distance */

struct flow {
	struct uroce_memory regions;
	struct uroce_engine engine;
	struct uroce_channel *channel; /* own, or the caller's */
	struct uroce_channel own;
	struct uroce_cq cq;
	struct uroce_rq rq;
	struct uroce_qp *qp;
	bool is_long;
	uint8_t first; /* first work request */
	uint8_t *memory;
	uint32_t bytes; /* of memory */
	uint32_t key;
};

/**
 * flow_new() - make a connection with receives and work requests
 * @channel: channel of its packets; NULL: a channel of its own
 * @now: ns
 */
struct flow *flow_new(struct uroce_channel *channel, uint64_t now);

/**
 * flow_new_long() - the same with long receives, SENDs, WRITEs and READs
 * @first: selects the first operation: any number
 */
struct flow *flow_new_long(struct uroce_channel *channel, uint8_t first,
			   uint64_t now);

void flow_free(struct flow *w, uint64_t now);

/**
 * flow_post_receives() - post receives until the queue is full
 */
void flow_post_receives(struct flow *w);

/**
 * flow_post_sends() - post one work request of each kind, if there is room
 */
void flow_post_sends(struct flow *w);

/**
 * flow_quiesce() - poll all completions and discard them
 */
void flow_quiesce(struct flow *w, uint64_t now);

/**
 * flow_send_all() - take all outgoing packets and discard them
 */
void flow_send_all(struct flow *w, uint64_t now);

/**
 * flow_correct_headers() - correct headers to be a packet for this QP
 * @kind: fields to correct: FLOW_RIGHT_*
 * @distance: from the right PSN
 * @eager: its header is changed, and depending on @kind ack and header_len
 */
void flow_correct_headers(const struct flow *w, uint8_t kind, int8_t distance,
			  struct uroce_eager_entry *eager);

#endif
