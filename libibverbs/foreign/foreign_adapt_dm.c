/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Adapters of ops of device memory, DMA handles and buffers. */
#include "foreign/foreign_adapt_group.h"

static int foreign_adapt_alloc_dm(struct ibv_context *ctx,
				  struct ibv_alloc_dm_attr *attr,
				  struct ibv_dm **ret_dm)
{
	int saved = foreign_call_begin();
	struct ibv_dm *dm = foreign_ops(ctx)->alloc_dm(ctx, attr);
	int ret = foreign_call_object(saved, dm);

	if (ret == 0)
		*ret_dm = dm;
	return ret;
}

static int foreign_adapt_free_dm(struct ibv_dm *dm)
{
	int saved = foreign_call_begin();

	return foreign_call_int(saved, foreign_ops(dm->context)->free_dm(dm));
}

static int foreign_adapt_reg_dm_mr(struct ibv_pd *pd, struct ibv_dm *dm,
				   uint64_t offset, size_t length,
				   unsigned int access, struct ibv_mr **ret_mr)
{
	int saved = foreign_call_begin();
	struct ibv_mr *mr = foreign_ops(pd->context)
				    ->reg_dm_mr(pd, dm, offset, length, access);
	int ret = foreign_call_object(saved, mr);

	if (ret == 0)
		*ret_mr = mr;
	return ret;
}

/* The op of the provider returns a descriptor or -1. */
static int foreign_adapt_dm_export_dmabuf_fd(struct ibv_dm *dm, int *ret_fd)
{
	int saved = foreign_call_begin();
	int fd = foreign_ops(dm->context)->dm_export_dmabuf_fd(dm);

	if (fd < 0)
		return foreign_call_int(saved, fd);
	*ret_fd = fd;
	return foreign_call_int(saved, 0);
}

static int foreign_adapt_import_dm(struct ibv_context *ctx, uint32_t handle,
				   struct ibv_dm **ret_dm)
{
	int saved = foreign_call_begin();
	struct ibv_dm *dm = foreign_ops(ctx)->import_dm(ctx, handle);
	int ret = foreign_call_object(saved, dm);

	if (ret == 0)
		*ret_dm = dm;
	return ret;
}

static int foreign_adapt_alloc_dmah(struct ibv_context *ctx,
				    struct ibv_dmah_init_attr *attr,
				    struct ibv_dmah **ret_dmah)
{
	int saved = foreign_call_begin();
	struct ibv_dmah *dmah = foreign_ops(ctx)->alloc_dmah(ctx, attr);
	int ret = foreign_call_object(saved, dmah);

	if (ret == 0)
		*ret_dmah = dmah;
	return ret;
}

static int foreign_adapt_dealloc_dmah(struct ibv_dmah *dmah)
{
	int saved = foreign_call_begin();

	return foreign_call_int(saved,
				foreign_ops(dmah->context)->dealloc_dmah(dmah));
}

/*
 * The op of the provider returns the address and stores the buffer. One without
 * the other is a failure.
 */
static int foreign_adapt_alloc_buf(struct ibv_pd *pd, size_t size,
				   struct ibv_buf **ret_buf)
{
	int saved = foreign_call_begin();
	struct ibv_buf *buf = NULL;
	const void *addr = foreign_ops(pd->context)->alloc_buf(pd, size, &buf);
	int ret = foreign_call_object(saved, addr ? buf : NULL);

	if (ret == 0)
		*ret_buf = buf;
	return ret;
}

void foreign_adapt_dm(const struct foreign_ops *foreign,
		      struct verbs_context_ops *ops)
{
	ops->alloc_dm = foreign->alloc_dm ? foreign_adapt_alloc_dm : NULL;
	ops->free_dm = foreign->free_dm ? foreign_adapt_free_dm : NULL;
	ops->reg_dm_mr = foreign->reg_dm_mr ? foreign_adapt_reg_dm_mr : NULL;
	ops->dm_export_dmabuf_fd = foreign->dm_export_dmabuf_fd
					   ? foreign_adapt_dm_export_dmabuf_fd
					   : NULL;
	ops->import_dm = foreign->import_dm ? foreign_adapt_import_dm : NULL;
	ops->unimport_dm = foreign->unimport_dm;
	ops->alloc_dmah = foreign->alloc_dmah ? foreign_adapt_alloc_dmah : NULL;
	ops->dealloc_dmah = foreign->dealloc_dmah ? foreign_adapt_dealloc_dmah
						  : NULL;

	/*
	 * A provider must have both ops: its free_buf() cannot free a buffer of
	 * the default alloc_buf(), and vice versa.
	 */
	if (foreign->alloc_buf && foreign->free_buf) {
		ops->alloc_buf = foreign_adapt_alloc_buf;
		ops->free_buf = foreign->free_buf;
	}
}
