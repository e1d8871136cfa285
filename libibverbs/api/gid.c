/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The GID table: ibv_query_gid(3), ibv_query_gid_ex(3),
 * ibv_query_gid_table(3).
 */
#include <infiniband/verbs.h>
#include <stdlib.h>

#include "api/api_err.h"
#include "api/sized_copy.h"
#include "core/core_context.h"

int _ibv_query_gid_ex(struct ibv_context *context, uint32_t port_num,
		      uint32_t gid_index, struct ibv_gid_entry *entry,
		      uint32_t flags, size_t entry_size)
{
	struct ibv_gid_entry own = {};
	int ret;

	if (!context || !entry || flags || !entry_size)
		return api_ret_errno(-EINVAL);

	ret = VERBS_CALL_OP(context, query_gid_entry, context, port_num,
			    gid_index, &own);
	if (ret)
		return api_ret_errno(ret);
	api_copy_sized(entry, entry_size, &own, sizeof(own));
	return 0;
}

/*
 * The caller's entries have another size: queries into an array of the
 * library's own and copies each entry.
 */
static ssize_t gid_table_query_resized(struct ibv_context *ctx, void *entries,
				       size_t max_entries, size_t entry_size)
{
	struct ibv_gid_entry *own;
	ssize_t count;

	own = calloc(max_entries ? max_entries : 1, sizeof(*own));
	if (!own)
		return -ENOMEM;
	count = VERBS_CALL_OP(ctx, query_gid_table, ctx, own, max_entries);
	for (size_t i = 0; (ssize_t)i < count && i < max_entries; i++)
		api_copy_sized((char *)entries + i * entry_size, entry_size,
			       &own[i], sizeof(own[i]));
	free(own);
	return count;
}

ssize_t _ibv_query_gid_table(struct ibv_context *context,
			     struct ibv_gid_entry *entries, size_t max_entries,
			     uint32_t flags, size_t entry_size)
{
	ssize_t count;

	if (!context || (!entries && max_entries) || flags || !entry_size)
		count = -EINVAL;
	else if (entry_size == sizeof(*entries))
		count = VERBS_CALL_OP(context, query_gid_table, context,
				      entries, max_entries);
	else
		count = gid_table_query_resized(context, entries, max_entries,
						entry_size);
	if (count < 0)
		errno = (int)-count;
	return count;
}

/* This function returns an empty slot as a GID of zeroes. */
int ibv_query_gid(struct ibv_context *context, uint8_t port_num, int index,
		  union ibv_gid *gid)
{
	struct ibv_gid_entry own = {};
	int ret;

	if (!context || !gid || index < 0)
		return api_ret_minus1(-EINVAL);
	ret = VERBS_CALL_OP(context, query_gid_entry, context, port_num,
			    (uint32_t)index, &own);
	if (ret == -ENODATA)
		own = (struct ibv_gid_entry){};
	else if (ret)
		return api_ret_minus1(ret);
	*gid = own.gid;
	return 0;
}
