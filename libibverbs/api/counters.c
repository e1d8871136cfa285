/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Flow counters, through the table of a context: ibv_create_counters(3),
 * ibv_attach_counters_point_flow(3), ibv_read_counters(3).
 */
#include <infiniband/verbs.h>

#include "api/abi_tables.h"
#include "api/api_check.h"
#include "api/api_err.h"

struct ibv_counters *
verbs_api_create_counters(struct ibv_context *ctx,
			  struct ibv_counters_init_attr *attr)
{
	struct ibv_counters *counters;
	int ret;

	if (!attr)
		return api_ret_null(-EINVAL);
	if (attr->comp_mask)
		return api_ret_null(-EOPNOTSUPP);
	ret = VERBS_CALL_OP(ctx, create_counters, ctx, attr, &counters);
	return ret ? api_ret_null(ret) : counters;
}

int verbs_api_destroy_counters(struct ibv_counters *counters)
{
	if (!API_EXISTS(counters))
		return api_ret_errno(-EINVAL);
	return api_ret_errno(
		VERBS_CALL_OP(counters->context, destroy_counters, counters));
}

int verbs_api_attach_counters_point_flow(struct ibv_counters *counters,
					 struct ibv_counter_attach_attr *attr,
					 struct ibv_flow *flow)
{
	struct ibv_context *ctx;

	if (!attr || !API_EXISTS(counters))
		return api_ret_errno(-EINVAL);
	ctx = counters->context;
	if (flow && !API_ACCEPTS(__func__, ctx, flow))
		return api_ret_errno(-EINVAL);
	if (attr->comp_mask)
		return api_ret_errno(-EOPNOTSUPP);
	return api_ret_errno(VERBS_CALL_OP(ctx, attach_counters_point_flow,
					   counters, attr, flow));
}

int verbs_api_read_counters(struct ibv_counters *counters, uint64_t *values,
			    uint32_t nr_values, uint32_t flags)
{
	if (!API_EXISTS(counters) || (nr_values && !values))
		return api_ret_errno(-EINVAL);
	return api_ret_errno(VERBS_CALL_OP(counters->context, read_counters,
					   counters, values, nr_values, flags));
}
