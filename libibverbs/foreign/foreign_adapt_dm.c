/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Foreign ops of device memory, DMA hints and buffers. */
#include "foreign/foreign_adapt_group.h"

static int alloc_dm(struct ibv_context *ctx, struct ibv_alloc_dm_attr *attr,
		    struct ibv_dm **ret_dm)
{
	int saved = foreign_call_begin();
	struct ibv_dm *dm = foreign_ops(ctx)->alloc_dm(ctx, attr);
	int ret = foreign_call_object(saved, dm);

	if (ret == 0)
		*ret_dm = dm;
	return ret;
}

static int free_dm(struct ibv_dm *dm)
{
	int saved = foreign_call_begin();

	return foreign_call_int(saved, foreign_ops(dm->context)->free_dm(dm));
}

static int reg_dm_mr(struct ibv_pd *pd, struct ibv_dm *dm, uint64_t offset,
		     size_t length, unsigned int access, struct ibv_mr **ret_mr)
{
	int saved = foreign_call_begin();
	struct ibv_mr *mr = foreign_ops(pd->context)
				    ->reg_dm_mr(pd, dm, offset, length, access);
	int ret = foreign_call_object(saved, mr);

	if (ret == 0)
		*ret_mr = mr;
	return ret;
}

/* Returns a descriptor, or -1. */
static int dm_export_dmabuf_fd(struct ibv_dm *dm, int *ret_fd)
{
	int saved = foreign_call_begin();
	int fd = foreign_ops(dm->context)->dm_export_dmabuf_fd(dm);

	if (fd < 0)
		return foreign_call_int(saved, fd);
	*ret_fd = fd;
	return foreign_call_int(saved, 0);
}

static int import_dm(struct ibv_context *ctx, uint32_t handle,
		     struct ibv_dm **ret_dm)
{
	int saved = foreign_call_begin();
	struct ibv_dm *dm = foreign_ops(ctx)->import_dm(ctx, handle);
	int ret = foreign_call_object(saved, dm);

	if (ret == 0)
		*ret_dm = dm;
	return ret;
}

static int alloc_dmah(struct ibv_context *ctx, struct ibv_dmah_init_attr *attr,
		      struct ibv_dmah **ret_dmah)
{
	int saved = foreign_call_begin();
	struct ibv_dmah *dmah = foreign_ops(ctx)->alloc_dmah(ctx, attr);
	int ret = foreign_call_object(saved, dmah);

	if (ret == 0)
		*ret_dmah = dmah;
	return ret;
}

static int dealloc_dmah(struct ibv_dmah *dmah)
{
	int saved = foreign_call_begin();

	return foreign_call_int(saved,
				foreign_ops(dmah->context)->dealloc_dmah(dmah));
}

/* Returns the address, and the buffer besides: both or nothing. */
static int alloc_buf(struct ibv_pd *pd, size_t size, struct ibv_buf **ret_buf)
{
	int saved = foreign_call_begin();
	struct ibv_buf *buf = NULL;
	const void *addr = foreign_ops(pd->context)->alloc_buf(pd, size, &buf);
	int ret = foreign_call_object(saved, addr ? buf : NULL);

	if (ret == 0)
		*ret_buf = buf;
	return ret;
}

void foreign_adapt_dm(const struct foreign_ops *theirs,
		      struct verbs_context_ops *ours)
{
	ours->alloc_dm = theirs->alloc_dm ? alloc_dm : NULL;
	ours->free_dm = theirs->free_dm ? free_dm : NULL;
	ours->reg_dm_mr = theirs->reg_dm_mr ? reg_dm_mr : NULL;
	ours->dm_export_dmabuf_fd =
		theirs->dm_export_dmabuf_fd ? dm_export_dmabuf_fd : NULL;
	ours->import_dm = theirs->import_dm ? import_dm : NULL;
	ours->unimport_dm = theirs->unimport_dm;
	ours->alloc_dmah = theirs->alloc_dmah ? alloc_dmah : NULL;
	ours->dealloc_dmah = theirs->dealloc_dmah ? dealloc_dmah : NULL;

	/* The defaults are a pair too: never free what the other has made. */
	if (theirs->alloc_buf && theirs->free_buf) {
		ours->alloc_buf = alloc_buf;
		ours->free_buf = theirs->free_buf;
	}
}
