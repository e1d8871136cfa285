/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ops that make, change and destroy memory regions. */
#include "layers/validate/validate.h"
#include "layers/validate/validate_objects.h"

static void memory_add_mr(const struct ibv_pd *pd, const struct ibv_mr *mr)
{
	validate_object_add(&(const struct validate_object){
		.object = mr,
		.kind = VALIDATE_MR,
		.ctx = pd->context,
		.used = { pd },
		.number = mr->lkey,
	});
}

static int validate_reg_mr(struct ibv_pd *pd, void *addr, size_t length,
			   uint64_t iova, int access, struct ibv_mr **ret_mr)
{
	int ret = validate_below(pd->context)
			  ->reg_mr(pd, addr, length, iova, access, ret_mr);

	if (ret == 0)
		memory_add_mr(pd, *ret_mr);
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
		memory_add_mr(pd, *ret_mr);
	return ret;
}

/* The default of this op calls reg_mr() or reg_dmabuf_mr(). */
static int validate_reg_mr_ex(struct ibv_pd *pd, struct ibv_mr_init_attr *attr,
			      struct ibv_mr **ret_mr)
{
	int ret = validate_below(pd->context)->reg_mr_ex(pd, attr, ret_mr);

	if (ret == 0 && !validate_object_mark(*ret_mr))
		memory_add_mr(pd, *ret_mr);
	return ret;
}

static int validate_alloc_null_mr(struct ibv_pd *pd, struct ibv_mr **ret_mr)
{
	int ret = validate_below(pd->context)->alloc_null_mr(pd, ret_mr);

	if (ret == 0)
		memory_add_mr(pd, *ret_mr);
	return ret;
}

static int validate_reg_dm_mr(struct ibv_pd *pd, struct ibv_dm *dm,
			      uint64_t offset, size_t length,
			      unsigned int access, struct ibv_mr **ret_mr)
{
	int ret = validate_below(pd->context)
			  ->reg_dm_mr(pd, dm, offset, length, access, ret_mr);

	if (ret == 0)
		memory_add_mr(pd, *ret_mr);
	return ret;
}

static int validate_dereg_mr(struct verbs_mr *vmr)
{
	struct ibv_context *ctx = vmr->ibv_mr.context;
	const void *mr = &vmr->ibv_mr;
	uint64_t serial = validate_object_mark(mr);
	int ret = validate_below(ctx)->dereg_mr(vmr);

	if (ret == 0)
		validate_object_drop(mr, serial);
	return ret;
}

void validate_replace_memory_ops(struct verbs_context_ops *table)
{
	VALIDATE_REPLACE(table, reg_mr);
	VALIDATE_REPLACE(table, reg_dmabuf_mr);
	VALIDATE_REPLACE(table, reg_mr_ex);
	VALIDATE_REPLACE(table, alloc_null_mr);
	VALIDATE_REPLACE(table, reg_dm_mr);
	VALIDATE_REPLACE(table, dereg_mr);
}
