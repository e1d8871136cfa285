/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* XRC domains, through the table of a context: ibv_open_xrcd(3). */
#include <infiniband/verbs.h>

#include "api/abi_tables.h"
#include "api/api_check.h"
#include "api/api_err.h"

#define NEEDED_MASK \
	((uint32_t)(IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS))

static int xrcd_check_attr(const struct ibv_xrcd_init_attr *attr)
{
	if (!attr)
		return -EINVAL;
	if (attr->comp_mask >= IBV_XRCD_INIT_ATTR_RESERVED)
		return -EOPNOTSUPP;
	return attr->comp_mask == NEEDED_MASK ? 0 : -EINVAL;
}

struct ibv_xrcd *verbs_api_open_xrcd(struct ibv_context *ctx,
				     struct ibv_xrcd_init_attr *attr)
{
	struct ibv_xrcd *xrcd;
	int ret = xrcd_check_attr(attr);

	if (ret == 0)
		ret = VERBS_CALL_OP(ctx, open_xrcd, ctx, attr, &xrcd);
	return ret ? api_ret_null(ret) : xrcd;
}

int verbs_api_close_xrcd(struct ibv_xrcd *xrcd)
{
	if (!API_EXISTS(xrcd))
		return api_ret_errno(-EINVAL);
	return api_ret_errno(VERBS_CALL_OP(xrcd->context, close_xrcd, xrcd));
}
