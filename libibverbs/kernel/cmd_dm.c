/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Device memory: allocation, registration, export as dma-buf. Called by
 * kernel-backed providers through <provider/kernel.h>, calls submit.c. The
 * commands exist as ioctl methods only.
 */
#include <errno.h>
#include <provider/kernel.h>
#include <rdma/ib_user_ioctl_cmds.h>

#include "kernel/cmd_destroy.h"
#include "kernel/submit.h"
#include "kernel/uapi_newer.h"

int verbs_cmd_alloc_dm(struct ibv_context *ctx,
		       const struct ibv_alloc_dm_attr *attr,
		       struct verbs_dm *vdm, const struct verbs_udata *udata)
{
	uint32_t handle = 0;
	struct cmd cmd;
	int ret;

	if (attr->comp_mask)
		return -EOPNOTSUPP;

	cmd_init(&cmd, KERNEL_CAP_ALLOC_DM);
	cmd_out_obj(&cmd, UVERBS_ATTR_ALLOC_DM_HANDLE, &handle);
	cmd_in_u64(&cmd, UVERBS_ATTR_ALLOC_DM_LENGTH, attr->length);
	cmd_in_u32(&cmd, UVERBS_ATTR_ALLOC_DM_ALIGNMENT, attr->log_align_req);
	cmd_driver_attrs(&cmd, udata);
	ret = submit_ioctl_only(ctx, &cmd);
	if (ret)
		return ret;
	vdm->handle = handle;
	vdm->dm.context = ctx;
	vdm->dm.comp_mask = IBV_DM_MASK_HANDLE;
	vdm->dm.handle = handle;
	return 0;
}

int verbs_cmd_free_dm(struct verbs_dm *vdm)
{
	static const struct destroy_cmd destroy = {
		.cap = KERNEL_CAP_FREE_DM,
		.handle_attr = UVERBS_ATTR_FREE_DM_HANDLE,
		.ioctl_only = true,
	};

	return cmd_destroy_by_handle(vdm->dm.context, &destroy, vdm->handle);
}

int verbs_cmd_reg_dm_mr(struct ibv_pd *pd, struct verbs_dm *vdm,
			uint64_t offset, size_t length, unsigned int access,
			struct verbs_mr *vmr, const struct verbs_udata *udata)
{
	uint32_t handle = 0, lkey = 0, rkey = 0;
	struct cmd cmd;
	int ret;

	/* Device memory has no virtual address, so offsets start at 0. */
	if (!(access & IBV_ACCESS_ZERO_BASED))
		return -EINVAL;

	cmd_init(&cmd, KERNEL_CAP_REG_DM_MR);
	cmd_out_obj(&cmd, UVERBS_ATTR_REG_DM_MR_HANDLE, &handle);
	cmd_in_u64(&cmd, UVERBS_ATTR_REG_DM_MR_OFFSET, offset);
	cmd_in_u64(&cmd, UVERBS_ATTR_REG_DM_MR_LENGTH, length);
	cmd_in_obj(&cmd, UVERBS_ATTR_REG_DM_MR_PD_HANDLE, pd->handle);
	cmd_in_u32(&cmd, UVERBS_ATTR_REG_DM_MR_ACCESS_FLAGS, access);
	cmd_in_obj(&cmd, UVERBS_ATTR_REG_DM_MR_DM_HANDLE, vdm->handle);
	cmd_out_ptr(&cmd, UVERBS_ATTR_REG_DM_MR_RESP_LKEY, &lkey, sizeof(lkey));
	cmd_out_ptr(&cmd, UVERBS_ATTR_REG_DM_MR_RESP_RKEY, &rkey, sizeof(rkey));
	cmd_driver_attrs(&cmd, udata);
	ret = submit_ioctl_only(pd->context, &cmd);
	if (ret)
		return ret;
	vmr->ibv_mr.context = pd->context;
	vmr->ibv_mr.pd = pd;
	vmr->ibv_mr.length = length;
	vmr->ibv_mr.handle = handle;
	vmr->ibv_mr.lkey = lkey;
	vmr->ibv_mr.rkey = rkey;
	vmr->mr_type = VERBS_MR_TYPE_MR;
	vmr->access = (int)access;
	return 0;
}

int verbs_cmd_export_dmabuf_fd(struct ibv_context *ctx, off_t pg_off,
			       int *ret_fd)
{
	struct cmd cmd;

	cmd_init(&cmd, KERNEL_CAP_EXPORT_DMABUF);
	cmd_out_fd(&cmd, VERBS_UAPI_UVERBS_ATTR_ALLOC_DMABUF_HANDLE, ret_fd);
	cmd_in_u64(&cmd, VERBS_UAPI_UVERBS_ATTR_ALLOC_DMABUF_PGOFF,
		   (uint64_t)pg_off);
	return submit_ioctl_only(ctx, &cmd);
}
