/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* See fault_shuffle.h. */
#include "layers/fault/fault_shuffle.h"

#include <string.h>

/* Removes an entry, and closes the gap. */
static struct ibv_wc shuffle_remove(struct ibv_wc *wcs, unsigned int *nr,
				    unsigned int index)
{
	struct ibv_wc removed = wcs[index];

	(*nr)--;
	memmove(&wcs[index], &wcs[index + 1], (*nr - index) * sizeof(wcs[0]));
	return removed;
}

/* A linear congruential generator; its upper bits are used. */
static uint64_t shuffle_next(uint64_t state)
{
	return state * UINT64_C(6364136223846793005) +
	       UINT64_C(1442695040888963407);
}

/* Takes the oldest completion of the QP of a random one, until none is left. */
void fault_shuffle(struct ibv_wc *wcs, unsigned int nr, uint64_t hash)
{
	struct ibv_wc left[FAULT_MAX_SHUFFLED];
	unsigned int nr_left = nr;

	memcpy(left, wcs, nr * sizeof(wcs[0]));
	for (unsigned int i = 0; i < nr; i++) {
		unsigned int first = 0, chosen;

		hash = shuffle_next(hash);
		chosen = (unsigned int)(hash >> 32) % nr_left;
		while (left[first].qp_num != left[chosen].qp_num)
			first++;
		wcs[i] = shuffle_remove(left, &nr_left, first);
	}
}
