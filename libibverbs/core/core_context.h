/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The private block that the library keeps for each open context. The public
 * struct has a pointer to it. This file does not depend on the size of struct
 * verbs_context, which grows at its front.
 */
#ifndef CORE_CORE_CONTEXT_H
#define CORE_CORE_CONTEXT_H

#include <errno.h>
#include <provider/provider.h>

#include "core/device_object.h"
#include "kernel/kernel_state.h"

/* Private block of a context (the public header only names it). */
struct verbs_ex_private {
	struct verbs_kernel_state kernel; /* first: kernel/kernel_state.h */
	struct verbs_device *dev;	  /* holds a reference */
	struct verbs_context_ops ops;	  /* see VERBS_CALL_OP() */
	void *layer; /* NULL unless libibverbs/layers/ observes the context */
};

static inline struct verbs_ex_private *verbs_priv(const struct ibv_context *ctx)
{
	return verbs_container_of(ctx, struct verbs_context, context)->priv;
}

/*
 * The op table of a context. Only ops with a default (core/op_defaults.h) may
 * be called without a check; use VERBS_CALL_OP() for all others.
 */
static inline const struct verbs_context_ops *
verbs_ops(const struct ibv_context *ctx)
{
	return &verbs_priv(ctx)->ops;
}

/*
 * Calls an op of @ctx that returns a number. The value is that of the op, or
 * -EOPNOTSUPP if the provider does not have it. Evaluates @ctx twice.
 */
#define VERBS_CALL_OP(ctx, op, ...) \
	(verbs_ops(ctx)->op ? verbs_ops(ctx)->op(__VA_ARGS__) : -EOPNOTSUPP)

/**
 * verbs_core_open() - open a device
 * @dev: the caller holds a reference; the context takes its own
 * @ret_ctx: context with its op table and an open async_fd
 *
 * Return: 0; -ENOMEM; -errno of verbs_open_node() or of the provider.
 */
int verbs_core_open(struct verbs_device *dev, struct ibv_context **ret_ctx);

/**
 * verbs_core_open_private() - open a device with data for its foreign provider
 * @private_data: passed to the provider's alloc_context(); may be NULL. Other
 *	providers do not receive it.
 *
 * Return: as verbs_core_open().
 */
int verbs_core_open_private(struct verbs_device *dev, void *private_data,
			    struct ibv_context **ret_ctx);

/**
 * verbs_core_import() - make a context for an open uverbs descriptor
 * @cmd_fd: descriptor with a kernel context, which another process may have
 *	made. The new context owns it. On failure it is closed if the provider
 *	was called, and stays open otherwise.
 *
 * Return: as above, or -EINVAL if @cmd_fd is not a character device, -ENODEV
 * if it is not an RDMA device, -EOPNOTSUPP if the provider does not support
 * imports.
 */
int verbs_core_import(int cmd_fd, struct ibv_context **ret_ctx);

/** verbs_core_close() - close a context; frees @ctx */
void verbs_core_close(struct ibv_context *ctx);

/**
 * verbs_context_prepare() - make a context in memory of the caller
 * @ctx: zeroed
 * @sz: bytes of struct verbs_context that exist, counted from its end, which
 *	is the end of @ctx; the bytes in front of them are not touched
 * @priv: zeroed; must exist until verbs_context_release()
 * @cmd_file: the context owns its descriptor
 *
 * Kernel commands can be sent afterwards. Takes a reference on @dev.
 */
void verbs_context_prepare(struct ibv_context *ctx, size_t sz,
			   struct verbs_ex_private *priv,
			   struct verbs_device *dev,
			   struct verbs_cmd_file cmd_file);

/**
 * verbs_context_release() - undo verbs_context_prepare()
 *
 * Closes the descriptors. The caller frees @ctx and the private block.
 */
void verbs_context_release(struct ibv_context *ctx);

/** verbs_core_support() - return the kernel's IB_UVERBS_CORE_SUPPORT_* bits */
uint64_t verbs_core_support(const struct ibv_context *ctx);

#endif
