/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Replaces the query whether the kernel copies pinned memory on fork(). */
#include "support/fake_copy_on_fork.h"

#include "discover/copy_on_fork.h"

struct fake_copy_on_fork fake_copy_on_fork;

bool verbs_copy_on_fork(void)
{
	fake_copy_on_fork.nr_calls++;
	return fake_copy_on_fork.result;
}
