/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory layout of a ring. Both processes must agree on it, so a change needs a
 * new VERSION (uroce_pairing.c).
 */
#ifndef UROCE_SHM_RING_LAYOUT_H
#define UROCE_SHM_RING_LAYOUT_H

#include <stdint.h>

#include "uroce/shm/uroce_shm_ring.h"

/* Cache line: size of a ring entry, and granularity of the payload area. */
#define UROCE_SHM_RING_LINE 64

/* Two lines, since the sender reads the second one more often. */
struct uroce_shm_ring_status {
	/* entries that the receiver has consumed, modulo 2^32 */
	uint32_t consumed;
	uint8_t pad[UROCE_SHM_RING_LINE - sizeof(uint32_t)];
	/*
	 * 0: the receiver sleeps, and the sender rings the doorbell once. New
	 * memory is 0, since a receiver that has not read the ring yet cannot
	 * have stored that it sleeps.
	 */
	uint32_t awake;
};

struct uroce_shm_ring_entry {
	uint32_t sequence;    /* packets are counted from 1, modulo 2^32 */
	uint16_t payload_len; /* bytes */
	uint16_t place;	      /* line of the area at which the payload begins */
	uint32_t ack;	      /* as in struct uroce_eager_entry */
	uint8_t header_len;   /* bytes of uroce_wire_encode() */
	uint8_t absent;	      /* rendezvous: no payload, payload_len is 0 */
	uint8_t pad[2];
	/* headers, then the payload if it fits, or struct uroce_shm_ring_source
	 */
	uint8_t bytes[48];
};

/* With absent, behind the headers: location of a rendezvous chunk. */
struct uroce_shm_ring_source {
	uint64_t address; /* in the sender; 0: at the destination already */
	uint32_t bytes;
	uint32_t nr_packets;
};

struct uroce_shm_ring_memory {
	struct uroce_shm_ring_status status;
	uint8_t pad[4096 - sizeof(struct uroce_shm_ring_status)];
	struct uroce_shm_ring_entry entries[UROCE_SHM_RING_ENTRIES];
	uint8_t area[UROCE_SHM_RING_AREA];
};

_Static_assert(sizeof(struct uroce_shm_ring_entry) == UROCE_SHM_RING_LINE,
	       "an entry is a line");
_Static_assert(sizeof(struct uroce_shm_ring_memory) ==
		       4096 + UROCE_SHM_RING_ENTRIES * UROCE_SHM_RING_LINE +
			       UROCE_SHM_RING_AREA,
	       "no gaps");
_Static_assert(UROCE_SHM_RING_AREA / UROCE_SHM_RING_LINE <= UINT16_MAX,
	       "a place has 16 bits");

#endif
