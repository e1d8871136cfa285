/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The mapped file and the ring of a thread. Private to layers/trace/. */
#ifndef LAYERS_TRACE_RING_H
#define LAYERS_TRACE_RING_H

#include "layers/trace/trace.h"

/* The mapped file, and the records of a ring less 1; constant while on. */
extern struct trace_header *trace_header;
extern uint32_t trace_ring_mask;

/** trace_file_configure() - read settings; false: a warning was printed */
bool trace_file_configure(const char *text);

/** trace_file_forked() - close the file of the parent in a child */
void trace_file_forked(void);

/** trace_file_allocate() - allocate disk space; false: a warning was printed */
bool trace_file_allocate(uint64_t offset, uint64_t len);

/** trace_file_get_call() - return the numbers of a control call, or NULL */
struct trace_call_stats *trace_file_get_call(enum trace_op op);

/** trace_ring_start() - prepare rings; once in a process */
bool trace_ring_start(void);

/** trace_ring_forked() - forget the rings of the parent */
void trace_ring_forked(void);

/**
 * trace_ring_get() - return the ring of this thread
 *
 * Return: NULL if the layer is disabled or no ring is left.
 */
struct trace_ring *trace_ring_get(void);

/** trace_ring_add() - write a record; sequence and thread are set here */
void trace_ring_add(struct trace_ring *ring, const struct trace_record *record);

/** trace_ring_count() - count a call in the statistics of its op */
void trace_ring_count(struct trace_ring *ring, enum trace_op op,
		      uint64_t duration_ns, bool failed);

/* Adds to a counter that several threads share. */
#define TRACE_ADD(counter, value) \
	((void)__atomic_fetch_add(&(counter), (value), __ATOMIC_RELAXED))

/**
 * trace_call_unposted() - record a call that ends a list without posting it
 * @nr: requests of the list
 * @result: 0, or -errno
 */
void trace_call_unposted(enum trace_op op, uint64_t begin,
			 const struct trace_qp *qp, uint32_t nr, int result);

/** trace_count_request() - count a request that was posted in those of its QP
 */
void trace_count_request(struct trace_qp_stats *stats, unsigned int opcode,
			 uint64_t bytes);

/** trace_note_first() - note the time of a QP's first request or completion */
void trace_note_first(struct trace_qp_stats *stats, uint64_t time_ns);

/**
 * trace_file_add_qp() - take a QP of the file
 * @ret_stats: zeroed
 *
 * Return: its index, or TRACE_NO_QP.
 */
uint32_t trace_file_add_qp(struct trace_qp_stats **ret_stats);

/** trace_file_add_srq() - as trace_file_add_qp(), or TRACE_NO_SRQ */
uint32_t trace_file_add_srq(struct trace_srq_stats **ret_stats);

/**
 * trace_file_add_entries() - take space for requests in flight
 * @nr: at most TRACE_MAX_ENTRIES
 * @ret_offset: of the first; unchanged on failure
 *
 * Return: zeroed entries, which are not freed, or NULL.
 */
struct trace_entry *trace_file_add_entries(uint32_t nr, uint64_t *ret_offset);

#endif
