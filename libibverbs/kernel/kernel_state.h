/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What kernel/ keeps for one context. core/ places it at the start of the
 * context's private block, so the public struct leads here without kernel/
 * knowing what else the block holds.
 */
#ifndef KERNEL_KERNEL_STATE_H
#define KERNEL_KERNEL_STATE_H

#include <infiniband/verbs.h>
#include <provider/objects.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct verbs_kernel_state {
	uint32_t driver_id; /* sent in the header of each ioctl */
	uint32_t nr_ports;  /* as netlink told it, 0 unknown */
	bool imported;	    /* ibv_import_device(): ioctl forms only */
	/*
	 * enum verbs_kernel_cap, one bit each: forms that this kernel refused.
	 * Only ever gains bits; a lost race costs one more refused call.
	 */
	atomic_uint_least64_t refused;
	uint64_t core_support; /* IB_UVERBS_CORE_SUPPORT_* */
};

/*
 * Set by core/ from RDMAV_ALLOW_DISASSOC_DESTROY before the first device is
 * handed out, constant afterwards: destroy commands that fail because the
 * device is gone count as done.
 */
extern bool verbs_allow_disassociate_destroy;

static inline struct verbs_kernel_state *
verbs_kernel_state(const struct ibv_context *ctx)
{
	const struct verbs_context *vctx =
		verbs_container_of(ctx, struct verbs_context, context);

	return (struct verbs_kernel_state *)(void *)vctx->priv;
}

#endif
