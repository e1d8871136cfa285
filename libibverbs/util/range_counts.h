/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reference counts of address ranges: how many of the added ranges cover an
 * address, at most INT_MAX / 2. Ranges may overlap in any way. Adding and
 * removing a range takes O(log n) steps for n ranges, however many it overlaps.
 * Memory is proportional to the number of addresses where the count changes.
 */
#ifndef UTIL_RANGE_COUNTS_H
#define UTIL_RANGE_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An address where the count changes; see range_counts.c. */
struct range_bound;

/* All zero: all counts are 0. The caller provides locking. */
struct range_counts {
	struct range_bound *root;
	struct range_bound *spare; /* list of unused nodes */
	size_t nr_spare;
	size_t nr_bounds; /* in the tree */
	/* The last change; ranges are often added repeatedly. */
	struct {
		uintptr_t begin, end;
		bool is_counted; /* the whole range has counts > 0 */
		int repeats;	 /* further additions, not in the tree */
		const struct range_bound
			*top; /* subtree with its bounds, or NULL */
		int before;   /* count before the first node of top */
	} last;
};

/*
 * Maximum number of bounds that one change creates: two of its range, and two
 * of the previous range, whose repeats it adds to the tree.
 */
#define RANGE_BOUNDS_PER_CHANGE 4

/** range_counts_get_spares() - slow path of range_counts_reserve() */
int range_counts_get_spares(struct range_counts *counts);

/**
 * range_counts_reserve() - allocate the memory for one change
 *
 * Return: 0; -ENOMEM, with errno as set by malloc().
 */
static inline int range_counts_reserve(struct range_counts *counts)
{
	return counts->nr_spare < RANGE_BOUNDS_PER_CHANGE
		       ? range_counts_get_spares(counts)
		       : 0;
}

/**
 * range_counts_add() - increment the counts in [@begin, @end)
 * @begin, @end: @begin < @end
 *
 * Call range_counts_reserve() before each call.
 */
void range_counts_add(struct range_counts *counts, uintptr_t begin,
		      uintptr_t end);

/**
 * range_counts_remove() - decrement the counts in [@begin, @end)
 * @begin, @end: @begin < @end
 *
 * Counts that are 0 stay 0. Call range_counts_reserve() before each call.
 */
void range_counts_remove(struct range_counts *counts, uintptr_t begin,
			 uintptr_t end);

/**
 * range_counts_first_uncovered() - find the first subrange with count 0
 * @ret_begin, @ret_end: the subrange, within [@begin, @end)
 *
 * Return: whether there is one.
 */
bool range_counts_first_uncovered(const struct range_counts *counts,
				  uintptr_t begin, uintptr_t end,
				  uintptr_t *ret_begin, uintptr_t *ret_end);

/** range_counts_last_uncovered() - find the last subrange with count 0 */
bool range_counts_last_uncovered(const struct range_counts *counts,
				 uintptr_t begin, uintptr_t end,
				 uintptr_t *ret_begin, uintptr_t *ret_end);

/** range_counts_clear() - set all counts to 0 and free the memory */
void range_counts_clear(struct range_counts *counts);

#endif
