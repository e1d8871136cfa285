/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Thread domains, through the table of a context: ibv_alloc_td(3). */
#include <infiniband/verbs.h>

#include "api/abi_tables.h"
#include "api/api_check.h"
#include "api/api_err.h"

struct ibv_td *verbs_api_alloc_td(struct ibv_context *ctx,
				  struct ibv_td_init_attr *attr)
{
	struct ibv_td *td;
	int ret;

	if (!attr)
		return api_ret_null(-EINVAL);
	if (attr->comp_mask)
		return api_ret_null(-EOPNOTSUPP);
	ret = VERBS_CALL_OP(ctx, alloc_td, ctx, attr, &td);
	return ret ? api_ret_null(ret) : td;
}

int verbs_api_dealloc_td(struct ibv_td *td)
{
	if (!API_EXISTS(td))
		return api_ret_errno(-EINVAL);
	return api_ret_errno(VERBS_CALL_OP(td->context, dealloc_td, td));
}
