/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Flow actions, through the table of a context: ibv_create_flow_action(3). */
#include <infiniband/verbs.h>

#include "api/abi_tables.h"
#include "api/api_check.h"
#include "api/api_err.h"

static int flow_action_check_esp(const struct ibv_flow_action_esp_attr *attr)
{
	if (!attr)
		return -EINVAL;
	if (attr->comp_mask & ~(uint32_t)IBV_FLOW_ACTION_ESP_MASK_ESN)
		return -EOPNOTSUPP;
	if ((attr->keymat_len && !attr->keymat_ptr) ||
	    (attr->replay_len && !attr->replay_ptr))
		return -EINVAL;
	return 0;
}

struct ibv_flow_action *
verbs_api_create_flow_action_esp(struct ibv_context *ctx,
				 struct ibv_flow_action_esp_attr *attr)
{
	struct ibv_flow_action *action;
	int ret = flow_action_check_esp(attr);

	if (ret == 0)
		ret = VERBS_CALL_OP(ctx, create_flow_action_esp, ctx, attr,
				    &action);
	return ret ? api_ret_null(ret) : action;
}

int verbs_api_modify_flow_action_esp(struct ibv_flow_action *action,
				     struct ibv_flow_action_esp_attr *attr)
{
	int ret = API_EXISTS(action) ? flow_action_check_esp(attr) : -EINVAL;

	if (ret == 0)
		ret = VERBS_CALL_OP(action->context, modify_flow_action_esp,
				    action, attr);
	return api_ret_errno(ret);
}

int verbs_api_destroy_flow_action(struct ibv_flow_action *action)
{
	if (!API_EXISTS(action))
		return api_ret_errno(-EINVAL);
	return api_ret_errno(
		VERBS_CALL_OP(action->context, destroy_flow_action, action));
}
