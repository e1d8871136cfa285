/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Alice in the memory of Bob, a child of hers, who takes it back now and then:
 * what the tests of the ways to do that share.
 */
#ifndef UROCE_LOCAL_REACH_H
#define UROCE_LOCAL_REACH_H

#include "uroce_local_node.h"

enum { LEFT = 100, RIGHT };
enum { WRITE_RIGHT = 2, READ_RIGHT = 4, ATOMIC_RIGHT = 8 };

#define KEY	 (UINT32_C(7) << 8 | 1)
#define IOVA	 0x1000 /* of Bob's region */
#define ROUNDS	 100
#define PATIENCE 20000 /* ms */

/* In memory of both. */
struct board {
	uint32_t copies;   /* atomic: that Alice has made */
	uint32_t refusals; /* atomic: that she has met */
	uint32_t done;	   /* atomic */
	int error;	   /* that Bob's settling has returned */
};

extern struct board *board;

/* Before there are children; whether it is there. */
bool board_open(void);

/* Of a counter of the board; waits until it is so large, or has passed that. */
uint32_t board_look(const uint32_t *counter);
void board_await(const uint32_t *counter, uint32_t value);

/* What those that are opened from now on do with long messages. */
extern enum uroce_local_split reach_split;

/* Serves, and may use those ways only: enum uroce_reach. */
void reach_open(struct side *side, uint32_t slot, unsigned int ways);

/* Starts Bob, who gets his ways; his function goes on when both are there. */
struct uroce_channel *reach_meet(struct side *left, struct node *right,
				 void (*fn)(struct node *, uint32_t),
				 unsigned int right_ways, unsigned int ways);

/* Bob's half of that: he is there, and so is she. */
struct uroce_channel *right_meet(struct side *right, struct node *node);

/* What Bob shows. */
struct uroce_shown_region right_region(uint8_t *memory, uint32_t bytes,
				       uint32_t access);
struct uroce_shown_qp right_qp(uint32_t access);

/* Nobody who was in his memory is there any more. */
void right_settle(struct side *right);

/* It is his alone: she is refused, and nothing of it changes. */
void right_check_left_alone(uint8_t *memory, uint32_t bytes);

#endif
