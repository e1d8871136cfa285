/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A process for the tests of shm/: a child that has a slot, and a thread that
 * serves. The child runs a function of the test, and synchronizes with the test
 * through two pipes.
 */
#ifndef UROCE_SHM_NODE_H
#define UROCE_SHM_NODE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "uroce/shm/uroce_shm.h"

/*
 * A child must not use the asserts of cmocka: it would continue with the tests.
 */
#define CHECK(condition)                                                   \
	do {                                                               \
		if (!(condition)) {                                        \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, \
				#condition);                               \
			_exit(1);                                          \
		}                                                          \
	} while (0)

/* A child, from the view of the test. */
struct node {
	int pid;
	int to, from; /* pipes; the child uses its ends of them */
};

/* Runs @fn in a child, which exits with 0 when @fn returns. */
void node_start(struct node *node, void (*fn)(struct node *node, uint32_t arg),
		uint32_t arg);
/* Signals one step, which the other side awaits in node_wait(). */
void node_go(const struct node *node);
void node_wait(const struct node *node);
/* Synchronizes the test with its children, or a child with the test. */
void nodes_meet(const struct node *nodes, uint32_t nr);
void node_meet(const struct node *node);
/* Waits for the end of the child, which must succeed. */
void node_end(struct node *node);
/* Kills the child and waits for its end. */
void node_kill(struct node *node);

/* Longer than any process waits for a processor. */
#define SIDE_PATIENCE_MS 60000

/* State of a child. */
struct side {
	struct uroce_shm *shm;
	struct uroce_shares shares;
	uint32_t slot;
	pthread_t thread;
	int stop; /* eventfd of the thread; -1: no thread */
};

/* The first byte of a GID is its slot. */
void side_gid(uint32_t slot, uint8_t *ret_gid);
void side_open(struct side *side, uint32_t slot);
void side_close(struct side *side);
/* Starts a thread that serves. */
void side_serve(struct side *side);
void side_stop_serving(struct side *side);
struct uroce_channel *side_connect(struct side *side, uint32_t slot);
/* Sends a packet with @psn and @len bytes that depend on it. */
void side_put(struct side *side, struct uroce_channel *channel, uint32_t psn,
	      uint32_t len);

/* Packets of side_receive(), in order; the first ones of each channel. */
#define MAX_GOT 4096
struct got {
	uint32_t nr;
	uint32_t psn[MAX_GOT];
	struct uroce_channel *channel[MAX_GOT];
};

/*
 * Receives and checks the pending packets. Return: their number. @got: NULL:
 * there must be none
 */
uint32_t side_take(struct side *side, struct got *got);

/* Receives until @got has @nr packets. */
void side_receive(struct side *side, struct got *got, uint32_t nr);
/* Receives until a channel is lost. */
struct uroce_channel *side_wait_lost(struct side *side, struct got *got);

uint32_t nr_open_fds(void);
/* Counts mappings of memory files with that name. */
uint32_t nr_mappings_of(const char *name);
/* Counts mappings of rings. */
uint32_t nr_rings(void);

#endif
