/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tests of libibverbs/core/log.c. The environment is read once in a process,
 * so each test runs in its own process. Linked with WRAP secure_getenv.
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

static struct fake_sysfs folder; /* only the root folder is used */
static char log_path[300];
static bool privileged;

char *__real_secure_getenv(const char *name);
char *__wrap_secure_getenv(const char *name);

char *__wrap_secure_getenv(const char *name)
{
	return privileged ? NULL : __real_secure_getenv(name);
}

static int log_folder_setup(void **state)
{
	fake_sysfs_init(&folder);
	(void)snprintf(log_path, sizeof(log_path), "%s/log", folder.root);
	(void)unsetenv("VERBS_LOG_LEVEL");
	(void)unsetenv("VERBS_LOG_FILE");
	(void)unsetenv("IBV_SHOW_WARNINGS");
	return 0;
}

static int log_folder_teardown(void **state)
{
	fake_sysfs_fini(&folder);
	return 0;
}

static void log_setup(const char *level, const char *path)
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

/*
 * Runs @fn with standard error redirected to a file, and compares the content.
 */
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

static void log_and_warn(void)
{
	log_all_levels();
	verbs_warn("warning %d", 1);
}

static void log_is_silent_by_default(void **state)
{
	log_setup(NULL, NULL);
	assert_stderr(log_and_warn, "");
}

static void log_is_silent_before_init(void **state)
{
	assert_stderr(log_and_warn, "");
}

static void log_level_without_file_is_silent(void **state)
{
	log_setup("4", NULL);
	assert_stderr(log_and_warn, "");
}

static void log_file_without_level_is_not_created(void **state)
{
	log_setup(NULL, log_path);
	log_and_warn();
	assert_no_file();
}

static void log_level_0_creates_no_file(void **state)
{
	log_setup("0", log_path);
	log_and_warn();
	assert_no_file();
}

static void log_negative_level_creates_no_file(void **state)
{
	log_setup("-1", log_path);
	log_and_warn();
	assert_no_file();
}

static void log_invalid_level_creates_no_file(void **state)
{
	log_setup("debug", log_path);
	log_and_warn();
	assert_no_file();
}

static void log_unusable_file_is_silent(void **state)
{
	log_setup("4", "/nonexistent/folder/log");
	assert_stderr(log_and_warn, "");
}

static void log_writes_lines_up_to_level(void **state)
{
	log_setup("2", log_path);
	log_all_levels();
	assert_file(log_path, "libibverbs: err\nlibibverbs: warn\n");
}

static void log_highest_level_writes_all(void **state)
{
	log_setup("4", log_path);
	log_all_levels();
	assert_file(log_path, "libibverbs: err\nlibibverbs: warn\n"
			      "libibverbs: info\nlibibverbs: debug\n");
}

static void log_level_above_highest_is_accepted(void **state)
{
	log_setup("99", log_path);
	verbs_log(NULL, VERBS_LOG_DEBUG, "debug");
	assert_file(log_path, "libibverbs: debug\n");
}

static void log_level_accepts_c_notation(void **state)
{
	log_setup("0x1", log_path);
	log_all_levels();
	assert_file(log_path, "libibverbs: err\n");
}

static void log_line_begins_with_device_name(void **state)
{
	struct ibv_device device = { .name = "rxe0" };
	struct ibv_context ctx = { .device = &device };

	log_setup("1", log_path);
	verbs_log(&ctx, VERBS_LOG_ERR, "%s %d", "text", 7);
	assert_file(log_path, "rxe0: text 7\n");
}

static void log_context_without_device_is_libibverbs(void **state)
{
	struct ibv_context ctx = {};

	log_setup("1", log_path);
	verbs_log(&ctx, VERBS_LOG_ERR, "text");
	assert_file(log_path, "libibverbs: text\n");
}

static void log_newline_is_not_doubled(void **state)
{
	log_setup("1", log_path);
	verbs_log(NULL, VERBS_LOG_ERR, "with\n");
	verbs_log(NULL, VERBS_LOG_ERR, "without");
	assert_file(log_path, "libibverbs: with\nlibibverbs: without\n");
}

static void log_empty_line_is_written(void **state)
{
	log_setup("1", log_path);
	verbs_log(NULL, VERBS_LOG_ERR, "%s", "");
	assert_file(log_path, "libibverbs: \n");
}

static void log_overlong_line_is_cut(void **state)
{
	char text[2000], expected[600] = "libibverbs: ";

	log_setup("1", log_path);
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	verbs_log(NULL, VERBS_LOG_ERR, "%s", text);
	memset(expected + strlen(expected), 'x', 511);
	(void)strcat(expected, "\n");
	assert_file(log_path, expected);
}

