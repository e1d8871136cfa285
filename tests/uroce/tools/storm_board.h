/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory that all processes of storm.c share: which process is in which place,
 * which process was killed, and the connection offers between processes. Any of
 * them may be killed at any time, so there are no locks: an offer is valid when
 * its label is.
 */
#ifndef STORM_BOARD_H
#define STORM_BOARD_H

#include "peer.h"

#define MAX_PLACES 32

/* A process's own memory, which all others READ. */
struct read_target {
	uint64_t addr;
	uint32_t rkey;
};

struct offer {
	uint64_t label; /* of both processes; 0: being written */
	uint32_t up;	/* the process can receive */
	struct peer_address target;
	struct read_target read_target;
};

struct place {
	uint32_t generation; /* of the running process */
	uint32_t killed;     /* of the last killed process */
};

struct board {
	struct place places[MAX_PLACES];
	struct offer offers[MAX_PLACES][MAX_PLACES]; /* from, to */
	uint32_t the_end;
	/* Sums over all processes. */
	uint64_t messages, connections, losses;
	uint64_t slowest_us; /* from detection to the last error */
};

static struct board *board;

static inline uint64_t board_label(uint32_t from, uint32_t to)
{
	return (uint64_t)from << 32 | to;
}

static inline bool board_is_dead(uint32_t place, uint32_t generation)
{
	return __atomic_load_n(&board->places[place].killed,
			       __ATOMIC_ACQUIRE) >= generation;
}

/* Return: the generation of the running process; 0: none. */
static inline uint32_t board_generation_at(uint32_t place)
{
	uint32_t generation = __atomic_load_n(&board->places[place].generation,
					      __ATOMIC_ACQUIRE);

	return board_is_dead(place, generation) ? 0 : generation;
}

static inline void board_put_offer(struct offer *to, const struct offer *offer)
{
	__atomic_store_n(&to->label, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&to->up, 0, __ATOMIC_SEQ_CST);
	to->target = offer->target;
	to->read_target = offer->read_target;
	__atomic_store_n(&to->label, offer->label, __ATOMIC_SEQ_CST);
}

static inline bool board_get_offer(const struct offer *from, uint64_t label,
				   struct offer *ret_offer)
{
	if (__atomic_load_n(&from->label, __ATOMIC_SEQ_CST) != label)
		return false;
	ret_offer->label = label;
	ret_offer->target = from->target;
	ret_offer->read_target = from->read_target;
	ret_offer->up = __atomic_load_n(&from->up, __ATOMIC_SEQ_CST);
	return __atomic_load_n(&from->label, __ATOMIC_SEQ_CST) == label;
}

static inline void board_add(uint64_t *sum, uint64_t nr)
{
	__atomic_fetch_add(sum, nr, __ATOMIC_RELAXED);
}

static inline void board_slowest(uint64_t us)
{
	uint64_t known = __atomic_load_n(&board->slowest_us, __ATOMIC_RELAXED);

	while (us > known && !__atomic_compare_exchange_n(
				     &board->slowest_us, &known, us, false,
				     __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		continue;
}

#endif
