/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A process for the tests of local/: a child that has a slot, and a thread that
 * serves. It is told what to do by the function that it runs, and is in step
 * with the test through two pipes.
 */
#ifndef UROCE_LOCAL_NODE_H
#define UROCE_LOCAL_NODE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "uroce/local/uroce_local.h"

/* No assert of cmocka in a child: it would go on with the tests. */
#define CHECK(condition)                                                   \
	do {                                                               \
		if (!(condition)) {                                        \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, \
				#condition);                               \
			_exit(1);                                          \
		}                                                          \
	} while (0)

/* In the test: a child. */
struct node {
	int pid;
	int to, from; /* pipes; of the child's side as well */
};

/* Runs @fn in a child; it exits with 0 when that returns. */
void node_start(struct node *node, void (*fn)(struct node *node, uint32_t arg),
		uint32_t arg);
/* One step: the other side waits for it in node_wait(). */
void node_go(const struct node *node);
void node_wait(const struct node *node);
/* Both wait for each other: the test for its children, a child for the test. */
void nodes_meet(const struct node *nodes, uint32_t nr);
void node_meet(const struct node *node);
/* Waits for the child's end, which must be a good one. */
void node_end(struct node *node);
/* Kills it and waits for it. */
void node_kill(struct node *node);

/* No process is kept from a processor for so long. */
#define SIDE_PATIENCE_MS 60000

/* In a child. */
struct side {
	struct uroce_local *local;
	uint32_t slot;
	pthread_t thread;
	int stop; /* the thread's eventfd; -1: no thread */
};

/* The first byte of a GID is the slot that it belongs to. */
void side_gid(uint32_t slot, uint8_t *ret_gid);
void side_open(struct side *side, uint32_t slot);
void side_close(struct side *side);
/* Serves in a thread from now on. */
void side_serve(struct side *side);
void side_stop_serving(struct side *side);
struct uroce_channel *side_connect(struct side *side, uint32_t slot);
/* A packet with @psn and @len bytes that depend on it. */
void side_put(struct side *side, struct uroce_channel *channel, uint32_t psn,
	      uint32_t len);

/* The packets that side_receive() has got, in order; the first ones of each. */
#define MAX_GOT 4096
struct got {
	uint32_t nr;
	uint32_t psn[MAX_GOT];
	struct uroce_channel *channel[MAX_GOT];
};

/*
 * Takes what there is, and checks it; returns how many there were.
 * @got: NULL: there must be none
 */
uint32_t side_take(struct side *side, struct got *got);

/* Receives until there are @nr in @got. */
void side_receive(struct side *side, struct got *got, uint32_t nr);
/* Receives until a channel is lost. */
struct uroce_channel *side_wait_lost(struct side *side, struct got *got);

uint32_t nr_open_fds(void);
/* Mappings of memory files of that name. */
uint32_t nr_mappings_of(const char *name);
/* Mappings of inboxes. */
uint32_t nr_inboxes(void);

#endif
