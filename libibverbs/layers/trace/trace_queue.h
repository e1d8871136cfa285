/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Requests in flight of a queue. Private to layers/trace/. */
#ifndef LAYERS_TRACE_QUEUE_H
#define LAYERS_TRACE_QUEUE_H

#include "layers/trace/trace.h"

/**
 * trace_queue_init() - prepare a queue without requests
 *
 * Once, before other threads find it.
 */
void trace_queue_init(struct trace_queue *queue);

/**
 * trace_queue_start() - make room for @nr requests; no memory: none match
 * @state: in the file, zeroed, or NULL
 */
void trace_queue_start(struct trace_queue *queue,
		       struct trace_queue_state *state, uint32_t nr,
		       uint32_t max_sge);

/** trace_queue_end() - free the requests of a queue without posters */
void trace_queue_end(struct trace_queue *queue);

/** trace_queue_reset() - forget all requests */
void trace_queue_reset(struct trace_queue *queue);

/** trace_queue_reserve() - take the places of @nr requests that are posted */
uint32_t trace_queue_reserve(struct trace_queue *queue, uint32_t nr);

/** trace_queue_put() - enter a request in its place */
void trace_queue_put(struct trace_queue *queue, uint32_t place, uint64_t wr_id,
		     uint64_t begin_ns, uint64_t bytes, unsigned int opcode);

/** trace_queue_strike() - remove the last @nr of requests that were refused */
void trace_queue_strike(struct trace_queue *queue, uint32_t first, uint32_t nr,
			uint32_t nr_good);

/* A request that completed. */
struct trace_match {
	uint64_t begin_ns;
	uint64_t bytes;
	unsigned int opcode;
};

/**
 * trace_queue_match() - find and remove the first request with @wr_id
 * @in_order: requests before it are complete, too
 */
bool trace_queue_match(struct trace_queue *queue, uint64_t wr_id, bool in_order,
		       struct trace_match *ret);

#endif
