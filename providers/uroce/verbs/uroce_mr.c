/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory regions. Registration pins no memory: a region is a row in the
 * engine's table, and the engine accesses the memory of the application
 * directly. Registration checks that the whole range is mapped, because a later
 * access to a hole would raise SIGSEGV. On-demand regions need no mapped
 * memory, since the kernel copies their bytes (qp/uroce_odp.h).
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "uroce/qp/uroce_dmabuf.h"
#include "uroce/qp/uroce_odp.h"
#include "uroce/verbs/uroce_verbs.h"

/* Without FLUSH_PERSISTENT: the device does not support persistent memory. */
#define KNOWN_ACCESS                                                        \
	((unsigned int)(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |  \
			IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC | \
			IBV_ACCESS_MW_BIND | IBV_ACCESS_ZERO_BASED |        \
			IBV_ACCESS_HUGETLB | IBV_ACCESS_FLUSH_GLOBAL) |     \
	 (unsigned int)IBV_ACCESS_OPTIONAL_RANGE)
#define REMOTE_CHANGES \
	((unsigned int)(IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC))

/* Pages for each mincore() call. */
#define PAGES_AT_ONCE 4096

/* IBTA 10.6.3.1: REMOTE_WRITE and REMOTE_ATOMIC require LOCAL_WRITE. */
int uroce_mr_check_access(unsigned int access)
{
	if (access & (unsigned int)IBV_ACCESS_ON_DEMAND)
		return -EOPNOTSUPP;
	if (access & ~KNOWN_ACCESS)
		return -EINVAL;
	if ((access & REMOTE_CHANGES) && !(access & IBV_ACCESS_LOCAL_WRITE))
		return -EINVAL;
	return 0;
}

/* Of regions that may be on demand; the memory of others must be mapped. */
static int check_on_demand(unsigned int access)
{
	if (access & (unsigned int)IBV_ACCESS_ON_DEMAND &&
	    !uroce_odp_is_possible())
		return -EOPNOTSUPP;
	return uroce_mr_check_access(access &
				     ~(unsigned int)IBV_ACCESS_ON_DEMAND);
}

static enum uroce_region_kind kind_of_access(unsigned int access)
{
	return access & (unsigned int)IBV_ACCESS_ON_DEMAND
		       ? UROCE_REGION_ON_DEMAND
		       : UROCE_REGION_MEMORY;
}

static int check_mapped(const void *addr, size_t length)
{
	unsigned char resident[PAGES_AT_ONCE];
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uintptr_t begin = (uintptr_t)addr & ~(uintptr_t)(page - 1);
	uintptr_t end;

	if (__builtin_add_overflow((uintptr_t)addr, length, &end))
		return -EINVAL;
	while (begin < end) {
		size_t bytes = end - begin;

		if (bytes > PAGES_AT_ONCE * page)
			bytes = PAGES_AT_ONCE * page;
		if (mincore((void *)begin, bytes, resident) != 0)
			return errno == ENOMEM ? -EFAULT : -errno;
		begin += (bytes + page - 1) & ~(page - 1);
	}
	return 0;
}

#define REMOTE_RIGHTS (REMOTE_CHANGES | (unsigned int)IBV_ACCESS_REMOTE_READ)

/*
 * A region without remote rights gets no share: peers need not map it. An
 * on-demand region gets none, since its memory may be mapped later.
 */
static void get_share(struct uroce_context *ctx, struct uroce_region *region)
{
	region->share = 0;
	region->share_offset = 0;
	if (region->kind == UROCE_REGION_MEMORY &&
	    (region->access & REMOTE_RIGHTS))
		uroce_instance_get_share(ctx->instance, region->base,
					 region->bytes, &region->share,
					 &region->share_offset);
}

void uroce_mr_set_key(struct uroce_mr *mr, struct ibv_pd *pd, uint32_t key)
{
	mr->pd = to_uroce_pd(pd);
	uroce_use(&mr->pd->users);
	mr->identity = (struct uroce_identity){ pd->context, key };
	mr->vmr.ibv_mr.context = pd->context;
	mr->vmr.ibv_mr.pd = pd;
	mr->vmr.ibv_mr.handle = key;
	mr->vmr.ibv_mr.lkey = key;
	mr->vmr.ibv_mr.rkey = key;
}

