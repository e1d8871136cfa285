/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tests of doctor_system.c with invalid files: file contents are not trusted.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/doctor/doctor_fixture.h"

static void doctor_system_read_long_line_is_truncated_to_ascii(void **state)
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

static void doctor_system_read_failure_leaves_empty_string(void **state)
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

static void doctor_system_read_fifo_does_not_block(void **state)
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

static void
doctor_system_read_number_without_leading_digit_returns_einval(void **state)
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

static void doctor_system_sysfs_path_replaces_sys_prefix(void **state)
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

static void doctor_system_init_sysfs_path_is_trimmed_and_truncated(void **state)
{
	struct doctor_system system;
	char value[400];

	assert_int_equal(setenv("SYSFS_PATH", "/some/where//", 1), 0);
	doctor_system_init(&system);
	assert_string_equal(system.sysfs, "/some/where");
	memset(value, 'x', sizeof(value));
	value[sizeof(value) - 1] = '\0';
	assert_int_equal(setenv("SYSFS_PATH", value, 1), 0);
	doctor_system_init(&system);
	assert_int_equal(strlen(system.sysfs), 256);
	assert_int_equal(unsetenv("SYSFS_PATH"), 0);
	doctor_system_init(&system);
	assert_string_equal(system.sysfs, "/sys");
}

static bool join_lines(void *arg, char *line)
{
	strcat(arg, line);
	strcat(arg, "|");
	return strcmp(line, "stop") != 0;
}

static void doctor_system_for_each_line_long_line_is_skipped(void **state)
{
	struct doctor_fixture *fixture = *state;
	char seen[256] = "", text[10000];

	memset(text, 'x', sizeof(text));
	memcpy(text, "first\n", 6);
	memcpy(text + 9000, "\nlast\nstop\nnever", 17);
	doctor_fixture_write(fixture, "etc/x", "%s", text);
	assert_int_equal(doctor_system_for_each_line(&fixture->doctor.system,
						     join_lines, seen,
						     "/etc/x"),
			 0);
	assert_string_equal(seen, "first|last|stop|");
	assert_int_equal(doctor_system_for_each_line(&fixture->doctor.system,
						     join_lines, seen,
						     "/etc/y"),
			 -ENOENT);
}

static void doctor_system_read_link_dangling_target_is_returned(void **state)
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

static void doctor_system_long_path_does_not_exist(void **state)
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

static void doctor_system_list_numbers_sort_by_value(void **state)
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

static void doctor_shell_quote_special_characters_are_quoted(void **state)
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
		doctor_test(doctor_system_read_long_line_is_truncated_to_ascii),
		doctor_test(doctor_system_read_failure_leaves_empty_string),
		doctor_test(doctor_system_read_fifo_does_not_block),
		doctor_test(
			doctor_system_read_number_without_leading_digit_returns_einval),
		doctor_test(doctor_system_sysfs_path_replaces_sys_prefix),
		doctor_test(
			doctor_system_init_sysfs_path_is_trimmed_and_truncated),
		doctor_test(doctor_system_for_each_line_long_line_is_skipped),
		doctor_test(
			doctor_system_read_link_dangling_target_is_returned),
		doctor_test(doctor_system_long_path_does_not_exist),
		doctor_test(doctor_system_list_numbers_sort_by_value),
		doctor_test(doctor_shell_quote_special_characters_are_quoted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
