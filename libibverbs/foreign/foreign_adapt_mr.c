/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Adapters of memory region and memory window ops. For a release without
 * reg_mr_ex, the default of core/ implements it with the older ops.
 */
#include "foreign/foreign_adapt_group.h"

static int foreign_adapt_reg_mr(struct ibv_pd *pd, void *addr, size_t length,
				uint64_t iova, int access,
				struct ibv_mr **ret_mr)
{
	int saved = foreign_call_begin();
	struct ibv_mr *mr = foreign_ops(pd->context)
				    ->reg_mr(pd, addr, length, iova, access);
	int ret = foreign_call_object(saved, mr);

	if (ret == 0)
		*ret_mr = mr;
	return ret;
}

static int foreign_adapt_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset,
				       size_t length, uint64_t iova, int fd,
				       int access, struct ibv_mr **ret_mr)
{
	int saved = foreign_call_begin();
	struct ibv_mr *mr =
		foreign_ops(pd->context)
			->reg_dmabuf_mr(pd, offset, length, iova, fd, access);
	int ret = foreign_call_object(saved, mr);

	if (ret == 0)
		*ret_mr = mr;
	return ret;
}

static int foreign_adapt_reg_mr_ex(struct ibv_pd *pd,
				   struct ibv_mr_init_attr *attr,
				   struct ibv_mr **ret_mr)
{
	int saved = foreign_call_begin();
	struct ibv_mr *mr = foreign_ops(pd->context)->reg_mr_ex(pd, attr);
	int ret = foreign_call_object(saved, mr);

	if (ret == 0)
		*ret_mr = mr;
	return ret;
}

/*
 * The op of the provider returns an errno, or one of the codes of
 * ibv_rereg_mr(3). These codes are small negative numbers and come with errno
 * set.
 */
static int foreign_adapt_rereg_mr(struct verbs_mr *vmr, int flags,
				  struct ibv_pd *pd, void *addr, size_t length,
				  int access)
{
	int saved = foreign_call_begin();
	int ret = foreign_ops(vmr->ibv_mr.context)
			  ->rereg_mr(vmr, flags, pd, addr, length, access);

	if (ret <= IBV_REREG_MR_ERR_INPUT &&
	    ret >= IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW)
		return foreign_call_error(saved);
	return foreign_call_int(saved, ret);
}

static int foreign_adapt_dereg_mr(struct verbs_mr *vmr)
{
	int saved = foreign_call_begin();

	return foreign_call_int(
		saved, foreign_ops(vmr->ibv_mr.context)->dereg_mr(vmr));
}

static int foreign_adapt_advise_mr(struct ibv_pd *pd,
				   enum ibv_advise_mr_advice advice,
				   uint32_t flags, struct ibv_sge *sg_list,
				   uint32_t num_sge)
{
	int saved = foreign_call_begin();

	return foreign_call_int(saved, foreign_ops(pd->context)
					       ->advise_mr(pd, advice, flags,
							   sg_list, num_sge));
}

static int foreign_adapt_alloc_null_mr(struct ibv_pd *pd,
				       struct ibv_mr **ret_mr)
{
	int saved = foreign_call_begin();
	struct ibv_mr *mr = foreign_ops(pd->context)->alloc_null_mr(pd);
	int ret = foreign_call_object(saved, mr);

	if (ret == 0)
		*ret_mr = mr;
	return ret;
}

static int foreign_adapt_import_mr(struct ibv_pd *pd, uint32_t handle,
				   struct ibv_mr **ret_mr)
{
	int saved = foreign_call_begin();
	struct ibv_mr *mr = foreign_ops(pd->context)->import_mr(pd, handle);
	int ret = foreign_call_object(saved, mr);

	if (ret == 0)
		*ret_mr = mr;
	return ret;
}

static int foreign_adapt_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type,
				  struct ibv_mw **ret_mw)
{
	int saved = foreign_call_begin();
	struct ibv_mw *mw = foreign_ops(pd->context)->alloc_mw(pd, type);
	int ret = foreign_call_object(saved, mw);

	if (ret == 0)
		*ret_mw = mw;
	return ret;
}

static int foreign_adapt_dealloc_mw(struct ibv_mw *mw)
{
	int saved = foreign_call_begin();

	return foreign_call_int(saved,
				foreign_ops(mw->context)->dealloc_mw(mw));
}

void foreign_adapt_mr(const struct foreign_ops *foreign,
		      struct verbs_context_ops *ops)
{
	ops->reg_mr = foreign->reg_mr ? foreign_adapt_reg_mr : NULL;
	ops->reg_dmabuf_mr =
		foreign->reg_dmabuf_mr ? foreign_adapt_reg_dmabuf_mr : NULL;
	ops->reg_mr_ex = foreign->reg_mr_ex ? foreign_adapt_reg_mr_ex : NULL;
	ops->rereg_mr = foreign->rereg_mr ? foreign_adapt_rereg_mr : NULL;
	ops->dereg_mr = foreign->dereg_mr ? foreign_adapt_dereg_mr : NULL;
	ops->advise_mr = foreign->advise_mr ? foreign_adapt_advise_mr : NULL;
	ops->alloc_null_mr =
		foreign->alloc_null_mr ? foreign_adapt_alloc_null_mr : NULL;
	ops->import_mr = foreign->import_mr ? foreign_adapt_import_mr : NULL;
	ops->unimport_mr = foreign->unimport_mr;
	ops->alloc_mw = foreign->alloc_mw ? foreign_adapt_alloc_mw : NULL;
	ops->dealloc_mw = foreign->dealloc_mw ? foreign_adapt_dealloc_mw : NULL;
	ops->bind_mw = foreign->bind_mw;
}
