/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Environment variables, also in a set-uid or set-gid program. */
#include "util/env.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define NAME "VERBS_ENV_TEST"

/* Makes secure_getenv() behave as in a set-uid or set-gid program. */
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

static void set_variable(const char *value)
{
	assert_int_equal(setenv(NAME, value, 1), 0);
}

static void env_path_returns_value(void **state)
{
	assert_null(env_path(NAME));
	set_variable("/tmp");
	assert_string_equal(env_path(NAME), "/tmp");
	set_variable("");
	assert_string_equal(env_path(NAME), "");
}

static void env_path_privileged_program_gets_null(void **state)
{
	set_variable("/tmp");
	privileged = true;
	assert_null(env_path(NAME));
}

static void env_on_and_long_privileged_program_gets_values(void **state)
{
	set_variable("3");
	privileged = true;
	assert_true(env_on(NAME));
	assert_int_equal(env_long(NAME, 9), 3);
}

static void env_on_is_true_unless_0(void **state)
{
	assert_false(env_on(NAME));
	set_variable("0");
	assert_false(env_on(NAME));
	set_variable("");
	assert_true(env_on(NAME));
	set_variable("1");
	assert_true(env_on(NAME));
	set_variable("00");
	assert_true(env_on(NAME));
}

static void env_long_accepts_c_notation(void **state)
{
	assert_int_equal(env_long(NAME, 9), 9);
	set_variable("4");
	assert_int_equal(env_long(NAME, 9), 4);
	set_variable("0x10");
	assert_int_equal(env_long(NAME, 9), 16);
	set_variable("010");
	assert_int_equal(env_long(NAME, 9), 8);
	set_variable("-1");
	assert_int_equal(env_long(NAME, 9), -1);
}

static void env_long_malformed_number_returns_fallback(void **state)
{
	static const char *const values[] = {
		"", "four", "4x", "4 ", "0x", "99999999999999999999999",
	};

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		set_variable(values[i]);
		assert_int_equal(env_long(NAME, 9), 9);
	}
}

#define TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(env_path_returns_value),
		TEST(env_path_privileged_program_gets_null),
		TEST(env_on_and_long_privileged_program_gets_values),
		TEST(env_on_is_true_unless_0),
		TEST(env_long_accepts_c_notation),
		TEST(env_long_malformed_number_returns_fallback),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
