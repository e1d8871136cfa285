/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Common parts of the CMA tests: the left process accesses the memory of the
 * right one, a child, which deregisters that memory now and then.
 */
#ifndef UROCE_SHM_CMA_RIG_H
#define UROCE_SHM_CMA_RIG_H

#include "uroce_shm_node.h"

enum { LEFT = 100, RIGHT };
enum { WRITE_RIGHT = 2, READ_RIGHT = 4, ATOMIC_RIGHT = 8 };

#define KEY	 (UINT32_C(7) << 8 | 1)
#define IOVA	 0x1000 /* of the right process's region */
#define ROUNDS	 100
#define PATIENCE 20000 /* ms */

/* In shared memory. */
struct board {
	uint32_t copies;   /* atomic: copies of the left process */
	uint32_t refusals; /* atomic: refused copies of the left process */
	uint32_t done;	   /* atomic */
	int error;	   /* result of the right process's quiesce */
	int pid;	   /* of the child that the right process leaves */
};

extern struct board *board;

/* Called before the first fork. Return: whether it has succeeded. */
bool board_open(void);

/* Waits until a counter of the board reaches a value, or has passed it. */
uint32_t board_look(const uint32_t *counter);
void board_await(const uint32_t *counter, uint32_t value);

/* Rendezvous mode of processes that are opened from now on. */
extern enum uroce_shm_rndv cma_rig_rndv;

/* Opens a side that serves and may use those methods only: enum uroce_cma. */
void cma_try_open(struct side *side, uint32_t slot, unsigned int kinds);

/*
 * Starts the right process with its methods; both return when they are
 * connected.
 */
struct uroce_channel *cma_rig_connect(struct side *left, struct node *right,
				      void (*fn)(struct node *, uint32_t),
				      unsigned int right_kinds,
				      unsigned int kinds);

/* The right process's part of it. */
struct uroce_channel *right_meet(struct side *right, struct node *node);

/* The region that the right process publishes. */
struct uroce_published_region right_region(uint8_t *memory, uint32_t bytes,
					   uint32_t access);
struct uroce_published_qp right_qp(uint32_t access);

/*
 * Left: calls @copy_once, which returns 0 or -EACCES, until the right process
 * has ended its rounds.
 */
void cma_rig_copy_until_done(const struct node *right,
			     int (*copy_once)(void *arg), void *arg);

/* Waits until no process accesses the memory any more. */
void right_quiesce(struct side *right);

/* Checks that copies are refused and that the memory does not change. */
void right_check_left_alone(uint8_t *memory, uint32_t bytes);

#endif
