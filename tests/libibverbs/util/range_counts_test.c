/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * libibverbs/util/range_counts.c, compared with a model: an array with one
 * count for each address. The tests include the source and inspect the tree,
 * because an unbalanced tree also returns correct results. Linked with WRAP
 * malloc free.
 */
#include "util/range_counts.c"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Must follow the headers above. */
#include <cmocka.h>

#define SPACE 256

static struct range_counts counts;
static unsigned int model[SPACE]; /* the count at each address */

static long nr_allocated;
static bool malloc_fails;
static unsigned int nr_mallocs;

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void __real_free(void *memory);
void __wrap_free(void *memory);

void *__wrap_malloc(size_t size)
{
	nr_mallocs++;
	if (malloc_fails) {
		errno = ENOMEM;
		return NULL;
	}
	nr_allocated++;
	return __real_malloc(size);
}

void __wrap_free(void *memory)
{
	if (memory)
		nr_allocated--;
	__real_free(memory);
}

static int setup(void **state)
{
	memset(model, 0, sizeof(model));
	malloc_fails = false;
	nr_allocated = 0;
	nr_mallocs = 0;
	return 0;
}

static int teardown(void **state)
{
	range_counts_clear(&counts);
	assert_int_equal(nr_allocated, 0);
	return 0;
}

static void add_range(uintptr_t begin, uintptr_t end)
{
	assert_int_equal(range_counts_reserve(&counts), 0);
	range_counts_add(&counts, begin, end);
	for (uintptr_t i = begin; i < end && i < SPACE; i++)
		model[i]++;
}

static void remove_range(uintptr_t begin, uintptr_t end)
{
	assert_int_equal(range_counts_reserve(&counts), 0);
	range_counts_remove(&counts, begin, end);
	for (uintptr_t i = begin; i < end && i < SPACE; i++) {
		if (model[i])
			model[i]--;
	}
}

/* Finds the first or last subrange with count 0 in the model. */
static bool model_find_free(uintptr_t begin, uintptr_t end, bool last,
			    uintptr_t *ret_begin, uintptr_t *ret_end)
{
	bool found = false;

	for (uintptr_t i = begin; i < end; i++) {
		if (model[i])
			continue;
		if (found && *ret_end == i) {
			*ret_end = i + 1;
		} else if (!found || last) {
			*ret_begin = i;
			*ret_end = i + 1;
			found = true;
		}
	}
	return found;
}

static void check_searches(uintptr_t begin, uintptr_t end)
{
	uintptr_t expected[2] = { 1, 1 }, found[2] = { 1, 1 };

	assert_int_equal(
		range_counts_first_uncovered(&counts, begin, end, &found[0],
					     &found[1]),
		model_find_free(begin, end, false, &expected[0], &expected[1]));
	assert_memory_equal(found, expected, sizeof(found));

	memset(found, 0, sizeof(found));
	memset(expected, 0, sizeof(expected));
	assert_int_equal(
		range_counts_last_uncovered(&counts, begin, end, &found[0],
					    &found[1]),
		model_find_free(begin, end, true, &expected[0], &expected[1]));
	assert_memory_equal(found, expected, sizeof(found));
}

/* Checks order, summaries and balance of a tree within [from, to). */
static size_t check_tree(const struct range_bound *node, uintptr_t from,
			 uintptr_t to)
{
	struct range_summary left = range_empty, right = range_empty;
	size_t nr_nodes;

	if (!node)
		return 0;
	assert_true(node->addr >= from && node->addr < to);
	assert_int_not_equal(node->change, 0);
	nr_nodes = 1 + check_tree(node->left, from, node->addr) +
		   check_tree(node->right, node->addr + 1, to);
	if (node->left)
		left = range_bound_summary(node->left);
	if (node->right)
		right = range_bound_summary(node->right);
	assert_memory_equal(&left, &node->of_left, sizeof(left));
	assert_memory_equal(&right, &node->of_right, sizeof(right));
	assert_in_range(left.height + 1 - right.height, 0, 2);
	return nr_nodes;
}

static void check_tree_of_counts(void)
{
	assert_int_equal(check_tree(counts.root, 0, UINTPTR_MAX),
			 counts.nr_bounds);
}

/* Checks all searches, and that adjacent equal counts are merged. */
static void check_all(void)
{
	size_t nr_steps = model[0] != 0;

	for (size_t i = 1; i < SPACE; i++)
		nr_steps += model[i] != model[i - 1];
	nr_steps += model[SPACE - 1] != 0;
	assert_int_equal(counts.nr_bounds, nr_steps);
	check_tree_of_counts();

	for (uintptr_t i = 0; i < SPACE; i++) {
		check_searches(i, SPACE);
		check_searches(0, i + 1);
	}
}

