/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Device memory: ibv_alloc_dm(3). It is memory of the process that applications
 * access through copies and memory regions only, as memory of an adapter. It is
 * in a memory file, so that peers of the host map its regions.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "uroce/verbs/uroce_verbs.h"
#include "util/nocancel.h"

/* Offsets and lengths of copies, as of adapters (ibv_memcpy_to_dm(3)). */
#define COPY_ALIGN 4

#define MAX_LOG_ALIGN 24 /* the limit of the size */

/* Maps the pages of a new file, or without one private pages. */
static int dm_map_pages(void *at, size_t bytes)
{
	const int prot = PROT_READ | PROT_WRITE;
	int fd = uroce_instance_new_file(bytes);
	void *mapped = MAP_FAILED;

	if (fd >= 0) {
		mapped = mmap(at, bytes, prot, MAP_SHARED | MAP_FIXED, fd, 0);
		(void)close(fd); /* the mapping keeps the file */
	}
	if (mapped == MAP_FAILED)
		mapped = mmap(at, bytes, prot,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	return mapped == MAP_FAILED ? -errno : 0;
}

/* Reserves addresses for the alignment, of which some get pages. */
static int dm_map(struct uroce_dm *dm, size_t bytes, uint32_t log_align)
{
	size_t align = (size_t)1 << log_align;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uintptr_t base;
	int ret;

	dm->map_bytes = bytes + (align > page ? align : 0);
	dm->map = mmap(NULL, dm->map_bytes, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (dm->map == MAP_FAILED)
		return -errno;
	base = ((uintptr_t)dm->map + align - 1) & ~(uintptr_t)(align - 1);
	dm->base = (uint8_t *)dm->map + (base - (uintptr_t)dm->map);
	ret = dm_map_pages(dm->base, bytes);
	if (ret)
		(void)munmap(dm->map, dm->map_bytes);
	return ret;
}

static int dm_charge(struct uroce_context *ctx, uint64_t bytes)
{
	uint64_t sum =
		__atomic_add_fetch(&ctx->dm_bytes, bytes, __ATOMIC_SEQ_CST);

	if (sum <= UROCE_MAX_DM_BYTES)
		return 0;
	(void)__atomic_sub_fetch(&ctx->dm_bytes, bytes, __ATOMIC_SEQ_CST);
	return -ENOMEM;
}

static void dm_uncharge(struct uroce_context *ctx, const struct uroce_dm *dm)
{
	(void)__atomic_sub_fetch(&ctx->dm_bytes, dm->charged, __ATOMIC_SEQ_CST);
}

static bool dm_has_range(const struct uroce_dm *dm, uint64_t offset,
			 size_t length)
{
	return offset <= dm->length && length <= dm->length - offset;
}

/* Return: 0, or a positive errno value, as the members of struct ibv_dm. */
static int dm_check_copy(const struct uroce_dm *dm, uint64_t offset,
			 size_t length)
{
	if (!dm_has_range(dm, offset, length))
		return EINVAL;
	return offset % COPY_ALIGN || length % COPY_ALIGN ? EFAULT : 0;
}

static int dm_copy_to(struct ibv_dm *ibdm, uint64_t offset, const void *from,
		      size_t length)
{
	struct uroce_dm *dm = to_uroce_dm(ibdm);
	int err = dm_check_copy(dm, offset, length);

	if (!err && length)
		memcpy(dm->base + offset, from, length);
	return err;
}

static int dm_copy_from(void *to, struct ibv_dm *ibdm, uint64_t offset,
			size_t length)
{
	const struct uroce_dm *dm = to_uroce_dm(ibdm);
	int err = dm_check_copy(dm, offset, length);

	if (!err && length)
		memcpy(to, dm->base + offset, length);
	return err;
}

int uroce_alloc_dm(struct ibv_context *ibctx, struct ibv_alloc_dm_attr *attr,
		   struct ibv_dm **ret_dm)
{
	struct uroce_context *ctx = to_uroce_context(ibctx);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct uroce_dm *dm;
	int ret;

	if (!attr->length || attr->log_align_req > MAX_LOG_ALIGN)
		return -EINVAL;
	if (attr->length > UROCE_MAX_DM_BYTES)
		return -ENOMEM;
	dm = calloc(1, sizeof(*dm));
	if (!dm)
		return -ENOMEM;
	dm->length = attr->length;
	dm->charged = (attr->length + page - 1) & ~(uint64_t)(page - 1);
	ret = dm_charge(ctx, dm->charged);
	if (ret)
		goto err_free;
	ret = dm_map(dm, dm->charged, attr->log_align_req);
	if (ret)
		goto err_uncharge;
	dm->dm.context = ibctx;
	dm->dm.memcpy_to_dm = dm_copy_to;
	dm->dm.memcpy_from_dm = dm_copy_from;
	dm->dm.handle = uroce_handle_new();
	dm->identity = (struct uroce_identity){ ibctx, dm->dm.handle };
	uroce_instance_lock(ctx->instance);
	list_add_tail(&ctx->dms, &dm->entry);
	uroce_instance_unlock(ctx->instance);
	*ret_dm = &dm->dm;
	return 0;

err_uncharge:
	dm_uncharge(ctx, dm);
err_free:
	free(dm);
	return ret;
}

int uroce_free_dm(struct ibv_dm *ibdm)
{
	struct uroce_dm *dm = to_uroce_dm(ibdm);
	struct uroce_context *ctx;
	int ret = uroce_check_dm(ibdm);

	if (ret)
		return ret;
	if (dm->origin)
		return -EINVAL;
	ctx = to_uroce_context(ibdm->context);
	uroce_instance_lock(ctx->instance);
	if (uroce_in_use(&dm->users))
		ret = -EBUSY;
	else
		list_del(&dm->entry);
	uroce_instance_unlock(ctx->instance);
	if (ret)
		return ret;
	(void)munmap(dm->map, dm->map_bytes);
	dm_uncharge(ctx, dm);
	free(dm);
	return 0;
}

static int dm_check_mr(struct ibv_pd *pd, struct ibv_dm *ibdm, uint64_t offset,
		       size_t length, unsigned int access)
{
	int ret = uroce_check_pd(pd);

	if (ret == 0)
		ret = uroce_check_dm(ibdm);
	if (ret == 0)
		ret = uroce_mr_check_access(access);
	if (ret)
		return ret;
	/* the application knows no address */
	if (!(access & IBV_ACCESS_ZERO_BASED))
		return -EINVAL;
	return dm_has_range(to_uroce_dm(ibdm), offset, length) ? 0 : -EINVAL;
}

int uroce_reg_dm_mr(struct ibv_pd *pd, struct ibv_dm *ibdm, uint64_t offset,
		    size_t length, unsigned int access, struct ibv_mr **ret_mr)
{
	struct uroce_dm *dm = to_uroce_dm(ibdm);
	struct uroce_region region = {
		.bytes = length,
		.pd = to_uroce_pd(pd)->number,
		.access = access,
		.kind = UROCE_REGION_MEMORY,
	};
	struct uroce_mr *mr;
	int ret;

	ret = dm_check_mr(pd, ibdm, offset, length, access);
	if (ret)
		return ret;
	region.base = dm->base + offset;
	ret = uroce_mr_new(pd, &region, &mr);
	if (ret)
		return ret;
	uroce_use(&dm->users);
	mr->dm = dm;
	mr->vmr.ibv_mr.length = length;
	/* the library neither protects its memory from fork() nor changes it */
	mr->vmr.mr_type = VERBS_MR_TYPE_DMABUF_MR;
	*ret_mr = &mr->vmr.ibv_mr;
	return 0;
}
