/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * On-demand paging: the capabilities, and ibv_advise_mr(3). The regions are
 * registered in uroce_mr.c; qp/uroce_odp.h accesses their memory.
 */
#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "uroce/qp/uroce_odp.h"
#include "uroce/verbs/uroce_verbs.h"

/* Since Linux 5.14; C libraries may be older. */
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ  22
#define MADV_POPULATE_WRITE 23
#endif

#define UD_CAPS \
	(IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_RECV | IBV_ODP_SUPPORT_SRQ_RECV)
#define UC_CAPS (UD_CAPS | IBV_ODP_SUPPORT_WRITE)
/* Without ATOMIC_WRITE: see uroce_rx_atomic_write(). */
#define XRC_CAPS (UC_CAPS | IBV_ODP_SUPPORT_READ | IBV_ODP_SUPPORT_ATOMIC)
#define RC_CAPS	 (XRC_CAPS | IBV_ODP_SUPPORT_FLUSH)

void uroce_odp_query(struct ibv_device_attr_ex *attr, size_t attr_size)
{
	if (!UROCE_ATTR_HAS(attr_size, odp_caps) || !uroce_odp_is_possible())
		return;
	attr->odp_caps.general_caps = IBV_ODP_SUPPORT |
				      IBV_ODP_SUPPORT_IMPLICIT;
	attr->odp_caps.per_transport_caps.rc_odp_caps = RC_CAPS;
	attr->odp_caps.per_transport_caps.uc_odp_caps = UC_CAPS;
	attr->odp_caps.per_transport_caps.ud_odp_caps = UD_CAPS;
	if (UROCE_ATTR_HAS(attr_size, xrc_odp_caps))
		attr->xrc_odp_caps = XRC_CAPS;
}

/* Address of the pages of @sge, in an on-demand region of @pd. */
static int odp_find_pages(struct ibv_pd *pd, const struct ibv_sge *sge,
			  bool write, uint8_t **ret_ptr)
{
	struct uroce_context *ctx = to_uroce_context(pd->context);
	const uint32_t number = to_uroce_pd(pd)->number;
	const struct uroce_region *region;
	int ret = 0;

	uroce_instance_lock(ctx->instance);
	region = uroce_memory_find(ctx->memory, sge->lkey);
	if (!region)
		ret = -ENOENT;
	else if (region->kind != UROCE_REGION_ON_DEMAND)
		ret = -EINVAL;
	else if (region->pd != number ||
		 (write && !(region->access & IBV_ACCESS_LOCAL_WRITE)))
		ret = -EPERM;
	else if (uroce_memory_local(ctx->memory, number, sge, write, ret_ptr) <
		 0)
		ret = -EFAULT;
	uroce_instance_unlock(ctx->instance);
	return ret;
}

static int odp_populate(uint8_t *ptr, size_t bytes, bool write)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	const int advice = write ? MADV_POPULATE_WRITE : MADV_POPULATE_READ;
	const uintptr_t before = (uintptr_t)ptr % page;

	if (!madvise(ptr - before, bytes + before, advice))
		return 0;
	/* a kernel without the advice refuses it for no memory, too */
	return errno == EINVAL && madvise(NULL, 0, advice) ? -EOPNOTSUPP
							   : -EFAULT;
}

/* Prefetches at once; without FLUSH, the result is not reported. */
static int odp_advise(struct ibv_pd *pd, enum ibv_advise_mr_advice advice,
		      uint32_t flags, const struct ibv_sge *sge)
{
	const bool write = advice == IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE;
	uint8_t *ptr = NULL;
	int ret = odp_find_pages(pd, sge, write, &ptr);

	/* pages that are in memory already need no prefetch */
	if (ret || !ptr || advice == IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT)
		return ret;
	ret = odp_populate(ptr, sge->length, write);
	return flags & IBV_ADVISE_MR_FLAG_FLUSH ? ret : 0;
}

int uroce_advise_mr(struct ibv_pd *pd, enum ibv_advise_mr_advice advice,
		    uint32_t flags, struct ibv_sge *sg_list, uint32_t num_sge)
{
	int ret = uroce_check_pd(pd);

	if (ret == 0 &&
	    ((flags & ~(uint32_t)IBV_ADVISE_MR_FLAG_FLUSH) ||
	     (unsigned int)advice > IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT))
		ret = -EINVAL;
	for (uint32_t i = 0; ret == 0 && i < num_sge; i++)
		ret = odp_advise(pd, advice, flags, &sg_list[i]);
	return ret;
}
