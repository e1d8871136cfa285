/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The count is a step function of the address. A search tree, ordered by
 * address, holds its bounds: the addresses where the count changes (struct
 * range_bound), and by how much. A range adds two bounds, however many other
 * ranges it overlaps. A bound whose changes cancel out is removed, which merges
 * adjacent subranges of equal count.
 *
 * The count at an address is the sum of the changes up to this address. Each
 * node stores, for both of its subtrees, the sum of all changes and the minimum
 * of the partial sums. With these a search finds the next address with count 0
 * in O(log n), and a change updates only the nodes between the root and the
 * changed bounds.
 *
 * If the same range is added several times in a row, as for small buffers in
 * one page, only the first time changes the tree; a counter holds the repeats.
 * Searches only need to distinguish zero from nonzero counts, so they ignore
 * the counter.
 *
 * The tree is an AVL tree: the heights of the two subtrees of a node differ by
 * at most one. Functions recurse to its depth, which is below 1.5 times the
 * binary logarithm of the number of nodes.
 */
#include "util/range_counts.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

/* Limit for a 64-bit address space: 1.5 times 64. */
#define RANGE_MAX_HEIGHT 96

/* Spare nodes that are kept, to avoid most allocator calls. */
#define RANGE_MAX_SPARE 64

/* Summary of a subtree, stored in its parent. */
struct range_summary {
	int sum;    /* of all changes */
	int min;    /* minimum of the partial sums from the first node on */
	int height; /* 1 for a leaf */
};

/* Summary of an empty tree: its min is above every possible sum. */
static const struct range_summary range_empty = { .min = INT_MAX / 2 };

struct range_bound {
	uintptr_t addr;
	struct range_bound *left; /* also the link of the spare list */
	struct range_bound *right;
	int change; /* of the count at addr; never 0 in the tree */
	struct range_summary of_left;
	struct range_summary of_right;
};

/* ------------------------------------------------------------------------ */
/* Memory                                                                    */
/* ------------------------------------------------------------------------ */

static void range_counts_put_spare(struct range_counts *counts,
				   struct range_bound *node)
{
	node->left = counts->spare;
	counts->spare = node;
	counts->nr_spare++;
}

static struct range_bound *range_counts_take_spare(struct range_counts *counts)
{
	struct range_bound *node = counts->spare;

	counts->spare = node->left;
	counts->nr_spare--;
	return node;
}

static void range_counts_free_spares(struct range_counts *counts, size_t keep)
{
	while (counts->nr_spare > keep)
		free(range_counts_take_spare(counts));
}

int range_counts_get_spares(struct range_counts *counts)
{
	while (counts->nr_spare < RANGE_BOUNDS_PER_CHANGE) {
		struct range_bound *node = malloc(sizeof(*node));

		if (!node)
			return -ENOMEM;
		range_counts_put_spare(counts, node);
	}
	return 0;
}

/* ------------------------------------------------------------------------ */
/* Balance                                                                   */
/* ------------------------------------------------------------------------ */

static int range_min(int a, int b)
{
	return a < b ? a : b;
}

static struct range_summary range_bound_summary(const struct range_bound *node)
{
	const struct range_summary *left = &node->of_left,
				   *right = &node->of_right;
	int here = left->sum + node->change;

	return (struct range_summary){
		.sum = here + right->sum,
		.min = range_min(range_min(left->min, here), here + right->min),
		.height = 1 + (left->height > right->height ? left->height
							    : right->height),
	};
}

static void range_bound_set_left(struct range_bound *node,
				 struct range_bound *left)
{
	node->left = left;
	node->of_left = left ? range_bound_summary(left) : range_empty;
}

static void range_bound_set_right(struct range_bound *node,
				  struct range_bound *right)
{
	node->right = right;
	node->of_right = right ? range_bound_summary(right) : range_empty;
}

static struct range_bound *range_bound_rotate_left(struct range_bound *node)
{
	struct range_bound *top = node->right;

	node->right = top->left;
	node->of_right = top->of_left;
	range_bound_set_left(top, node);
	return top;
}

