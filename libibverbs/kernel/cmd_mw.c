/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory windows. Called by kernel-backed providers through
 * <provider/kernel.h>, calls submit.c.
 */
#include <errno.h>
#include <provider/kernel.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>

#include "kernel/cmd_destroy.h"
#include "kernel/submit.h"

int verbs_cmd_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type,
		       struct ibv_mw *mw, const struct verbs_udata *udata)
{
	struct ib_uverbs_alloc_mw in = { .pd_handle = pd->handle };
	struct ib_uverbs_alloc_mw_resp out = {};
	const struct write_cmd req = {
		.command = IB_USER_VERBS_CMD_ALLOC_MW,
		WRITE_IN(in),
		WRITE_OUT(out),
		.udata = udata,
	};
	int ret;

	/* The kernel checks the type; its field has only 8 bits. */
	if ((unsigned int)type > UINT8_MAX)
		return -EINVAL;
	in.mw_type = (uint8_t)type;

	ret = submit_write(pd->context, &req);
	if (ret)
		return ret;
	mw->context = pd->context;
	mw->pd = pd;
	mw->rkey = out.rkey;
	mw->handle = out.mw_handle;
	mw->type = type;
	return 0;
}

int verbs_cmd_dealloc_mw(struct ibv_mw *mw)
{
	static const struct destroy_cmd destroy = {
		.cap = KERNEL_CAP_DEALLOC_MW,
		.handle_attr = UVERBS_ATTR_DESTROY_MW_HANDLE,
		.write_command = IB_USER_VERBS_CMD_DEALLOC_MW,
	};

	return cmd_destroy_by_handle(mw->context, &destroy, mw->handle);
}
