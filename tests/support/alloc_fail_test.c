/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tests of support/alloc_fail.c: it fails the requested allocation and counts
 * blocks.
 */
#include "support/alloc_fail.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* last: cmocka.h needs the headers above */
#include <cmocka.h>

/* Keeps the compiler from removing an allocation whose result is unused. */
static void *volatile used;

static bool malloc_works(void)
{
	used = malloc(8);
	free(used);
	return used;
}

static void alloc_fail_without_request_lets_allocations_work(void **state)
{
	char *text;

	assert_true(malloc_works());
	text = strdup("text");
	assert_string_equal(text, "text");
	free(text);
	assert_false(alloc_fail_done());
}

static void alloc_fail_at_1_fails_the_next_allocation(void **state)
{
	alloc_fail_at(1);
	errno = 0;
	assert_false(malloc_works());
	assert_int_equal(errno, ENOMEM);
	assert_true(alloc_fail_done());
}

static void alloc_fail_at_3_fails_only_the_third_allocation(void **state)
{
	alloc_fail_at(3);
	assert_true(malloc_works());
	assert_true(malloc_works());
	assert_false(malloc_works());
	assert_true(malloc_works());
	assert_true(alloc_fail_done());
}

static void alloc_fail_done_reports_failure_that_did_not_occur(void **state)
{
	alloc_fail_at(2);
	assert_true(malloc_works());
	assert_false(alloc_fail_done());
	assert_true(malloc_works()); /* the failure was cancelled */
}

static void alloc_fail_applies_to_every_allocation_function(void **state)
{
	void *volatile block = malloc(8);

	alloc_fail_at(1);
	used = calloc(1, 8);
	assert_null(used);
	alloc_fail_at(1);
	used = strdup("text");
	assert_null(used);
	alloc_fail_at(1);
	used = realloc(block, 16);
	assert_null(used);
	alloc_fail_at(1);
	used = reallocarray(block, 2, 8);
	assert_null(used);
	assert_true(alloc_fail_done());
	free(block);
}

static void alloc_fail_realloc_failure_keeps_the_old_block(void **state)
{
	size_t before = alloc_fail_nr_blocks();
	char *volatile block = malloc(8);

	memset(block, 'x', 8);
	alloc_fail_at(1);
	used = realloc(block, 1000);
	assert_null(used);
	assert_int_equal(block[7], 'x');
	assert_int_equal(alloc_fail_nr_blocks(), before + 1);
	assert_true(alloc_fail_done());
	free(block);
}

static void alloc_fail_blocks_are_counted(void **state)
{
	size_t before = alloc_fail_nr_blocks();
	void *volatile one = malloc(1);
	void *volatile two = calloc(2, 2);
	char *volatile three = strdup("three");

	assert_int_equal(alloc_fail_nr_blocks(), before + 3);
	one = realloc(one, 1000);
	assert_int_equal(alloc_fail_nr_blocks(), before + 3);
	free(one);
	free(two);
	assert_int_equal(alloc_fail_nr_blocks(), before + 1);
	free(three);
	assert_int_equal(alloc_fail_nr_blocks(), before);
}

static void alloc_fail_failed_allocation_is_not_counted(void **state)
{
	size_t before = alloc_fail_nr_blocks();

	alloc_fail_at(1);
	used = malloc(8);
	assert_true(alloc_fail_done());
	assert_int_equal(alloc_fail_nr_blocks(), before);
}

/* The allocator of a sanitizer would abort instead of failing. */
static void alloc_fail_overflowing_product_returns_enomem(void **state)
{
	volatile size_t many = SIZE_MAX / 2;

	alloc_fail_at(0);
	errno = 0;
	used = calloc(many, 3);
	assert_null(used);
	assert_int_equal(errno, ENOMEM);
	errno = 0;
	used = reallocarray(NULL, many, 3);
	assert_null(used);
	assert_int_equal(errno, ENOMEM);
	assert_false(alloc_fail_done());
}

static void alloc_fail_free_of_null_is_not_counted(void **state)
{
	size_t before = alloc_fail_nr_blocks();

	free(NULL);
	assert_int_equal(alloc_fail_nr_blocks(), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			alloc_fail_without_request_lets_allocations_work),
		cmocka_unit_test(alloc_fail_at_1_fails_the_next_allocation),
		cmocka_unit_test(
			alloc_fail_at_3_fails_only_the_third_allocation),
		cmocka_unit_test(
			alloc_fail_done_reports_failure_that_did_not_occur),
		cmocka_unit_test(
			alloc_fail_applies_to_every_allocation_function),
		cmocka_unit_test(
			alloc_fail_realloc_failure_keeps_the_old_block),
		cmocka_unit_test(alloc_fail_blocks_are_counted),
		cmocka_unit_test(alloc_fail_failed_allocation_is_not_counted),
		cmocka_unit_test(alloc_fail_overflowing_product_returns_enomem),
		cmocka_unit_test(alloc_fail_free_of_null_is_not_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
