/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tests of libibverbs/core/provider_config.c on folders that the tests fill.
 * Linked with WRAP openat verbs_warn.
 */
#include "core/provider_config.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/fake_sysfs.h"

/* last: cmocka.h needs the headers above */
#include <cmocka.h>

#define MAX_NAMES 16

static struct fake_sysfs folder; /* only the root folder is used */
static const char *dir;

/* Names that visit() received. */
static char names[MAX_NAMES][80];
static size_t nr_names;
static size_t stop_after; /* 0: never */

static unsigned int nr_warnings;
static const char *forbidden; /* openat() of this name fails */
static unsigned int nr_opened;

int __real_openat(int dirfd, const char *path, int flags, ...);
int __wrap_openat(int dirfd, const char *path, int flags, ...);
void __wrap_verbs_warn(const char *fmt, ...);

int __wrap_openat(int dirfd, const char *path, int flags, ...)
{
	nr_opened++;
	if (forbidden && strcmp(path, forbidden) == 0) {
		errno = EACCES;
		return -1;
	}
	return __real_openat(dirfd, path, flags);
}

void __wrap_verbs_warn(const char *fmt, ...)
{
	nr_warnings++;
}

static int config_folder_setup(void **state)
{
	fake_sysfs_init(&folder);
	dir = folder.root;
	nr_names = 0;
	stop_after = 0;
	nr_warnings = 0;
	forbidden = NULL;
	nr_opened = 0;
	return 0;
}

static int config_folder_teardown(void **state)
{
	fake_sysfs_fini(&folder);
	return 0;
}

static void config_file_path(char *path, size_t size, const char *name)
{
	(void)snprintf(path, size, "%s/%s", dir, name);
}

static void config_file_add_bytes(const char *name, const void *text,
				  size_t len)
{
	fake_sysfs_write_bytes(&folder, name, text, len);
	nr_opened = 0;
}

static void config_file_add(const char *name, const char *text)
{
	config_file_add_bytes(name, text, strlen(text));
}

static bool config_visit_record(void *arg, const char *name)
{
	assert_ptr_equal(arg, &nr_names);
	assert_true(nr_names < MAX_NAMES);
	(void)snprintf(names[nr_names], sizeof(names[0]), "%s", name);
	nr_names++;
	return nr_names != stop_after;
}

static int config_each(void)
{
	return verbs_provider_config_each(dir, config_visit_record, &nr_names);
}

static bool config_was_visited(const char *name)
{
	for (size_t i = 0; i < nr_names; i++) {
		if (strcmp(names[i], name) == 0)
			return true;
	}
	return false;
}

static void config_line_names_driver(void **state)
{
	config_file_add("rxe.driver", "driver rxe\n");
	assert_int_equal(config_each(), 0);
	assert_int_equal(nr_names, 1);
	assert_string_equal(names[0], "rxe");
	assert_int_equal(nr_warnings, 0);
}

static void config_last_line_without_newline_is_read(void **state)
{
	config_file_add("rxe.driver", "driver rxe");
	assert_int_equal(config_each(), 0);
	assert_int_equal(nr_names, 1);
	assert_string_equal(names[0], "rxe");
}

static void config_blanks_and_carriage_returns_are_skipped(void **state)
{
	config_file_add("rxe.driver", "  \tdriver \t rxe \t \r\n");
	assert_int_equal(config_each(), 0);
	assert_int_equal(nr_names, 1);
	assert_string_equal(names[0], "rxe");
	assert_int_equal(nr_warnings, 0);
}

static void config_comments_and_empty_lines_are_skipped(void **state)
{
	config_file_add(
		"rxe.driver",
		"# driver mlx5\n\n   \n \t# driver siw\n#\ndriver rxe\n");
	assert_int_equal(config_each(), 0);
	assert_int_equal(nr_names, 1);
	assert_string_equal(names[0], "rxe");
	assert_int_equal(nr_warnings, 0);
}

static void config_several_drivers_keep_order(void **state)
{
	config_file_add("two", "driver rxe\ndriver siw\n");
	assert_int_equal(config_each(), 0);
	assert_int_equal(nr_names, 2);
	assert_string_equal(names[0], "rxe");
	assert_string_equal(names[1], "siw");
}

static void config_every_regular_file_is_read(void **state)
{
	config_file_add("rxe.driver", "driver rxe\n");
	config_file_add("local.conf", "driver siw\n");
	config_file_add(".hidden", "driver mlx5\n");
	assert_int_equal(config_each(), 0);
	assert_int_equal(nr_names, 3);
	assert_true(config_was_visited("rxe"));
	assert_true(config_was_visited("siw"));
	assert_true(config_was_visited("mlx5"));
}