int uroce_mr_add(struct uroce_mr *mr, struct ibv_pd *pd,
		 const struct uroce_region *region)
{
	struct uroce_context *ctx = to_uroce_context(pd->context);
	uint32_t key;
	int ret;

	uroce_instance_lock(ctx->instance);
	ret = uroce_memory_add(ctx->memory, region, &key);
	if (ret == 0)
		list_add_tail(&ctx->mrs, &mr->entry);
	uroce_instance_unlock(ctx->instance);
	if (ret)
		return ret;
	uroce_mr_set_key(mr, pd, key);
	return 0;
}

int uroce_mr_new(struct ibv_pd *pd, struct uroce_region *region,
		 struct uroce_mr **ret_mr)
{
	struct uroce_context *ctx = to_uroce_context(pd->context);
	struct uroce_mr *mr = calloc(1, sizeof(*mr));
	int ret;

	if (!mr)
		return -ENOMEM;
	get_share(ctx, region);
	mr->share = region->share;
	ret = uroce_mr_add(mr, pd, region);
	if (ret) {
		uroce_instance_put_share(ctx->instance, mr->share);
		free(mr);
		return ret;
	}
	*ret_mr = mr;
	return 0;
}

int uroce_reg_mr(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
		 int access, struct ibv_mr **ret_mr)
{
	struct uroce_region region = {
		.base = addr,
		.iova = access & IBV_ACCESS_ZERO_BASED ? 0 : iova,
		.bytes = length,
		.pd = to_uroce_pd(pd)->number,
		.access = (unsigned int)access,
		.kind = kind_of_access((unsigned int)access),
	};
	struct uroce_mr *mr;
	int ret;

	ret = uroce_check_pd(pd);
	if (ret == 0)
		ret = check_on_demand((unsigned int)access);
	if (ret == 0 && region.kind == UROCE_REGION_MEMORY)
		ret = check_mapped(addr, length);
	if (ret == 0)
		ret = uroce_mr_new(pd, &region, &mr);
	if (ret)
		return ret;
	mr->vmr.mr_type = VERBS_MR_TYPE_MR;
	*ret_mr = &mr->vmr.ibv_mr;
	return 0;
}

/* Reads return zeros, writes are discarded; without remote access. */
int uroce_alloc_null_mr(struct ibv_pd *pd, struct ibv_mr **ret_mr)
{
	const struct uroce_region region = {
		.bytes = UINT64_MAX,
		.pd = to_uroce_pd(pd)->number,
		.access = IBV_ACCESS_LOCAL_WRITE,
		.kind = UROCE_REGION_NULL,
	};
	struct uroce_mr *mr;
	int ret;

	ret = uroce_check_pd(pd);
	if (ret)
		return ret;
	mr = calloc(1, sizeof(*mr));
	if (!mr)
		return -ENOMEM;
	ret = uroce_mr_add(mr, pd, &region);
	if (ret) {
		free(mr);
		return ret;
	}
	mr->vmr.mr_type = VERBS_MR_TYPE_NULL_MR;
	*ret_mr = &mr->vmr.ibv_mr;
	return 0;
}

/* Publishes a region again that was withdrawn and did not change. */
static void publish_again(struct uroce_context *ctx, const struct uroce_mr *mr)
{
	uroce_instance_lock(ctx->instance);
	uroce_memory_publish(ctx->memory, mr->identity.handle);
	uroce_instance_unlock(ctx->instance);
}

/* A copy of @old with the changes of ibv_rereg_mr(). */
static struct uroce_region changed(const struct uroce_region *old, int flags,
				   struct ibv_pd *pd, void *addr, size_t length,
				   int access)
{
	struct uroce_region region = *old;

	if (flags & IBV_REREG_MR_CHANGE_PD)
		region.pd = to_uroce_pd(pd)->number;
	if (flags & IBV_REREG_MR_CHANGE_ACCESS) {
		region.access = (unsigned int)access;
		region.kind = kind_of_access(region.access);
	}
	if (flags & IBV_REREG_MR_CHANGE_TRANSLATION) {
		region.base = addr;
		region.bytes = length;
		region.iova = (uintptr_t)addr;
	}
	if (region.access & IBV_ACCESS_ZERO_BASED)
		region.iova = 0;
	else if (old->access & IBV_ACCESS_ZERO_BASED)
		region.iova = (uintptr_t)region.base;
	return region;
}

