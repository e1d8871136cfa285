/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The ring of a thread in the trace file: hands it out, writes records, and
 * counts calls.
 */
#include "layers/trace/trace_ring.h"

#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Threads that end leave their ring to others. */
enum ring_state { RING_NEW, RING_USED, RING_LEFT };
static atomic_uint ring_states[TRACE_NR_RINGS];
static pthread_key_t ring_key;
static bool ring_has_key; /* constant after trace_ring_start() */

static __thread struct trace_ring *thread_ring;
static __thread uint32_t thread_number;
static __thread bool thread_has_no_ring;

static struct trace_ring *ring_at(uint32_t index)
{
	/* The offsets are multiples of the alignment. */
	return (void *)((char *)trace_header + TRACE_RING_OFFSET +
			index * trace_header->ring_bytes);
}

/* Destructor of ring_key. */
static void ring_leave(void *ring)
{
	size_t distance;

	thread_ring = NULL;
	if (!atomic_load(&trace_is_on))
		return;
	distance = (size_t)((char *)ring - (char *)ring_at(0));
	/* Pairs with the exchange in ring_take(). */
	atomic_store(&ring_states[distance / trace_header->ring_bytes],
		     RING_LEFT);
}

bool trace_ring_start(void)
{
	ring_has_key = pthread_key_create(&ring_key, ring_leave) == 0;
	return ring_has_key;
}

void trace_ring_forked(void)
{
	thread_ring = NULL;
	thread_has_no_ring = false;
	if (ring_has_key)
		(void)pthread_setspecific(ring_key, NULL); /* cannot fail */
	for (uint32_t i = 0; i < TRACE_NR_RINGS; i++)
		atomic_store(&ring_states[i], RING_NEW);
}

/* Return: the index of a ring that had this state, or TRACE_NR_RINGS. */
static uint32_t ring_take(unsigned int state)
{
	for (uint32_t i = 0; i < TRACE_NR_RINGS; i++) {
		unsigned int expected = state;

		if (atomic_compare_exchange_strong(&ring_states[i], &expected,
						   RING_USED))
			return i;
	}
	return TRACE_NR_RINGS;
}

static struct trace_ring *ring_new(void)
{
	uint32_t index = ring_take(RING_LEFT);
	struct trace_ring *ring;

	if (index == TRACE_NR_RINGS) {
		index = ring_take(RING_NEW);
		if (index == TRACE_NR_RINGS ||
		    !trace_file_allocate(
			    TRACE_RING_OFFSET +
				    index * trace_header->ring_bytes,
			    trace_header->ring_bytes))
			return NULL;
	}
	ring = ring_at(index);
	thread_number = (uint32_t)syscall(SYS_gettid);
	__atomic_store_n(&ring->thread, thread_number, __ATOMIC_RELEASE);
	/* Without memory, the ring is not given to other threads. */
	(void)pthread_setspecific(ring_key, ring);
	return ring;
}

static struct trace_ring *ring_find(void)
{
	struct trace_ring *ring;

	if (thread_has_no_ring)
		return NULL;
	ring = ring_new();
	thread_ring = ring;
	if (!ring) {
		thread_has_no_ring = true;
		__atomic_fetch_add(&trace_header->lost_threads, 1,
				   __ATOMIC_RELAXED);
	}
	return ring;
}

struct trace_ring *trace_ring_get(void)
{
	struct trace_ring *ring = thread_ring;

	if (!atomic_load_explicit(&trace_is_on, memory_order_acquire))
		return NULL;
	return ring ? ring : ring_find();
}

void trace_ring_add(struct trace_ring *ring, const struct trace_record *record)
{
	uint64_t index = ring->next;
	struct trace_record *to =
		(struct trace_record *)(void *)((char *)ring +
						TRACE_RECORDS_OFFSET) +
		(index & trace_ring_mask);

	/* A signal handler continues behind this record. */
	ring->next = index + 1;
	__atomic_store_n(&to->sequence, 0, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	memcpy((char *)to + sizeof(to->sequence),
	       (const char *)record + sizeof(to->sequence),
	       sizeof(*to) - sizeof(to->sequence));
	to->thread = thread_number;
	/* Readers skip records without the right sequence number. */
	__atomic_store_n(&to->sequence, index + 1, __ATOMIC_RELEASE);
}

static void ring_count_control(enum trace_op op, uint64_t duration_ns,
			       bool failed)
{
	struct trace_call_stats *stats = trace_file_get_call(op);

	if (!stats)
		return;
	TRACE_ADD(stats->calls, 1);
	TRACE_ADD(stats->errors, failed);
	TRACE_ADD(stats->total_ns, duration_ns);
	TRACE_ADD(stats->buckets[trace_bucket(duration_ns)], 1);
	if (duration_ns > __atomic_load_n(&stats->max_ns, __ATOMIC_RELAXED))
		__atomic_store_n(&stats->max_ns, duration_ns, __ATOMIC_RELAXED);
}

void trace_ring_count(struct trace_ring *ring, enum trace_op op,
		      uint64_t duration_ns, bool failed)
{
	struct trace_call_stats *stats;

	if (op >= TRACE_NR_DATA_OPS) {
		ring_count_control(op, duration_ns, failed);
		return;
	}
	stats = &ring->calls[op];
	stats->calls++;
	stats->errors += failed;
	stats->total_ns += duration_ns;
	if (duration_ns > stats->max_ns)
		stats->max_ns = duration_ns;
	stats->buckets[trace_bucket(duration_ns)]++;
}