static void config_wrong_directive_warns_and_continues(void **state)
{
	config_file_add("rxe.driver", "provider mlx5\ndriver rxe\n");
	assert_int_equal(config_each(), 0);
	assert_int_equal(nr_names, 1);
	assert_string_equal(names[0], "rxe");
	assert_int_equal(nr_warnings, 1);
}

static void config_similar_directive_is_rejected(void **state)
{
	config_file_add("rxe.driver", "drivers rxe\ndrive rxe\nDRIVER rxe\n");
	assert_int_equal(config_each(), 0);
	assert_int_equal(nr_names, 0);
	assert_int_equal(nr_warnings, 3);
}

static void config_driver_without_name_warns(void **state)
{
	config_file_add("rxe.driver", "driver\ndriver  \n");
	assert_int_equal(config_each(), 0);
	assert_int_equal(nr_names, 0);
	assert_int_equal(nr_warnings, 2);
}

static void config_relative_path_is_rejected(void **state)
{
	config_file_add("rxe.driver",
			"driver ../rxe\ndriver a/b\ndriver rxe/\n");
	assert_int_equal(config_each(), 0);
	assert_int_equal(nr_names, 0);
	assert_int_equal(nr_warnings, 3);
}

static void config_absolute_path_is_accepted(void **state)
{
	config_file_add("rxe.driver", "driver /opt/verbs/librxe\n");
	assert_int_equal(config_each(), 0);
	assert_int_equal(nr_names, 1);
	assert_string_equal(names[0], "/opt/verbs/librxe");
}

static void config_empty_file_has_no_names(void **state)
{
	config_file_add("empty", "");
	assert_int_equal(config_each(), 0);
	assert_int_equal(nr_names, 0);
	assert_int_equal(nr_warnings, 0);
}

static void config_bytes_behind_nul_are_ignored(void **state)
{
	config_file_add_bytes("rxe.driver", "driver rxe\n\0driver siw\n", 23);
	assert_int_equal(config_each(), 0);
	assert_int_equal(nr_names, 1);
	assert_string_equal(names[0], "rxe");
}

static void config_unreadable_file_warns_and_continues(void **state)
{
	config_file_add("rxe.driver", "driver rxe\n");
	config_file_add("siw.driver", "driver siw\n");
	forbidden = "rxe.driver";
	assert_int_equal(config_each(), 0);
	assert_int_equal(nr_names, 1);
	assert_string_equal(names[0], "siw");
	assert_int_equal(nr_warnings, 1);
}

static void config_overlong_file_warns(void **state)
{
	char text[8192];

	memset(text, '#', sizeof(text));
	memcpy(text, "driver rxe\n", 11);
	config_file_add_bytes("long", text, sizeof(text));
	assert_int_equal(config_each(), 0);
	assert_int_equal(nr_names, 0);
	assert_int_equal(nr_warnings, 1);
}

static void config_longest_file_is_read(void **state)
{
	char text[4095];

	memset(text, '\n', sizeof(text));
	memcpy(text + sizeof(text) - 10, "driver rxe", 10);
	config_file_add_bytes("long", text, sizeof(text));
	assert_int_equal(config_each(), 0);
	assert_int_equal(nr_names, 1);
	assert_string_equal(names[0], "rxe");
}

static void config_subfolder_is_skipped(void **state)
{
	char path[512];

	config_file_path(path, sizeof(path), "rxe.driver");
	assert_int_equal(mkdir(path, 0755), 0);
	assert_int_equal(config_each(), 0);
	assert_int_equal(nr_names, 0);
	assert_int_equal(nr_warnings, 0);
}

static void config_fifo_does_not_block(void **state)
{
	char path[512];

	config_file_path(path, sizeof(path), "fifo");
	assert_int_equal(mkfifo(path, 0644), 0);
	assert_int_equal(config_each(), 0);
	assert_int_equal(nr_names, 0);
}

static void config_link_to_file_is_read(void **state)
{
	char path[512], target[512];

	config_file_add("real", "driver rxe\n");
	config_file_path(target, sizeof(target), "real");
	config_file_path(path, sizeof(path), "link");
	assert_int_equal(symlink(target, path), 0);
	assert_int_equal(config_each(), 0);
	assert_int_equal(nr_names, 2);
}

static void config_dangling_link_is_skipped(void **state)
{
	char path[512];

	config_file_path(path, sizeof(path), "link");
	assert_int_equal(symlink("/nonexistent/file", path), 0);
	assert_int_equal(config_each(), 0);
	assert_int_equal(nr_names, 0);
	assert_int_equal(nr_warnings, 0);
}

static void config_visitor_stops_inside_file(void **state)
{
	config_file_add("three", "driver a\ndriver b\ndriver c\n");
	stop_after = 2;
	assert_int_equal(config_each(), 1);
	assert_int_equal(nr_names, 2);
}

