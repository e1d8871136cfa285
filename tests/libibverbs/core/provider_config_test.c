/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The *.driver files: libibverbs/core/provider_config.c, on folders that the
 * tests fill. Linked with WRAP openat verbs_warn.
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

/* last: it needs those above */
#include <cmocka.h>

#define MAX_NAMES 16

static struct fake_sysfs folder; /* only its root is used */
static const char *dir;

/* What visit() has seen. */
static char names[MAX_NAMES][80];
static size_t nr_names;
static size_t stop_after; /* 0: never */

static unsigned int nr_warnings;
static const char *forbidden; /* openat() of this name is refused */
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

static int make_dir(void **state)
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

static int remove_dir(void **state)
{
	fake_sysfs_fini(&folder);
	return 0;
}

static void path_of(char *path, size_t size, const char *name)
{
	(void)snprintf(path, size, "%s/%s", dir, name);
}

static void add_bytes(const char *name, const void *text, size_t len)
{
	fake_sysfs_write_bytes(&folder, name, text, len);
	nr_opened = 0;
}

static void add_file(const char *name, const char *text)
{
	add_bytes(name, text, strlen(text));
}

static bool visit(void *arg, const char *name)
{
	assert_ptr_equal(arg, &nr_names);
	assert_true(nr_names < MAX_NAMES);
	(void)snprintf(names[nr_names], sizeof(names[0]), "%s", name);
	nr_names++;
	return nr_names != stop_after;
}

static int each(void)
{
	return verbs_provider_config_each(dir, visit, &nr_names);
}

static bool has_seen(const char *name)
{
	for (size_t i = 0; i < nr_names; i++) {
		if (strcmp(names[i], name) == 0)
			return true;
	}
	return false;
}

static void line_names_a_driver(void **state)
{
	add_file("rxe.driver", "driver rxe\n");
	assert_int_equal(each(), 0);
	assert_int_equal(nr_names, 1);
	assert_string_equal(names[0], "rxe");
	assert_int_equal(nr_warnings, 0);
}

static void last_line_needs_no_newline(void **state)
{
	add_file("rxe.driver", "driver rxe");
	assert_int_equal(each(), 0);
	assert_int_equal(nr_names, 1);
	assert_string_equal(names[0], "rxe");
}

static void blanks_and_carriage_returns_are_passed_over(void **state)
{
	add_file("rxe.driver", "  \tdriver \t rxe \t \r\n");
	assert_int_equal(each(), 0);
	assert_int_equal(nr_names, 1);
	assert_string_equal(names[0], "rxe");
	assert_int_equal(nr_warnings, 0);
}

static void comments_and_empty_lines_are_passed_over(void **state)
{
	add_file("rxe.driver",
		 "# driver mlx5\n\n   \n \t# driver siw\n#\ndriver rxe\n");
	assert_int_equal(each(), 0);
	assert_int_equal(nr_names, 1);
	assert_string_equal(names[0], "rxe");
	assert_int_equal(nr_warnings, 0);
}

static void a_file_may_name_several_drivers_in_order(void **state)
{
	add_file("two", "driver rxe\ndriver siw\n");
	assert_int_equal(each(), 0);
	assert_int_equal(nr_names, 2);
	assert_string_equal(names[0], "rxe");
	assert_string_equal(names[1], "siw");
}

static void every_regular_file_counts_whatever_its_name(void **state)
{
	add_file("rxe.driver", "driver rxe\n");
	add_file("local.conf", "driver siw\n");
	add_file(".hidden", "driver mlx5\n");
	assert_int_equal(each(), 0);
	assert_int_equal(nr_names, 3);
	assert_true(has_seen("rxe"));
	assert_true(has_seen("siw"));
	assert_true(has_seen("mlx5"));
}

static void wrong_directive_warns_and_the_rest_is_read(void **state)
{
	add_file("rxe.driver", "provider mlx5\ndriver rxe\n");
	assert_int_equal(each(), 0);
	assert_int_equal(nr_names, 1);
	assert_string_equal(names[0], "rxe");
	assert_int_equal(nr_warnings, 1);
}

static void directive_that_only_begins_like_driver_is_wrong(void **state)
{
	add_file("rxe.driver", "drivers rxe\ndrive rxe\nDRIVER rxe\n");
	assert_int_equal(each(), 0);
	assert_int_equal(nr_names, 0);
	assert_int_equal(nr_warnings, 3);
}

