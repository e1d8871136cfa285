/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_get_sysfs_path() and ibv_read_sysfs_file(). The test expects
 * SYSFS_PATH=/tmp/some/where/// in its environment.
 */
#include "api/sysfs.h"

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char dir[] = "/tmp/sysfs_test.XXXXXX";

static int create_test_dir(void **state)
{
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_test_dir(void **state)
{
	return rmdir(dir);
}

static void format_path(char *path, size_t size, const char *name)
{
	assert_in_range(snprintf(path, size, "%s/%s", dir, name), 1, size - 1);
}

static void write_file(const char *name, const char *text)
{
	char path[PATH_MAX];
	FILE *file;

	format_path(path, sizeof(path), name);
	file = fopen(path, "we");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void remove_file(const char *name)
{
	char path[PATH_MAX];

	format_path(path, sizeof(path), name);
	assert_int_equal(unlink(path), 0);
}

/* Write @text to a file and read it into a buffer of @size bytes. */
static int sysfs_read_text(const char *text, char *buf, size_t size)
{
	int ret;

	write_file("file", text);
	errno = 0;
	ret = ibv_read_sysfs_file(dir, "file", buf, size);
	remove_file("file");
	return ret;
}

static void get_sysfs_path_trailing_slashes_are_removed(void **state)
{
	assert_string_equal(ibv_get_sysfs_path(), "/tmp/some/where");
}

static void read_sysfs_file_removes_last_newline(void **state)
{
	char buf[16];

	assert_int_equal(sysfs_read_text("abc\n", buf, sizeof(buf)), 3);
	assert_string_equal(buf, "abc");
	assert_int_equal(sysfs_read_text("abc\n\n", buf, sizeof(buf)), 4);
	assert_string_equal(buf, "abc\n");
}

static void read_sysfs_file_without_newline_returns_text(void **state)
{
	char buf[16];

	assert_int_equal(sysfs_read_text("abc", buf, sizeof(buf)), 3);
	assert_string_equal(buf, "abc");
}

static void read_sysfs_file_empty_returns_0(void **state)
{
	char buf[16];

	assert_int_equal(sysfs_read_text("", buf, sizeof(buf)), 0);
}

static void read_sysfs_file_last_newline_needs_no_space(void **state)
{
	char buf[4];

	assert_int_equal(sysfs_read_text("abc\n", buf, sizeof(buf)), 3);
	assert_string_equal(buf, "abc");
}

static void read_sysfs_file_longer_than_buffer_is_eoverflow(void **state)
{
	char buf[4] = "xyz";

	assert_int_equal(sysfs_read_text("abcd", buf, sizeof(buf)), -1);
	assert_int_equal(errno, EOVERFLOW);
	assert_int_equal(sysfs_read_text("abcdefghijkl\n", buf, sizeof(buf)),
			 -1);
	assert_int_equal(errno, EOVERFLOW);
	assert_string_equal(buf, "xyz");
}

static void read_sysfs_file_bad_buffer_size_is_einval(void **state)
{
	char buf[4];

	assert_int_equal(sysfs_read_text("abc\n", buf, 0), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(sysfs_read_text("abc\n", buf, SIZE_MAX), -1);
	assert_int_equal(errno, EINVAL);
}

static void read_sysfs_file_missing_is_enoent(void **state)
{
	char buf[4];

	assert_int_equal(ibv_read_sysfs_file(dir, "none", buf, sizeof(buf)),
			 -1);
	assert_int_equal(errno, ENOENT);
}

static void read_sysfs_file_long_path_is_enametoolong(void **state)
{
	char name[PATH_MAX];
	char buf[4];

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(ibv_read_sysfs_file(dir, name, buf, sizeof(buf)), -1);
	assert_int_equal(errno, ENAMETOOLONG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(get_sysfs_path_trailing_slashes_are_removed),
		cmocka_unit_test(read_sysfs_file_removes_last_newline),
		cmocka_unit_test(read_sysfs_file_without_newline_returns_text),
		cmocka_unit_test(read_sysfs_file_empty_returns_0),
		cmocka_unit_test(read_sysfs_file_last_newline_needs_no_space),
		cmocka_unit_test(
			read_sysfs_file_longer_than_buffer_is_eoverflow),
		cmocka_unit_test(read_sysfs_file_bad_buffer_size_is_einval),
		cmocka_unit_test(read_sysfs_file_missing_is_enoent),
		cmocka_unit_test(read_sysfs_file_long_path_is_enametoolong),
	};

	return cmocka_run_group_tests(tests, create_test_dir, remove_test_dir);
}
