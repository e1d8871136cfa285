/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory regions: ibv_reg_mr(3) in all its forms, ibv_reg_mr_ex(3),
 * ibv_rereg_mr(3), ibv_import_mr(3), and through the table of a context
 * ibv_advise_mr(3) and ibv_alloc_null_mr(3).
 */
#include <infiniband/verbs.h>
#include <string.h>

#include "api/abi_tables.h"
#include "api/api_check.h"
#include "api/api_err.h"
#include "core/fork_guard.h"

/* Macros of these names select one of the exported functions. */
#undef ibv_reg_mr
#undef ibv_reg_mr_iova

/* Kernels without this bit reject unknown access flags. */
#define CORE_SUPPORT_OPTIONAL_ACCESS (UINT64_C(1) << 0)

#define INIT_ATTR_KNOWN                                              \
	((uint64_t)(IBV_REG_MR_MASK_IOVA | IBV_REG_MR_MASK_ADDR |    \
		    IBV_REG_MR_MASK_FD | IBV_REG_MR_MASK_FD_OFFSET | \
		    IBV_REG_MR_MASK_DMAH))

static struct verbs_mr *to_vmr(struct ibv_mr *mr)
{
	return mr ? verbs_container_of(mr, struct verbs_mr, ibv_mr) : NULL;
}

/* Removes the optional access flags if the kernel would reject them. */
static int mr_supported_access(const struct ibv_context *ctx,
			       unsigned int access)
{
	if (!(verbs_core_support(ctx) & CORE_SUPPORT_OPTIONAL_ACCESS))
		access &= ~(unsigned int)IBV_ACCESS_OPTIONAL_RANGE;
	return (int)access;
}

/*
 * Whether the memory must be excluded from children. Not for on-demand paging:
 * the device follows the page tables of the process.
 */
static bool mr_access_needs_fork_guard(int access)
{
	return !(access & IBV_ACCESS_ON_DEMAND);
}

static int mr_fork_guard_add(void *addr, size_t length, int access)
{
	return mr_access_needs_fork_guard(access)
		       ? verbs_fork_guard_add(addr, length)
		       : 0;
}

static int mr_fork_guard_remove(void *addr, size_t length, int access)
{
	return mr_access_needs_fork_guard(access)
		       ? verbs_fork_guard_remove(addr, length)
		       : 0;
}

/* Fills the public members, whichever op has made the region. */
static struct ibv_mr *mr_fill_public(struct ibv_mr *mr, struct ibv_pd *pd,
				     void *addr, size_t length)
{
	mr->context = pd->context;
	mr->pd = pd;
	mr->addr = addr;
	mr->length = length;
	return mr;
}

struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length,
				uint64_t iova, unsigned int access)
{
	struct ibv_mr *mr;
	int known, ret;

	if (!API_EXISTS_IN("ibv_reg_mr", pd))
		return api_ret_null(-EINVAL);
	known = mr_supported_access(pd->context, access);
	ret = mr_fork_guard_add(addr, length, known);
	if (ret)
		return api_ret_null(ret);
	ret = VERBS_CALL_OP(pd->context, reg_mr, pd, addr, length, iova, known,
			    &mr);
	if (ret) {
		(void)mr_fork_guard_remove(
			addr, length, known); /* undoes mr_fork_guard_add() */
		return api_ret_null(ret);
	}
	to_vmr(mr)->access = known;
	return mr_fill_public(mr, pd, addr, length);
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

	if (!API_EXISTS(pd))
		return api_ret_null(-EINVAL);
	ret = VERBS_CALL_OP(pd->context, reg_dmabuf_mr, pd, offset, length,
			    iova, fd, access, &mr);
	if (ret)
		return api_ret_null(ret);
	return mr_fill_public(mr, pd, (void *)(uintptr_t)offset, length);
}

/* ------------------------------------------------------------------------ */
/* Registration by attributes                                               */
/* ------------------------------------------------------------------------ */

