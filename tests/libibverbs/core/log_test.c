/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The log and the warnings: libibverbs/core/log.c. The environment is read once
 * in a process, so each test has one of its own. Linked with WRAP
 * secure_getenv.
 */
#include "core/log.h"

#include <errno.h>
#include <fcntl.h>
#include <provider/log.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libibverbs/core/own_process.h"
#include "support/fake_sysfs.h"

static struct fake_sysfs folder; /* only its root is used */
static char log_path[300];
static bool privileged;

char *__real_secure_getenv(const char *name);
char *__wrap_secure_getenv(const char *name);

char *__wrap_secure_getenv(const char *name)
{
	return privileged ? NULL : __real_secure_getenv(name);
}

static int make_folder(void **state)
{
	fake_sysfs_init(&folder);
	(void)snprintf(log_path, sizeof(log_path), "%s/log", folder.root);
	(void)unsetenv("VERBS_LOG_LEVEL");
	(void)unsetenv("VERBS_LOG_FILE");
	(void)unsetenv("IBV_SHOW_WARNINGS");
	return 0;
}

static int remove_folder(void **state)
{
	fake_sysfs_fini(&folder);
	return 0;
}

static void start(const char *level, const char *path)
{
	if (level)
		assert_int_equal(setenv("VERBS_LOG_LEVEL", level, 1), 0);
	if (path)
		assert_int_equal(setenv("VERBS_LOG_FILE", path, 1), 0);
	verbs_log_init();
}

static void assert_file(const char *path, const char *expected)
{
	char text[2048] = "";
	ssize_t len;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	len = read(fd, text, sizeof(text) - 1);
	assert_true(len >= 0);
	assert_int_equal(close(fd), 0);
	assert_string_equal(text, expected);
}

static void assert_no_file(void)
{
	assert_int_equal(access(log_path, F_OK), -1);
}

/* Runs @fn with standard error in a file, and compares that. */
static void assert_stderr(void (*fn)(void), const char *expected)
{
	char path[300];
	int saved, fd;

	(void)snprintf(path, sizeof(path), "%s/stderr", folder.root);
	(void)fflush(stderr);
	saved = dup(STDERR_FILENO);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(saved >= 0 && fd >= 0);
	assert_true(dup2(fd, STDERR_FILENO) >= 0);
	fn();
	(void)fflush(stderr);
	assert_true(dup2(saved, STDERR_FILENO) >= 0);
	assert_int_equal(close(saved), 0);
	assert_int_equal(close(fd), 0);
	assert_file(path, expected);
}

static void log_all_levels(void)
{
	verbs_log(NULL, VERBS_LOG_ERR, "err");
	verbs_log(NULL, VERBS_LOG_WARN, "warn");
	verbs_log(NULL, VERBS_LOG_INFO, "info");
	verbs_log(NULL, VERBS_LOG_DEBUG, "debug");
}

static void say_everything(void)
{
	log_all_levels();
	verbs_warn("warning %d", 1);
}

static void everything_is_quiet_by_default(void **state)
{
	start(NULL, NULL);
	assert_stderr(say_everything, "");
}

static void everything_is_quiet_before_the_set_up(void **state)
{
	assert_stderr(say_everything, "");
}

static void level_without_a_file_is_quiet(void **state)
{
	start("4", NULL);
	assert_stderr(say_everything, "");
}

static void file_without_a_level_is_not_made(void **state)
{
	start(NULL, log_path);
	say_everything();
	assert_no_file();
}

static void level_0_makes_no_file(void **state)
{
	start("0", log_path);
	say_everything();
	assert_no_file();
}

static void negative_level_makes_no_file(void **state)
{
	start("-1", log_path);
	say_everything();
	assert_no_file();
}

static void level_that_is_no_number_makes_no_file(void **state)
{
	start("debug", log_path);
	say_everything();
	assert_no_file();
}

static void file_that_cannot_be_opened_is_quiet(void **state)
{
	start("4", "/nonexistent/folder/log");
	assert_stderr(say_everything, "");
}

static void lines_up_to_the_level_are_written(void **state)
{
	start("2", log_path);
	log_all_levels();
	assert_file(log_path, "libibverbs: err\nlibibverbs: warn\n");
}

static void highest_level_writes_all(void **state)
{
	start("4", log_path);
	log_all_levels();
	assert_file(log_path, "libibverbs: err\nlibibverbs: warn\n"
			      "libibverbs: info\nlibibverbs: debug\n");
}

static void level_may_be_above_all(void **state)
{
	start("99", log_path);
	verbs_log(NULL, VERBS_LOG_DEBUG, "debug");
	assert_file(log_path, "libibverbs: debug\n");
}

static void level_is_in_c_notation(void **state)
{
	start("0x1", log_path);
	log_all_levels();
	assert_file(log_path, "libibverbs: err\n");
}

static void line_begins_with_the_device_s_name(void **state)
{
	struct ibv_device device = { .name = "rxe0" };
	struct ibv_context ctx = { .device = &device };

	start("1", log_path);
	verbs_log(&ctx, VERBS_LOG_ERR, "%s %d", "text", 7);
	assert_file(log_path, "rxe0: text 7\n");
}

static void context_without_a_device_is_the_library(void **state)
{
	struct ibv_context ctx = {};

	start("1", log_path);
	verbs_log(&ctx, VERBS_LOG_ERR, "text");
	assert_file(log_path, "libibverbs: text\n");
}

