/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * XRC domains. Called by kernel-backed providers through <provider/kernel.h>,
 * calls submit.c.
 */
#include <errno.h>
#include <provider/kernel.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>

#include "kernel/cmd_destroy.h"
#include "kernel/submit.h"

int verbs_cmd_open_xrcd(struct ibv_context *ctx, struct verbs_xrcd *xrcd,
			const struct ibv_xrcd_init_attr *attr,
			const struct verbs_udata *udata)
{
	const uint32_t needed = IBV_XRCD_INIT_ATTR_FD |
				IBV_XRCD_INIT_ATTR_OFLAGS;
	struct ib_uverbs_open_xrcd in = {};
	struct ib_uverbs_open_xrcd_resp out = {};
	const struct write_cmd req = {
		.command = IB_USER_VERBS_CMD_OPEN_XRCD,
		WRITE_IN(in),
		WRITE_OUT(out),
		.udata = udata,
	};
	int ret;

	if (attr->comp_mask & ~needed)
		return -EOPNOTSUPP;
	if (attr->comp_mask != needed)
		return -EINVAL;

	in.fd = (uint32_t)attr->fd; /* -1: not backed by a file */
	in.oflags = (uint32_t)attr->oflags;
	ret = submit_write(ctx, &req);
	if (ret)
		return ret;
	xrcd->xrcd.context = ctx;
	xrcd->comp_mask = VERBS_XRCD_MASK_HANDLE;
	xrcd->handle = out.xrcd_handle;
	return 0;
}

int verbs_cmd_close_xrcd(struct verbs_xrcd *xrcd)
{
	static const struct destroy_cmd destroy = {
		.cap = KERNEL_CAP_CLOSE_XRCD,
		.handle_attr = UVERBS_ATTR_DESTROY_XRCD_HANDLE,
		.write_command = IB_USER_VERBS_CMD_CLOSE_XRCD,
	};

	return cmd_destroy_by_handle(xrcd->xrcd.context, &destroy,
				     xrcd->handle);
}