/* The memory is either in a dma-buf or at an address. */
static bool mr_attr_has_location(uint64_t mask)
{
	const uint64_t fd_needs = IBV_REG_MR_MASK_FD_OFFSET |
				  IBV_REG_MR_MASK_IOVA;

	if (mask & IBV_REG_MR_MASK_FD)
		return !(mask & IBV_REG_MR_MASK_ADDR) &&
		       (mask & fd_needs) == fd_needs;
	return (mask & IBV_REG_MR_MASK_ADDR) &&
	       !(mask & IBV_REG_MR_MASK_FD_OFFSET);
}

static int mr_check_attr(const struct ibv_pd *pd,
			 const struct ibv_mr_init_attr *attr)
{
	if (attr->comp_mask & ~INIT_ATTR_KNOWN)
		return -EOPNOTSUPP;
	if (!mr_attr_has_location(attr->comp_mask))
		return -EINVAL;
	if ((attr->comp_mask & IBV_REG_MR_MASK_DMAH) &&
	    !API_ACCEPTS("ibv_reg_mr_ex", pd->context, attr->dmah))
		return -EINVAL;
	return 0;
}

static bool buf_contains_range(const struct ibv_buf *buf, const void *addr,
			       size_t length)
{
	uintptr_t begin = (uintptr_t)buf->addr, at = (uintptr_t)addr;

	return at >= begin && at - begin <= buf->size &&
	       length <= buf->size - (at - begin);
}

/*
 * Replaces a part of a buffer by its address, or by its place in the dma-buf.
 */
static int mr_resolve_buf(const struct ibv_pd *pd,
			  struct ibv_mr_init_attr *attr)
{
	const uint64_t in_dmabuf = IBV_REG_MR_MASK_FD |
				   IBV_REG_MR_MASK_FD_OFFSET;
	const struct ibv_buf *buf = attr->buf;

	if (!buf || buf->pd != pd || (attr->comp_mask & in_dmabuf) ||
	    !(attr->comp_mask & IBV_REG_MR_MASK_ADDR) ||
	    !buf_contains_range(buf, attr->addr, attr->length))
		return -EINVAL;
	attr->comp_mask &= ~(uint64_t)IBV_REG_MR_MASK_BUF;
	if (buf->dmabuf_fd < 0)
		return 0;

	/* Work requests use virtual addresses of the process as IOVA. */
	if (attr->comp_mask & IBV_REG_MR_MASK_IOVA)
		return -EINVAL;
	attr->comp_mask &= ~(uint64_t)IBV_REG_MR_MASK_ADDR;
	attr->comp_mask |= in_dmabuf | IBV_REG_MR_MASK_IOVA;
	attr->fd = buf->dmabuf_fd;
	attr->fd_offset = (uintptr_t)attr->addr - (uintptr_t)buf->addr;
	attr->iova = (uintptr_t)attr->addr;
	attr->addr = NULL;
	return 0;
}

static int mr_reg_addr(struct ibv_pd *pd, struct ibv_mr_init_attr *attr,
		       struct ibv_mr **ret_mr)
{
	int ret = mr_fork_guard_add(attr->addr, attr->length, attr->access);

	if (ret)
		return ret;
	ret = verbs_ops(pd->context)->reg_mr_ex(pd, attr, ret_mr);
	if (ret) /* undoes mr_fork_guard_add() */
		(void)mr_fork_guard_remove(attr->addr, attr->length,
					   attr->access);
	else
		to_vmr(*ret_mr)->access = attr->access;
	return ret;
}

static int mr_reg_ex(struct ibv_pd *pd, struct ibv_mr_init_attr *attr,
		     struct ibv_mr **ret_mr)
{
	int ret = 0;