/* ------------------------------------------------------------------------ */

static void range_counts_initial_counts_are_0(void **state)
{
	uintptr_t begin, end;

	check_all();
	assert_true(range_counts_first_uncovered(&counts, 5, UINTPTR_MAX,
						 &begin, &end));
	assert_int_equal(begin, 5);
	assert_int_equal(end, UINTPTR_MAX);
}

static void range_counts_adjacent_ranges_are_merged(void **state)
{
	add_range(10, 20);
	add_range(20, 30);
	assert_int_equal(counts.nr_bounds, 2);
	add_range(15, 25);
	assert_int_equal(counts.nr_bounds, 4);
	check_all();
	remove_range(15, 25);
	assert_int_equal(counts.nr_bounds, 2);
	remove_range(10, 20);
	remove_range(20, 30);
	assert_int_equal(counts.nr_bounds, 0);
	check_all();
}

static void range_counts_many_adjacent_ranges_have_2_bounds(void **state)
{
	for (uintptr_t i = 0; i < 10000; i += 2)
		add_range(i, i + 1);
	assert_int_equal(counts.nr_bounds, 10000);
	for (uintptr_t i = 1; i < 10000; i += 2)
		add_range(i, i + 1);
	assert_int_equal(counts.nr_bounds, 2);
}

static void range_counts_repeated_range_is_counted(void **state)
{
	for (int i = 0; i < 1000; i++)
		add_range(7, 9);
	assert_int_equal(counts.nr_bounds, 2);
	for (int i = 0; i < 999; i++)
		remove_range(7, 9);
	check_all();
	remove_range(7, 9);
	check_all();
}

static void range_counts_accepts_ends_of_address_space(void **state)
{
	uintptr_t begin, end;

	add_range(0, UINTPTR_MAX);
	assert_false(range_counts_first_uncovered(&counts, 0, UINTPTR_MAX,
						  &begin, &end));
	assert_false(range_counts_last_uncovered(&counts, 0, UINTPTR_MAX,
						 &begin, &end));
	remove_range(0, UINTPTR_MAX);
	add_range(UINTPTR_MAX - 1, UINTPTR_MAX);
	assert_true(range_counts_last_uncovered(&counts, 0, UINTPTR_MAX, &begin,
						&end));
	assert_int_equal(begin, 0);
	assert_int_equal(end, UINTPTR_MAX - 1);
}

static void range_counts_remove_keeps_count_0(void **state)
{
	remove_range(0, SPACE);
	check_all();
	add_range(10, 20);
	add_range(30, 40);
	add_range(15, 18);
	remove_range(5, 35);
	check_all();
	remove_range(0, SPACE);
	check_all();
	remove_range(0, SPACE);
	assert_int_equal(counts.nr_bounds, 0);
}

/* Returns the same numbers in each run. */
static unsigned int random_below(unsigned int limit)
{
	static uint32_t x = 12345;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return x % limit;
}

static void range_counts_random_changes_match_model(void **state)
{
	struct {
		uintptr_t begin, end;
	} live[64];
	size_t nr_live = 0;

	for (int step = 0; step < 20000; step++) {
		uintptr_t begin = random_below(SPACE);
		uintptr_t end =
			begin + 1 + random_below((unsigned int)(SPACE - begin));

		if (nr_live < 64 && random_below(2)) {
			add_range(begin, end);
			live[nr_live].begin = begin;
			live[nr_live++].end = end;
		} else if (nr_live) {
			size_t i = random_below((unsigned int)nr_live);

			remove_range(live[i].begin, live[i].end);
			live[i] = live[--nr_live];
		}
		check_searches(begin, end);
		check_tree_of_counts();
		if (step % 100 == 0)
			check_all();
	}
	while (nr_live) {
		nr_live--;
		remove_range(live[nr_live].begin, live[nr_live].end);
	}
	check_all();
	assert_int_equal(counts.nr_bounds, 0);
}

static void range_counts_random_unbalanced_changes_match_model(void **state)
{
	for (int step = 0; step < 20000; step++) {
		uintptr_t begin = random_below(SPACE);
		uintptr_t end =
			begin + 1 + random_below((unsigned int)(SPACE - begin));

		if (random_below(5) < 2)
			add_range(begin, end);
		else
			remove_range(begin, end);
		check_searches(begin, end);
		if (step % 100 == 0)
			check_all();
	}
}

