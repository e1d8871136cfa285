/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Whether the kernel keeps registered memory intact when a process forks. */
#ifndef DISCOVER_COPY_ON_FORK_H
#define DISCOVER_COPY_ON_FORK_H

#include <stdbool.h>

/**
 * verbs_copy_on_fork() - whether fork() copies pinned pages for the child
 *
 * Asks the kernel each time. Kernels since 5.12 say so; for others, and if
 * there is no answer, the result is false.
 *
 * Context: any thread; waits for the kernel for a bounded time.
 */
bool verbs_copy_on_fork(void);

#endif
