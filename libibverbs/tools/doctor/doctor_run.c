/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Option --run: runs a program with the layers explain and validate, collects
 * their lines from its standard error, and makes a finding of each. The rest of
 * the standard error is passed on. The file of each process that opens a
 * device, which validate creates, shows whether the layers observed the
 * program.
 */
#include "tools/doctor/doctor_run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/doctor/doctor.h"
#include "tools/observed_run.h"

#define EXPLAIN_PREFIX	"verbs-explain: "
#define VALIDATE_PREFIX "verbs-validate: "

/* ------------------------------------------------------------------------ */
/* Run                                                                       */
/* ------------------------------------------------------------------------ */

static int doctor_run_set_environment(const char *folder)
{
	char text[PATH_MAX + 32];

	(void)snprintf(text, sizeof(text), "hints=on,json=%s/%%p", folder);
	if (run_append_variable("VERBS_LAYERS", "explain,validate") != 0)
		return -1;
	return run_append_variable("VERBS_VALIDATE", text);
}

static _Noreturn void doctor_run_child(const struct doctor_run *run,
				       char *const *program, const char *folder,
				       int error_fd)
{
	if (run->output_to_errors)
		(void)dup2(STDERR_FILENO, STDOUT_FILENO);
	if (doctor_run_set_environment(folder) == 0 &&
	    dup2(error_fd, STDERR_FILENO) >= 0)
		run_exec(program);
	run_exit("ibv_doctor", program[0]);
}

static bool run_is_message(const char *line)
{
	return !strncmp(line, EXPLAIN_PREFIX, strlen(EXPLAIN_PREFIX)) ||
	       !strncmp(line, VALIDATE_PREFIX "AV-",
			strlen(VALIDATE_PREFIX "AV-"));
}

/* The count of validate at the end of each process. */
static bool run_is_count(const char *line)
{
	return !strncmp(line, VALIDATE_PREFIX, strlen(VALIDATE_PREFIX));
}

static void run_keep_line(struct doctor_run *run, const char *line)
{
	if (run->nr_messages == DOCTOR_RUN_MAX_MESSAGES) {
		run->nr_dropped++;
		return;
	}
	run->messages[run->nr_messages] = strndup(line, strcspn(line, "\n"));
	if (!run->messages[run->nr_messages])
		doctor_exit_no_memory();
	run->nr_messages++;
}

/* Until the program and its children have closed their standard error. */
static void run_read_errors(struct doctor_run *run, FILE *errors)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t len;

	while ((len = getline(&line, &size, errors)) > 0) {
		if (run_is_message(line))
			run_keep_line(run, line);
		else if (!run_is_count(line))
			(void)fwrite(line, 1, (size_t)len, stderr);
	}
	free(line);
}

/* Removes the files of the processes, and counts them. */
static unsigned int run_remove_folder(const char *folder)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	unsigned int nr = 0;

	while (dir && (entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		nr += unlinkat(dirfd(dir), entry->d_name, 0) == 0;
	}
	if (dir)
		(void)closedir(dir);
	(void)rmdir(folder);
	return nr;
}

/* Return: 0 or -errno. */
static int doctor_run_execute(struct doctor_run *run, char *const *program,
			      const char *folder)
{
	int fds[2], error;
	FILE *errors;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) != 0)
		return -errno;
	errors = fdopen(fds[0], "r");
	if (!errors)
		doctor_exit_no_memory();
	pid = fork();
	if (pid == 0)
		doctor_run_child(run, program, folder, fds[1]);
	error = errno;
	(void)close(fds[1]);
	if (pid > 0)
		run_read_errors(run, errors);
	(void)fclose(errors);
	if (pid < 0)
		return -error;
	return run_wait(pid, &run->status);
}

int doctor_run(struct doctor_run *run, char *const *program)
{
	char folder[PATH_MAX];
	int ret;

	run->program = program[0];
	if (run_make_folder("ibv_doctor", folder, sizeof(folder)) != 0)
		return -errno;
	run_ignore_keys();
	(void)fflush(stdout);
	ret = doctor_run_execute(run, program, folder);
	run->nr_observed = run_remove_folder(folder);
	(void)signal(SIGINT, SIG_DFL);
	(void)signal(SIGQUIT, SIG_DFL);
	return ret;
}

void doctor_run_free(struct doctor_run *run)
{
	for (size_t i = 0; i < run->nr_messages; i++)
		free(run->messages[i]);
	run->nr_messages = 0;
}

/* ------------------------------------------------------------------------ */
/* Findings                                                                  */
/* ------------------------------------------------------------------------ */

static __attribute__((format(printf, 4, 5))) void run_add(struct doctor *doctor,
							  enum doctor_id id,
							  const char *fix,
							  const char *fmt, ...)
{
	char text[1024];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	doctor_finding_add_fix(
		doctor_finding_add(&doctor->findings, id, NULL, 0, "%s", text),
		"%s", fix);
}

static void run_add_rule(struct doctor *doctor, const char *message)
{
	int id_len = (int)strcspn(message, " ");
	struct doctor_finding *finding = doctor_finding_add(
		&doctor->findings, DOCTOR_RUN_RULE, NULL, 0, "%s", message);

	if (!strncmp(message + id_len, " hint:", strlen(" hint:")))
		finding->severity = DOCTOR_NOTE;
	doctor_finding_add_fix(finding, "man -P 'less +/%.*s' verbs_validate",
			       id_len, message);
}

static void run_add_end(struct doctor *doctor, const struct doctor_run *run)
{
	static const char fix[] = "ibv_trace PROGRAM ...";

	if (WIFSIGNALED(run->status))
		run_add(doctor, DOCTOR_RUN_ENDED, fix,
			"%s was ended by signal %d (%s).", run->program,
			WTERMSIG(run->status),
			strsignal(WTERMSIG(run->status)));
	else if (WEXITSTATUS(run->status))
		run_add(doctor, DOCTOR_RUN_ENDED, fix,
			"%s ended with exit status %d.", run->program,
			WEXITSTATUS(run->status));
}

static void run_add_messages(struct doctor *doctor,
			     const struct doctor_run *run)
{
	for (size_t i = 0; i < run->nr_messages; i++) {
		const char *message = run->messages[i];

		if (!strncmp(message, EXPLAIN_PREFIX, strlen(EXPLAIN_PREFIX)))
			run_add(doctor, DOCTOR_RUN_FAILURE, "man verbs_explain",
				"%s", message + strlen(EXPLAIN_PREFIX));
		else
			run_add_rule(doctor, message + strlen(VALIDATE_PREFIX));
	}
	if (run->nr_dropped)
		run_add(doctor, DOCTOR_RUN_DROPPED,
			"VERBS_LAYERS=explain,validate PROGRAM ...",
			"%u more messages about %s are not shown.",
			run->nr_dropped, run->program);
}

void doctor_check_run(struct doctor *doctor)
{
	const struct doctor_run *run = doctor->run;

	if (!run)
		return;
	run_add_end(doctor, run);
	run_add_messages(doctor, run);
	if (!run->nr_observed)
		run_add(doctor, DOCTOR_RUN_UNOBSERVED,
			"ldd PROGRAM | grep ibverbs",
			"The calls of %s were not observed. It opened no "
			"device, or it uses another libibverbs or a static "
			"one, or it has privileges (set-user-ID).",
			run->program);
}
