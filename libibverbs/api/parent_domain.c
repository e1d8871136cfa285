/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Parent domains, through the table of a context: ibv_alloc_parent_domain(3).
 * ibv_dealloc_pd(3) frees them.
 */
#include <infiniband/verbs.h>

#include "api/abi_tables.h"
#include "api/api_check.h"
#include "api/api_err.h"

#define KNOWN_MASK                                           \
	((uint32_t)(IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS | \
		    IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT | \
		    IBV_PARENT_DOMAIN_INIT_ATTR_ALLOW_CC_UNPROTECTED_ALLOC))

static bool
parent_domain_attr_is_valid(const struct ibv_context *ctx,
			    const struct ibv_parent_domain_init_attr *attr)
{
	static const char function[] = "ibv_alloc_parent_domain";

	if (!attr || !API_ACCEPTS(function, ctx, attr->pd))
		return false;
	return !attr->td || API_ACCEPTS(function, ctx, attr->td);
}

struct ibv_pd *
verbs_api_alloc_parent_domain(struct ibv_context *ctx,
			      struct ibv_parent_domain_init_attr *attr)
{
	struct ibv_pd *pd;
	int ret;

	if (!parent_domain_attr_is_valid(ctx, attr))
		return api_ret_null(-EINVAL);
	if (attr->comp_mask & ~KNOWN_MASK)
		return api_ret_null(-EOPNOTSUPP);
	ret = VERBS_CALL_OP(ctx, alloc_parent_domain, ctx, attr, &pd);
	return ret ? api_ret_null(ret) : pd;
}
