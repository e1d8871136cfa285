/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Option --run: a program under the layers explain and validate. */
#ifndef TOOLS_DOCTOR_RUN_H
#define TOOLS_DOCTOR_RUN_H

#include <stdbool.h>
#include <stddef.h>

#define DOCTOR_RUN_MAX_MESSAGES 100

struct doctor_run {
	bool output_to_errors; /* no output of the program in the report */
	const char *program;
	int status;		  /* of waitpid() */
	unsigned int nr_observed; /* processes that opened a device */
	char *messages[DOCTOR_RUN_MAX_MESSAGES]; /* lines of the layers */
	size_t nr_messages;
	unsigned int nr_dropped; /* messages beyond these */
};

/**
 * doctor_run() - run a program, and collect what the layers report about it
 * @run: zeros, and output_to_errors
 * @program: name and arguments; NULL-terminated
 *
 * The program has the standard input and output of this process. Its standard
 * error is passed on, without the messages of the layers. Returns when the
 * program has ended, and its children have ended or closed their standard
 * error.
 *
 * Return: 0 or -errno. doctor_run_free() frees the messages.
 */
int doctor_run(struct doctor_run *run, char *const *program);

void doctor_run_free(struct doctor_run *run);

#endif