static void config_missing_folder_warns(void **state)
{
	assert_int_equal(verbs_provider_config_each("/nonexistent/folder",
						    config_visit_record,
						    &nr_names),
			 -ENOENT);
	assert_int_equal(nr_names, 0);
	assert_int_equal(nr_warnings, 1);
}

/* ------------------------------------------------------------------------ */
/* Search for one name                                                      */
/* ------------------------------------------------------------------------ */

static char found[64];

static int config_find(const char *where, const char *name)
{
	strcpy(found, "as it was");
	return verbs_provider_config_find(where, name, found, sizeof(found));
}

static void config_find_reads_file_of_name_only(void **state)
{
	config_file_add("rxe.driver", "driver rxe\n");
	config_file_add("siw.driver", "driver siw\n");
	assert_int_equal(config_find(dir, "rxe"), 1);
	assert_string_equal(found, "rxe");
	assert_int_equal(nr_opened, 1);
}

static void config_find_searches_all_files(void **state)
{
	config_file_add("all", "driver siw\ndriver rxe\n");
	assert_int_equal(config_find(dir, "rxe"), 1);
	assert_string_equal(found, "rxe");
}

static void config_find_continues_after_wrong_name(void **state)
{
	config_file_add("rxe.driver", "driver siw\n");
	config_file_add("zzz", "driver rxe\n");
	assert_int_equal(config_find(dir, "rxe"), 1);
}

static void config_find_returns_module_suffix(void **state)
{
	config_file_add("rxe.driver", "driver rxe-rdmav34\n");
	assert_int_equal(config_find(dir, "rxe"), 1);
	assert_string_equal(found, "rxe-rdmav34");
}

static void config_find_returns_module_path(void **state)
{
	config_file_add("rxe.driver", "driver /opt/librxe\n");
	assert_int_equal(config_find(dir, "rxe"), 1);
	assert_string_equal(found, "/opt/librxe");
}

static void config_find_unlisted_name_is_not_found(void **state)
{
	config_file_add("rxe.driver", "# driver rxe\n");
	config_file_add("rxe2.driver", "driver rxe2\ndriver rxe-rdmav99\n");
	assert_int_equal(config_find(dir, "rxe"), 0);
	assert_string_equal(found, "as it was");
}

static void config_find_overlong_text_is_not_found(void **state)
{
	config_file_add(
		"rxe.driver",
		"driver /a/very/long/folder/that/is/for/sure/longer/than/"
		"what/there/is/room/for/librxe\n");
	assert_int_equal(config_find(dir, "rxe"), 0);
	assert_string_equal(found, "as it was");
}

static void config_find_missing_folder_is_enoent(void **state)
{
	assert_int_equal(config_find("/nonexistent/folder", "rxe"), -ENOENT);
}

static void config_find_overlong_folder_is_not_found(void **state)
{
	char long_dir[5000];

	memset(long_dir, 'a', sizeof(long_dir) - 1);
	long_dir[0] = '/';
	long_dir[sizeof(long_dir) - 1] = '\0';
	assert_int_equal(config_find(long_dir, "rxe"), 0);
}

#define TEST(name)                                                 \
	cmocka_unit_test_setup_teardown(name, config_folder_setup, \
					config_folder_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(config_line_names_driver),
		TEST(config_last_line_without_newline_is_read),
		TEST(config_blanks_and_carriage_returns_are_skipped),
		TEST(config_comments_and_empty_lines_are_skipped),
		TEST(config_several_drivers_keep_order),
		TEST(config_every_regular_file_is_read),
		TEST(config_wrong_directive_warns_and_continues),
		TEST(config_similar_directive_is_rejected),
		TEST(config_driver_without_name_warns),
		TEST(config_relative_path_is_rejected),
		TEST(config_absolute_path_is_accepted),
		TEST(config_empty_file_has_no_names),
		TEST(config_bytes_behind_nul_are_ignored),
		TEST(config_unreadable_file_warns_and_continues),
		TEST(config_overlong_file_warns),
		TEST(config_longest_file_is_read),
		TEST(config_subfolder_is_skipped),
		TEST(config_fifo_does_not_block),
		TEST(config_link_to_file_is_read),
		TEST(config_dangling_link_is_skipped),
		TEST(config_visitor_stops_inside_file),
		TEST(config_missing_folder_warns),
		TEST(config_find_reads_file_of_name_only),
		TEST(config_find_searches_all_files),
		TEST(config_find_continues_after_wrong_name),
		TEST(config_find_returns_module_suffix),
		TEST(config_find_returns_module_path),
		TEST(config_find_unlisted_name_is_not_found),
		TEST(config_find_overlong_text_is_not_found),
		TEST(config_find_missing_folder_is_enoent),
		TEST(config_find_overlong_folder_is_not_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
