/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Memory windows, through the table of a context: ibv_alloc_mw(3). */
#include <infiniband/verbs.h>

#include "api/abi_tables.h"
#include "api/api_check.h"
#include "api/api_err.h"

struct ibv_mw *verbs_api_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type)
{
	struct ibv_mw *mw;
	int ret;

	if (!API_EXISTS(pd))
		return api_ret_null(-EINVAL);
	if (type != IBV_MW_TYPE_1 && type != IBV_MW_TYPE_2)
		return api_ret_null(-EINVAL);
	ret = VERBS_CALL_OP(pd->context, alloc_mw, pd, type, &mw);
	return ret ? api_ret_null(ret) : mw;
}

int verbs_api_dealloc_mw(struct ibv_mw *mw)
{
	if (!API_EXISTS(mw))
		return api_ret_errno(-EINVAL);
	return api_ret_errno(VERBS_CALL_OP(mw->context, dealloc_mw, mw));
}
