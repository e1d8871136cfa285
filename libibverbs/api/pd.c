/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Protection domains: ibv_alloc_pd(3), ibv_import_pd(3). */
#include <infiniband/verbs.h>

#include "api/api_check.h"
#include "api/api_err.h"

struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
	struct ibv_pd *pd;
	int ret;

	if (!context)
		return api_ret_null(-EINVAL);
	ret = VERBS_CALL_OP(context, alloc_pd, context, &pd);
	return ret ? api_ret_null(ret) : pd;
}

/* Frees a PD or a parent domain. */
int ibv_dealloc_pd(struct ibv_pd *pd)
{
	if (!API_EXISTS(pd))
		return api_ret_errno(-EINVAL);
	return api_ret_errno(VERBS_CALL_OP(pd->context, dealloc_pd, pd));
}

struct ibv_pd *ibv_import_pd(struct ibv_context *context, uint32_t pd_handle)
{
	struct ibv_pd *pd;
	int ret;

	if (!context)
		return api_ret_null(-EINVAL);
	ret = VERBS_CALL_OP(context, import_pd, context, pd_handle, &pd);
	if (ret)
		return api_ret_null(ret);
	pd->context = context;
	pd->handle = pd_handle;
	return pd;
}

void ibv_unimport_pd(struct ibv_pd *pd)
{
	if (API_EXISTS(pd))
		verbs_ops(pd->context)->unimport_pd(pd);
}
