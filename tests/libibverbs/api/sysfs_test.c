/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The two sysfs helpers. Runs with SYSFS_PATH=/tmp/some/where/// set. */
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

static int make_dir(void **state)
{
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	return rmdir(dir);
}

static void path_of(char *path, size_t size, const char *name)
{
	assert_in_range(snprintf(path, size, "%s/%s", dir, name), 1, size - 1);
}

static void write_file(const char *name, const char *text)
{
	char path[PATH_MAX];
	FILE *file;

	path_of(path, sizeof(path), name);
	file = fopen(path, "we");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void remove_file(const char *name)
{
	char path[PATH_MAX];

	path_of(path, sizeof(path), name);
	assert_int_equal(unlink(path), 0);
}

/* Reads a file that holds @text into a buffer of @size bytes. */
static int read_text(const char *text, char *buf, size_t size)
{
	int ret;

	write_file("file", text);
	errno = 0;
	ret = ibv_read_sysfs_file(dir, "file", buf, size);
	remove_file("file");
	return ret;
}

static void path_has_no_trailing_slash(void **state)
{
	assert_string_equal(ibv_get_sysfs_path(), "/tmp/some/where");
}

static void one_newline_is_cut(void **state)
{
	char buf[16];

	assert_int_equal(read_text("abc\n", buf, sizeof(buf)), 3);
	assert_string_equal(buf, "abc");
	assert_int_equal(read_text("abc\n\n", buf, sizeof(buf)), 4);
	assert_string_equal(buf, "abc\n");
}

static void text_without_newline_is_read(void **state)
{
	char buf[16];

	assert_int_equal(read_text("abc", buf, sizeof(buf)), 3);
	assert_string_equal(buf, "abc");
}

static void empty_file_has_length_0(void **state)
{
	char buf[16];

	assert_int_equal(read_text("", buf, sizeof(buf)), 0);
}

static void newline_needs_no_room(void **state)
{
	char buf[4];

	assert_int_equal(read_text("abc\n", buf, sizeof(buf)), 3);
	assert_string_equal(buf, "abc");
}

static void text_that_does_not_fit_is_refused(void **state)
{
	char buf[4] = "xyz";

	assert_int_equal(read_text("abcd", buf, sizeof(buf)), -1);
	assert_int_equal(errno, EOVERFLOW);
	assert_int_equal(read_text("abcdefghijkl\n", buf, sizeof(buf)), -1);
	assert_int_equal(errno, EOVERFLOW);
	assert_string_equal(buf, "xyz");
}

static void no_buffer_is_refused(void **state)
{
	char buf[4];

	assert_int_equal(read_text("abc\n", buf, 0), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(read_text("abc\n", buf, SIZE_MAX), -1);
	assert_int_equal(errno, EINVAL);
}

static void missing_file_is_an_error(void **state)
{
	char buf[4];

	assert_int_equal(ibv_read_sysfs_file(dir, "none", buf, sizeof(buf)),
			 -1);
	assert_int_equal(errno, ENOENT);
}

static void overlong_path_is_refused(void **state)
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
		cmocka_unit_test(path_has_no_trailing_slash),
		cmocka_unit_test(one_newline_is_cut),
		cmocka_unit_test(text_without_newline_is_read),
		cmocka_unit_test(empty_file_has_length_0),
		cmocka_unit_test(newline_needs_no_room),
		cmocka_unit_test(text_that_does_not_fit_is_refused),
		cmocka_unit_test(no_buffer_is_refused),
		cmocka_unit_test(missing_file_is_an_error),
		cmocka_unit_test(overlong_path_is_refused),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