static struct range_bound *range_bound_rotate_right(struct range_bound *node)
{
	struct range_bound *top = node->left;

	node->left = top->right;
	node->of_left = top->of_right;
	range_bound_set_right(top, node);
	return top;
}

static struct range_bound *range_bound_raise_right(struct range_bound *node)
{
	struct range_bound *right = node->right;

	if (right->of_left.height > right->of_right.height)
		range_bound_set_right(node, range_bound_rotate_right(right));
	return range_bound_rotate_left(node);
}

static struct range_bound *range_bound_raise_left(struct range_bound *node)
{
	struct range_bound *left = node->left;

	if (left->of_right.height > left->of_left.height)
		range_bound_set_left(node, range_bound_rotate_left(left));
	return range_bound_rotate_right(node);
}

/* Precondition: a change of one subtree has changed its height by at most 1. */
static inline struct range_bound *range_bound_balance(struct range_bound *node)
{
	int imbalance = node->of_right.height - node->of_left.height;

	if (imbalance > 1)
		return range_bound_raise_right(node);
	return imbalance < -1 ? range_bound_raise_left(node) : node;
}

/* ------------------------------------------------------------------------ */
/* Changes                                                                   */
/* ------------------------------------------------------------------------ */

static struct range_bound *range_counts_new_bound(struct range_counts *counts,
						  uintptr_t addr, int change)
{
	struct range_bound *new = range_counts_take_spare(counts);

	new->addr = addr;
	new->change = change;
	range_bound_set_left(new, NULL);
	range_bound_set_right(new, NULL);
	counts->nr_bounds++;
	return new;
}

static struct range_bound *
range_bound_remove_first(struct range_bound *node,
			 struct range_bound **ret_first)
{
	if (!node->left) {
		*ret_first = node;
		return node->right;
	}
	range_bound_set_left(node,
			     range_bound_remove_first(node->left, ret_first));
	return range_bound_balance(node);
}

static struct range_bound *
range_counts_remove_bound(struct range_counts *counts, struct range_bound *node)
{
	struct range_bound *top = node->left;

	if (!top) {
		top = node->right;
	} else if (node->right) {
		struct range_bound *right =
			range_bound_remove_first(node->right, &top);

		top->left = node->left;
		top->of_left = node->of_left;
		range_bound_set_right(top, right);
		top = range_bound_balance(top);
	}
	range_counts_put_spare(counts, node);
	counts->nr_bounds--;
	return top;
}

/* Adds @change at @addr; removes the bound if its change becomes 0. */
static struct range_bound *
range_counts_change_bound(struct range_counts *counts, struct range_bound *node,
			  uintptr_t addr, int change)
{
	if (!node)
		return range_counts_new_bound(counts, addr, change);
	if (addr < node->addr) {
		range_bound_set_left(
			node, range_counts_change_bound(counts, node->left,
							addr, change));
	} else if (addr > node->addr) {
		range_bound_set_right(
			node, range_counts_change_bound(counts, node->right,
							addr, change));
	} else {
		node->change += change;
		if (node->change == 0)
			return range_counts_remove_bound(counts, node);
	}
	return range_bound_balance(node);
}

/* Returns whether the summary of the tree at @node equals @before. */
static inline bool range_bound_is_unchanged(const struct range_bound *node,
					    const struct range_summary *before)
{
	const struct range_summary now = range_bound_summary(node);

	return now.sum == before->sum && now.min == before->min &&
	       now.height == before->height;
}

/* The path from the root to a subtree, which is not part of it. */
struct range_path {
	struct range_bound *nodes[RANGE_MAX_HEIGHT];
	int length;
};

/*
 * Finds a low subtree for changes in [begin, end]. Descends while the range is
 * entirely on one side of the node, and the subtree on that side has a height
 * above 2. No node above the returned subtree lies in [begin, end].
 * @ret_before: the count before the first node of the subtree
 */