static void log_file_is_appended_to(void **state)
{
	fake_sysfs_write(&folder, "log", "before\n");
	log_setup("1", log_path);
	verbs_log(NULL, VERBS_LOG_ERR, "after");
	assert_file(log_path, "before\nlibibverbs: after\n");
}

/* The log has the next free descriptor. */
static void log_file_is_close_on_exec(void **state)
{
	int fd = dup(STDERR_FILENO);

	assert_true(fd >= 0);
	assert_int_equal(close(fd), 0);
	log_setup("1", log_path);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
}

static void log_privileged_program_writes_no_file(void **state)
{
	privileged = true;
	log_setup("4", log_path);
	assert_stderr(log_and_warn, "");
	assert_no_file();
}

static void log_second_init_changes_nothing(void **state)
{
	log_setup("1", log_path);
	log_setup("4", "/dev/null");
	log_all_levels();
	assert_file(log_path, "libibverbs: err\n");
}

static void log_keeps_errno_unchanged(void **state)
{
	log_setup("4", "/dev/full"); /* writing fails */
	(void)setenv("IBV_SHOW_WARNINGS", "1", 1);
	errno = EXDEV;
	verbs_log(NULL, VERBS_LOG_ERR, "text");
	assert_int_equal(errno, EXDEV);
	verbs_warn("text");
	assert_int_equal(errno, EXDEV);
}

static void warn_with_show_warnings_prints(void **state)
{
	(void)setenv("IBV_SHOW_WARNINGS", "1", 1);
	log_setup(NULL, NULL);
	assert_stderr(log_and_warn, "libibverbs: Warning: warning 1\n");
}

static void warn_with_empty_show_warnings_prints(void **state)
{
	(void)setenv("IBV_SHOW_WARNINGS", "", 1);
	log_setup(NULL, NULL);
	assert_stderr(log_and_warn, "libibverbs: Warning: warning 1\n");
}

static void warn_is_logged_at_warn_level(void **state)
{
	log_setup("2", log_path);
	verbs_warn("warning %d", 1);
	assert_file(log_path, "libibverbs: warning 1\n");
}

static void warn_below_log_level_is_not_logged(void **state)
{
	log_setup("1", log_path);
	verbs_warn("warning");
	assert_file(log_path, "");
}

static void warn_is_counted_without_output(void **state)
{
	log_setup(NULL, NULL);
	assert_int_equal(verbs_nr_warnings(), 0);
	verbs_warn("warning");
	(void)setenv("IBV_SHOW_WARNINGS", "1", 1);
	assert_stderr(log_and_warn, "libibverbs: Warning: warning 1\n");
	assert_int_equal(verbs_nr_warnings(), 2);
}

static void log_with_va_list(const char *who, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void log_with_va_list(const char *who, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	verbs_vlog(who, VERBS_LOG_INFO, fmt, args);
	va_end(args);
}

static void vlog_without_prefix_writes_text_only(void **state)
{
	log_setup("3", log_path);
	log_with_va_list(NULL, "mlx5_0: text %d\n", 7);
	log_with_va_list("rxe0", "text %d", 8);
	assert_file(log_path, "mlx5_0: text 7\nrxe0: text 8\n");
}

static void vlog_respects_log_level(void **state)
{
	log_setup("2", log_path);
	log_with_va_list("rxe0", "text");
	assert_file(log_path, "");
}

#define TEST(name)                                              \
	cmocka_unit_test_setup_teardown(name, log_folder_setup, \
					log_folder_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(log_is_silent_by_default),
		TEST(log_is_silent_before_init),
		TEST(log_level_without_file_is_silent),
		TEST(log_file_without_level_is_not_created),
		TEST(log_level_0_creates_no_file),
		TEST(log_negative_level_creates_no_file),
		TEST(log_invalid_level_creates_no_file),
		TEST(log_unusable_file_is_silent),
		TEST(log_writes_lines_up_to_level),
		TEST(log_highest_level_writes_all),
		TEST(log_level_above_highest_is_accepted),
		TEST(log_level_accepts_c_notation),
		TEST(log_line_begins_with_device_name),
		TEST(log_context_without_device_is_libibverbs),
		TEST(log_newline_is_not_doubled),
		TEST(log_empty_line_is_written),
		TEST(log_overlong_line_is_cut),
		TEST(log_file_is_appended_to),
		TEST(log_file_is_close_on_exec),
		TEST(log_privileged_program_writes_no_file),
		TEST(log_second_init_changes_nothing),
		TEST(log_keeps_errno_unchanged),
		TEST(warn_with_show_warnings_prints),
		TEST(warn_with_empty_show_warnings_prints),
		TEST(warn_is_logged_at_warn_level),
		TEST(warn_below_log_level_is_not_logged),
		TEST(warn_is_counted_without_output),
		TEST(vlog_without_prefix_writes_text_only),
		TEST(vlog_respects_log_level),
	};

	return own_process_run_group_tests(tests);
}
