/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Operations of the fake provider on memory regions, memory windows, device
 * memory and buffers.
 */
#include <errno.h>

#include "support/fake_provider_internal.h"

static int mr_new(struct ibv_mr **ret_mr)
{
	struct verbs_mr *vmr = fake_object_new(sizeof(*vmr));

	if (!vmr)
		return -ENOMEM;
	*ret_mr = &vmr->ibv_mr;
	return 0;
}

static int fake_reg_mr(struct ibv_pd *pd, void *addr, size_t length,
		       uint64_t iova, int access, struct ibv_mr **ret_mr)
{
	int ret = RECORD_OP("reg_mr", .pd = pd, .addr = addr, .length = length,
			    .iova = iova, .access = access);

	return ret ? ret : mr_new(ret_mr);
}

static int fake_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length,
			      uint64_t iova, int fd, int access,
			      struct ibv_mr **ret_mr)
{
	int ret = RECORD_OP("reg_dmabuf_mr", .pd = pd, .offset = offset,
			    .length = length, .iova = iova, .fd = fd,
			    .access = access);

	return ret ? ret : mr_new(ret_mr);
}

static int fake_rereg_mr(struct verbs_mr *vmr, int flags, struct ibv_pd *pd,
			 void *addr, size_t length, int access)
{
	return RECORD_OP("rereg_mr", .pd = pd, .flags = flags, .addr = addr,
			 .length = length, .access = access);
}

static int fake_dereg_mr(struct verbs_mr *vmr)
{
	return fake_object_end("dereg_mr", vmr);
}

static int fake_advise_mr(struct ibv_pd *pd, enum ibv_advise_mr_advice advice,
			  uint32_t flags, struct ibv_sge *sg_list,
			  uint32_t num_sge)
{
	return RECORD_OP("advise_mr", .pd = pd, .advice = advice,
			 .flags = (int)flags, .sg_list = sg_list,
			 .num_sge = num_sge);
}

static int fake_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type,
			 struct ibv_mw **ret_mw)
{
	struct ibv_mw *mw;
	int ret = RECORD_OP("alloc_mw", .pd = pd, .mw_type = type);

	if (ret)
		return ret;
	mw = fake_object_new(sizeof(*mw));
	if (!mw)
		return -ENOMEM;
	mw->context = pd->context;
	mw->pd = pd;
	mw->type = type;
	*ret_mw = mw;
	return 0;
}

static int fake_dealloc_mw(struct ibv_mw *mw)
{
	return fake_object_end("dealloc_mw", mw);
}

static int fake_reg_mr_ex(struct ibv_pd *pd, struct ibv_mr_init_attr *attr,
			  struct ibv_mr **ret_mr)
{
	int ret = RECORD_OP("reg_mr_ex", .pd = pd, .attr = attr,
			    .mr_attr = *attr);

	return ret ? ret : mr_new(ret_mr);
}

static int fake_alloc_null_mr(struct ibv_pd *pd, struct ibv_mr **ret_mr)
{
	int ret = RECORD_OP("alloc_null_mr", .pd = pd);

	if (ret == 0)
		ret = mr_new(ret_mr);
	if (ret == 0)
		(*ret_mr)->context = pd->context;
	return ret;
}

static int fake_import_mr(struct ibv_pd *pd, uint32_t handle,
			  struct ibv_mr **ret_mr)
{
	int ret = RECORD_OP("import_mr", .pd = pd, .handle = handle);

	return ret ? ret : mr_new(ret_mr);
}

static void fake_unimport_mr(struct ibv_mr *mr)
{
	(void)fake_record_object_op("unimport_mr", mr);
	fake_object_free(verbs_container_of(mr, struct verbs_mr, ibv_mr));
}

static int dm_new(struct ibv_context *ctx, struct ibv_dm **ret_dm)
{
	struct verbs_dm *vdm = fake_object_new(sizeof(*vdm));

	if (!vdm)
		return -ENOMEM;
	vdm->dm.context = ctx;
	*ret_dm = &vdm->dm;
	return 0;
}

static int fake_alloc_dm(struct ibv_context *ctx,
			 struct ibv_alloc_dm_attr *attr, struct ibv_dm **ret_dm)
{
	int ret = RECORD_OP("alloc_dm", .ctx = ctx, .attr = attr);