static struct range_bound *range_counts_descend(struct range_counts *counts,
						uintptr_t begin, uintptr_t end,
						struct range_path *path,
						int *ret_before)
{
	struct range_bound *node = counts->root;
	int before = 0, length = 0;

	while (node) {
		path->nodes[length] = node;
		if (end < node->addr && node->of_left.height > 2) {
			node = node->left;
		} else if (begin > node->addr && node->of_right.height > 2) {
			before += node->of_left.sum + node->change;
			node = node->right;
		} else {
			break;
		}
		length++;
	}
	path->length = length;
	*ret_before = before;
	return node;
}

/*
 * Replaces the subtree @old at the end of @path by @top and updates the
 * summaries above it. Stops as soon as a summary does not change, which is
 * usually at once.
 * Return: whether the subtrees of @top are unchanged; balancing may move them.
 */
static bool range_counts_ascend(struct range_counts *counts,
				const struct range_path *path,
				const struct range_bound *old,
				struct range_bound *top)
{
	bool is_whole = true;

	for (int i = path->length; i > 0; i--) {
		struct range_bound *node = path->nodes[i - 1];

		if (node->left == old) {
			node->left = top;
			if (range_bound_is_unchanged(top, &node->of_left))
				return is_whole;
			range_bound_set_left(node, top);
		} else {
			node->right = top;
			if (range_bound_is_unchanged(top, &node->of_right))
				return is_whole;
			range_bound_set_right(node, top);
		}
		old = node;
		top = range_bound_balance(node);
		is_whole = is_whole && top == node;
	}
	counts->root = top;
	return is_whole;
}

/*
 * Both bounds are changed before the tree above is balanced, although
 * range_bound_balance() allows a height change of 1 only. Two insertions or two
 * removals change the height by at most one, unless the tree has at most two
 * nodes before or after: an insertion that increases the height makes the two
 * subtrees differ in height, so that the next insertion does not increase it,
 * and a removal that decreases the height makes the heights of both subtrees
 * equal.
 */
static void range_counts_change(struct range_counts *counts, uintptr_t begin,
				uintptr_t end, int change)
{
	struct range_bound *old, *top;
	struct range_path path;

	old = range_counts_descend(counts, begin, end, &path,
				   &counts->last.before);
	top = range_counts_change_bound(counts, old, begin, change);
	top = range_counts_change_bound(counts, top, end, -change);
	counts->last.begin = begin;
	counts->last.end = end;
	counts->last.top = range_counts_ascend(counts, &path, old, top) ? top
									: NULL;
	if (counts->nr_spare > RANGE_MAX_SPARE)
		range_counts_free_spares(counts, RANGE_MAX_SPARE);
}

static bool range_counts_is_last(const struct range_counts *counts,
				 uintptr_t begin, uintptr_t end)
{
	return counts->last.begin == begin && counts->last.end == end;
}

/* Adds the repeats of the last range to the tree, before another change. */
static void range_counts_flush_repeats(struct range_counts *counts)
{
	int repeats = counts->last.repeats;

	counts->last.repeats = 0;
	if (repeats)
		range_counts_change(counts, counts->last.begin,
				    counts->last.end, repeats);
}

void range_counts_add(struct range_counts *counts, uintptr_t begin,
		      uintptr_t end)
{
	if (counts->last.is_counted &&
	    range_counts_is_last(counts, begin, end)) {
		counts->last.repeats++;
		return;
	}
	range_counts_flush_repeats(counts);
	range_counts_change(counts, begin, end, 1);
	counts->last.is_counted = true;
}

void range_counts_remove(struct range_counts *counts, uintptr_t begin,
			 uintptr_t end)
{
	if (counts->last.repeats && range_counts_is_last(counts, begin, end)) {
		counts->last.repeats--;
		return;
	}
	range_counts_flush_repeats(counts);
	counts->last.is_counted = false;
	range_counts_change(counts, begin, end, -1);
	if (!counts->root || range_bound_summary(counts->root).min >= 0)
		return;

	/* Parts of the range had count 0: undo, then skip these. */
	range_counts_change(counts, begin, end, 1);
	while (begin < end) {
		uintptr_t free_begin = end, free_end = end;

		(void)range_counts_first_uncovered(counts, begin, end,
						   &free_begin, &free_end);
		if (begin < free_begin)
			range_counts_change(counts, begin, free_begin, -1);
		begin = free_end;
	}
}

