/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Replaces libibverbs/kernel/ in tests of the floors above: defines the
 * functions that core/ links to, all of which fail.
 */
#include <errno.h>
#include <provider/kernel.h>

#include "kernel/kernel_state.h"

bool verbs_allow_disassociate_destroy;

int verbs_cmd_alloc_async_fd(struct ibv_context *ctx, int *ret_fd)
{
	return -ENOTTY;
}

int verbs_cmd_create_comp_channel(struct ibv_context *ctx, int *ret_fd)
{
	return -ENOTTY;
}

int verbs_cmd_query_gid_entry(struct ibv_context *ctx, uint32_t port_num,
			      uint32_t gid_index,
			      struct ibv_gid_entry *ret_entry)
{
	return -ENOTTY;
}

ssize_t verbs_cmd_query_gid_table(struct ibv_context *ctx,
				  struct ibv_gid_entry *entries,
				  size_t max_entries)
{
	return -ENOTTY;
}

int verbs_cmd_query_pkey(struct ibv_context *ctx, uint8_t port_num, int index,
			 __be16 *ret_pkey)
{
	return -ENOTTY;
}