static void newline_of_the_caller_is_the_only_one(void **state)
{
	start("1", log_path);
	verbs_log(NULL, VERBS_LOG_ERR, "with\n");
	verbs_log(NULL, VERBS_LOG_ERR, "without");
	assert_file(log_path, "libibverbs: with\nlibibverbs: without\n");
}

static void empty_line_is_a_line(void **state)
{
	start("1", log_path);
	verbs_log(NULL, VERBS_LOG_ERR, "%s", "");
	assert_file(log_path, "libibverbs: \n");
}

static void over_long_line_is_cut(void **state)
{
	char text[2000], expected[600] = "libibverbs: ";

	start("1", log_path);
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	verbs_log(NULL, VERBS_LOG_ERR, "%s", text);
	memset(expected + strlen(expected), 'x', 511);
	(void)strcat(expected, "\n");
	assert_file(log_path, expected);
}

static void file_is_appended_to(void **state)
{
	fake_sysfs_write(&folder, "log", "before\n");
	start("1", log_path);
	verbs_log(NULL, VERBS_LOG_ERR, "after");
	assert_file(log_path, "before\nlibibverbs: after\n");
}

/* The next free descriptor is the log's. */
static void file_is_closed_on_exec(void **state)
{
	int fd = dup(STDERR_FILENO);

	assert_true(fd >= 0);
	assert_int_equal(close(fd), 0);
	start("1", log_path);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
}

static void privileged_program_writes_no_file(void **state)
{
	privileged = true;
	start("4", log_path);
	assert_stderr(say_everything, "");
	assert_no_file();
}

static void second_set_up_changes_nothing(void **state)
{
	start("1", log_path);
	start("4", "/dev/null");
	log_all_levels();
	assert_file(log_path, "libibverbs: err\n");
}

static void errno_is_left_alone(void **state)
{
	start("4", "/dev/full"); /* writing fails */
	(void)setenv("IBV_SHOW_WARNINGS", "1", 1);
	errno = EXDEV;
	verbs_log(NULL, VERBS_LOG_ERR, "text");
	assert_int_equal(errno, EXDEV);
	verbs_warn("text");
	assert_int_equal(errno, EXDEV);
}

static void show_warnings_prints_warnings(void **state)
{
	(void)setenv("IBV_SHOW_WARNINGS", "1", 1);
	start(NULL, NULL);
	assert_stderr(say_everything, "libibverbs: Warning: warning 1\n");
}

static void show_warnings_may_be_empty(void **state)
{
	(void)setenv("IBV_SHOW_WARNINGS", "", 1);
	start(NULL, NULL);
	assert_stderr(say_everything, "libibverbs: Warning: warning 1\n");
}

static void warnings_are_logged(void **state)
{
	start("2", log_path);
	verbs_warn("warning %d", 1);
	assert_file(log_path, "libibverbs: warning 1\n");
}

static void warnings_are_not_logged_below_their_level(void **state)
{
	start("1", log_path);
	verbs_warn("warning");
	assert_file(log_path, "");
}

static void warnings_are_counted_whoever_hears_them(void **state)
{
	start(NULL, NULL);
	assert_int_equal(verbs_nr_warnings(), 0);
	verbs_warn("warning");
	(void)setenv("IBV_SHOW_WARNINGS", "1", 1);
	assert_stderr(say_everything, "libibverbs: Warning: warning 1\n");
	assert_int_equal(verbs_nr_warnings(), 2);
}

static void vlog(const char *who, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void vlog(const char *who, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	verbs_vlog(who, VERBS_LOG_INFO, fmt, args);
	va_end(args);
}

static void line_may_say_itself_whom_it_is_from(void **state)
{
	start("3", log_path);
	vlog(NULL, "mlx5_0: text %d\n", 7);
	vlog("rxe0", "text %d", 8);
	assert_file(log_path, "mlx5_0: text 7\nrxe0: text 8\n");
}

static void vlog_heeds_the_level(void **state)
{
	start("2", log_path);
	vlog("rxe0", "text");
	assert_file(log_path, "");
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(everything_is_quiet_by_default),
		TEST(everything_is_quiet_before_the_set_up),
		TEST(level_without_a_file_is_quiet),
		TEST(file_without_a_level_is_not_made),
		TEST(level_0_makes_no_file),
		TEST(negative_level_makes_no_file),
		TEST(level_that_is_no_number_makes_no_file),
		TEST(file_that_cannot_be_opened_is_quiet),
		TEST(lines_up_to_the_level_are_written),
		TEST(highest_level_writes_all),
		TEST(level_may_be_above_all),
		TEST(level_is_in_c_notation),
		TEST(line_begins_with_the_device_s_name),
		TEST(context_without_a_device_is_the_library),
		TEST(newline_of_the_caller_is_the_only_one),
		TEST(empty_line_is_a_line),
		TEST(over_long_line_is_cut),
		TEST(file_is_appended_to),
		TEST(file_is_closed_on_exec),
		TEST(privileged_program_writes_no_file),
		TEST(second_set_up_changes_nothing),
		TEST(errno_is_left_alone),
		TEST(show_warnings_prints_warnings),
		TEST(show_warnings_may_be_empty),
		TEST(warnings_are_logged),
		TEST(warnings_are_not_logged_below_their_level),
		TEST(warnings_are_counted_whoever_hears_them),
		TEST(line_may_say_itself_whom_it_is_from),
		TEST(vlog_heeds_the_level),
	};

	return own_process_run_group_tests(tests);
}