void range_counts_clear(struct range_counts *counts)
{
	while (counts->root)
		counts->root = range_counts_remove_bound(counts, counts->root);
	range_counts_free_spares(counts, 0);
	*counts = (struct range_counts){};
}

/* ------------------------------------------------------------------------ */
/* Searches                                                                  */
/* ------------------------------------------------------------------------ */

/*
 * Returns the count at @addr, which must not be below the tree at @node.
 * @count: count before the first node of the tree
 * @ret_end: set to the first bound above @addr, if that is below *@ret_end
 */
static int range_bound_count_at(const struct range_bound *node, int count,
				uintptr_t addr, uintptr_t *ret_end)
{
	while (node) {
		if (node->addr <= addr) {
			count += node->of_left.sum + node->change;
			node = node->right;
		} else {
			if (node->addr < *ret_end)
				*ret_end = node->addr;
			node = node->left;
		}
	}
	return count;
}

/*
 * Returns the first bound above @addr where the count becomes 0. @before is the
 * count before the first node of the subtree, which must not be empty.
 */
static const struct range_bound *
range_bound_first_zero(const struct range_bound *node, int before,
		       uintptr_t addr)
{
	int here = before + node->of_left.sum + node->change;

	if (node->addr > addr) {
		const struct range_bound *found = NULL;

		if (before + node->of_left.min <= 0)
			found = range_bound_first_zero(node->left, before,
						       addr);
		if (found)
			return found;
		if (here == 0)
			return node;
	}
	if (here + node->of_right.min > 0)
		return NULL;
	return range_bound_first_zero(node->right, here, addr);
}

/* Returns the last bound below @addr where the count becomes 0. */
static const struct range_bound *
range_bound_last_zero(const struct range_bound *node, int before,
		      uintptr_t addr)
{
	int here = before + node->of_left.sum + node->change;

	if (node->addr < addr) {
		const struct range_bound *found = NULL;

		if (here + node->of_right.min <= 0)
			found = range_bound_last_zero(node->right, here, addr);
		if (found)
			return found;
		if (here == 0)
			return node;
	}
	if (before + node->of_left.min > 0)
		return NULL;
	return range_bound_last_zero(node->left, before, addr);
}

bool range_counts_first_uncovered(const struct range_counts *counts,
				  uintptr_t begin, uintptr_t end,
				  uintptr_t *ret_begin, uintptr_t *ret_end)
{
	const struct range_bound *top = counts->root;
	uintptr_t free_end = end;
	int before = 0;

	/* Callers mostly search the range that they changed last. */
	if (range_counts_is_last(counts, begin, end)) {
		if (counts->last.is_counted)
			return false;
		if (counts->last.top) {
			top = counts->last.top;
			before = counts->last.before;
		}
	}
	if (range_bound_count_at(top, before, begin, &free_end) > 0) {
		const struct range_bound *bound;

		if (free_end == end)
			return false;
		bound = range_bound_first_zero(top, before, begin);
		if (!bound || bound->addr >= end)
			return false;
		begin = bound->addr;
		free_end = end;
		(void)range_bound_count_at(top, before, begin,
					   &free_end); /* 0 */
	}
	*ret_begin = begin;
	*ret_end = free_end;
	return true;
}

bool range_counts_last_uncovered(const struct range_counts *counts,
				 uintptr_t begin, uintptr_t end,
				 uintptr_t *ret_begin, uintptr_t *ret_end)
{
	const struct range_bound *bound = NULL;
	uintptr_t free_begin = 0, free_end = end;

	if (counts->root)
		bound = range_bound_last_zero(counts->root, 0, end);
	if (bound)
		free_begin = bound->addr;

	/* Without such a bound, the search starts at address 0. */
	if (range_bound_count_at(counts->root, 0, free_begin, &free_end) > 0 ||
	    free_end <= begin)
		return false;
	*ret_begin = free_begin > begin ? free_begin : begin;
	*ret_end = free_end;
	return true;
}
