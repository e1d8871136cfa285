/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One line for the result of every step of a program. A line must not contain
 * values that differ from run to run, so no addresses and no object numbers.
 */
#ifndef SUITES_STEP_LINES_H
#define SUITES_STEP_LINES_H

#include <stdbool.h>

/**
 * walk_set_device() - set the device of the next lines
 * @name: "-" for no device
 */
void walk_set_device(const char *name);

void walk_say(const char *step, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * walk_made() - print the result of a step that makes an object
 * @object: the object, or NULL with errno; errno must be 0 before the call
 */
bool walk_made(const char *step, const void *object);

/**
 * walk_done() - print the result of a step that returns a status
 * @ret: 0, a positive errno, or a negative number with errno
 */
bool walk_done(const char *step, int ret);

/**
 * walk_skip() - print that the prerequisites of a step are missing
 */
void walk_skip(const char *step);

#endif
