/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Memory regions of libibverbs 1.0. */
#include "api/api_err.h"
#include "compat/compat_shadow.h"

/* A macro of this name selects one of the exported functions. */
#undef ibv_reg_mr

struct ibv_mr_1_0 *compat_ibv_reg_mr(struct ibv_pd_1_0 *pd, void *addr,
				     size_t length, int access)
{
	struct ibv_mr_1_0 *mr = calloc(1, sizeof(*mr));

	if (!mr)
		return api_ret_null(-ENOMEM);
	mr->real_mr = ibv_reg_mr(compat_real_pd(pd), addr, length, access);
	if (!mr->real_mr)
		return compat_shadow_drop(mr);
	mr->context = pd->context;
	mr->pd = pd;
	mr->handle = mr->real_mr->handle;
	mr->lkey = mr->real_mr->lkey;
	mr->rkey = mr->real_mr->rkey;
	return mr;
}

int compat_ibv_dereg_mr(struct ibv_mr_1_0 *mr)
{
	int ret = ibv_dereg_mr(mr ? mr->real_mr : NULL);

	if (ret == 0)
		free(mr);
	return ret;
}

COMPAT_EXPORT(ibv_reg_mr)
COMPAT_EXPORT(ibv_dereg_mr)
