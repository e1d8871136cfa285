/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ops that make, change and destroy memory regions. */
#include "layers/validate/validate.h"
#include "layers/validate/validate_objects.h"

static void memory_add_mr(const struct ibv_pd *pd, const struct ibv_mr *mr,
			  uint64_t begin, uint64_t length, unsigned int access)
{
	const struct layers_mr region = {
		.pd = validate_root_pd(pd),
		.begin = access != VALIDATE_ANY_ACCESS &&
					 (access & IBV_ACCESS_ZERO_BASED)
				 ? 0
				 : begin,
		.length = length,
		.access = access,
		.rkey = mr->rkey,
	};

	/* Without memory, the region is unknown. */
	(void)layers_record_add(&(const struct layers_made){
		.kind = LAYERS_MR,
		.ctx = pd->context,
		.object = mr,
		.used = { pd },
		.number = mr->lkey,
		.mr = &region,
	});
}

/* A region whose range and rights are not checked. */
static void memory_add_unknown_mr(const struct ibv_pd *pd,
				  const struct ibv_mr *mr)
{
	memory_add_mr(pd, mr, 0, UINT64_MAX, VALIDATE_ANY_ACCESS);
}

static int validate_reg_mr(struct ibv_pd *pd, void *addr, size_t length,
			   uint64_t iova, int access, struct ibv_mr **ret_mr)
{
	int ret = validate_below(pd->context)
			  ->reg_mr(pd, addr, length, iova, access, ret_mr);

	if (ret == 0)
		memory_add_mr(pd, *ret_mr, iova, length, (unsigned int)access);
	else if (ret < 0)
		validate_reg_mr_failed(pd, addr, length, (unsigned int)access,
				       -ret);
	return ret;
}

static int validate_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset,
				  size_t length, uint64_t iova, int fd,
				  int access, struct ibv_mr **ret_mr)
{
	int ret = validate_below(pd->context)
			  ->reg_dmabuf_mr(pd, offset, length, iova, fd, access,
					  ret_mr);

	if (ret == 0)
		memory_add_mr(pd, *ret_mr, iova, length, (unsigned int)access);
	return ret;
}

/* The default of this op calls reg_mr() or reg_dmabuf_mr(). */
static int validate_reg_mr_ex(struct ibv_pd *pd, struct ibv_mr_init_attr *attr,
			      struct ibv_mr **ret_mr)
{
	int ret = validate_below(pd->context)->reg_mr_ex(pd, attr, ret_mr);

	if (ret == 0 && !layers_record_find(*ret_mr))
		memory_add_unknown_mr(pd, *ret_mr);
	return ret;
}

static int validate_alloc_null_mr(struct ibv_pd *pd, struct ibv_mr **ret_mr)
{
	int ret = validate_below(pd->context)->alloc_null_mr(pd, ret_mr);

	if (ret == 0)
		memory_add_unknown_mr(pd, *ret_mr);
	return ret;
}

static int validate_reg_dm_mr(struct ibv_pd *pd, struct ibv_dm *dm,
			      uint64_t offset, size_t length,
			      unsigned int access, struct ibv_mr **ret_mr)
{
	int ret = validate_below(pd->context)
			  ->reg_dm_mr(pd, dm, offset, length, access, ret_mr);

	if (ret == 0)
		memory_add_unknown_mr(pd, *ret_mr);
	return ret;
}

static int validate_dereg_mr(struct verbs_mr *vmr)
{
	struct ibv_context *ctx = vmr->ibv_mr.context;
	struct layers_mark mark = layers_record_mark(&vmr->ibv_mr);
	int ret;

	validate_mr_goes("ibv_dereg_mr", &vmr->ibv_mr);
	ret = validate_below(ctx)->dereg_mr(vmr);
	if (ret == 0)
		layers_record_drop(mark);
	return ret;
}

static void memory_forget_range(struct layers_record *record)
{
	VALIDATE_STORE(record->mr.length, UINT64_MAX);
	VALIDATE_STORE(record->mr.access, VALIDATE_ANY_ACCESS);
	VALIDATE_STORE(record->mr.pd, NULL);
}

/* Whatever the result is, the former range and rights may be gone. */
static int validate_rereg_mr(struct verbs_mr *vmr, int flags, struct ibv_pd *pd,
			     void *addr, size_t length, int access)
{
	struct ibv_context *ctx = vmr->ibv_mr.context;
	struct layers_record *record = layers_record_find(&vmr->ibv_mr);
	int ret;

	validate_mr_goes("ibv_rereg_mr", &vmr->ibv_mr);
	if (record)
		memory_forget_range(record);
	ret = validate_below(ctx)->rereg_mr(vmr, flags, pd, addr, length,
					    access);
	if (record)
		layers_record_set_number(record, vmr->ibv_mr.lkey);
	return ret;
}

static int validate_import_mr(struct ibv_pd *pd, uint32_t handle,
			      struct ibv_mr **ret_mr)
{
	int ret = validate_below(pd->context)->import_mr(pd, handle, ret_mr);

	if (ret == 0)
		memory_add_unknown_mr(pd, *ret_mr);
	return ret;
}

static void validate_unimport_mr(struct ibv_mr *mr)
{
	layers_record_drop(layers_record_mark(mr));
	validate_below(mr->context)->unimport_mr(mr);
}

void validate_replace_memory_ops(struct verbs_context_ops *table)
{
	LAYERS_REPLACE(table, validate, reg_mr);
	LAYERS_REPLACE(table, validate, reg_dmabuf_mr);
	LAYERS_REPLACE(table, validate, reg_mr_ex);
	LAYERS_REPLACE(table, validate, alloc_null_mr);
	LAYERS_REPLACE(table, validate, reg_dm_mr);
	LAYERS_REPLACE(table, validate, dereg_mr);
	LAYERS_REPLACE(table, validate, rereg_mr);
	LAYERS_REPLACE(table, validate, import_mr);
	LAYERS_REPLACE(table, validate, unimport_mr);
}
