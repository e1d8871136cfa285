/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Default ops of memory: they use older ops or need no device, or return "not
 * supported" in the convention of each op. core/op_table.c merges them.
 */
#include "core/op_defaults.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/core_context.h"

static int op_default_reg_mr(struct ibv_pd *pd, void *addr, size_t length,
			     uint64_t iova, int access, struct ibv_mr **ret_mr)
{
	return -EOPNOTSUPP;
}

static int op_default_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset,
				    size_t length, uint64_t iova, int fd,
				    int access, struct ibv_mr **ret_mr)
{
	return -EOPNOTSUPP;
}

static int op_default_rereg_mr(struct verbs_mr *vmr, int flags,
			       struct ibv_pd *pd, void *addr, size_t length,
			       int access)
{
	return -EOPNOTSUPP;
}

static int op_default_dereg_mr(struct verbs_mr *vmr)
{
	return -EOPNOTSUPP;
}

static int op_default_advise_mr(struct ibv_pd *pd,
				enum ibv_advise_mr_advice advice,
				uint32_t flags, struct ibv_sge *sg_list,
				uint32_t num_sge)
{
	return -EOPNOTSUPP;
}

/* The older ops support all attributes except DMA hints. */
static int op_default_reg_mr_ex(struct ibv_pd *pd,
				struct ibv_mr_init_attr *attr,
				struct ibv_mr **ret_mr)
{
	const struct verbs_context_ops *ops = verbs_ops(pd->context);
	uint64_t iova = (uintptr_t)attr->addr;

	if (attr->comp_mask & IBV_REG_MR_MASK_DMAH)
		return -EOPNOTSUPP;
	if (attr->comp_mask & IBV_REG_MR_MASK_FD)
		return ops->reg_dmabuf_mr(pd, attr->fd_offset, attr->length,
					  attr->iova, attr->fd, attr->access,
					  ret_mr);
	if (attr->comp_mask & IBV_REG_MR_MASK_IOVA)
		iova = attr->iova;
	return ops->reg_mr(pd, attr->addr, attr->length, iova, attr->access,
			   ret_mr);
}

static int op_default_alloc_null_mr(struct ibv_pd *pd, struct ibv_mr **ret_mr)
{
	return -EOPNOTSUPP;
}

static int op_default_import_mr(struct ibv_pd *pd, uint32_t handle,
				struct ibv_mr **ret_mr)
{
	return -EOPNOTSUPP;
}

/* There is no kernel command: the importer only drops its object. */
static void op_default_unimport_mr(struct ibv_mr *mr)
{
}

static int op_default_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type,
			       struct ibv_mw **ret_mw)
{
	return -EOPNOTSUPP;
}

static int op_default_dealloc_mw(struct ibv_mw *mw)
{
	return -EOPNOTSUPP;
}

static int op_default_alloc_dm(struct ibv_context *ctx,
			       struct ibv_alloc_dm_attr *attr,
			       struct ibv_dm **ret_dm)
{
	return -EOPNOTSUPP;
}

static int op_default_free_dm(struct ibv_dm *dm)
{
	return -EOPNOTSUPP;
}

static int op_default_reg_dm_mr(struct ibv_pd *pd, struct ibv_dm *dm,
				uint64_t offset, size_t length,
				unsigned int access, struct ibv_mr **ret_mr)
{
	return -EOPNOTSUPP;
}

static int op_default_dm_export_dmabuf_fd(struct ibv_dm *dm, int *ret_fd)
{
	return -EOPNOTSUPP;
}

static int op_default_import_dm(struct ibv_context *ctx, uint32_t handle,
				struct ibv_dm **ret_dm)
{
	return -EOPNOTSUPP;
}

static void op_default_unimport_dm(struct ibv_dm *dm)
{
}

static int op_default_alloc_dmah(struct ibv_context *ctx,
				 struct ibv_dmah_init_attr *attr,
				 struct ibv_dmah **ret_dmah)
{
	return -EOPNOTSUPP;
}

static int op_default_dealloc_dmah(struct ibv_dmah *dmah)
{
	return -EOPNOTSUPP;
}

/*
 * Whole pages, so that a device mapping or MADV_DONTFORK on the buffer affects
 * no other memory of the process.
 */
static int op_default_alloc_buf(struct ibv_pd *pd, size_t size,
				struct ibv_buf **ret_buf)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t rounded;
	struct ibv_buf *buf;

	if (__builtin_add_overflow(size, page - 1, &rounded))
		return -ENOMEM;
	rounded &= ~(page - 1);
	buf = calloc(1, sizeof(*buf));
	if (!buf)
		return -ENOMEM;
	if (posix_memalign(&buf->addr, page, rounded ? rounded : page) != 0) {
		free(buf);
		return -ENOMEM;
	}
	buf->size = size;
	buf->pd = pd;
	buf->dmabuf_fd = -1;
	*ret_buf = buf;
	return 0;
}

static void op_default_free_buf(struct ibv_buf *buf)
{
	free(buf->addr);
	free(buf);
}

const struct verbs_context_ops verbs_memory_defaults = {
	.reg_mr = op_default_reg_mr,
	.reg_dmabuf_mr = op_default_reg_dmabuf_mr,
	.rereg_mr = op_default_rereg_mr,
	.dereg_mr = op_default_dereg_mr,
	.advise_mr = op_default_advise_mr,
	.reg_mr_ex = op_default_reg_mr_ex,
	.alloc_null_mr = op_default_alloc_null_mr,
	.import_mr = op_default_import_mr,
	.unimport_mr = op_default_unimport_mr,
	.alloc_mw = op_default_alloc_mw,
	.dealloc_mw = op_default_dealloc_mw,
	.alloc_dm = op_default_alloc_dm,
	.free_dm = op_default_free_dm,
	.reg_dm_mr = op_default_reg_dm_mr,
	.dm_export_dmabuf_fd = op_default_dm_export_dmabuf_fd,
	.import_dm = op_default_import_dm,
	.unimport_dm = op_default_unimport_dm,
	.alloc_dmah = op_default_alloc_dmah,
	.dealloc_dmah = op_default_dealloc_dmah,
	.alloc_buf = op_default_alloc_buf,
	.free_buf = op_default_free_buf,
};
