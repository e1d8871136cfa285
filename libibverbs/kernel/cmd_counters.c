/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counters for flow rules. Called by kernel-backed providers through
 * <provider/kernel.h>, calls submit.c. The commands exist as ioctl methods
 * only.
 */
#include <errno.h>
#include <provider/kernel.h>
#include <rdma/ib_user_ioctl_cmds.h>

#include "kernel/cmd_destroy.h"
#include "kernel/submit.h"

int verbs_cmd_create_counters(struct ibv_context *ctx,
			      struct verbs_counters *vcounters,
			      const struct ibv_counters_init_attr *attr,
			      const struct verbs_udata *udata)
{
	uint32_t handle = 0;
	struct cmd cmd;
	int ret;

	if (attr->comp_mask)
		return -EOPNOTSUPP;

	cmd_init(&cmd, KERNEL_CAP_CREATE_COUNTERS);
	cmd_out_obj(&cmd, UVERBS_ATTR_CREATE_COUNTERS_HANDLE, &handle);
	cmd_driver_attrs(&cmd, udata);
	ret = submit_ioctl_only(ctx, &cmd);
	if (ret)
		return ret;
	vcounters->counters.context = ctx;
	vcounters->handle = handle;
	return 0;
}

int verbs_cmd_read_counters(struct verbs_counters *vcounters, uint64_t *values,
			    uint32_t nr_values, uint32_t flags,
			    const struct verbs_udata *udata)
{
	struct cmd cmd;

	/* Limit of an attribute; also keeps the product below in range. */
	if (nr_values > UINT16_MAX / sizeof(*values))
		return -EINVAL;

	cmd_init(&cmd, KERNEL_CAP_READ_COUNTERS);
	cmd_in_obj(&cmd, UVERBS_ATTR_READ_COUNTERS_HANDLE, vcounters->handle);
	cmd_out_ptr(&cmd, UVERBS_ATTR_READ_COUNTERS_BUFF, values,
		    nr_values * sizeof(*values));
	cmd_in_u32(&cmd, UVERBS_ATTR_READ_COUNTERS_FLAGS, flags);
	cmd_driver_attrs(&cmd, udata);
	return submit_ioctl_only(vcounters->counters.context, &cmd);
}

int verbs_cmd_destroy_counters(struct verbs_counters *vcounters)
{
	static const struct destroy_cmd destroy = {
		.cap = KERNEL_CAP_DESTROY_COUNTERS,
		.handle_attr = UVERBS_ATTR_DESTROY_COUNTERS_HANDLE,
		.ioctl_only = true,
	};

	return cmd_destroy_by_handle(vcounters->counters.context, &destroy,
				     vcounters->handle);
}
