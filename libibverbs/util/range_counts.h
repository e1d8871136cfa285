/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counts for ranges of addresses: how many of the ranges that were added cover
 * an address, at most INT_MAX / 2. Ranges may overlap in any way. Adding and
 * removing take O(log n) steps for n ranges, whatever they overlap; neighbours
 * with equal counts are one piece, so memory is bounded by the places where the
 * count changes.
 */
#ifndef UTIL_RANGE_COUNTS_H
#define UTIL_RANGE_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A place where the count changes; see range_counts.c. */
struct range_bound;

/* Zeroed: nothing is counted. Not protected by any lock. */
struct range_counts {
	struct range_bound *root;
	struct range_bound *spare; /* a list, for later changes */
	size_t nr_spare;
	size_t nr_bounds; /* in the tree */
	/* The last change; many a range comes again at once. */
	struct {
		uintptr_t begin, end;
		bool is_counted; /* the range is in the tree, all of it */
		int repeats;	 /* how often it came again; not in the tree */
		const struct range_bound *top; /* subtree with its bounds, or
						* NULL: not known */
		int before; /* count in front of that subtree */
	} last;
};

/*
 * At most so many bounds come into being by one change: at its two ends, and at
 * those of the change before it.
 */
#define RANGE_BOUNDS_PER_CHANGE 4

/** range_counts_get_spares() - range_counts_reserve() where memory is missing
 */
int range_counts_get_spares(struct range_counts *counts);

/**
 * range_counts_reserve() - get the memory for one change
 *
 * Return: 0, or -ENOMEM; errno is then as malloc() left it.
 */
static inline int range_counts_reserve(struct range_counts *counts)
{
	return counts->nr_spare < RANGE_BOUNDS_PER_CHANGE
		       ? range_counts_get_spares(counts)
		       : 0;
}

/**
 * range_counts_add() - count [@begin, @end) once more
 * @begin, @end: @begin < @end
 *
 * range_counts_reserve() must have been called for it.
 */
void range_counts_add(struct range_counts *counts, uintptr_t begin,
		      uintptr_t end);

/**
 * range_counts_remove() - count [@begin, @end) once less
 * @begin, @end: @begin < @end
 *
 * What is not counted at all stays so. range_counts_reserve() must have been
 * called for it.
 */
void range_counts_remove(struct range_counts *counts, uintptr_t begin,
			 uintptr_t end);

/**
 * range_counts_first_free() - the first piece in a range that is not counted
 * @ret_begin, @ret_end: the piece, within [@begin, @end)
 *
 * Return: whether there is one.
 */
bool range_counts_first_free(const struct range_counts *counts, uintptr_t begin,
			     uintptr_t end, uintptr_t *ret_begin,
			     uintptr_t *ret_end);

/** range_counts_last_free() - the same for the last piece */
bool range_counts_last_free(const struct range_counts *counts, uintptr_t begin,
			    uintptr_t end, uintptr_t *ret_begin,
			    uintptr_t *ret_end);

/** range_counts_clear() - forget everything and free the memory */
void range_counts_clear(struct range_counts *counts);

#endif
