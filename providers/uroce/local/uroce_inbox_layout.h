/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The memory of an inbox. Both sides must agree on all of it, so a change is a
 * new VERSION (uroce_pairing.c).
 */
#ifndef UROCE_INBOX_LAYOUT_H
#define UROCE_INBOX_LAYOUT_H

#include <stdint.h>

#include "uroce/local/uroce_inbox.h"

/* Of the cache; the size of a slot, and the step of the area. */
#define UROCE_INBOX_LINE 64

/* Two lines, as the second one is looked at more often than the first. */
struct uroce_inbox_status {
	/* slots the receiver has done with, modulo 2^32 */
	uint32_t consumed;
	uint8_t pad[UROCE_INBOX_LINE - sizeof(uint32_t)];
	/*
	 * 0: the receiver sleeps, and the sender is to call once. That is what
	 * new memory says: who has not looked at it yet cannot say that he
	 * sleeps.
	 */
	uint32_t awake;
};

struct uroce_inbox_slot {
	uint32_t sequence;    /* number of the packet from 1 on, modulo 2^32 */
	uint16_t payload_len; /* bytes */
	uint16_t place;	      /* line of the area where the payload begins */
	uint32_t ack;	      /* as in struct uroce_brief */
	uint8_t header_len;   /* bytes of uroce_wire_encode() */
	uint8_t absent;	      /* the payload is not in here, payload_len 0 */
	uint8_t pad[2];
	/* headers, then the payload if there is room, or where it is */
	uint8_t bytes[48];
};

/* With absent, behind the headers. */
struct uroce_inbox_source {
	uint64_t address; /* 0: it is in its place */
	uint32_t bytes;
	uint32_t nr_packets;
};

struct uroce_inbox_memory {
	struct uroce_inbox_status status;
	uint8_t pad[4096 - sizeof(struct uroce_inbox_status)];
	struct uroce_inbox_slot slots[UROCE_INBOX_SLOTS];
	uint8_t area[UROCE_INBOX_AREA];
};

_Static_assert(sizeof(struct uroce_inbox_slot) == UROCE_INBOX_LINE,
	       "a slot is a line");
_Static_assert(sizeof(struct uroce_inbox_memory) ==
		       4096 + UROCE_INBOX_SLOTS * UROCE_INBOX_LINE +
			       UROCE_INBOX_AREA,
	       "no gaps");
_Static_assert(UROCE_INBOX_AREA / UROCE_INBOX_LINE <= UINT16_MAX,
	       "a place has 16 bits");

#endif
