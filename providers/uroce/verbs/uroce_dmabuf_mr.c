/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory regions in dma-bufs: ibv_reg_dmabuf_mr(3). The registered part of the
 * dma-buf is mapped, and the engine brackets each access with
 * DMA_BUF_IOCTL_SYNC (qp/uroce_dmabuf.h). A peer cannot issue this ioctl,
 * so such a region allows no direct access.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "uroce/qp/uroce_dmabuf.h"
#include "uroce/verbs/uroce_verbs.h"

/* The flags that the kernel accepts for dma-bufs (ib_uverbs). */
#define DMABUF_ACCESS                                                        \
	((unsigned int)(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |   \
			IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC) | \
	 (unsigned int)IBV_ACCESS_OPTIONAL_RANGE)

static bool have_same_page_offset(uint64_t offset, uint64_t iova)
{
	return (offset ^ iova) % (uint64_t)sysconf(_SC_PAGESIZE) == 0;
}

int uroce_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length,
			uint64_t iova, int fd, int access,
			struct ibv_mr **ret_mr)
{
	struct uroce_region region = {
		.iova = iova,
		.bytes = length,
		.pd = to_uroce_pd(pd)->number,
		.access = (unsigned int)access,
		.kind = UROCE_REGION_DMABUF,
	};
	struct uroce_mr *mr;
	int ret;

	ret = uroce_check_pd(pd);
	if (ret == 0)
		ret = uroce_mr_check_access((unsigned int)access);
	if (ret)
		return ret;
	if (((unsigned int)access & ~DMABUF_ACCESS) ||
	    !have_same_page_offset(offset, iova))
		return -EINVAL;
	mr = calloc(1, sizeof(*mr));
	if (!mr)
		return -ENOMEM;
	ret = uroce_dmabuf_map(fd, offset, length,
			       access & IBV_ACCESS_LOCAL_WRITE, &mr->dmabuf);
	if (ret)
		goto err_free;
	region.base = mr->dmabuf->base;
	region.dmabuf = mr->dmabuf;
	ret = uroce_mr_add(mr, pd, &region);
	if (ret)
		goto err_unmap;
	mr->vmr.mr_type = VERBS_MR_TYPE_DMABUF_MR;
	*ret_mr = &mr->vmr.ibv_mr;
	return 0;

err_unmap:
	uroce_dmabuf_unmap(mr->dmabuf);
err_free:
	free(mr);
	return ret;
}