/* Ascending and descending addresses make unbalanced trees degenerate. */
static void range_counts_ordered_ranges_keep_tree_low(void **state)
{
	const uintptr_t many = 20000;

	for (uintptr_t i = 0; i < many; i++)
		add_range(SPACE + 10 * i, SPACE + 10 * i + 5);
	check_tree_of_counts();
	/* 40,000 nodes: 16 levels, times 1.44 at most */
	assert_in_range(range_bound_summary(counts.root).height, 16, 22);
	for (uintptr_t i = 0; i < many - 100; i++)
		remove_range(SPACE + 10 * i, SPACE + 10 * i + 5);
	check_tree_of_counts();
	assert_in_range(range_bound_summary(counts.root).height, 8, 11);
	for (uintptr_t i = many; i > 0; i--)
		add_range(SPACE + 20 * i, SPACE + 20 * i + 100005);
	check_tree_of_counts();
	assert_in_range(range_bound_summary(counts.root).height, 16, 22);
}

static void range_counts_ranges_of_all_sizes_keep_tree_balanced(void **state)
{
	for (unsigned int i = 0; i < 5000; i++) {
		uintptr_t begin = random_below(1u << 20);
		uintptr_t end = begin + 1 + random_below(1u << (i % 20));

		if (random_below(3))
			add_range(begin, end);
		else
			remove_range(begin, end);
		if (i % 50 == 0)
			check_tree_of_counts();
	}
}

/* ------------------------------------------------------------------------ */
/* Memory                                                                    */
/* ------------------------------------------------------------------------ */

static void range_counts_reserve_without_memory_returns_enomem(void **state)
{
	malloc_fails = true;
	assert_int_equal(range_counts_reserve(&counts), -ENOMEM);
	malloc_fails = false;
	add_range(10, 20);
	malloc_fails = true;
	assert_int_equal(range_counts_reserve(&counts), -ENOMEM);
	check_all();
}

static void range_counts_reserve_suffices_for_change(void **state)
{
	for (unsigned int i = 0; i < 100; i++) {
		uintptr_t begin = 1 + random_below(SPACE / 2);

		assert_int_equal(range_counts_reserve(&counts), 0);
		malloc_fails = true;
		range_counts_add(&counts, begin, begin + 50);
		range_counts_add(&counts, begin, begin + 50); /* a repeat */
		malloc_fails = false;
		assert_int_equal(range_counts_reserve(&counts), 0);
		malloc_fails = true;
		range_counts_remove(&counts, begin - 1, begin + 7);
		malloc_fails = false;
	}
}

static void range_counts_freed_nodes_are_reused(void **state)
{
	add_range(10, 20);
	remove_range(10, 20);
	nr_mallocs = 0;
	for (int i = 0; i < 100; i++) {
		add_range(10, 20);
		remove_range(10, 20);
	}
	assert_int_equal(nr_mallocs, 0);
}

static void range_counts_excess_nodes_are_freed(void **state)
{
	for (uintptr_t i = 0; i < 2000; i += 2)
		add_range(i, i + 1);
	assert_in_range(nr_allocated, 2000, 2004);
	for (uintptr_t i = 0; i < 2000; i += 2)
		remove_range(i, i + 1);
	assert_in_range(nr_allocated, 0, 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			range_counts_initial_counts_are_0, setup, teardown),
		cmocka_unit_test_setup_teardown(
			range_counts_adjacent_ranges_are_merged, setup,
			teardown),
		cmocka_unit_test_setup_teardown(
			range_counts_many_adjacent_ranges_have_2_bounds, setup,
			teardown),
		cmocka_unit_test_setup_teardown(
			range_counts_repeated_range_is_counted, setup,
			teardown),
		cmocka_unit_test_setup_teardown(
			range_counts_accepts_ends_of_address_space, setup,
			teardown),
		cmocka_unit_test_setup_teardown(
			range_counts_remove_keeps_count_0, setup, teardown),
		cmocka_unit_test_setup_teardown(
			range_counts_random_changes_match_model, setup,
			teardown),
		cmocka_unit_test_setup_teardown(
			range_counts_random_unbalanced_changes_match_model,
			setup, teardown),
		cmocka_unit_test_setup_teardown(
			range_counts_ordered_ranges_keep_tree_low, setup,
			teardown),
		cmocka_unit_test_setup_teardown(
			range_counts_ranges_of_all_sizes_keep_tree_balanced,
			setup, teardown),
		cmocka_unit_test_setup_teardown(
			range_counts_reserve_without_memory_returns_enomem,
			setup, teardown),
		cmocka_unit_test_setup_teardown(
			range_counts_reserve_suffices_for_change, setup,
			teardown),
		cmocka_unit_test_setup_teardown(
			range_counts_freed_nodes_are_reused, setup, teardown),
		cmocka_unit_test_setup_teardown(
			range_counts_excess_nodes_are_freed, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
