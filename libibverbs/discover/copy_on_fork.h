/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds out whether fork() leaves registered memory intact. */
#ifndef DISCOVER_COPY_ON_FORK_H
#define DISCOVER_COPY_ON_FORK_H

#include <stdbool.h>

/**
 * verbs_copy_on_fork() - check whether fork() copies pinned pages for the child
 *
 * Sends a query on each call. The attribute exists since Linux 5.12; without
 * it, and without a response, the result is false.
 *
 * Context: any thread; waits for the response for a bounded time.
 */
bool verbs_copy_on_fork(void);

#endif
