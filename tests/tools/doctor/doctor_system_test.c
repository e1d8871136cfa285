/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Files that are not what they should be: nothing that is read is trusted. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/doctor/doctor_fixture.h"

static void a_line_is_cut_and_made_ascii(void **state)
{
	struct doctor_fixture *fixture = *state;
	char buf[8];

	fake_sysfs_write_bytes(&fixture->fake, "etc/x", "a\tb\x01\xff\0z\nmore",
			       12);
	assert_int_equal(doctor_system_read(&fixture->doctor.system, buf,
					    sizeof(buf), "/etc/%s", "x"),
			 0);
	assert_string_equal(buf, "a b??");

	doctor_fixture_write(fixture, "etc/x", "0123456789");
	assert_int_equal(doctor_system_read(&fixture->doctor.system, buf,
					    sizeof(buf), "/etc/x"),
			 0);
	assert_string_equal(buf, "0123456");
}

static void a_failure_leaves_an_empty_string(void **state)
{
	struct doctor_fixture *fixture = *state;
	char buf[8] = "before";

	assert_int_equal(doctor_system_read(&fixture->doctor.system, buf,
					    sizeof(buf), "/etc/x"),
			 -ENOENT);
	assert_string_equal(buf, "");
	fake_sysfs_write(&fixture->fake, "etc", NULL);
	assert_int_equal(doctor_system_read(&fixture->doctor.system, buf,
					    sizeof(buf), "/etc"),
			 -EISDIR);
}

static void a_fifo_does_not_block(void **state)
{
	struct doctor_fixture *fixture = *state;
	char path[PATH_MAX], buf[8];

	snprintf(path, sizeof(path), "%s/fifo", fixture->fake.root);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(doctor_system_read(&fixture->doctor.system, buf,
					    sizeof(buf), "/fifo"),
			 0);
	assert_string_equal(buf, "");
}

static void a_number_is_at_the_start(void **state)
{
	struct doctor_fixture *fixture = *state;
	unsigned long number = 7;

	doctor_fixture_write(fixture, "sys/n", "0x1003\n");
	assert_int_equal(doctor_system_read_number(&fixture->doctor.system,
						   &number, "/sys/n"),
			 0);
	assert_int_equal(number, 0x1003);
	doctor_fixture_write(fixture, "sys/n", "-1\n");
	assert_int_equal(doctor_system_read_number(&fixture->doctor.system,
						   &number, "/sys/n"),
			 -EINVAL);
	assert_int_equal(number, 0x1003);
}

static void sysfs_may_be_elsewhere(void **state)
{
	struct doctor_fixture *fixture = *state;
	char buf[8];

	fake_sysfs_write(&fixture->fake, "other", NULL);
	doctor_fixture_write(fixture, "system", "not sysfs");
	strcpy(strrchr(fixture->doctor.system.sysfs, '/'), "/other");
	doctor_fixture_write(fixture, "other/x", "there");
	assert_int_equal(doctor_system_read(&fixture->doctor.system, buf,
					    sizeof(buf), "/sys/x"),
			 0);
	assert_string_equal(buf, "there");
	assert_true(doctor_system_exists(&fixture->doctor.system, "/system"));
}

static void sysfs_path_is_taken_as_the_library_does(void **state)
{
	struct doctor_system system;
	char wish[400];

	assert_int_equal(setenv("SYSFS_PATH", "/some/where//", 1), 0);
	doctor_system_init(&system);
	assert_string_equal(system.sysfs, "/some/where");
	memset(wish, 'x', sizeof(wish));
	wish[sizeof(wish) - 1] = '\0';
	assert_int_equal(setenv("SYSFS_PATH", wish, 1), 0);
	doctor_system_init(&system);
	assert_int_equal(strlen(system.sysfs), 256);
	assert_int_equal(unsetenv("SYSFS_PATH"), 0);
	doctor_system_init(&system);
	assert_string_equal(system.sysfs, "/sys");
}

static bool join(void *arg, char *line)
{
	strcat(arg, line);
	strcat(arg, "|");
	return strcmp(line, "stop") != 0;
}

