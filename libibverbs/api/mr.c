/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory regions: ibv_reg_mr(3) in all its forms, ibv_rereg_mr(3), and through
 * the table of a context ibv_advise_mr(3).
 */
#include <infiniband/verbs.h>

#include "api/abi_tables.h"
#include "api/api_err.h"
#include "core/core_context.h"

/* Macros of these names choose between the exported functions. */
#undef ibv_reg_mr
#undef ibv_reg_mr_iova

/* Kernels without this bit refuse access flags that they do not know. */
#define CORE_SUPPORT_OPTIONAL_ACCESS (UINT64_C(1) << 0)

static struct verbs_mr *to_vmr(struct ibv_mr *mr)
{
	return verbs_container_of(mr, struct verbs_mr, ibv_mr);
}

struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length,
				uint64_t iova, unsigned int access)
{
	struct ibv_mr *mr;
	int ret;

	if (!(verbs_core_support(pd->context) & CORE_SUPPORT_OPTIONAL_ACCESS))
		access &= ~(unsigned int)IBV_ACCESS_OPTIONAL_RANGE;

	ret = verbs_ops(pd->context)
		      ->reg_mr(pd, addr, length, iova, (int)access, &mr);
	if (ret)
		return api_ret_null(ret);

	mr->context = pd->context;
	mr->pd = pd;
	mr->addr = addr;
	mr->length = length;
	return mr;
}

struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length,
			  int access)
{
	return ibv_reg_mr_iova2(pd, addr, length, (uintptr_t)addr,
				(unsigned int)access);
}

struct ibv_mr *ibv_reg_mr_iova(struct ibv_pd *pd, void *addr, size_t length,
			       uint64_t iova, int access)
{
	return ibv_reg_mr_iova2(pd, addr, length, iova, (unsigned int)access);
}

struct ibv_mr *ibv_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset,
				 size_t length, uint64_t iova, int fd,
				 int access)
{
	struct ibv_mr *mr;
	int ret;

	ret = verbs_ops(pd->context)
		      ->reg_dmabuf_mr(pd, offset, length, iova, fd, access,
				      &mr);
	if (ret)
		return api_ret_null(ret);

	mr->context = pd->context;
	mr->pd = pd;
	mr->addr = (void *)(uintptr_t)offset;
	mr->length = length;
	return mr;
}

static bool rereg_is_valid(const struct verbs_mr *vmr, int flags,
			   const struct ibv_pd *pd, const void *addr,
			   size_t length, int access)
{
	if (vmr->mr_type != VERBS_MR_TYPE_MR ||
	    (flags & ~(int)IBV_REREG_MR_FLAGS_SUPPORTED))
		return false;
	if ((flags & IBV_REREG_MR_CHANGE_TRANSLATION) && (!addr || !length))
		return false;
	if ((flags & IBV_REREG_MR_CHANGE_PD) && !pd)
		return false;
	return !access || (flags & IBV_REREG_MR_CHANGE_ACCESS);
}

/* Returns an enum ibv_rereg_mr_err_code, not an errno. */
int ibv_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr,
		 size_t length, int access)
{
	struct verbs_mr *vmr = to_vmr(mr);
	int ret;

	if (!rereg_is_valid(vmr, flags, pd, addr, length, access)) {
		errno = EINVAL;
		return IBV_REREG_MR_ERR_INPUT;
	}

	ret = verbs_ops(mr->context)
		      ->rereg_mr(vmr, flags, pd, addr, length, access);
	if (ret) {
		errno = -ret;
		return ret == -EOPNOTSUPP ? IBV_REREG_MR_ERR_INPUT
					  : IBV_REREG_MR_ERR_CMD;
	}
	if (flags & IBV_REREG_MR_CHANGE_PD)
		mr->pd = pd;
	if (flags & IBV_REREG_MR_CHANGE_TRANSLATION) {
		mr->addr = addr;
		mr->length = length;
	}
	return 0;
}

int ibv_dereg_mr(struct ibv_mr *mr)
{
	return api_ret_errno(verbs_ops(mr->context)->dereg_mr(to_vmr(mr)));
}

int verbs_api_advise_mr(struct ibv_pd *pd, enum ibv_advise_mr_advice advice,
			uint32_t flags, struct ibv_sge *sg_list,
			uint32_t num_sge)
{
	return api_ret_errno(
		verbs_ops(pd->context)
			->advise_mr(pd, advice, flags, sg_list, num_sge));
}
