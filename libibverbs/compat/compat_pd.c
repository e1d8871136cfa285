/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Protection domains of libibverbs 1.0. */
#include "api/api_err.h"
#include "compat/compat_shadow.h"

struct ibv_pd_1_0 *compat_ibv_alloc_pd(struct ibv_context_1_0 *context)
{
	struct ibv_pd_1_0 *pd = calloc(1, sizeof(*pd));

	if (!pd)
		return api_ret_null(-ENOMEM);
	pd->real_pd = ibv_alloc_pd(compat_real_context(context));
	if (!pd->real_pd)
		return compat_shadow_drop(pd);
	pd->context = context;
	pd->handle = pd->real_pd->handle;
	return pd;
}

int compat_ibv_dealloc_pd(struct ibv_pd_1_0 *pd)
{
	int ret = ibv_dealloc_pd(compat_real_pd(pd));

	if (ret == 0)
		free(pd);
	return ret;
}

COMPAT_EXPORT(ibv_alloc_pd)
COMPAT_EXPORT(ibv_dealloc_pd)
