/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tests of support/leak_check.c: a test that leaks must fail. The tests that
 * must fail run in child processes.
 */
#include "support/leak_check.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libibverbs/core/own_process.h"

static void *leaked;

static void leak_check_without_leak_passes(void **state)
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

static void leak_block(void **state)
{
	struct leak_check check;

	leak_check_begin(&check);
	leaked = malloc(8);
	leak_check_end(&check);
}

static void free_surplus_block(void **state)
{
	struct leak_check check;

	leaked = malloc(8);
	leak_check_begin(&check);
	free(leaked);
	leak_check_end(&check);
}

static void leak_descriptor(void **state)
{
	struct leak_check check;

	leak_check_begin(&check);
	assert_true(dup(STDIN_FILENO) >= 0);
	leak_check_end(&check);
}

static void close_surplus_descriptor(void **state)
{
	struct leak_check check;
	int fd = dup(STDIN_FILENO);

	assert_true(fd >= 0);
	leak_check_begin(&check);
	(void)close(fd);
	leak_check_end(&check);
}

static void leak_check_leaked_block_fails(void **state)
{
	assert_true(own_process_fails(leak_block));
}

static void leak_check_surplus_free_fails(void **state)
{
	assert_true(own_process_fails(free_surplus_block));
}

static void leak_check_leaked_descriptor_fails(void **state)
{
	assert_true(own_process_fails(leak_descriptor));
}

static void leak_check_surplus_close_fails(void **state)
{
	assert_true(own_process_fails(close_surplus_descriptor));
}

static void leak_check_difference_is_described(void **state)
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
/* tests/own_process.h, which runs the child processes                       */
/* ------------------------------------------------------------------------ */

static void own_process_sample_passes(void **state)
{
}

static void own_process_sample_exits(void **state)
{
	_exit(1);
}

static void own_process_passing_test_is_no_failure(void **state)
{
	assert_false(own_process_fails(own_process_sample_passes));
}

static void own_process_early_exit_is_no_failure(void **state)
{
	assert_false(own_process_fails(own_process_sample_exits));
}

static void own_process_sample_fails(void **state)
{
	fail();
}

static int run_group_of_three(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_process_sample_passes),
		cmocka_unit_test(own_process_sample_fails),
		cmocka_unit_test(own_process_sample_exits),
	};

	return own_process_run_group_tests(tests);
}

static void own_process_group_returns_the_number_of_failures(void **state)
{
	assert_int_equal(run_group_of_three(), 2);
}

static int variable;

static void own_process_sample_changes_variable(void **state)
{
	assert_int_equal(variable, 0);
	variable = 1;
}

static void own_process_tests_of_group_are_isolated(void **state)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_process_sample_changes_variable),
		cmocka_unit_test(own_process_sample_changes_variable),
	};

	assert_int_equal(own_process_run_group_tests(tests), 0);
	assert_int_equal(variable, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(leak_check_without_leak_passes),
		cmocka_unit_test(leak_check_leaked_block_fails),
		cmocka_unit_test(leak_check_surplus_free_fails),
		cmocka_unit_test(leak_check_leaked_descriptor_fails),
		cmocka_unit_test(leak_check_surplus_close_fails),
		cmocka_unit_test(leak_check_difference_is_described),
		cmocka_unit_test(own_process_passing_test_is_no_failure),
		cmocka_unit_test(own_process_early_exit_is_no_failure),
		cmocka_unit_test(
			own_process_group_returns_the_number_of_failures),
		cmocka_unit_test(own_process_tests_of_group_are_isolated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
