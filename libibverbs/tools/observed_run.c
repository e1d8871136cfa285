/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* See observed_run.h. */
#include "tools/observed_run.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int run_append_variable(const char *name, const char *text)
{
	const char *old = getenv(name);
	char *value;
	int ret;

	if (!old || !*old)
		return setenv(name, text, 1);
	if (asprintf(&value, "%s,%s", old, text) < 0)
		return -1;
	ret = setenv(name, value, 1);
	free(value);
	return ret;
}

int run_make_folder(const char *tool, char *ret_folder, size_t size)
{
	const char *tmp = getenv("TMPDIR");

	(void)snprintf(ret_folder, size, "%s/%s.XXXXXX",
		       tmp && *tmp ? tmp : "/tmp", tool);
	return mkdtemp(ret_folder) ? 0 : -1;
}

void run_ignore_keys(void)
{
	(void)signal(SIGINT, SIG_IGN);
	(void)signal(SIGQUIT, SIG_IGN);
}

int run_wait(pid_t pid, int *ret_status)
{
	while (waitpid(pid, ret_status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

void run_exec(char *const *program)
{
	(void)signal(SIGINT, SIG_DFL);
	(void)signal(SIGQUIT, SIG_DFL);
	(void)execvp(program[0], program);
}

_Noreturn void run_exit(const char *tool, const char *program)
{
	int code = errno == ENOENT ? RUN_EXIT_NOT_FOUND : RUN_EXIT_CANNOT_RUN;

	(void)fprintf(stderr, "%s: %s: %s\n", tool, program, strerror(errno));
	_exit(code);
}
