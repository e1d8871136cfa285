/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Packets to side 1 that are made by hand, and what it answers. */
#ifndef UROCE_HOSTILE_H
#define UROCE_HOSTILE_H

#include "uroce_pair.h"

#define TARGET 300000
#define MTU    1024

/* Answers of side 1. */
struct seen {
	unsigned int nr;
	struct uroce_packet last;
};

/* Answers are noted in @seen. */
struct pair *new_pair(struct pair_options o, struct seen *seen);

/* What side 1 expects next. */
struct uroce_packet next_packet(const struct pair *pair, uint8_t opcode);

/* Has it delivered. */
void inject(struct pair *pair, struct uroce_packet packet,
	    uint32_t payload_len);

/* A receive request of side 1 for 10000 bytes. */
void post_recv(struct pair *pair);

/* A filter of the wire. */
enum pair_verdict drop_answers(struct pair *pair, unsigned int from,
			       const struct uroce_packet *packet);

/* Nothing was written to the memory of side 1. */
void check_untouched(const struct pair *pair);

#endif
