/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Hand-made packets to side 1, and the responses of side 1. */
#ifndef UROCE_HOSTILE_H
#define UROCE_HOSTILE_H

#include "uroce_pair.h"

#define TARGET 300000
#define MTU    1024

/* Responses of side 1. */
struct seen {
	unsigned int nr;
	struct uroce_packet last;
};

/* Creates a pair that records responses in @seen. */
struct pair *hostile_pair_new(struct pair_options o, struct seen *seen);

/* A packet as side 1 expects it next. */
struct uroce_packet next_packet(const struct pair *pair, uint8_t opcode);

/* Delivers a packet. */
void inject_packet(struct pair *pair, struct uroce_packet packet,
		   uint32_t payload_len);

/* Posts a receive work request of side 1 for 10000 bytes. */
void hostile_post_recv(struct pair *pair);

/* Filter of the wire that drops responses. */
enum pair_action drop_responses(struct pair *pair, unsigned int from,
				const struct uroce_packet *packet);

/* Checks that the memory of side 1 is unchanged. */
void check_memory_unchanged(const struct pair *pair);

#endif
