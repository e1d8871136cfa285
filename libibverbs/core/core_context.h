/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the library keeps for each open context, and how api/ reaches it. The
 * public struct carries a pointer to it; nothing here depends on the size of
 * struct verbs_context, which grows at its front.
 */
#ifndef CORE_CORE_CONTEXT_H
#define CORE_CORE_CONTEXT_H

#include <provider/provider.h>

#include "core/device_object.h"
#include "kernel/kernel_state.h"

/* Private block of a context (the public header only names it). */
struct verbs_ex_private {
	struct verbs_kernel_state kernel; /* first: kernel/kernel_state.h */
	struct verbs_device *dev;	  /* holds a reference */
	struct verbs_context_ops ops;	  /* no member is NULL */
};

static inline struct verbs_ex_private *verbs_priv(const struct ibv_context *ctx)
{
	return verbs_container_of(ctx, struct verbs_context, context)->priv;
}

/* The op table of a context; no member is NULL. */
static inline const struct verbs_context_ops *
verbs_ops(const struct ibv_context *ctx)
{
	return &verbs_priv(ctx)->ops;
}

/**
 * verbs_core_open() - open a device
 * @dev: the caller holds a reference; the context takes its own
 * @ret_ctx: context with its op table, async_fd open
 *
 * Return: 0, or -errno: of verbs_open_node(), of the provider, or -ENOMEM.
 */
int verbs_core_open(struct verbs_device *dev, struct ibv_context **ret_ctx);

/** verbs_core_close() - close a context; frees @ctx */
void verbs_core_close(struct ibv_context *ctx);

/** verbs_core_support() - IB_UVERBS_CORE_SUPPORT_* that the kernel told */
uint64_t verbs_core_support(const struct ibv_context *ctx);

#endif
