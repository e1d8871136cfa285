/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads small files as text. */
#include "util/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/fake_sysfs.h"

static struct fake_sysfs fake;
static char path[512];
static int nr_open;

/* Errors of the first read() calls, in order. */
static int read_errors[4];
static unsigned int nr_reads;
static size_t read_limit;

ssize_t __real_read(int fd, void *buf, size_t len);
ssize_t __wrap_read(int fd, void *buf, size_t len);
ssize_t __wrap_read(int fd, void *buf, size_t len)
{
	unsigned int nr = nr_reads++;

	if (nr < 4 && read_errors[nr]) {
		errno = read_errors[nr];
		return -1;
	}
	return __real_read(fd, buf, len < read_limit ? len : read_limit);
}

int __real_openat(int dirfd, const char *name, int flags, ...);
int __wrap_openat(int dirfd, const char *name, int flags, ...);
int __wrap_openat(int dirfd, const char *name, int flags, ...)
{
	int fd = __real_openat(dirfd, name, flags);

	assert_true(flags & O_CLOEXEC);
	if (fd >= 0)
		nr_open++;
	return fd;
}

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
	nr_open--;
	return __real_close(fd);
}

static int setup(void **state)
{
	fake_sysfs_init(&fake);
	snprintf(path, sizeof(path), "%s/file", fake.sysfs);
	memset(read_errors, 0, sizeof(read_errors));
	nr_reads = 0;
	nr_open = 0;
	read_limit = SIZE_MAX;
	return 0;
}

static int teardown(void **state)
{
	fake_sysfs_fini(&fake);
	return 0;
}

static void write_file(const char *text, size_t len)
{
	fake_sysfs_write_bytes(&fake, "sys/file", text, len);
	nr_open = 0;
}

static ssize_t read_file(char *buf, size_t size)
{
	ssize_t len = text_file_read_at(AT_FDCWD, path, buf, size);

	assert_int_equal(nr_open, 0);
	return len;
}

static void text_file_loses_1_newline(void **state)
{
	char buf[16];

	write_file("rxe0\n", 5);
	assert_int_equal(read_file(buf, sizeof(buf)), 4);
	assert_string_equal(buf, "rxe0");
	write_file("rxe0", 4);
	assert_int_equal(read_file(buf, sizeof(buf)), 4);
	assert_string_equal(buf, "rxe0");
	write_file("rxe0\n\n", 6);
	assert_int_equal(read_file(buf, sizeof(buf)), 5);
	assert_string_equal(buf, "rxe0\n");
}

static void text_file_empty_gives_empty_text(void **state)
{
	char buf[16] = "x";

	write_file("", 0);
	assert_int_equal(read_file(buf, sizeof(buf)), 0);
	assert_string_equal(buf, "");
	write_file("\n", 1);
	assert_int_equal(read_file(buf, sizeof(buf)), 0);
	assert_string_equal(buf, "");
}

static void text_file_longer_than_buffer_returns_eoverflow(void **state)
{
	char buf[8];

	write_file("1234567", 7);
	assert_int_equal(read_file(buf, sizeof(buf)), 7);
	write_file("12345678", 8);
	assert_int_equal(read_file(buf, sizeof(buf)), -EOVERFLOW);
	write_file("1234567\n", 8);
	assert_int_equal(read_file(buf, sizeof(buf)), -EOVERFLOW);
	assert_int_equal(read_file(buf, 1), -EOVERFLOW);
}

static void text_file_length_includes_embedded_nul(void **state)
{
	char buf[8];

	write_file("a\0b\n", 4);
	assert_int_equal(read_file(buf, sizeof(buf)), 3);
	assert_memory_equal(buf, "a\0b", 4);
}

static void text_file_short_reads_are_joined(void **state)
{
	char buf[16];

	write_file("1234567\n", 8);
	read_limit = 3;
	assert_int_equal(read_file(buf, sizeof(buf)), 7);
	assert_string_equal(buf, "1234567");
}

static void text_file_interrupted_read_is_repeated(void **state)
{
	char buf[16];

	write_file("text\n", 5);
	read_errors[0] = EINTR;
	read_errors[2] = EINTR;
	assert_int_equal(read_file(buf, sizeof(buf)), 4);
	assert_string_equal(buf, "text");
}

static void text_file_error_is_returned(void **state)
{
	char buf[16];

	assert_int_equal(read_file(buf, sizeof(buf)), -ENOENT);
	write_file("text", 4);
	read_errors[0] = EIO;
	assert_int_equal(read_file(buf, sizeof(buf)), -EIO);
	fake_sysfs_remove(&fake, "sys/file");
	fake_sysfs_write(&fake, "sys/file", NULL);
	nr_open = 0;
	nr_reads = 4;
	assert_int_equal(read_file(buf, sizeof(buf)), -EISDIR);
}

static void text_file_path_is_relative_to_dirfd(void **state)
{
	char buf[16];
	int dirfd;

	write_file("text\n", 5);
	dirfd = open(fake.sysfs, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(dirfd >= 0);
	assert_int_equal(text_file_read_at(dirfd, "file", buf, sizeof(buf)), 4);
	assert_int_equal(close(dirfd), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(text_file_loses_1_newline),
		TEST(text_file_empty_gives_empty_text),
		TEST(text_file_longer_than_buffer_returns_eoverflow),
		TEST(text_file_length_includes_embedded_nul),
		TEST(text_file_short_reads_are_joined),
		TEST(text_file_interrupted_read_is_repeated),
		TEST(text_file_error_is_returned),
		TEST(text_file_path_is_relative_to_dirfd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
