/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names in a directory. */
#include "discover/dir_names.h"

#include <dirent.h>
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
static struct verbs_dir_names names;

static int setup(void **state)
{
	fake_sysfs_init(&fake);
	names = (struct verbs_dir_names){};
	return 0;
}

static int teardown(void **state)
{
	verbs_dir_names_free(&names);
	fake_sysfs_fini(&fake);
	return 0;
}

static int read_dev(void)
{
	int fd = open(fake.dev, O_RDONLY | O_DIRECTORY);
	int ret;

	assert_true(fd >= 0);
	ret = verbs_dir_names_read(fd, &names);
	assert_int_equal(close(fd), 0);
	return ret;
}

static const struct verbs_dir_entry *find_name(const char *name)
{
	for (size_t i = 0; i < names.count; i++)
		if (strcmp(names.entries[i].name, name) == 0)
			return &names.entries[i];
	return NULL;
}

static void dir_names_empty_directory_has_no_names(void **state)
{
	assert_int_equal(read_dev(), 0);
	assert_int_equal(names.count, 0);
}

static void dir_names_entries_have_types(void **state)
{
	char path[512];

	fake_sysfs_write(&fake, "dev/file", "");
	fake_sysfs_write(&fake, "dev/folder", NULL);
	snprintf(path, sizeof(path), "%s/link", fake.dev);
	assert_int_equal(symlink("nowhere", path), 0);
	assert_int_equal(read_dev(), 0);
	assert_int_equal(names.count, 3);
	assert_int_equal(find_name("file")->type, DT_REG);
	assert_int_equal(find_name("folder")->type, DT_DIR);
	assert_int_equal(find_name("link")->type, DT_LNK);
}

static void dir_names_hidden_and_overlong_names_are_skipped(void **state)
{
	char path[128] = "dev/";

	fake_sysfs_write(&fake, "dev/.hidden", "");
	memset(path + 4, 'x', VERBS_DEVICE_NAME_LEN);
	fake_sysfs_write(&fake, path, "");
	assert_int_equal(read_dev(), 0);
	assert_int_equal(names.count, 0);
	path[4 + VERBS_DEVICE_NAME_LEN - 1] = '\0';
	fake_sysfs_write(&fake, path, "");
	assert_int_equal(read_dev(), 0);
	assert_int_equal(names.count, 1);
}

/* More names than one getdents64() call returns. */
static void dir_names_many_names_are_all_read(void **state)
{
	char path[64];

	for (unsigned int i = 0; i < 1500; i++) {
		snprintf(path, sizeof(path), "dev/uverbs%u", i);
		fake_sysfs_write(&fake, path, "");
	}
	assert_int_equal(read_dev(), 0);
	assert_int_equal(names.count, 1500);
	for (unsigned int i = 0; i < 1500; i++) {
		snprintf(path, sizeof(path), "uverbs%u", i);
		assert_non_null(find_name(path));
	}
}

static void dir_names_non_directory_fd_fails(void **state)
{
	assert_int_equal(verbs_dir_names_read(-1, &names), -EBADF);
	assert_null(names.entries);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(dir_names_empty_directory_has_no_names),
		TEST(dir_names_entries_have_types),
		TEST(dir_names_hidden_and_overlong_names_are_skipped),
		TEST(dir_names_many_names_are_all_read),
		TEST(dir_names_non_directory_fd_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
