/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Alice, and Bob, a child of hers, who does what she tells him: what the tests
 * of long messages that both copy (uroce_local_split.c) share. System calls are
 * denied, the clock stands still and nobody sleeps if a test says so.
 *
 * Linked with WRAP process_vm_readv process_vm_writev clock_gettime nanosleep.
 */
#ifndef UROCE_LOCAL_OBEDIENT_H
#define UROCE_LOCAL_OBEDIENT_H

#include "uroce/local/uroce_local_split.h"
#include "uroce_local_reach.h"

#define BYTES (512 * 1024)
#define PART  (64 * 1024)
#define PSN   77 /* of Bob's landing */

#define SKIPPED 77 /* for CTest */

/* At the same address in both, but not the same memory. */
extern uint8_t memory[BYTES];
extern uint8_t part[PART]; /* the pattern */

extern const struct uroce_hop hop; /* from Alice to Bob */
extern const struct uroce_landing nowhere;

extern struct side left;
extern struct node right;
extern struct uroce_channel *channel; /* hers, to him */

extern int denied;	   /* errno of her copies; 0: they are allowed */
extern uint32_t nr_copies; /* that she has tried */
extern bool said_so;	   /* that she copies, before the last one */
extern void (*while_asleep)(void); /* NULL: really sleeps */
extern uint32_t nr_naps;

/* Also from within while_asleep; 0: the real one. */
void set_clock(uint64_t ms);
uint64_t get_clock(void);

/*
 * First thing in main(): memory for both. Returns 0, or with what to exit:
 * where the system lets nobody into the memory of others there is nothing to
 * test.
 */
int obedient_open(void);

/* A node: does what he is told, with those ways. */
void be_obedient(struct node *node, uint32_t ways);

/* All of these are done when they return. */
void right_shows_qp(bool ready, bool pulls);
void right_shows(enum uroce_landing_kind kind, struct uroce_landing landing);
void right_fills(uint8_t byte);
/* The pattern is in so many bytes of his memory, and 1s elsewhere. */
void right_finds(uint32_t at, uint32_t bytes);
/* Says that he copies to or from what a slot has, or does no longer. */
void right_copies(uint32_t slot, bool begins);
void kill_right(void);

/* Most of Bob's memory. */
struct uroce_landing a_landing(void);

/*
 * Alice's channel to Bob.
 * @fn: what he does; be_obedient(), who is to be waited for once, or another
 */
void meet_as(void (*fn)(struct node *, uint32_t), enum uroce_local_split split,
	     unsigned int ways);
/* The other way round, with Bob gone already. */
void end_left(void);

/* He is connected, and shows where to write what she sends. */
int meet(void **state);
int leave(void **state);

/* One of what Alice may do; checks that she says nothing afterwards. */
int push(enum uroce_landing_kind kind, const struct uroce_landing *landing,
	 uint32_t from, uint32_t bytes);
int pull_from(const struct uroce_hop *from, const uint8_t *address,
	      uint32_t bytes);
int pull(void);

#endif
