/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Output and settings of the layer validate, on the user-space device. A step
 * with a mistake has one message.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libibverbs/layers/explain_fixture.h"
#include "libibverbs/layers/validate_steps.h"

static char folder[] = "/tmp/validate.XXXXXX";

static int output_setup(void **state)
{
	assert_int_equal(setenv("VERBS_LAYERS", "validate", 1), 0);
	explain_capture_start();
	assert_non_null(mkdtemp(folder));
	return 0;
}

static int output_teardown(void **state)
{
	return rmdir(folder);
}

static const char *path_of(const char *name)
{
	static char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

/* Opens the device with these settings. */
static void start(const char *settings)
{
	void *unused;

	assert_int_equal(setenv("VERBS_VALIDATE", settings, 1), 0);
	(void)fixture_setup(&unused);
}

/* Likewise with the setting @key, such as "log=", and a file of the folder. */
static void start_with_file(const char *key)
{
	char setting[PATH_MAX + 8];

	(void)snprintf(setting, sizeof(setting), "%s%s", key,
		       path_of("findings"));
	start(setting);
}

static void stop(void)
{
	void *unused;

	(void)fixture_teardown(&unused);
}

/* AV-QP-001 */
static void make_mistake(void)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT };

	assert_int_not_equal(ibv_modify_qp(fixture.left, &attr, IBV_QP_STATE),
			     0);
}

static void assert_messages(const char *text, unsigned int nr)
{
	unsigned int nr_found = 0;

	for (text = strstr(text, "verbs-validate: AV-QP-001 error: "); text;
	     text = strstr(text + 1, "verbs-validate: AV-QP-001 error: "))
		nr_found++;
	assert_int_equal(nr_found, nr);
}

/* Reads a file of the folder and removes it. */
static const char *file_take(const char *name)
{
	static char text[65536];
	int fd = open(path_of(name), O_RDONLY | O_CLOEXEC);
	struct stat stat;
	ssize_t len;

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &stat), 0);
	assert_int_equal(stat.st_mode & 0777, 0600);
	len = read(fd, text, sizeof(text) - 1);
	assert_true(len >= 0);
	text[len] = '\0';
	assert_int_equal(close(fd), 0);
	assert_int_equal(unlink(path_of(name)), 0);
	return text;
}

static void message_default_is_on_standard_error(void **state)
{
	start("");
	make_mistake();
	stop();
	assert_messages(explain_capture_take(), 1);
}

static void setting_limit_ends_messages(void **state)
{
	const char *text;

	start("limit=2");
	for (int i = 0; i < 5; i++)
		make_mistake();
	stop();
	text = explain_capture_take();
	assert_messages(text, 2);
	assert_non_null(strstr(text, "the last message of this rule"));
}

static void setting_log_writes_private_file(void **state)
{
	start_with_file("log=");
	make_mistake();
	stop();
	assert_silent();
	assert_messages(file_take("findings"), 1);
}

static void setting_log_file_exists_is_not_changed(void **state)
{
	int fd =
		open(path_of("findings"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	const char *text;

	assert_true(fd >= 0);
	assert_int_equal(close(fd), 0);
	start_with_file("log=");
	make_mistake();
	stop();
	text = explain_capture_take();
	assert_non_null(strstr(text, "VERBS_VALIDATE: cannot create "));
	assert_messages(text, 1);
	assert_string_equal(file_take("findings"), "");
}

/* The program has reused the number of the file. */
static void setting_log_descriptor_closed_uses_standard_error(void **state)
{
	int last;

	start_with_file("log=");
	last = dup(STDIN_FILENO);
	assert_true(last > STDERR_FILENO);
	for (int fd = STDERR_FILENO + 1; fd < last; fd++) {
		struct stat file, other;

		assert_int_equal(stat(path_of("findings"), &file), 0);
		if (fstat(fd, &other) == 0 && other.st_ino == file.st_ino)
			assert_int_equal(dup2(STDIN_FILENO, fd), fd);
	}
	make_mistake();
	assert_messages(explain_capture_take(), 1);
	assert_string_equal(file_take("findings"), "");
	stop();
}

static void setting_json_writes_object_per_line(void **state)
{
	static const char first[] = "{\"schema\": 1, \"id\": \"AV-QP-001\", "
				    "\"severity\": \"error\", \"process\": ";
	const char *text;

	start_with_file("json=");
	make_mistake();
	make_mistake();
	stop();
	assert_messages(explain_capture_take(), 2);
	text = file_take("findings");
	for (int i = 0; i < 2; i++) {
		assert_int_equal(strncmp(text, first, strlen(first)), 0);
		assert_non_null(strstr(text, "\"device\": \"uroce_lo\", "));
		text = strchr(text, '\n');
		assert_non_null(text);
		assert_int_equal(strncmp(text - 2, "\"}", 2), 0);
		text++;
	}
	assert_string_equal(text, "");
}

static void setting_off_disables_rule(void **state)
{
	start("off=AV-AD-001,AV-QP-001,limit=3");
	make_mistake();
	stop();
	assert_silent();
}

static void setting_off_disables_group(void **state)
{
	start("off=AV-QP");
	make_mistake();
	stop();
	assert_silent();
}

static void setting_wrong_warns_once(void **state)
{
	start("limit=3,off=AV-QP-0");
	make_mistake();
	stop();
	assert_string_equal(
		explain_capture_take(),
		"libibverbs: VERBS_VALIDATE: \"off=AV-QP-0\" is none of "
		"log=FILE, json=FILE, limit=NUMBER, off=RULE and hints=on; "
		"nothing is validated\n");
}

/* The output of a process that has ended. */
static void exit_prints_counts(void **state)
{
	char text[4096] = "";
	int pipe_fds[2], status;
	pid_t child;

	assert_int_equal(pipe2(pipe_fds, O_CLOEXEC), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		(void)dup2(pipe_fds[1], STDERR_FILENO);
		start("limit=1");
		make_mistake();
		make_mistake();
		stop();
		exit(EXIT_SUCCESS);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_true(read(pipe_fds[0], text, sizeof(text) - 1) > 0);
	assert_messages(text, 1);
	assert_non_null(
		strstr(text, "verbs-validate: 2 errors; 1 were not printed\n"));
}

#define output_test(function) \
	cmocka_unit_test_setup_teardown(function, output_setup, output_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		output_test(message_default_is_on_standard_error),
		output_test(setting_limit_ends_messages),
		output_test(setting_log_writes_private_file),
		output_test(setting_log_file_exists_is_not_changed),
		output_test(setting_log_descriptor_closed_uses_standard_error),
		output_test(setting_json_writes_object_per_line),
		output_test(setting_off_disables_rule),
		output_test(setting_off_disables_group),
		output_test(setting_wrong_warns_once),
		output_test(exit_prints_counts),
	};

	return own_process_run_group_tests(tests);
}
