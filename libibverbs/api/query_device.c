/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_query_device(3) and, through the table of a context,
 * ibv_query_device_ex(3) and ibv_query_rt_values_ex(3).
 */
#include <infiniband/verbs.h>

#include "api/abi_tables.h"
#include "api/api_err.h"
#include "api/sized_copy.h"
#include "core/core_context.h"

/*
 * The application's struct may be shorter or longer than the library's. The
 * provider fills the library's struct, and the members that both have are
 * copied.
 */
int verbs_api_query_device_ex(struct ibv_context *ctx,
			      const struct ibv_query_device_ex_input *input,
			      struct ibv_device_attr_ex *attr, size_t attr_size)
{
	struct ibv_device_attr_ex own = {};
	size_t size = attr_size < sizeof(own) ? attr_size : sizeof(own);
	int ret;

	if (!attr || attr_size < sizeof(own.orig_attr) ||
	    (input && input->comp_mask))
		return api_ret_errno(-EINVAL);

	ret = VERBS_CALL_OP(ctx, query_device, ctx, input, &own, size);
	if (ret)
		return api_ret_errno(ret);

	api_copy_sized(attr, attr_size, &own, sizeof(own));
	return 0;
}

int ibv_query_device(struct ibv_context *context,
		     struct ibv_device_attr *device_attr)
{
	struct ibv_device_attr_ex own;
	int ret;

	if (!context || !device_attr)
		return api_ret_errno(-EINVAL);
	own.orig_attr = (struct ibv_device_attr){}; /* the only member that is
						       queried */
	ret = VERBS_CALL_OP(context, query_device, context, NULL, &own,
			    sizeof(own.orig_attr));
	if (ret)
		return api_ret_errno(ret);
	*device_attr = own.orig_attr;
	return 0;
}

/*
 * On entry, values->comp_mask selects the values; on return, it contains the
 * bits of the values that are valid.
 */
int verbs_api_query_rt_values(struct ibv_context *ctx,
			      struct ibv_values_ex *values)
{
	if (!values)
		return api_ret_errno(-EINVAL);
	return api_ret_errno(VERBS_CALL_OP(ctx, query_rt_values, ctx, values));
}
