/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Common parts of the tests of long messages that both sides copy
 * (uroce_shm_rndv.c): the left process, and the right one, a child that
 * carries out orders of the left one. A test can deny system calls, set the
 * clock, and replace sleeping. Linked with WRAP process_vm_readv
 * process_vm_writev clock_gettime nanosleep.
 */
#ifndef UROCE_SHM_OBEDIENT_H
#define UROCE_SHM_OBEDIENT_H

#include "uroce/shm/uroce_shm_rndv.h"
#include "uroce_shm_cma_rig.h"

#define BYTES (512 * 1024)
#define PART  (64 * 1024)
#define PSN   77 /* of the right process's sink */

#define SKIPPED 77 /* for CTest */

/* At the same address in both processes, but not shared. */
extern uint8_t memory[BYTES];
extern uint8_t part[PART]; /* the pattern */

extern const struct uroce_qpn_pair
	qpns; /* from the left to the right process */
extern const struct uroce_sink nowhere;

extern struct side left;
extern struct node right;
extern struct uroce_channel
	*channel; /* of the left process, to the right one */

extern int denied; /* errno of the left process's copies; 0: the real result */
extern uint32_t nr_copies;	   /* copies that the left process attempted */
extern bool said_so;		   /* published before the last copy */
extern void (*while_asleep)(void); /* NULL: really sleeps */
extern uint32_t nr_sleeps;

/* May be called from while_asleep; 0: the real clock. */
void set_clock(uint64_t ms);
uint64_t get_clock(void);

/*
 * Called first in main(): allocates shared memory. Return: 0, or the exit
 * status if the system permits no access to other processes and there is
 * nothing to test.
 */
int obedient_open(void);

/* A node that carries out orders, with those CMA methods. */
void right_obey_orders(struct node *node, uint32_t kinds);

/* These functions return when the order has been carried out. */
void right_publishes_qp(bool ready, bool pulls);
void right_publishes(enum uroce_sink_kind kind, struct uroce_sink sink);
void right_fills(uint8_t byte);
/* The pattern is in so many bytes of the right memory; the rest is 1. */
void right_finds(uint32_t at, uint32_t bytes);
/* Publishes that right copies from or to the memory of a slot, or has ended. */
void right_copies(uint32_t slot, bool begins);
void kill_right(void);

/* Most of the right process's memory. */
struct uroce_sink a_sink(void);

/*
 * Creates the channel from left to right. @fn: function of the right process;
 * right_obey_orders(), which left waits for once, or another one
 */
void meet_as(void (*fn)(struct node *, uint32_t), enum uroce_shm_rndv rndv,
	     unsigned int kinds);
/* Undoes it after the right process has ended. */
void end_left(void);

/* The right process is connected and has published a sink. */
int meet(void **state);
int leave(void **state);

/* A push of the left process; checks that no copy stays published. */
int push(enum uroce_sink_kind kind, const struct uroce_sink *sink,
	 uint32_t from, uint32_t bytes);
int pull_from(const struct uroce_qpn_pair *from, const uint8_t *address,
	      uint32_t bytes);
int pull(void);

#endif
