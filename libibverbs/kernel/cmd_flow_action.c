/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Flow actions. The only type is ESP, the encryption of IPsec. Called by
 * kernel-backed providers through <provider/kernel.h>, calls submit.c. The
 * commands exist as ioctl methods only.
 */
#include <errno.h>
#include <provider/kernel.h>
#include <rdma/ib_user_ioctl_cmds.h>

#include "kernel/cmd_destroy.h"
#include "kernel/submit.h"

static int
cmd_flow_action_check_attr(const struct ibv_flow_action_esp_attr *attr)
{
	if (attr->comp_mask & ~(uint32_t)IBV_FLOW_ACTION_ESP_MASK_ESN)
		return -EOPNOTSUPP;
	/* The kernel takes both as numbers of one byte. */
	if ((unsigned int)attr->keymat_proto > UINT8_MAX ||
	    (unsigned int)attr->replay_proto > UINT8_MAX)
		return -EINVAL;
	return 0;
}

/*
 * Parts that @attr does not have are left out of the action, or unchanged by a
 * modify.
 */
static void
cmd_flow_action_add_attrs(struct cmd *cmd,
			  const struct ibv_flow_action_esp_attr *attr)
{
	if (attr->esp_attr)
		cmd_in_ptr(cmd, UVERBS_ATTR_FLOW_ACTION_ESP_ATTRS,
			   attr->esp_attr, sizeof(*attr->esp_attr));
	if (attr->comp_mask & IBV_FLOW_ACTION_ESP_MASK_ESN)
		cmd_in_u32(cmd, UVERBS_ATTR_FLOW_ACTION_ESP_ESN, attr->esn);
	if (attr->keymat_ptr)
		cmd_in_enum(cmd, UVERBS_ATTR_FLOW_ACTION_ESP_KEYMAT,
			    (uint8_t)attr->keymat_proto, attr->keymat_ptr,
			    attr->keymat_len);
	if (attr->replay_ptr)
		cmd_in_enum(cmd, UVERBS_ATTR_FLOW_ACTION_ESP_REPLAY,
			    (uint8_t)attr->replay_proto, attr->replay_ptr,
			    attr->replay_len);
	if (attr->esp_encap)
		cmd_in_ptr(cmd, UVERBS_ATTR_FLOW_ACTION_ESP_ENCAP,
			   attr->esp_encap, sizeof(*attr->esp_encap));
}

int verbs_cmd_create_flow_action_esp(
	struct ibv_context *ctx, struct verbs_flow_action *action,
	const struct ibv_flow_action_esp_attr *attr,
	const struct verbs_udata *udata)
{
	uint32_t handle = 0;
	struct cmd cmd;
	int ret = cmd_flow_action_check_attr(attr);

	if (ret)
		return ret;
	cmd_init(&cmd, KERNEL_CAP_CREATE_FLOW_ACTION_ESP);
	cmd_out_obj(&cmd, UVERBS_ATTR_CREATE_FLOW_ACTION_ESP_HANDLE, &handle);
	cmd_flow_action_add_attrs(&cmd, attr);
	cmd_driver_attrs(&cmd, udata);
	ret = submit_ioctl_only(ctx, &cmd);
	if (ret)
		return ret;
	action->action.context = ctx;
	action->handle = handle;
	action->type = VERBS_FLOW_ACTION_ESP;
	return 0;
}

int verbs_cmd_modify_flow_action_esp(
	struct verbs_flow_action *action,
	const struct ibv_flow_action_esp_attr *attr,
	const struct verbs_udata *udata)
{
	struct cmd cmd;
	int ret = cmd_flow_action_check_attr(attr);

	if (ret)
		return ret;
	cmd_init(&cmd, KERNEL_CAP_MODIFY_FLOW_ACTION_ESP);
	cmd_in_obj(&cmd, UVERBS_ATTR_MODIFY_FLOW_ACTION_ESP_HANDLE,
		   action->handle);
	cmd_flow_action_add_attrs(&cmd, attr);
	cmd_driver_attrs(&cmd, udata);
	return submit_ioctl_only(action->action.context, &cmd);
}

int verbs_cmd_destroy_flow_action(struct verbs_flow_action *action)
{
	static const struct destroy_cmd destroy = {
		.cap = KERNEL_CAP_DESTROY_FLOW_ACTION,
		.handle_attr = UVERBS_ATTR_DESTROY_FLOW_ACTION_HANDLE,
		.ioctl_only = true,
	};

	return cmd_destroy_by_handle(action->action.context, &destroy,
				     action->handle);
}
