/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * DMA handles: hints for the device's accesses to a memory region. Called by
 * kernel-backed providers through <provider/kernel.h>, calls submit.c. The
 * commands exist as ioctl methods only.
 */
#include <errno.h>
#include <provider/kernel.h>

#include "kernel/cmd_destroy.h"
#include "kernel/submit.h"
#include "kernel/uapi_newer.h"

int verbs_cmd_alloc_dmah(struct ibv_context *ctx,
			 const struct ibv_dmah_init_attr *attr,
			 struct verbs_dmah *vdmah)
{
	const uint32_t known = IBV_DMAH_INIT_ATTR_MASK_CPU_ID |
			       IBV_DMAH_INIT_ATTR_MASK_PH |
			       IBV_DMAH_INIT_ATTR_MASK_TPH_MEM_TYPE;
	uint32_t handle = 0;
	struct cmd cmd;
	int ret;

	if (attr->comp_mask & ~known)
		return -EOPNOTSUPP;

	cmd_init(&cmd, KERNEL_CAP_ALLOC_DMAH);
	cmd_out_obj(&cmd, VERBS_UAPI_UVERBS_ATTR_ALLOC_DMAH_HANDLE, &handle);
	if (attr->comp_mask & IBV_DMAH_INIT_ATTR_MASK_CPU_ID)
		cmd_in_u32(&cmd, VERBS_UAPI_UVERBS_ATTR_ALLOC_DMAH_CPU_ID,
			   attr->cpu_id);
	/* The enum element carries the value; there is no data. */
	if (attr->comp_mask & IBV_DMAH_INIT_ATTR_MASK_TPH_MEM_TYPE)
		cmd_in_enum(&cmd,
			    VERBS_UAPI_UVERBS_ATTR_ALLOC_DMAH_TPH_MEM_TYPE,
			    attr->tph_mem_type, NULL, 0);
	if (attr->comp_mask & IBV_DMAH_INIT_ATTR_MASK_PH)
		cmd_in_u8(&cmd, VERBS_UAPI_UVERBS_ATTR_ALLOC_DMAH_PH, attr->ph);
	ret = submit_ioctl_only(ctx, &cmd);
	if (ret)
		return ret;
	vdmah->dmah.context = ctx;
	vdmah->handle = handle;
	return 0;
}

int verbs_cmd_dealloc_dmah(struct verbs_dmah *vdmah)
{
	static const struct destroy_cmd destroy = {
		.cap = KERNEL_CAP_FREE_DMAH,
		.handle_attr = VERBS_UAPI_UVERBS_ATTR_FREE_DMA_HANDLE,
		.ioctl_only = true,
	};

	return cmd_destroy_by_handle(vdmah->dmah.context, &destroy,
				     vdmah->handle);
}
