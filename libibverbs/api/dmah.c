/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* DMA hints: ibv_alloc_dmah(3). */
#include <infiniband/verbs.h>

#include "api/api_check.h"
#include "api/api_err.h"

#define KNOWN_MASK                                   \
	((uint32_t)(IBV_DMAH_INIT_ATTR_MASK_CPU_ID | \
		    IBV_DMAH_INIT_ATTR_MASK_PH |     \
		    IBV_DMAH_INIT_ATTR_MASK_TPH_MEM_TYPE))

/* PCIe: the hint has two bits in a TLP. */
#define MAX_PH 3

static bool dmah_attr_is_valid(const struct ibv_dmah_init_attr *attr)
{
	if ((attr->comp_mask & IBV_DMAH_INIT_ATTR_MASK_PH) && attr->ph > MAX_PH)
		return false;
	return !(attr->comp_mask & IBV_DMAH_INIT_ATTR_MASK_TPH_MEM_TYPE) ||
	       attr->tph_mem_type <= IBV_TPH_MEM_TYPE_PM;
}

struct ibv_dmah *ibv_alloc_dmah(struct ibv_context *context,
				struct ibv_dmah_init_attr *attr)
{
	struct ibv_dmah *dmah;
	int ret;

	if (!context || !attr)
		return api_ret_null(-EINVAL);
	if (attr->comp_mask & ~KNOWN_MASK)
		return api_ret_null(-EOPNOTSUPP);
	if (!dmah_attr_is_valid(attr))
		return api_ret_null(-EINVAL);
	ret = VERBS_CALL_OP(context, alloc_dmah, context, attr, &dmah);
	return ret ? api_ret_null(ret) : dmah;
}

int ibv_dealloc_dmah(struct ibv_dmah *dmah)
{
	if (!API_EXISTS(dmah))
		return api_ret_errno(-EINVAL);
	return api_ret_errno(VERBS_CALL_OP(dmah->context, dealloc_dmah, dmah));
}
