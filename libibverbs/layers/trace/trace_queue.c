/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Requests in flight. Posters take places without a lock; pollers take a lock
 * for a few instructions. A signal handler may poll while its thread has the
 * lock, so a poller gives up after some time, and its completion has no match.
 */
#include "layers/trace/trace_queue.h"

#include <sched.h>
#include <stdlib.h>

#include "layers/trace/trace_ring.h"

#define NR_SPINS 1000U

#define LOAD(member) __atomic_load_n(&(member), __ATOMIC_RELAXED)
#define STORE(member, value) \
	__atomic_store_n(&(member), value, __ATOMIC_RELAXED)

static struct trace_queue_state *queue_state(struct trace_queue *queue)
{
	/* Pairs with the release in trace_queue_start(). */
	return atomic_load_explicit(&queue->state, memory_order_acquire);
}

static struct trace_entry *queue_entries(struct trace_queue *queue)
{
	return atomic_load_explicit(&queue->entries, memory_order_relaxed);
}

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

void trace_queue_init(struct trace_queue *queue)
{
	atomic_flag_clear(&queue->lock);
	atomic_store(&queue->state, &queue->own);
}

void trace_queue_start(struct trace_queue *queue,
		       struct trace_queue_state *state, uint32_t nr,
		       uint32_t max_sge)
{
	struct trace_entry *entries = NULL;
	uint32_t size = 16;

	/* Refused posts may take some places, too. */
	while (size < 2 * (uint64_t)nr && size < TRACE_MAX_ENTRIES)
		size *= 2;
	queue->size = size;
	queue->max_sge = max_sge;
	queue->own = (struct trace_queue_state){};
	if (nr && state)
		entries = trace_file_add_entries(size, &state->entries);
	if (nr && !entries)
		entries = calloc(size, sizeof(*entries));
	if (!state)
		state = &queue->own;
	STORE(state->size, size);
	/* Pairs with the acquire in queue_state(). */
	atomic_store_explicit(&queue->state, state, memory_order_release);
	atomic_store(&queue->entries, entries);
}

/* The requests of a queue whose entries are in the file remain there. */
void trace_queue_end(struct trace_queue *queue)
{
	struct trace_entry *entries;

	while (!queue_try_lock(queue))
		;
	entries = atomic_exchange(&queue->entries, NULL);
	if (queue_state(queue)->entries == 0)
		free(entries);
	atomic_store(&queue->state, &queue->own);
	queue_unlock(queue);
}

void trace_queue_reset(struct trace_queue *queue)
{
	struct trace_queue_state *state = queue_state(queue);

	while (!queue_try_lock(queue))
		;
	STORE(state->head, LOAD(state->tail));
	queue_unlock(queue);
}

uint32_t trace_queue_reserve(struct trace_queue *queue, uint32_t nr)
{
	return __atomic_fetch_add(&queue_state(queue)->tail, nr,
				  __ATOMIC_RELAXED);
}

void trace_queue_put(struct trace_queue *queue, uint32_t place, uint64_t wr_id,
		     uint64_t begin_ns, uint64_t bytes, unsigned int opcode)
{
	struct trace_entry *entry = queue_entries(queue);

	if (!entry)
		return;
	entry += place & (queue->size - 1);
	STORE(entry->wr_id, wr_id);
	STORE(entry->begin_ns, begin_ns);
	STORE(entry->bytes, (uint32_t)bytes);
	STORE(entry->opcode, (uint8_t)opcode);
	/* Pairs with the acquire in queue_find_locked(). */
	__atomic_store_n(&entry->state, TRACE_ENTRY_POSTED, __ATOMIC_RELEASE);
}

void trace_queue_strike(struct trace_queue *queue, uint32_t first, uint32_t nr,
			uint32_t nr_good)
{
	struct trace_entry *entries = queue_entries(queue);
	uint32_t expected = first + nr;

	for (uint32_t i = nr_good; entries && i < nr; i++)
		STORE(entries[(first + i) & (queue->size - 1)].state,
		      TRACE_ENTRY_FREE);
	/* Other threads may have posted since; then the places stay empty. */
	(void)__atomic_compare_exchange_n(&queue_state(queue)->tail, &expected,
					  first + nr_good, false,
					  __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* Return: the place of the request, or that of the tail. */
static uint32_t queue_find_locked(const struct trace_queue *queue,
				  struct trace_entry *entries, uint32_t place,
				  uint32_t tail, uint64_t wr_id)
{
	for (; place != tail; place++) {
		struct trace_entry *entry = &entries[place & (queue->size - 1)];

		/* Pairs with the release in trace_queue_put(). */
		if (__atomic_load_n(&entry->state, __ATOMIC_ACQUIRE) ==
			    TRACE_ENTRY_POSTED &&
		    LOAD(entry->wr_id) == wr_id)
			break;
	}
	return place;
}

/* Return: the place of the oldest request after one completed, or @end. */
static uint32_t queue_skip_locked(const struct trace_queue *queue,
				  struct trace_entry *entries, uint32_t place,
				  uint32_t end)
{
	while (place != end && LOAD(entries[place & (queue->size - 1)].state) ==
				       TRACE_ENTRY_FREE)
		place++;
	return place;
}

static bool queue_match_locked(struct trace_queue *queue, uint64_t wr_id,
			       bool in_order, struct trace_match *ret)
{
	struct trace_queue_state *state = queue_state(queue);
	struct trace_entry *entries = queue_entries(queue), *entry;
	uint32_t tail = LOAD(state->tail), head = LOAD(state->head), place;

	if (!entries)
		return false;
	if (tail - head > queue->size)
		head = tail - queue->size;
	place = queue_find_locked(queue, entries, head, tail, wr_id);
	if (place == tail)
		return false;
	entry = &entries[place & (queue->size - 1)];
	ret->begin_ns = LOAD(entry->begin_ns);
	ret->bytes = LOAD(entry->bytes);
	ret->opcode = LOAD(entry->opcode);
	STORE(entry->state, TRACE_ENTRY_FREE);
	if (in_order)
		head = place + 1;
	STORE(state->head, queue_skip_locked(queue, entries, head, place + 1));
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
