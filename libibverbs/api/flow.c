/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Flow steering, through the table of a context: ibv_create_flow(3). */
#include <infiniband/verbs.h>

#include "api/abi_tables.h"
#include "api/api_err.h"
#include "core/core_context.h"

struct ibv_flow *verbs_api_create_flow(struct ibv_qp *qp,
				       struct ibv_flow_attr *attr)
{
	struct ibv_flow *flow;
	int ret;

	if (!attr)
		return api_ret_null(-EINVAL);
	ret = verbs_ops(qp->context)->create_flow(qp, attr, &flow);
	return ret ? api_ret_null(ret) : flow;
}

int verbs_api_destroy_flow(struct ibv_flow *flow)
{
	return api_ret_errno(verbs_ops(flow->context)->destroy_flow(flow));
}