static void driver_without_a_name_warns(void **state)
{
	add_file("rxe.driver", "driver\ndriver  \n");
	assert_int_equal(each(), 0);
	assert_int_equal(nr_names, 0);
	assert_int_equal(nr_warnings, 2);
}

static void relative_name_with_a_slash_is_refused(void **state)
{
	add_file("rxe.driver", "driver ../rxe\ndriver a/b\ndriver rxe/\n");
	assert_int_equal(each(), 0);
	assert_int_equal(nr_names, 0);
	assert_int_equal(nr_warnings, 3);
}

static void absolute_name_is_a_name(void **state)
{
	add_file("rxe.driver", "driver /opt/verbs/librxe\n");
	assert_int_equal(each(), 0);
	assert_int_equal(nr_names, 1);
	assert_string_equal(names[0], "/opt/verbs/librxe");
}

static void empty_file_names_nothing(void **state)
{
	add_file("empty", "");
	assert_int_equal(each(), 0);
	assert_int_equal(nr_names, 0);
	assert_int_equal(nr_warnings, 0);
}

static void bytes_behind_a_nul_are_not_read(void **state)
{
	add_bytes("rxe.driver", "driver rxe\n\0driver siw\n", 23);
	assert_int_equal(each(), 0);
	assert_int_equal(nr_names, 1);
	assert_string_equal(names[0], "rxe");
}

static void unreadable_file_warns_and_the_others_are_read(void **state)
{
	add_file("rxe.driver", "driver rxe\n");
	add_file("siw.driver", "driver siw\n");
	forbidden = "rxe.driver";
	assert_int_equal(each(), 0);
	assert_int_equal(nr_names, 1);
	assert_string_equal(names[0], "siw");
	assert_int_equal(nr_warnings, 1);
}

static void file_that_is_too_long_is_passed_over_with_a_warning(void **state)
{
	char text[8192];

	memset(text, '#', sizeof(text));
	memcpy(text, "driver rxe\n", 11);
	add_bytes("long", text, sizeof(text));
	assert_int_equal(each(), 0);
	assert_int_equal(nr_names, 0);
	assert_int_equal(nr_warnings, 1);
}

static void file_of_nearly_the_longest_length_is_read(void **state)
{
	char text[4095];

	memset(text, '\n', sizeof(text));
	memcpy(text + sizeof(text) - 10, "driver rxe", 10);
	add_bytes("long", text, sizeof(text));
	assert_int_equal(each(), 0);
	assert_int_equal(nr_names, 1);
	assert_string_equal(names[0], "rxe");
}

static void folder_in_the_folder_is_passed_over(void **state)
{
	char path[512];

	path_of(path, sizeof(path), "rxe.driver");
	assert_int_equal(mkdir(path, 0755), 0);
	assert_int_equal(each(), 0);
	assert_int_equal(nr_names, 0);
	assert_int_equal(nr_warnings, 0);
}

static void fifo_in_the_folder_does_not_block(void **state)
{
	char path[512];

	path_of(path, sizeof(path), "fifo");
	assert_int_equal(mkfifo(path, 0644), 0);
	assert_int_equal(each(), 0);
	assert_int_equal(nr_names, 0);
}

static void link_to_a_file_is_a_file(void **state)
{
	char path[512], target[512];

	add_file("real", "driver rxe\n");
	path_of(target, sizeof(target), "real");
	path_of(path, sizeof(path), "link");
	assert_int_equal(symlink(target, path), 0);
	assert_int_equal(each(), 0);
	assert_int_equal(nr_names, 2);
}

static void link_to_nothing_is_passed_over(void **state)
{
	char path[512];

	path_of(path, sizeof(path), "link");
	assert_int_equal(symlink("/nonexistent/file", path), 0);
	assert_int_equal(each(), 0);
	assert_int_equal(nr_names, 0);
	assert_int_equal(nr_warnings, 0);
}

static void visitor_can_stop_in_the_middle_of_a_file(void **state)
{
	add_file("three", "driver a\ndriver b\ndriver c\n");
	stop_after = 2;
	assert_int_equal(each(), 1);
	assert_int_equal(nr_names, 2);
}

static void missing_folder_warns_and_names_nothing(void **state)
{
	assert_int_equal(verbs_provider_config_each("/nonexistent/folder",
						    visit, &nr_names),
			 -ENOENT);
	assert_int_equal(nr_names, 0);
	assert_int_equal(nr_warnings, 1);
}

/* ------------------------------------------------------------------------ */
/* Looking for one name                                                      */
/* ------------------------------------------------------------------------ */