static void long_lines_are_passed_over(void **state)
{
	struct doctor_fixture *fixture = *state;
	char seen[256] = "", text[10000];

	memset(text, 'x', sizeof(text));
	memcpy(text, "first\n", 6);
	memcpy(text + 9000, "\nlast\nstop\nnever", 17);
	doctor_fixture_write(fixture, "etc/x", "%s", text);
	assert_int_equal(doctor_system_for_each_line(&fixture->doctor.system,
						     join, seen, "/etc/x"),
			 0);
	assert_string_equal(seen, "first|last|stop|");
	assert_int_equal(doctor_system_for_each_line(&fixture->doctor.system,
						     join, seen, "/etc/y"),
			 -ENOENT);
}

static void a_link_may_lead_nowhere(void **state)
{
	struct doctor_fixture *fixture = *state;
	char name[8] = "";

	doctor_fixture_link(fixture, "sys/driver", "../../no/such/mlx5_core");
	assert_true(doctor_system_read_link(&fixture->doctor.system, name,
					    sizeof(name), "/sys/driver"));
	assert_string_equal(name, "mlx5_co");
	doctor_fixture_write(fixture, "sys/file", "x");
	assert_false(doctor_system_read_link(&fixture->doctor.system, name,
					     sizeof(name), "/sys/file"));
}

static void paths_that_are_too_long_do_not_exist(void **state)
{
	struct doctor_fixture *fixture = *state;
	char name[PATH_MAX + 8], path[PATH_MAX];
	struct doctor_dir_list names;

	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	assert_false(
		doctor_system_exists(&fixture->doctor.system, "/%s", name));
	assert_false(
		doctor_system_path(&fixture->doctor.system, path, "/%s", name));
	name[PATH_MAX - 4] = '\0'; /* with the root it is too long */
	assert_false(
		doctor_system_path(&fixture->doctor.system, path, "/%s", name));
	doctor_system_list(&fixture->doctor.system, &names, "/%s", name);
	assert_int_equal(names.count, 0);
	doctor_dir_list_free(&names);
}

static void numbers_in_names_are_numbers(void **state)
{
	struct doctor_fixture *fixture = *state;
	struct doctor_dir_list names;

	doctor_fixture_write(fixture, "sys/class/x/uverbs10", " ");
	doctor_fixture_write(fixture, "sys/class/x/uverbs9", " ");
	doctor_system_list(&fixture->doctor.system, &names, "/sys/class/x");
	assert_int_equal(names.count, 2);
	assert_string_equal(names.entries[0]->d_name, "uverbs9");
	doctor_dir_list_free(&names);
}

static void words_are_quoted_for_a_shell(void **state)
{
	char buf[32];

	assert_string_equal(
		doctor_shell_quote(buf, sizeof(buf), "/etc/a.driver"),
		"/etc/a.driver");
	assert_string_equal(doctor_shell_quote(buf, sizeof(buf), "a b;$(x)"),
			    "'a b;$(x)'");
	assert_string_equal(doctor_shell_quote(buf, sizeof(buf), "it's"),
			    "'it'\\''s'");
	assert_string_equal(doctor_shell_quote(buf, sizeof(buf), ""), "''");
	assert_int_equal(
		strlen(doctor_shell_quote(buf, sizeof(buf),
					  "much too long; much too long; "
					  "much too long")) < sizeof(buf),
		1);
	assert_int_equal(buf[strlen(buf) - 1], '\'');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		doctor_test(a_line_is_cut_and_made_ascii),
		doctor_test(a_failure_leaves_an_empty_string),
		doctor_test(a_fifo_does_not_block),
		doctor_test(a_number_is_at_the_start),
		doctor_test(sysfs_may_be_elsewhere),
		doctor_test(sysfs_path_is_taken_as_the_library_does),
		doctor_test(long_lines_are_passed_over),
		doctor_test(a_link_may_lead_nowhere),
		doctor_test(paths_that_are_too_long_do_not_exist),
		doctor_test(numbers_in_names_are_numbers),
		doctor_test(words_are_quoted_for_a_shell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
