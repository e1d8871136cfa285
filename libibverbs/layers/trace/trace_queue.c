/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Requests in flight. Posters take places without a lock; pollers take a lock
 * for a few instructions. A signal handler may poll while its thread has the
 * lock, so a poller gives up after some time, and its completion has no match.
 */
#include "layers/trace/trace_queue.h"

#include <sched.h>
#include <stdlib.h>

#define MAX_ENTRIES (1U << 16)
#define NR_SPINS    1000U

enum trace_entry_state { ENTRY_FREE, ENTRY_POSTED };

#define LOAD(member) atomic_load_explicit(member, memory_order_relaxed)
#define STORE(member, value) \
	atomic_store_explicit(member, value, memory_order_relaxed)

static bool queue_try_lock(struct trace_queue *queue)
{
	for (unsigned int i = 0; i < NR_SPINS; i++) {
		if (!atomic_flag_test_and_set_explicit(&queue->lock,
						       memory_order_acquire))
			return true;
		if (i % 16 == 15)
			(void)sched_yield(); /* cannot fail */
	}
	return false;
}

static void queue_unlock(struct trace_queue *queue)
{
	atomic_flag_clear_explicit(&queue->lock, memory_order_release);
}

void trace_queue_start(struct trace_queue *queue, uint32_t nr, uint32_t max_sge)
{
	uint32_t size = 16;

	/* Refused posts may take some places, too. */
	while (size < 2 * (uint64_t)nr && size < MAX_ENTRIES)
		size *= 2;
	queue->size = size;
	queue->max_sge = max_sge;
	queue->head = 0;
	STORE(&queue->tail, 0);
	atomic_store(&queue->entries,
		     nr ? calloc(size, sizeof(struct trace_entry)) : NULL);
}

void trace_queue_end(struct trace_queue *queue)
{
	while (!queue_try_lock(queue))
		;
	free(atomic_exchange(&queue->entries, NULL));
	queue_unlock(queue);
}

void trace_queue_reset(struct trace_queue *queue)
{
	while (!queue_try_lock(queue))
		;
	queue->head = LOAD(&queue->tail);
	queue_unlock(queue);
}

uint32_t trace_queue_reserve(struct trace_queue *queue, uint32_t nr)
{
	return atomic_fetch_add_explicit(&queue->tail, nr,
					 memory_order_relaxed);
}

void trace_queue_put(struct trace_queue *queue, uint32_t place, uint64_t wr_id,
		     uint64_t begin_ns, uint64_t bytes, unsigned int opcode)
{
	struct trace_entry *entry = LOAD(&queue->entries);

	if (!entry)
		return;
	entry += place & (queue->size - 1);
	STORE(&entry->wr_id, wr_id);
	STORE(&entry->begin_ns, begin_ns);
	STORE(&entry->bytes, (uint32_t)bytes);
	STORE(&entry->opcode, (unsigned char)opcode);
	/* Pairs with the acquire in trace_queue_match(). */
	atomic_store_explicit(&entry->state, ENTRY_POSTED,
			      memory_order_release);
}

void trace_queue_strike(struct trace_queue *queue, uint32_t first, uint32_t nr,
			uint32_t nr_good)
{
	struct trace_entry *entries = LOAD(&queue->entries);
	uint32_t expected = first + nr;

	for (uint32_t i = nr_good; entries && i < nr; i++)
		STORE(&entries[(first + i) & (queue->size - 1)].state,
		      ENTRY_FREE);
	/* Other threads may have posted since; then the places stay empty. */
	(void)atomic_compare_exchange_strong(&queue->tail, &expected,
					     first + nr_good);
}

/* Return: the place of the request, or that of the tail. */
static uint32_t queue_find_locked(const struct trace_queue *queue,
				  struct trace_entry *entries, uint32_t tail,
				  uint64_t wr_id)
{
	uint32_t place = queue->head;

	for (; place != tail; place++) {
		struct trace_entry *entry = &entries[place & (queue->size - 1)];

		/* Pairs with the release in trace_queue_put(). */
		if (atomic_load_explicit(&entry->state, memory_order_acquire) ==
			    ENTRY_POSTED &&
		    LOAD(&entry->wr_id) == wr_id)
			break;
	}
	return place;
}

static bool queue_match_locked(struct trace_queue *queue, uint64_t wr_id,
			       bool in_order, struct trace_match *ret)
{
	struct trace_entry *entries = LOAD(&queue->entries);
	uint32_t tail = LOAD(&queue->tail), place;
	struct trace_entry *entry;

	if (!entries)
		return false;
	if (tail - queue->head > queue->size)
		queue->head = tail - queue->size;
	place = queue_find_locked(queue, entries, tail, wr_id);
	if (place == tail)
		return false;
	entry = &entries[place & (queue->size - 1)];
	ret->begin_ns = LOAD(&entry->begin_ns);
	ret->bytes = LOAD(&entry->bytes);
	ret->opcode = LOAD(&entry->opcode);
	STORE(&entry->state, ENTRY_FREE);
	if (in_order)
		queue->head = place + 1;
	while (queue->head != place + 1 &&
	       LOAD(&entries[queue->head & (queue->size - 1)].state) ==
		       ENTRY_FREE)
		queue->head++;
	return true;
}

bool trace_queue_match(struct trace_queue *queue, uint64_t wr_id, bool in_order,
		       struct trace_match *ret)
{
	bool found;

	if (!queue_try_lock(queue))
		return false;
	found = queue_match_locked(queue, wr_id, in_order, ret);
	queue_unlock(queue);
	return found;
}
