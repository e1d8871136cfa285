/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Address handles of libibverbs 1.0. */
#include "api/api_err.h"
#include "compat/compat_shadow.h"

struct ibv_ah_1_0 *compat_ibv_create_ah(struct ibv_pd_1_0 *pd,
					struct ibv_ah_attr *attr)
{
	struct ibv_ah_1_0 *ah = calloc(1, sizeof(*ah));

	if (!ah)
		return api_ret_null(-ENOMEM);
	ah->real_ah = ibv_create_ah(compat_real_pd(pd), attr);
	if (!ah->real_ah)
		return compat_shadow_drop(ah);
	ah->context = pd->context;
	ah->pd = pd;
	ah->handle = ah->real_ah->handle;
	return ah;
}

int compat_ibv_destroy_ah(struct ibv_ah_1_0 *ah)
{
	int ret = ibv_destroy_ah(ah ? ah->real_ah : NULL);

	if (ret == 0)
		free(ah);
	return ret;
}

COMPAT_EXPORT(ibv_create_ah)
COMPAT_EXPORT(ibv_destroy_ah)
