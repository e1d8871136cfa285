/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Address handles: ibv_create_ah(3). */
#include <infiniband/verbs.h>

#include "api/api_check.h"
#include "api/api_err.h"

struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	struct ibv_ah *ah;
	int ret;

	if (!API_EXISTS(pd) || !attr)
		return api_ret_null(-EINVAL);
	ret = VERBS_CALL_OP(pd->context, create_ah, pd, attr, &ah);
	return ret ? api_ret_null(ret) : ah;
}

int ibv_destroy_ah(struct ibv_ah *ah)
{
	if (!API_EXISTS(ah))
		return api_ret_errno(-EINVAL);
	return api_ret_errno(VERBS_CALL_OP(ah->context, destroy_ah, ah));
}
