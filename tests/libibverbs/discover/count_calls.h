/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counts the file system calls of discovery in fake_calls, and lets them fail
 * or find another time. Replaces open, openat, read, getdents64, stat, fstat
 * and clock_gettime by --wrap.
 */
#ifndef DISCOVER_COUNT_CALLS_H
#define DISCOVER_COUNT_CALLS_H

#include <stdbool.h>
#include <time.h>

struct count_calls {
	unsigned int nr_getdents, nr_stats, nr_opens;

	/* Calls for paths that end like this fail with @fail_errno. */
	const char *fail_path;
	int fail_errno;
	bool fail_stat_only;
	int getdents_errno;

	struct timespec now;	  /* what clock_gettime tells */
	struct timespec modified; /* st_mtim of every folder, unless 0 */
};

extern struct count_calls count_calls;

void count_calls_reset(void);

#endif
