/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Protection domains: ibv_alloc_pd(3). */
#include <infiniband/verbs.h>

#include "api/api_err.h"
#include "core/core_context.h"

struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
	struct ibv_pd *pd;
	int ret = verbs_ops(context)->alloc_pd(context, &pd);

	return ret ? api_ret_null(ret) : pd;
}

int ibv_dealloc_pd(struct ibv_pd *pd)
{
	return api_ret_errno(verbs_ops(pd->context)->dealloc_pd(pd));
}