	return ret ? ret : dm_new(ctx, ret_dm);
}

static int fake_free_dm(struct ibv_dm *dm)
{
	return fake_object_end("free_dm", dm);
}

static int fake_reg_dm_mr(struct ibv_pd *pd, struct ibv_dm *dm, uint64_t offset,
			  size_t length, unsigned int access,
			  struct ibv_mr **ret_mr)
{
	int ret = RECORD_OP("reg_dm_mr", .pd = pd, .attr = dm, .offset = offset,
			    .length = length, .access = (int)access);

	if (ret == 0)
		ret = mr_new(ret_mr);
	if (ret == 0)
		(*ret_mr)->context = pd->context;
	return ret;
}

static int fake_dm_export_dmabuf_fd(struct ibv_dm *dm, int *ret_fd)
{
	int ret = fake_record_object_op("dm_export_dmabuf_fd", dm);

	if (ret == 0)
		*ret_fd = (int)fake_provider.value;
	return ret;
}

/* The library sets the context of the imported object. */
static int fake_import_dm(struct ibv_context *ctx, uint32_t handle,
			  struct ibv_dm **ret_dm)
{
	int ret = RECORD_OP("import_dm", .ctx = ctx, .handle = handle);

	return ret ? ret : dm_new(NULL, ret_dm);
}

static void fake_unimport_dm(struct ibv_dm *dm)
{
	(void)fake_record_object_op("unimport_dm", dm);
	fake_object_free(verbs_container_of(dm, struct verbs_dm, dm));
}

static int fake_alloc_dmah(struct ibv_context *ctx,
			   struct ibv_dmah_init_attr *attr,
			   struct ibv_dmah **ret_dmah)
{
	struct verbs_dmah *vdmah;
	int ret = RECORD_OP("alloc_dmah", .ctx = ctx, .attr = attr);

	if (ret)
		return ret;
	vdmah = fake_object_new(sizeof(*vdmah));
	if (!vdmah)
		return -ENOMEM;
	vdmah->dmah.context = ctx;
	*ret_dmah = &vdmah->dmah;
	return 0;
}

static int fake_dealloc_dmah(struct ibv_dmah *dmah)
{
	return fake_object_end("dealloc_dmah", dmah);
}

/* The struct and the buffer are one allocation. The library sets the PD. */
static int fake_alloc_buf(struct ibv_pd *pd, size_t size,
			  struct ibv_buf **ret_buf)
{
	struct ibv_buf *buf;
	int ret = RECORD_OP("alloc_buf", .pd = pd, .size = size);

	if (ret)
		return ret;
	buf = fake_object_new(sizeof(*buf) + size);
	if (!buf)
		return -ENOMEM;
	buf->addr = buf + 1;
	buf->size = size;
	buf->dmabuf_fd = fake_provider.buf_dmabuf_fd;
	*ret_buf = buf;
	return 0;
}

static void fake_free_buf(struct ibv_buf *buf)
{
	(void)fake_record_object_op("free_buf", buf);
	fake_object_free(buf);
}

const struct verbs_context_ops fake_provider_memory_ops = {
	.reg_mr = fake_reg_mr,
	.reg_dmabuf_mr = fake_reg_dmabuf_mr,
	.rereg_mr = fake_rereg_mr,
	.dereg_mr = fake_dereg_mr,
	.advise_mr = fake_advise_mr,
	.alloc_mw = fake_alloc_mw,
	.dealloc_mw = fake_dealloc_mw,
	.reg_mr_ex = fake_reg_mr_ex,
	.alloc_null_mr = fake_alloc_null_mr,
	.import_mr = fake_import_mr,
	.unimport_mr = fake_unimport_mr,
	.alloc_dm = fake_alloc_dm,
	.free_dm = fake_free_dm,
	.reg_dm_mr = fake_reg_dm_mr,
	.dm_export_dmabuf_fd = fake_dm_export_dmabuf_fd,
	.import_dm = fake_import_dm,
	.unimport_dm = fake_unimport_dm,
	.alloc_dmah = fake_alloc_dmah,
	.dealloc_dmah = fake_dealloc_dmah,
	.alloc_buf = fake_alloc_buf,
	.free_buf = fake_free_buf,
};
