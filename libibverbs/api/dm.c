/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Device memory: ibv_import_dm(3), ibv_dm_export_dmabuf_fd(3), and through the
 * table of a context ibv_alloc_dm(3) and ibv_reg_dm_mr(3).
 */
#include <infiniband/verbs.h>

#include "api/abi_tables.h"
#include "api/api_check.h"
#include "api/api_err.h"

struct ibv_dm *verbs_api_alloc_dm(struct ibv_context *ctx,
				  struct ibv_alloc_dm_attr *attr)
{
	struct ibv_dm *dm;
	int ret;

	if (!attr)
		return api_ret_null(-EINVAL);
	if (attr->comp_mask)
		return api_ret_null(-EOPNOTSUPP);
	ret = VERBS_CALL_OP(ctx, alloc_dm, ctx, attr, &dm);
	return ret ? api_ret_null(ret) : dm;
}

int verbs_api_free_dm(struct ibv_dm *dm)
{
	if (!API_EXISTS(dm))
		return api_ret_errno(-EINVAL);
	return api_ret_errno(VERBS_CALL_OP(dm->context, free_dm, dm));
}

struct ibv_mr *verbs_api_reg_dm_mr(struct ibv_pd *pd, struct ibv_dm *dm,
				   uint64_t dm_offset, size_t length,
				   unsigned int access)
{
	struct ibv_mr *mr;
	int ret;

	if (!API_EXISTS(pd) || !API_ACCEPTS(__func__, pd->context, dm))
		return api_ret_null(-EINVAL);
	ret = VERBS_CALL_OP(pd->context, reg_dm_mr, pd, dm, dm_offset, length,
			    access, &mr);
	return ret ? api_ret_null(ret) : mr;
}

struct ibv_dm *ibv_import_dm(struct ibv_context *context, uint32_t dm_handle)
{
	struct ibv_dm *dm;
	int ret;

	if (!context)
		return api_ret_null(-EINVAL);
	ret = VERBS_CALL_OP(context, import_dm, context, dm_handle, &dm);
	if (ret)
		return api_ret_null(ret);
	dm->context = context;
	return dm;
}

void ibv_unimport_dm(struct ibv_dm *dm)
{
	if (API_EXISTS(dm))
		verbs_ops(dm->context)->unimport_dm(dm);
}

/* Returns a descriptor that the caller owns, or -1. */
int ibv_dm_export_dmabuf_fd(struct ibv_dm *dm)
{
	int fd, ret;

	if (!API_EXISTS(dm))
		return api_ret_minus1(-EINVAL);
	ret = VERBS_CALL_OP(dm->context, dm_export_dmabuf_fd, dm, &fd);
	return ret ? api_ret_minus1(ret) : fd;
}
