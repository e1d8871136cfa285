/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A program that runs with layers: for ibv_trace(1) and ibv_doctor(1). */
#ifndef TOOLS_OBSERVED_RUN_H
#define TOOLS_OBSERVED_RUN_H

#include <stddef.h>
#include <sys/types.h>

/* Exit codes, as those of the shell. */
#define RUN_EXIT_CANNOT_RUN 126
#define RUN_EXIT_NOT_FOUND  127

/**
 * run_append_variable() - add @text to a list in an environment variable
 *
 * Return: 0; or -1 with errno.
 */
int run_append_variable(const char *name, const char *text);

/**
 * run_make_folder() - create an empty folder for files of the program
 * @tool: name of the tool, for the name of the folder
 * @ret_folder: receives the path
 *
 * The folder is in TMPDIR, or in /tmp.
 *
 * Return: 0; or -1 with errno.
 */
int run_make_folder(const char *tool, char *ret_folder, size_t size);

/**
 * run_ignore_keys() - ignore SIGINT and SIGQUIT
 *
 * The terminal sends them to the program, too, which decides what they mean.
 */
void run_ignore_keys(void);

/**
 * run_wait() - wait until the program ends; signals do not end the wait
 *
 * Return: 0, or -errno.
 */
int run_wait(pid_t pid, int *ret_status);

/** run_exec() - become the program, with SIGINT and SIGQUIT; or return */
void run_exec(char *const *program);

/**
 * run_exit() - in the child: print the error in errno, and exit
 * @tool: name of the tool, for the message
 */
_Noreturn void run_exit(const char *tool, const char *program);

#endif