	if (attr->comp_mask & IBV_REG_MR_MASK_BUF)
		ret = mr_resolve_buf(pd, attr);
	if (ret == 0)
		ret = mr_check_attr(pd, attr);
	if (ret)
		return ret;
	attr->access =
		mr_supported_access(pd->context, (unsigned int)attr->access);
	if (attr->comp_mask & IBV_REG_MR_MASK_ADDR)
		return mr_reg_addr(pd, attr, ret_mr);
	return verbs_ops(pd->context)->reg_mr_ex(pd, attr, ret_mr);
}

struct ibv_mr *ibv_reg_mr_ex(struct ibv_pd *pd,
			     struct ibv_mr_init_attr *mr_init_attr)
{
	struct ibv_mr_init_attr own = {};
	struct ibv_mr *mr;
	void *addr;
	int ret;

	if (!API_EXISTS(pd) || !mr_init_attr)
		return api_ret_null(-EINVAL);

	/*
	 * In the first release with this function, the struct ends before buf.
	 */
	memcpy(&own, mr_init_attr, offsetof(struct ibv_mr_init_attr, buf));
	if (own.comp_mask & IBV_REG_MR_MASK_BUF)
		own.buf = mr_init_attr->buf;
	addr = own.comp_mask & IBV_REG_MR_MASK_FD
		       ? (void *)(uintptr_t)own.fd_offset
		       : own.addr;

	ret = mr_reg_ex(pd, &own, &mr);
	return ret ? api_ret_null(ret)
		   : mr_fill_public(mr, pd, addr, own.length);
}

struct ibv_mr *ibv_reg_buf_mr(struct ibv_pd *pd, struct ibv_buf *buf,
			      void *addr, size_t length, int access)
{
	struct ibv_mr_init_attr attr = {
		.length = length,
		.access = access,
		.comp_mask = IBV_REG_MR_MASK_BUF | IBV_REG_MR_MASK_ADDR,
		.addr = addr,
		.buf = buf,
	};

	return ibv_reg_mr_ex(pd, &attr);
}

struct ibv_mr *verbs_api_alloc_null_mr(struct ibv_pd *pd)
{
	struct ibv_mr *mr;
	int ret;

	if (!API_EXISTS(pd))
		return api_ret_null(-EINVAL);
	ret = VERBS_CALL_OP(pd->context, alloc_null_mr, pd, &mr);
	return ret ? api_ret_null(ret) : mr;
}

/* ------------------------------------------------------------------------ */
/* Regions of another process                                               */
/* ------------------------------------------------------------------------ */

struct ibv_mr *ibv_import_mr(struct ibv_pd *pd, uint32_t mr_handle)
{
	struct ibv_mr *mr;
	int ret;

	if (!API_EXISTS(pd))
		return api_ret_null(-EINVAL);
	ret = VERBS_CALL_OP(pd->context, import_mr, pd, mr_handle, &mr);
	if (ret)
		return api_ret_null(ret);
	mr->context = pd->context;
	mr->pd = pd;
	return mr;
}

void ibv_unimport_mr(struct ibv_mr *mr)
{
	if (API_EXISTS(mr))
		verbs_ops(mr->context)->unimport_mr(mr);
}

/* ------------------------------------------------------------------------ */
/* Changes, deregistration, advice                                          */
/* ------------------------------------------------------------------------ */

static bool mr_rereg_is_valid(const struct verbs_mr *vmr, int flags,
			      const struct ibv_pd *pd, const void *addr,
			      size_t length, int access)
{
	if (vmr->mr_type != VERBS_MR_TYPE_MR ||
	    (flags & ~(int)IBV_REREG_MR_FLAGS_SUPPORTED))
		return false;
	if ((flags & IBV_REREG_MR_CHANGE_TRANSLATION) && (!addr || !length))
		return false;
	if ((flags & IBV_REREG_MR_CHANGE_PD) &&
	    !API_ACCEPTS("ibv_rereg_mr", vmr->ibv_mr.context, pd))
		return false;
	return !access || (flags & IBV_REREG_MR_CHANGE_ACCESS);
}

/* Memory of a region before or after a change. */
struct mr_extent {
	void *addr;
	size_t length;
	int access;
};

