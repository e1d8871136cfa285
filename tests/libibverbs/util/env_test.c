/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Environment variables, also as a privileged program sees them. */
#include "util/env.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define NAME "VERBS_ENV_TEST"

/* What the C library does in a set-uid or set-gid program. */
static bool privileged;

char *__real_secure_getenv(const char *name);
char *__wrap_secure_getenv(const char *name);
char *__wrap_secure_getenv(const char *name)
{
	return privileged ? NULL : __real_secure_getenv(name);
}

static int setup(void **state)
{
	privileged = false;
	assert_int_equal(unsetenv(NAME), 0);
	return 0;
}

static void set(const char *value)
{
	assert_int_equal(setenv(NAME, value, 1), 0);
}

static void path_is_the_value(void **state)
{
	assert_null(env_path(NAME));
	set("/tmp");
	assert_string_equal(env_path(NAME), "/tmp");
	set("");
	assert_string_equal(env_path(NAME), "");
}

static void privileged_program_sees_no_path(void **state)
{
	set("/tmp");
	privileged = true;
	assert_null(env_path(NAME));
}

static void privileged_program_sees_switches_and_numbers(void **state)
{
	set("3");
	privileged = true;
	assert_true(env_on(NAME));
	assert_int_equal(env_long(NAME, 9), 3);
}

static void switch_is_on_unless_it_is_0(void **state)
{
	assert_false(env_on(NAME));
	set("0");
	assert_false(env_on(NAME));
	set("");
	assert_true(env_on(NAME));
	set("1");
	assert_true(env_on(NAME));
	set("00");
	assert_true(env_on(NAME));
}

static void number_is_in_c_notation(void **state)
{
	assert_int_equal(env_long(NAME, 9), 9);
	set("4");
	assert_int_equal(env_long(NAME, 9), 4);
	set("0x10");
	assert_int_equal(env_long(NAME, 9), 16);
	set("010");
	assert_int_equal(env_long(NAME, 9), 8);
	set("-1");
	assert_int_equal(env_long(NAME, 9), -1);
}

static void what_is_no_number_is_ignored(void **state)
{
	static const char *const values[] = {
		"", "four", "4x", "4 ", "0x", "99999999999999999999999",
	};

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		set(values[i]);
		assert_int_equal(env_long(NAME, 9), 9);
	}
}

#define TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(path_is_the_value),
		TEST(privileged_program_sees_no_path),
		TEST(privileged_program_sees_switches_and_numbers),
		TEST(switch_is_on_unless_it_is_0),
		TEST(number_is_in_c_notation),
		TEST(what_is_no_number_is_ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
