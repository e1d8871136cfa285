/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The state of kernel/ for one context. core/ places it at the start of the
 * private block of the context, so kernel/ reaches it from the public struct
 * without the definition of the rest of the block.
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
	uint32_t nr_ports;  /* as netlink reported it; 0: unknown */
	bool imported;	    /* ibv_import_device(): no write(2) */
	/*
	 * The descriptor of the kernel, if that of the public struct is one
	 * that a layer has made.
	 */
	bool async_fd_is_replaced;
	int async_fd;
	/*
	 * One bit per enum verbs_kernel_cap: the kernel refused this
	 * capability. Bits are never cleared. A thread that reads a stale value
	 * makes one more call that the kernel refuses.
	 */
	atomic_uint_least64_t refused;
	uint64_t core_support; /* IB_UVERBS_CORE_SUPPORT_* */
};

/*
 * Destroy commands that fail because the device is gone return success. core/
 * sets this from RDMAV_ALLOW_DISASSOC_DESTROY before the first device list is
 * returned; it is constant afterwards.
 */
extern bool verbs_allow_disassociate_destroy;

static inline struct verbs_kernel_state *
verbs_kernel_state(const struct ibv_context *ctx)
{
	const struct verbs_context *vctx =
		verbs_container_of(ctx, struct verbs_context, context);

	return (struct verbs_kernel_state *)(void *)vctx->priv;
}

/** verbs_kernel_async_fd() - the kernel's descriptor of events; -1: none */
static inline int verbs_kernel_async_fd(const struct ibv_context *ctx)
{
	const struct verbs_kernel_state *state = verbs_kernel_state(ctx);

	return state->async_fd_is_replaced ? state->async_fd : ctx->async_fd;
}

#endif
