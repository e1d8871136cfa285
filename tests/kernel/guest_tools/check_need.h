/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How a check of a guest tool fails: it returns false, with the reason in why.
 */
#ifndef CHECK_NEED_H
#define CHECK_NEED_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

/* Ends a check with a reason. */
#define FAIL(...)                                        \
	do {                                             \
		snprintf(why, sizeof(why), __VA_ARGS__); \
		return false;                            \
	} while (0)
#define NEED(condition)                                                      \
	do {                                                                 \
		if (!(condition))                                            \
			FAIL("line %d: %s (errno %d)", __LINE__, #condition, \
			     errno);                                         \
	} while (0)

static char why[256];

#endif
