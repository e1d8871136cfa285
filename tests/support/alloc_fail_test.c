/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tests of support/alloc_fail.c: it must fail what it says, and count. */
#include "support/alloc_fail.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* last: it needs those above */
#include <cmocka.h>

/* Keeps the compiler from dropping an allocation that nobody uses. */
static void *volatile used;

static bool malloc_works(void)
{
	used = malloc(8);
	free(used);
	return used;
}

static void everything_works_by_default(void **state)
{
	char *text;

	assert_true(malloc_works());
	text = strdup("text");
	assert_string_equal(text, "text");
	free(text);
	assert_false(alloc_fail_done());
}

static void next_allocation_fails(void **state)
{
	alloc_fail_at(1);
	errno = 0;
	assert_false(malloc_works());
	assert_int_equal(errno, ENOMEM);
	assert_true(alloc_fail_done());
}

static void third_allocation_fails_and_no_other(void **state)
{
	alloc_fail_at(3);
	assert_true(malloc_works());
	assert_true(malloc_works());
	assert_false(malloc_works());
	assert_true(malloc_works());
	assert_true(alloc_fail_done());
}

static void failure_that_has_not_come_is_told(void **state)
{
	alloc_fail_at(2);
	assert_true(malloc_works());
	assert_false(alloc_fail_done());
	assert_true(malloc_works()); /* and does not come later */
}

static void every_kind_of_allocation_fails(void **state)
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

static void failed_realloc_leaves_the_block(void **state)
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

static void blocks_are_counted(void **state)
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

static void allocation_that_failed_is_not_counted(void **state)
{
	size_t before = alloc_fail_nr_blocks();

	alloc_fail_at(1);
	used = malloc(8);
	assert_true(alloc_fail_done());
	assert_int_equal(alloc_fail_nr_blocks(), before);
}

/* A sanitizer would end the program. */
static void product_that_overflows_fails_as_in_libc(void **state)
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

static void freeing_nothing_counts_nothing(void **state)
{
	size_t before = alloc_fail_nr_blocks();

	free(NULL);
	assert_int_equal(alloc_fail_nr_blocks(), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_works_by_default),
		cmocka_unit_test(next_allocation_fails),
		cmocka_unit_test(third_allocation_fails_and_no_other),
		cmocka_unit_test(failure_that_has_not_come_is_told),
		cmocka_unit_test(every_kind_of_allocation_fails),
		cmocka_unit_test(failed_realloc_leaves_the_block),
		cmocka_unit_test(blocks_are_counted),
		cmocka_unit_test(allocation_that_failed_is_not_counted),
		cmocka_unit_test(product_that_overflows_fails_as_in_libc),
		cmocka_unit_test(freeing_nothing_counts_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
