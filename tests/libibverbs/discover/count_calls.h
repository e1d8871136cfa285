/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counts the file system calls of discovery in fake_calls, injects errors, and
 * sets clock and modification times. Replaces open, openat, read, getdents64,
 * stat, fstat and clock_gettime by --wrap.
 */
#ifndef DISCOVER_COUNT_CALLS_H
#define DISCOVER_COUNT_CALLS_H

#include <stdbool.h>
#include <time.h>

struct count_calls {
	unsigned int nr_getdents, nr_stats, nr_opens;

	/* Calls for paths with this suffix fail with @fail_errno. */
	const char *fail_path;
	int fail_errno;
	bool fail_stat_only;
	int getdents_errno;

	struct timespec now;	  /* result of clock_gettime */
	struct timespec modified; /* st_mtim of every directory, unless 0 */
};

extern struct count_calls count_calls;

void count_calls_reset(void);

#endif