/* No flags: -EINVAL, as from the kernel. */
static int check_change(struct verbs_mr *vmr, int flags, struct ibv_pd *pd,
			int access)
{
	int ret = flags ? uroce_check_mr(&vmr->ibv_mr) : -EINVAL;

	if (ret == 0 && vmr->mr_type == VERBS_MR_TYPE_IMPORTED_MR)
		ret = -EINVAL;
	if (ret == 0 && (flags & IBV_REREG_MR_CHANGE_PD))
		ret = uroce_check_pd(pd);
	if (ret == 0 && (flags & IBV_REREG_MR_CHANGE_ACCESS))
		ret = check_on_demand((unsigned int)access);
	return ret;
}

/*
 * Changes the row of a region that was withdrawn from the peers. On success
 * mr->share is the share of the new memory.
 */
static int change_row(struct uroce_mr *mr, int flags, struct ibv_pd *pd,
		      void *addr, size_t length, int access)
{
	struct uroce_context *ctx = to_uroce_context(mr->vmr.ibv_mr.context);
	struct uroce_memory *memory = ctx->memory;
	uint64_t unused_share = mr->share;
	struct uroce_region old, region;
	int ret;

	uroce_instance_lock(ctx->instance);
	old = *uroce_memory_find(memory, mr->identity.handle);
	uroce_instance_unlock(ctx->instance);
	region = changed(&old, flags, pd, addr, length, access);
	if (region.kind == UROCE_REGION_MEMORY &&
	    (region.kind != old.kind ||
	     (flags & IBV_REREG_MR_CHANGE_TRANSLATION))) {
		ret = check_mapped(region.base, region.bytes);
		if (ret)
			return ret;
	}
	get_share(ctx, &region);
	uroce_instance_lock(ctx->instance);
	ret = uroce_memory_change(memory, mr->identity.handle, &region);
	uroce_instance_unlock(ctx->instance);
	if (ret)
		unused_share = region.share;
	else
		mr->share = region.share;
	uroce_instance_put_share(ctx->instance, unused_share);
	return ret;
}

/* The key does not change. A failure leaves the region unchanged. */
int uroce_rereg_mr(struct verbs_mr *vmr, int flags, struct ibv_pd *pd,
		   void *addr, size_t length, int access)
{
	struct uroce_mr *mr = to_uroce_mr(&vmr->ibv_mr);
	struct uroce_context *ctx;
	int ret;

	ret = check_change(vmr, flags, pd, access);
	if (ret)
		return ret;
	ctx = to_uroce_context(vmr->ibv_mr.context);
	ret = uroce_instance_withdraw_region(ctx->instance,
					     mr->identity.handle);
	if (ret == 0)
		ret = change_row(mr, flags, pd, addr, length, access);
	if (ret) {
		publish_again(ctx, mr);
		return ret;
	}
	if (flags & IBV_REREG_MR_CHANGE_PD) {
		uroce_pd_put(mr->pd);
		mr->pd = to_uroce_pd(pd);
		uroce_use(&mr->pd->users);
	}
	return 0;
}

int uroce_dereg_mr(struct verbs_mr *vmr)
{
	struct uroce_mr *mr = to_uroce_mr(&vmr->ibv_mr);
	struct uroce_context *ctx;
	int ret;

	ret = uroce_check_mr(&vmr->ibv_mr);
	if (ret)
		return ret;
	if (vmr->mr_type == VERBS_MR_TYPE_IMPORTED_MR)
		return -EINVAL;
	ctx = to_uroce_context(vmr->ibv_mr.context);
	ret = uroce_instance_withdraw_region(ctx->instance,
					     mr->identity.handle);
	if (ret == 0) {
		uroce_instance_lock(ctx->instance);
		ret = uroce_memory_remove(ctx->memory, mr->identity.handle);
		if (ret == 0)
			list_del(&mr->entry);
		uroce_instance_unlock(ctx->instance);
	}
	if (ret) {
		publish_again(ctx, mr);
		return ret;
	}
	uroce_instance_put_share(ctx->instance, mr->share);
	uroce_pd_put(mr->pd);
	if (mr->dm)
		uroce_dm_put(mr->dm);
	uroce_dmabuf_unmap(mr->dmabuf);
	free(mr);
	return 0;
}
