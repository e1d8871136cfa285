/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_fork_init(3), ibv_is_fork_initialized(3), and the functions that
 * providers of existing releases call for memory of their own.
 */
#include "core/fork_guard.h"

#include <infiniband/verbs.h>

#include "api/api_err.h"

/* Exported, but not declared in a public header. */
int ibv_dontfork_range(void *base, size_t size);
int ibv_dofork_range(void *base, size_t size);

int ibv_fork_init(void)
{
	return api_ret_errno(verbs_fork_init());
}

enum ibv_fork_status ibv_is_fork_initialized(void)
{
	return verbs_fork_status();
}

int ibv_dontfork_range(void *base, size_t size)
{
	return api_ret_minus1(verbs_fork_guard_add(base, size));
}

int ibv_dofork_range(void *base, size_t size)
{
	return api_ret_minus1(verbs_fork_guard_remove(base, size));
}
