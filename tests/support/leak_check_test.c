/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tests of support/leak_check.c: a test that leaks must fail. Those tests are
 * run in children.
 */
#include "support/leak_check.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libibverbs/core/own_process.h"

static void *leaked;

static void nothing_leaks(void **state)
{
	struct leak_check check;
	void *volatile block;
	char text[80];

	leak_check_begin(&check);
	block = malloc(8);
	free(block);
	assert_false(leak_check_difference(&check, text, sizeof(text)));
	leak_check_end(&check);
}

static void leak_a_block(void **state)
{
	struct leak_check check;

	leak_check_begin(&check);
	leaked = malloc(8);
	leak_check_end(&check);
}

static void free_too_much(void **state)
{
	struct leak_check check;

	leaked = malloc(8);
	leak_check_begin(&check);
	free(leaked);
	leak_check_end(&check);
}

static void leak_a_descriptor(void **state)
{
	struct leak_check check;

	leak_check_begin(&check);
	assert_true(dup(STDIN_FILENO) >= 0);
	leak_check_end(&check);
}

static void close_a_descriptor_too_much(void **state)
{
	struct leak_check check;
	int fd = dup(STDIN_FILENO);

	assert_true(fd >= 0);
	leak_check_begin(&check);
	(void)close(fd);
	leak_check_end(&check);
}

static void leaked_block_fails_the_test(void **state)
{
	assert_true(own_process_fails(leak_a_block));
}

static void block_that_is_freed_too_much_fails_the_test(void **state)
{
	assert_true(own_process_fails(free_too_much));
}

static void leaked_descriptor_fails_the_test(void **state)
{
	assert_true(own_process_fails(leak_a_descriptor));
}

static void descriptor_closed_too_much_fails_the_test(void **state)
{
	assert_true(own_process_fails(close_a_descriptor_too_much));
}

static void difference_is_told(void **state)
{
	struct leak_check check;
	char text[80] = "";
	int fd;

	leak_check_begin(&check);
	fd = dup(STDIN_FILENO);
	assert_true(fd >= 0);
	assert_true(leak_check_difference(&check, text, sizeof(text)));
	assert_non_null(strstr(text, "descriptor"));
	assert_int_equal(close(fd), 0);
	leaked = malloc(8);
	assert_true(leak_check_difference(&check, text, sizeof(text)));
	assert_non_null(strstr(text, "block"));
	free(leaked);
	assert_false(leak_check_difference(&check, text, sizeof(text)));
}

/* ------------------------------------------------------------------------ */
/* What runs the children                                                    */
/* ------------------------------------------------------------------------ */

static void pass(void **state)
{
}

static void die(void **state)
{
	_exit(1);
}

static void test_that_passes_is_no_failure(void **state)
{
	assert_false(own_process_fails(pass));
}

static void child_that_ends_by_itself_is_no_failed_test(void **state)
{
	assert_false(own_process_fails(die));
}

static void check_fails(void **state)
{
	fail();
}

static int run_group_of_three(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pass),
		cmocka_unit_test(check_fails),
		cmocka_unit_test(die),
	};

	return own_process_run_group_tests(tests);
}

static void group_tells_how_many_failed(void **state)
{
	assert_int_equal(run_group_of_three(), 2);
}

static int variable;

static void change_variable(void **state)
{
	assert_int_equal(variable, 0);
	variable = 1;
}

static void tests_of_a_group_do_not_see_each_other(void **state)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(change_variable),
		cmocka_unit_test(change_variable),
	};

	assert_int_equal(own_process_run_group_tests(tests), 0);
	assert_int_equal(variable, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_leaks),
		cmocka_unit_test(leaked_block_fails_the_test),
		cmocka_unit_test(block_that_is_freed_too_much_fails_the_test),
		cmocka_unit_test(leaked_descriptor_fails_the_test),
		cmocka_unit_test(descriptor_closed_too_much_fails_the_test),
		cmocka_unit_test(difference_is_told),
		cmocka_unit_test(test_that_passes_is_no_failure),
		cmocka_unit_test(child_that_ends_by_itself_is_no_failed_test),
		cmocka_unit_test(group_tells_how_many_failed),
		cmocka_unit_test(tests_of_a_group_do_not_see_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
