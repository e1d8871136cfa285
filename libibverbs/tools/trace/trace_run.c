/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Runs a program with VERBS_LAYERS=trace and prints the summary of each process
 * that opened a device. Without a file name, the files are in a temporary
 * folder, which is removed at the end.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/observed_run.h"
#include "tools/trace/trace_tool.h"

static int run_set_environment(const char *file)
{
	char text[PATH_MAX + 32];

	(void)snprintf(text, sizeof(text), "file=%s", file);
	if (run_append_variable("VERBS_LAYERS", "trace") != 0)
		return -1;
	return run_append_variable("VERBS_TRACE", text);
}

static _Noreturn void run_child(const struct trace_run *run, const char *file)
{
	if (run_set_environment(file) == 0)
		run_exec(run->program);
	run_exit("ibv_trace", run->program[0]);
}

/* Return: the exit code. */
static int run_program(const struct trace_run *run, const char *file)
{
	int status;
	pid_t pid;

	run_ignore_keys();
	(void)fflush(stdout);
	pid = fork();
	if (pid < 0) {
		fprintf(stderr, "ibv_trace: fork: %s\n", strerror(errno));
		return RUN_EXIT_CANNOT_RUN;
	}
	if (pid == 0)
		run_child(run, file);
	if (run_wait(pid, &status) != 0)
		return RUN_EXIT_CANNOT_RUN;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status)
				   : WEXITSTATUS(status);
}

int trace_load(const char *path, struct trace_data *ret_data)
{
	const char *problem;
	int ret = trace_file_read(path, ret_data, &problem);

	if (ret)
		fprintf(stderr, "ibv_trace: %s %s\n", path, problem);
	return ret;
}

int trace_print_file(FILE *out, const char *path, const struct trace_view *view,
		     bool json)
{
	struct trace_data data;
	struct json_out document;
	int ret = trace_load(path, &data);

	if (ret)
		return ret;
	if (json) {
		json_begin(&document, out);
		view->json(&document, &data);
		ret = json_end(&document);
	} else {
		view->text(out, &data);
	}
	trace_file_free(&data);
	return ret;
}

/* Prints and removes all files of a folder. */
static unsigned int run_print_folder(const char *folder, bool json)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	unsigned int nr = 0;
	char path[PATH_MAX + sizeof(entry->d_name) + 1];

	while (dir && (entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		(void)snprintf(path, sizeof(path), "%s/%s", folder,
			       entry->d_name);
		nr += trace_print_file(stderr, path, &trace_summary, json) == 0;
		(void)unlink(path); /* rmdir() fails then */
	}
	if (dir)
		(void)closedir(dir);
	return nr;
}

static void run_explain_nothing(void)
{
	fprintf(stderr,
		"ibv_trace: the program opened no RDMA device with this "
		"library, or has privileges (set-user-ID)\n");
}

static int run_in_folder(const struct trace_run *run)
{
	char folder[PATH_MAX], file[PATH_MAX + 16];
	int ret;

	if (run_make_folder("ibv_trace", folder, sizeof(folder)) != 0) {
		fprintf(stderr, "ibv_trace: %s: %s\n", folder, strerror(errno));
		return RUN_EXIT_CANNOT_RUN;
	}
	(void)snprintf(file, sizeof(file), "%s/%%p", folder);
	ret = run_program(run, file);
	if (run_print_folder(folder, run->json) == 0)
		run_explain_nothing();
	if (rmdir(folder) != 0)
		fprintf(stderr, "ibv_trace: %s: %s\n", folder, strerror(errno));
	return ret;
}

int trace_run(const struct trace_run *run)
{
	int ret;

	if (!run->file)
		return run_in_folder(run);
	if (access(run->file, F_OK) == 0) {
		fprintf(stderr, "ibv_trace: %s: %s\n", run->file,
			strerror(EEXIST));
		return RUN_EXIT_CANNOT_RUN;
	}
	ret = run_program(run, run->file);
	if (strchr(run->file, '%'))
		return ret;
	if (access(run->file, F_OK) == 0)
		(void)trace_print_file(stderr, run->file, &trace_summary,
				       run->json);
	else
		run_explain_nothing();
	return ret;
}
