/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Replaces libibverbs/discover/copy_on_fork.c. */
#ifndef SUPPORT_FAKE_COPY_ON_FORK_H
#define SUPPORT_FAKE_COPY_ON_FORK_H

#include <stdbool.h>

struct fake_copy_on_fork {
	bool result; /* of verbs_copy_on_fork() */
	unsigned int nr_calls;
};

extern struct fake_copy_on_fork fake_copy_on_fork;

#endif
