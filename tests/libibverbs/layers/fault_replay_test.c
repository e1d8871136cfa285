/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The setting replay= of the layer fault: faults of an earlier run. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libibverbs/layers/fault_fixture.h"

#define NR_EVENTS 200

/* Of a test. */
static char folder[] = "/tmp/fault_replay.XXXXXX";

static const char *folder_path(const char *name)
{
	static char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static int folder_setup(void **state)
{
	assert_non_null(mkdtemp(folder));
	return 0;
}

static int folder_teardown(void **state)
{
	(void)unlink(folder_path("first"));
	(void)unlink(folder_path("next"));
	return rmdir(folder);
}

static void file_write(const char *name, const char *text)
{
	FILE *file = fopen(folder_path(name), "we");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static const char *file_read(const char *name, char *text, size_t size)
{
	FILE *file = fopen(folder_path(name), "re");
	size_t len;

	assert_non_null(file);
	len = fread(text, 1, size - 1, file);
	assert_true(feof(file));
	assert_int_equal(fclose(file), 0);
	text[len] = '\0';
	return text;
}

/* Settings that replay the file "first". */
static const char *replay_settings(const char *rules)
{
	static char settings[PATH_MAX];

	(void)snprintf(settings, sizeof(settings), "replay=%s/first; %s",
		       folder, rules);
	return settings;
}

static bool try_reg_mr(size_t length)
{
	struct ibv_mr *mr = ibv_reg_mr(fixture.pd, fixture.memory, length, 0);

	if (!mr)
		return false;
	assert_int_equal(ibv_dereg_mr(mr), 0);
	return true;
}

/* A process with these settings, which registers regions. */
static void run_program(const char *settings)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		fault_start(settings);
		for (int i = 0; i < NR_EVENTS; i++)
			(void)try_reg_mr(1);
		fault_stop();
		exit(0);
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void replay_with_different_seed_repeats_faults(void **state)
{
	static const char rule[] = "errno=EIO @ call=reg_mr,bytes=1,p=10%";
	static char first[64 << 10], next[64 << 10];
	char settings[3 * PATH_MAX];

	(void)snprintf(settings, sizeof(settings), "seed=1; log=%s/first; %s",
		       folder, rule);
	run_program(settings);
	(void)snprintf(settings, sizeof(settings),
		       "seed=2; log=%s/next; replay=%s/first; %s", folder,
		       folder, rule);
	run_program(settings);
	assert_string_equal(file_read("next", next, sizeof(next)),
			    file_read("first", first, sizeof(first)));
	assert_non_null(strstr(first, "verbs-fault: rule 1, ibv_reg_mr, "));
}

#define LATE_RULE "errno=EIO @ call=reg_mr,bytes=1,after=3600s"

static void replay_does_not_depend_on_time(void **state)
{
	file_write("first", "output of the program\n"
			    "verbs-fault: rule 1, ibv_reg_mr, context 1, event "
			    "2: " LATE_RULE "\n");
	fault_start(replay_settings(LATE_RULE));
	assert_true(try_reg_mr(1));
	assert_false(try_reg_mr(1));
	assert_int_equal(errno, EIO);
	assert_true(try_reg_mr(1));
	assert_log("verbs-fault: rule 1, ibv_reg_mr, context 1, event "
		   "2: " LATE_RULE "\n");
	fault_stop();
}

static void log_counts_events_before_time(void **state)
{
	fault_start("errno=EIO @ call=reg_mr,bytes=1,before=1ns;"
		    "errno=EIO @ call=reg_mr,bytes=2,after=0s,nth=2");
	assert_true(try_reg_mr(1));
	assert_true(try_reg_mr(2));
	assert_false(try_reg_mr(2));
	assert_log("verbs-fault: rule 2, ibv_reg_mr, context 1, event 2: "
		   "errno=EIO @ call=reg_mr,bytes=2,after=0s,nth=2\n");
	fault_stop();
}

#define SEND_RULE "wc=RETRY_EXC_ERR @ qp=1,p=1%"

static void replay_chooses_request(void **state)
{
	struct ibv_wc wc = {};

	file_write("first", "verbs-fault: rule 1, ibv_post_send, QP 1, event "
			    "2: " SEND_RULE "\n"
			    "verbs-fault: rule 2 has never acted: disarm @ "
			    "cq=1\n");
	fault_start(replay_settings(SEND_RULE "; disarm @ cq=1"));
	assert_int_equal(fault_post_recv(fixture.right, 1), 0);
	assert_int_equal(fault_post(fixture.left, 2), 0);
	assert_int_equal(fault_post(fixture.left, 3), 0);
	do
		assert_true(ibv_poll_cq(fixture.cq, 1, &wc) >= 0);
	while (wc.wr_id != 3);
	assert_int_equal(wc.status, IBV_WC_RETRY_EXC_ERR);
	fault_stop();
}

static void replay_reports_faults_that_are_missing(void **state)
{
	static char text[4096];
	char settings[3 * PATH_MAX];

	file_write("first", "verbs-fault: rule 1, ibv_reg_mr, context 1, event "
			    "999: " LATE_RULE "\n"
			    "verbs-fault: rule 1, ibv_reg_mr, context 1, event "
			    "998: " LATE_RULE "\n"
			    "verbs-fault: rule 1, ibv_reg_mr, context 1, event "
			    "998: " LATE_RULE "\n");
	(void)snprintf(settings, sizeof(settings), "log=%s/next; %s", folder,
		       replay_settings(LATE_RULE));
	run_program(settings);
	assert_string_equal(file_read("next", text, sizeof(text)),
			    "verbs-fault: 2 of 2 faults were not repeated, "
			    "first rule 1, context 1, event 998: " LATE_RULE
			    "\n");
}

static void check_refused(const char *log, const char *warning)
{
	char expected[PATH_MAX + 256];

	file_write("first", log);
	fault_use(replay_settings(LATE_RULE));
	assert_int_equal(ibv_close_device(fixture_open()), 0);
	(void)snprintf(expected, sizeof(expected),
		       "libibverbs: VERBS_FAULT: %s of %s/first is not the "
		       "fault of one of the rules; there are no faults\n",
		       warning, folder);
	assert_log(expected);
}

static void replay_of_different_rule_is_refused(void **state)
{
	check_refused("\nverbs-fault: rule 1, ibv_reg_mr, context 1, event 2: "
		      "errno=EIO @ call=reg_mr,bytes=1\n",
		      "line 2");
}

static void replay_of_rule_without_number_is_refused(void **state)
{
	check_refused("verbs-fault: rule 2, ibv_reg_mr, context 1, event "
		      "2: " LATE_RULE "\n",
		      "line 1");
}

static void replay_of_unknown_object_is_refused(void **state)
{
	check_refused(
		"verbs-fault: rule 1, ibv_reg_mr, PD 1, event 2: " LATE_RULE
		"\n",
		"line 1");
}

static void replay_file_missing_leaves_program_alone(void **state)
{
	fault_use("replay=/nonexistent; " LATE_RULE);
	assert_int_equal(ibv_close_device(fixture_open()), 0);
	assert_log("libibverbs: VERBS_FAULT: cannot read /nonexistent: No such "
		   "file or directory; there are no faults\n");
}

#define replay_test(function) \
	cmocka_unit_test_setup_teardown(function, folder_setup, folder_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		replay_test(replay_with_different_seed_repeats_faults),
		replay_test(replay_does_not_depend_on_time),
		replay_test(replay_chooses_request),
		replay_test(replay_reports_faults_that_are_missing),
		replay_test(replay_of_different_rule_is_refused),
		replay_test(replay_of_rule_without_number_is_refused),
		replay_test(replay_of_unknown_object_is_refused),
		cmocka_unit_test(replay_file_missing_leaves_program_alone),
		cmocka_unit_test(log_counts_events_before_time),
	};

	return own_process_run_group_tests(tests);
}
