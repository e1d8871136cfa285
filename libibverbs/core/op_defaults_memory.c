/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Default ops of memory: they use older ops or need no device.
 * core/op_table.c merges them.
 */
#include "core/op_defaults.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/core_context.h"

/* The older ops support all attributes except DMA hints. */
static int op_default_reg_mr_ex(struct ibv_pd *pd,
				struct ibv_mr_init_attr *attr,
				struct ibv_mr **ret_mr)
{
	uint64_t iova = (uintptr_t)attr->addr;

	if (attr->comp_mask & IBV_REG_MR_MASK_DMAH)
		return -EOPNOTSUPP;
	if (attr->comp_mask & IBV_REG_MR_MASK_FD)
		return VERBS_CALL_OP(pd->context, reg_dmabuf_mr, pd,
				     attr->fd_offset, attr->length, attr->iova,
				     attr->fd, attr->access, ret_mr);
	if (attr->comp_mask & IBV_REG_MR_MASK_IOVA)
		iova = attr->iova;
	return VERBS_CALL_OP(pd->context, reg_mr, pd, attr->addr, attr->length,
			     iova, attr->access, ret_mr);
}

/* There is no kernel command: the importer only drops its object. */
static void op_default_unimport_mr(struct ibv_mr *mr)
{
}

static void op_default_unimport_dm(struct ibv_dm *dm)
{
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
	.reg_mr_ex = op_default_reg_mr_ex,
	.unimport_mr = op_default_unimport_mr,
	.unimport_dm = op_default_unimport_dm,
	.alloc_buf = op_default_alloc_buf,
	.free_buf = op_default_free_buf,
};
