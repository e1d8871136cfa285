/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The count as a function of the address is a staircase. Kept are its steps:
 * where it changes (struct range_bound) and by how much, in a search tree by
 * address. So a range is two steps, however many others it overlaps, and a step
 * whose changes cancel out is taken away, which joins equal neighbours.
 *
 * The count at an address is the sum of the changes up to there. Each node
 * knows the sums of its two subtrees, and the least sum on the way through each
 * of them: with these a search finds the next place where the count is 0
 * without visiting the others, and a change looks only at the nodes on its way.
 *
 * A range that comes again at once, as small buffers in one page do, is not put
 * into the tree each time: whether a place is counted at all does not depend on
 * how often, so searches need not know.
 *
 * The tree is balanced as Adelson-Velsky and Landis do it: the heights of the
 * two subtrees of a node differ by one at most. Functions recurse to its depth,
 * which is below 1.5 times the logarithm of the number of nodes.
 */
#include "util/range_counts.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

/* No tree that fits into memory is higher: 1.5 times 64. */
#define RANGE_MAX_HEIGHT 96

/* So many are kept for later, which saves most calls of the allocator. */
#define RANGE_MAX_SPARE 64

/* What a node has to know of a tree below it. */
struct range_summary {
	int sum;    /* of the changes */
	int min;    /* least sum from the beginning to one of the nodes */
	int height; /* 1 for a leaf */
};

/* Of no tree: no least sum is as large, whatever is added. */
static const struct range_summary range_empty = { .min = INT_MAX / 2 };

struct range_bound {
	uintptr_t addr;
	struct range_bound *left; /* also: next spare one */
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

/* After a change of a subtree that made its height differ by one at most. */
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

/* Makes a step, or changes the one that is there. A level one is none. */
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

/* Whether nothing that is known of the tree at @node has changed. */
static inline bool range_bound_is_unchanged(const struct range_bound *node,
					    const struct range_summary *before)
{
	const struct range_summary now = range_bound_summary(node);

	return now.sum == before->sum && now.min == before->min &&
	       now.height == before->height;
}

/* The nodes above a subtree, from the root on. */
struct range_path {
	struct range_bound *nodes[RANGE_MAX_HEIGHT];
	int length;
};

/*
 * The subtree in which [begin, end] is not on one side of the root any more, or
 * which is very low. No node above it lies in [begin, end].
 * @ret_before: the count in front of the subtree
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
 * Puts @top in the place of the subtree at @old, at the end of the way. Mostly,
 * nothing changes above it, or soon.
 * Return: whether @top has kept its subtrees, which balancing can take from it.
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
 * Two steps that cancel out make the height of a tree differ by one at most,
 * unless it has no more than two nodes before or after: an insertion that
 * raises it leaves it leaning, so that the next one does not, and a removal
 * that lowers it leaves it level.
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

/* Puts what is missing into the tree, before it is changed elsewhere. */
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

	/* Too much: only what is counted, which ends at the next free piece. */
	range_counts_change(counts, begin, end, 1);
	while (begin < end) {
		uintptr_t free_begin = end, free_end = end;

		(void)range_counts_first_free(counts, begin, end, &free_begin,
					      &free_end);
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
 * The count at @addr, which is above or in the tree at @node.
 * @count: in front of the tree
 * @ret_end: the first bound behind @addr, if it is below what is there
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
 * The first bound behind @addr where the count becomes 0. @before is the count
 * in front of the subtree, which is not empty.
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

/* The last bound in front of @addr where the count becomes 0. */
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

bool range_counts_first_free(const struct range_counts *counts, uintptr_t begin,
			     uintptr_t end, uintptr_t *ret_begin,
			     uintptr_t *ret_end)
{
	const struct range_bound *top = counts->root;
	uintptr_t free_end = end;
	int before = 0;

	/* Mostly this is asked about what was changed last. */
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

bool range_counts_last_free(const struct range_counts *counts, uintptr_t begin,
			    uintptr_t end, uintptr_t *ret_begin,
			    uintptr_t *ret_end)
{
	const struct range_bound *bound = NULL;
	uintptr_t free_begin = 0, free_end = end;

	if (counts->root)
		bound = range_bound_last_zero(counts->root, 0, end);
	if (bound)
		free_begin = bound->addr;

	/* without such a bound: what is in front of the first one */
	if (range_bound_count_at(counts->root, 0, free_begin, &free_end) > 0 ||
	    free_end <= begin)
		return false;
	*ret_begin = free_begin > begin ? free_begin : begin;
	*ret_end = free_end;
	return true;
}