static struct mr_extent mr_extent_of(const struct verbs_mr *vmr)
{
	return (struct mr_extent){ vmr->ibv_mr.addr, vmr->ibv_mr.length,
				   vmr->access };
}

static int mr_rereg_fail(int ret, enum ibv_rereg_mr_err_code code)
{
	errno = -ret;
	return code;
}

/*
 * Adds the new memory to the fork guard before the command and removes the old
 * memory after it, so that registered memory is excluded from children at any
 * time.
 */
static int mr_rereg(struct verbs_mr *vmr, int flags, struct ibv_pd *pd,
		    const struct mr_extent *arg)
{
	const struct mr_extent from = mr_extent_of(vmr);
	bool moves = flags & IBV_REREG_MR_CHANGE_TRANSLATION;
	struct mr_extent to = moves ? *arg : from;
	int ret = 0, undo = 0;

	to.access = flags & IBV_REREG_MR_CHANGE_ACCESS ? arg->access
						       : from.access;
	moves = moves || mr_access_needs_fork_guard(from.access) !=
				 mr_access_needs_fork_guard(to.access);
	if (moves)
		ret = mr_fork_guard_add(to.addr, to.length, to.access);
	if (ret)
		return mr_rereg_fail(ret, IBV_REREG_MR_ERR_DONT_FORK_NEW);

	ret = VERBS_CALL_OP(vmr->ibv_mr.context, rereg_mr, vmr, flags, pd,
			    arg->addr, arg->length, arg->access);
	if (ret && moves)
		undo = mr_fork_guard_remove(to.addr, to.length, to.access);
	if (undo)
		return mr_rereg_fail(ret, IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW);
	if (ret)
		return mr_rereg_fail(ret, IBV_REREG_MR_ERR_CMD);

	if (flags & IBV_REREG_MR_CHANGE_PD)
		vmr->ibv_mr.pd = pd;
	vmr->ibv_mr.addr = to.addr;
	vmr->ibv_mr.length = to.length;
	vmr->access = to.access;
	if (moves)
		ret = mr_fork_guard_remove(from.addr, from.length, from.access);
	return ret ? mr_rereg_fail(ret, IBV_REREG_MR_ERR_DO_FORK_OLD) : 0;
}

/* Returns an enum ibv_rereg_mr_err_code, not an errno. */
int ibv_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr,
		 size_t length, int access)
{
	const struct mr_extent arg = { addr, length, access };
	struct verbs_mr *vmr = to_vmr(mr);

	if (!API_EXISTS(mr) ||
	    !mr_rereg_is_valid(vmr, flags, pd, addr, length, access))
		return mr_rereg_fail(-EINVAL, IBV_REREG_MR_ERR_INPUT);
	return mr_rereg(vmr, flags, pd, &arg);
}

int ibv_dereg_mr(struct ibv_mr *mr)
{
	struct verbs_mr *vmr = to_vmr(mr);
	bool is_memory;
	struct mr_extent was;
	int ret;

	if (!API_EXISTS(mr))
		return api_ret_errno(-EINVAL);
	is_memory = vmr->mr_type == VERBS_MR_TYPE_MR;
	was = mr_extent_of(vmr);
	ret = VERBS_CALL_OP(mr->context, dereg_mr, vmr);
	if (ret)
		return api_ret_errno(ret);
	/* the region is gone, whether or not the advice succeeds */
	if (is_memory)
		(void)mr_fork_guard_remove(was.addr, was.length, was.access);
	return 0;
}

int verbs_api_advise_mr(struct ibv_pd *pd, enum ibv_advise_mr_advice advice,
			uint32_t flags, struct ibv_sge *sg_list,
			uint32_t num_sge)
{
	if (!API_EXISTS(pd) || (num_sge && !sg_list))
		return api_ret_errno(-EINVAL);
	return api_ret_errno(VERBS_CALL_OP(pd->context, advise_mr, pd, advice,
					   flags, sg_list, num_sge));
}