static char found[64];

static int find(const char *where, const char *name)
{
	strcpy(found, "as it was");
	return verbs_provider_config_find(where, name, found, sizeof(found));
}

static void find_looks_at_the_file_of_that_name_only(void **state)
{
	add_file("rxe.driver", "driver rxe\n");
	add_file("siw.driver", "driver siw\n");
	assert_int_equal(find(dir, "rxe"), 1);
	assert_string_equal(found, "rxe");
	assert_int_equal(nr_opened, 1);
}

static void find_finds_a_name_in_another_file(void **state)
{
	add_file("all", "driver siw\ndriver rxe\n");
	assert_int_equal(find(dir, "rxe"), 1);
	assert_string_equal(found, "rxe");
}

static void find_looks_on_if_the_file_has_another_name(void **state)
{
	add_file("rxe.driver", "driver siw\n");
	add_file("zzz", "driver rxe\n");
	assert_int_equal(find(dir, "rxe"), 1);
}

static void find_tells_which_module_is_wanted(void **state)
{
	add_file("rxe.driver", "driver rxe-rdmav34\n");
	assert_int_equal(find(dir, "rxe"), 1);
	assert_string_equal(found, "rxe-rdmav34");
}

static void find_tells_where_the_module_is(void **state)
{
	add_file("rxe.driver", "driver /opt/librxe\n");
	assert_int_equal(find(dir, "rxe"), 1);
	assert_string_equal(found, "/opt/librxe");
}

static void name_that_is_in_no_file_is_not_found(void **state)
{
	add_file("rxe.driver", "# driver rxe\n");
	add_file("rxe2.driver", "driver rxe2\ndriver rxe-rdmav99\n");
	assert_int_equal(find(dir, "rxe"), 0);
	assert_string_equal(found, "as it was");
}

static void name_that_does_not_fit_is_not_found(void **state)
{
	add_file("rxe.driver",
		 "driver /a/very/long/folder/that/is/for/sure/longer/than/"
		 "what/there/is/room/for/librxe\n");
	assert_int_equal(find(dir, "rxe"), 0);
	assert_string_equal(found, "as it was");
}

static void nothing_is_found_in_a_missing_folder(void **state)
{
	assert_int_equal(find("/nonexistent/folder", "rxe"), -ENOENT);
}

static void nothing_is_found_in_a_folder_of_too_long_a_name(void **state)
{
	char long_dir[5000];

	memset(long_dir, 'a', sizeof(long_dir) - 1);
	long_dir[0] = '/';
	long_dir[sizeof(long_dir) - 1] = '\0';
	assert_int_equal(find(long_dir, "rxe"), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_dir, remove_dir)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(line_names_a_driver),
		TEST(last_line_needs_no_newline),
		TEST(blanks_and_carriage_returns_are_passed_over),
		TEST(comments_and_empty_lines_are_passed_over),
		TEST(a_file_may_name_several_drivers_in_order),
		TEST(every_regular_file_counts_whatever_its_name),
		TEST(wrong_directive_warns_and_the_rest_is_read),
		TEST(directive_that_only_begins_like_driver_is_wrong),
		TEST(driver_without_a_name_warns),
		TEST(relative_name_with_a_slash_is_refused),
		TEST(absolute_name_is_a_name),
		TEST(empty_file_names_nothing),
		TEST(bytes_behind_a_nul_are_not_read),
		TEST(unreadable_file_warns_and_the_others_are_read),
		TEST(file_that_is_too_long_is_passed_over_with_a_warning),
		TEST(file_of_nearly_the_longest_length_is_read),
		TEST(folder_in_the_folder_is_passed_over),
		TEST(fifo_in_the_folder_does_not_block),
		TEST(link_to_a_file_is_a_file),
		TEST(link_to_nothing_is_passed_over),
		TEST(visitor_can_stop_in_the_middle_of_a_file),
		TEST(missing_folder_warns_and_names_nothing),
		TEST(find_looks_at_the_file_of_that_name_only),
		TEST(find_finds_a_name_in_another_file),
		TEST(find_looks_on_if_the_file_has_another_name),
		TEST(find_tells_which_module_is_wanted),
		TEST(find_tells_where_the_module_is),
		TEST(name_that_is_in_no_file_is_not_found),
		TEST(name_that_does_not_fit_is_not_found),
		TEST(nothing_is_found_in_a_missing_folder),
		TEST(nothing_is_found_in_a_folder_of_too_long_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
