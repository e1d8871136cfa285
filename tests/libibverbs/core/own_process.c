/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Runs each test in a child process: see libibverbs/core/own_process.h. */
#include "libibverbs/core/own_process.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Exit code of a child whose test failed; no sanitizer uses it. */
#define EXIT_FAILED_TEST 3

static int child_run_test(const struct CMUnitTest *test)
{
	const struct CMUnitTest tests[] = { *test };

	return _cmocka_run_group_tests(test->name, tests, 1, NULL, NULL) != 0;
}

/* Status of the child from waitpid(). */
static int child_wait(pid_t child)
{
	int status;

	if (child < 0 || waitpid(child, &status, 0) != child) {
		perror("own_process");
		exit(EXIT_FAILURE);
	}
	return status;
}

/* exit() instead of _exit(), so that a sanitizer can report leaks. */
int own_process_group(const struct CMUnitTest *tests, size_t count)
{
	int nr_failed = 0;

	for (size_t i = 0; i < count; i++) {
		pid_t child;
		int status;

		(void)fflush(NULL);
		child = fork();
		if (child == 0)
			exit(child_run_test(&tests[i]) ? EXIT_FAILED_TEST : 0);
		status = child_wait(child);
		if (status == 0)
			continue;
		(void)fprintf(stderr, "%s: the child's status is %#x\n",
			      tests[i].name, (unsigned int)status);
		nr_failed++;
	}
	return nr_failed;
}

bool own_process_fails(CMUnitTestFunction test)
{
	const struct CMUnitTest alone = { .name = "a test that fails",
					  .test_func = test };
	pid_t child;
	int status;

	(void)fflush(NULL);
	child = fork();
	if (child == 0) {
		int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

		if (null < 0 || dup2(null, STDOUT_FILENO) < 0 ||
		    dup2(null, STDERR_FILENO) < 0)
			_exit(EXIT_FAILURE);
		_exit(child_run_test(&alone) ? EXIT_FAILED_TEST : 0);
	}
	status = child_wait(child);
	return WIFEXITED(status) && WEXITSTATUS(status) == EXIT_FAILED_TEST;
}
