/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One line for the result of every step of a program. Nothing that differs from
 * run to run may be in it, so no addresses and no numbers of objects.
 */
#ifndef SUITES_STEP_LINES_H
#define SUITES_STEP_LINES_H

#include <stdbool.h>

/** walk_set_device() - what the next lines are about, "-" for no device */
void walk_set_device(const char *name);

void walk_say(const char *step, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** walk_made() - @object or NULL with errno, which must be 0 before */
bool walk_made(const char *step, const void *object);

/** walk_done() - 0, a positive errno, or a negative number and errno */
bool walk_done(const char *step, int ret);

/** walk_skip() - what the step needs is not there */
void walk_skip(const char *step);

#endif
