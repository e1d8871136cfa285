/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Root directory of sysfs. The first call in a process decides, so each case
 * runs in its own process.
 */
#include "util/sysfs_root.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static bool privileged;

char *__real_secure_getenv(const char *name);
char *__wrap_secure_getenv(const char *name);
char *__wrap_secure_getenv(const char *name)
{
	return privileged ? NULL : __real_secure_getenv(name);
}

/*
 * Runs in the child. Returns 0 if the root is @root, before and after a change
 * of the variable.
 */
static int check_root(const char *root)
{
	if (strcmp(sysfs_root(), root) != 0)
		return 1;
	if (setenv("SYSFS_PATH", "/changed", 1))
		return 2;
	return strcmp(sysfs_root(), root) == 0 ? 0 : 3;
}

static void expect_root(const char *value, const char *root)
{
	int status;
	pid_t pid;

	if (value)
		assert_int_equal(setenv("SYSFS_PATH", value, 1), 0);
	else
		assert_int_equal(unsetenv("SYSFS_PATH"), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		_exit(check_root(root));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void sysfs_root_default_is_sys(void **state)
{
	expect_root(NULL, "/sys");
	expect_root("", "/sys");
}

static void sysfs_root_is_value_of_sysfs_path(void **state)
{
	expect_root("/tmp/sys", "/tmp/sys");
	expect_root("relative", "relative");
}

static void sysfs_root_loses_trailing_slashes(void **state)
{
	expect_root("/tmp/sys/", "/tmp/sys");
	expect_root("/tmp//sys///", "/tmp//sys");
	expect_root("/", "");
}

static void sysfs_root_is_truncated_to_256_characters(void **state)
{
	char value[300], root[SYSFS_ROOT_LEN];

	memset(value, 'x', sizeof(value));
	value[sizeof(value) - 1] = '\0';
	memset(root, 'x', sizeof(root));
	root[256] = '\0';
	expect_root(value, root);
}

static void sysfs_root_privileged_program_ignores_sysfs_path(void **state)
{
	privileged = true;
	expect_root("/tmp/sys", "/sys");
	privileged = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sysfs_root_default_is_sys),
		cmocka_unit_test(sysfs_root_is_value_of_sysfs_path),
		cmocka_unit_test(sysfs_root_loses_trailing_slashes),
		cmocka_unit_test(sysfs_root_is_truncated_to_256_characters),
		cmocka_unit_test(
			sysfs_root_privileged_program_ignores_sysfs_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
