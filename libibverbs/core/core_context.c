/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Life of a context: opening asks core/device_open.c for the node and the
 * provider for the context; the provider calls back into verbs_context_new().
 * The public function tables are filled by api/, which calls this.
 */
#include "core/core_context.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/device_open.h"
#include "core/op_table.h"

/* kernel_state.h finds its block at the start of ours. */
_Static_assert(offsetof(struct verbs_ex_private, kernel) == 0,
	       "the kernel's part comes first");

/*
 * The number that every ioctl carries. sysfs does not tell it; then it is the
 * one that the provider claims.
 */
static uint32_t driver_id_of(const struct verbs_device *dev)
{
	const struct verbs_match *entry = dev->provider->match;

	if (dev->kernel.driver_id != RDMA_DRIVER_UNKNOWN || !entry)
		return dev->kernel.driver_id;
	for (; entry->kind != VERBS_MATCH_END; entry++) {
		if (entry->kind == VERBS_MATCH_DRIVER_ID)
			return entry->driver_id;
	}
	return RDMA_DRIVER_UNKNOWN;
}

static struct verbs_ex_private *priv_new(struct verbs_device *dev, int cmd_fd)
{
	struct verbs_ex_private *priv = calloc(1, sizeof(*priv));

	if (!priv)
		return NULL;
	priv->kernel.driver_id = driver_id_of(dev);
	priv->kernel.nr_ports = dev->kernel.nr_ports;
	priv->dev = dev;
	verbs_op_table_init(&priv->ops, cmd_fd >= 0);
	return priv;
}

struct verbs_context *verbs_context_new(struct verbs_device *dev, int cmd_fd,
					size_t size)
{
	struct verbs_context *vctx;
	struct ibv_context *ctx;

	vctx = calloc(1, size);
	if (!vctx)
		goto err_close;
	vctx->priv = priv_new(dev, cmd_fd);
	if (!vctx->priv)
		goto err_free;

	/*
	 * The provider's struct was compiled with the same header as ours, so
	 * all of verbs_context is there.
	 */
	vctx->sz = sizeof(*vctx);
	ctx = &vctx->context;
	ctx->device = &dev->pub;
	ctx->cmd_fd = cmd_fd;
	ctx->async_fd = -1;
	ctx->abi_compat = (void *)UINTPTR_MAX;
	(void)pthread_mutex_init(&ctx->mutex, NULL); /* cannot fail on Linux */
	verbs_op_table_mirror(&vctx->priv->ops, &ctx->ops);
	verbs_device_get(dev);
	return vctx;

err_free:
	free(vctx);
err_close:
	if (cmd_fd >= 0)
		(void)close(cmd_fd);
	return NULL;
}

void verbs_context_free(struct verbs_context *vctx)
{
	struct ibv_context *ctx = &vctx->context;

	if (ctx->async_fd >= 0)
		(void)close(ctx->async_fd);
	if (ctx->cmd_fd >= 0)
		(void)close(ctx->cmd_fd);
	(void)pthread_mutex_destroy(&ctx->mutex);
	verbs_device_put(vctx->priv->dev);
	free(vctx->priv);
	free(vctx);
}

void verbs_context_set_ops(struct verbs_context *vctx,
			   const struct verbs_context_ops *ops)
{
	verbs_op_table_merge(&vctx->priv->ops, ops);
	verbs_op_table_mirror(&vctx->priv->ops, &vctx->context.ops);
}

uint32_t verbs_context_nr_ports(const struct ibv_context *ctx)
{
	return verbs_priv(ctx)->kernel.nr_ports;
}

uint64_t verbs_core_support(const struct ibv_context *ctx)
{
	return verbs_priv(ctx)->kernel.core_support;
}

int verbs_core_open(struct verbs_device *dev, struct ibv_context **ret_ctx)
{
	struct verbs_context *vctx;
	struct ibv_context *ctx;
	int cmd_fd = -1;
	int ret;

	if (dev->has_node) {
		ret = verbs_open_node(&dev->kernel, &cmd_fd);
		if (ret)
			return ret;
	}
	ret = dev->provider->open_context(dev, cmd_fd, &vctx);
	if (ret)
		return ret;

	ctx = &vctx->context;
	if (ctx->async_fd < 0) {
		ret = verbs_ops(ctx)->alloc_async_fd(ctx, &ctx->async_fd);
		if (ret) {
			verbs_core_close(ctx);
			return ret;
		}
	}
	*ret_ctx = ctx;
	return 0;
}

void verbs_core_close(struct ibv_context *ctx)
{
	const struct verbs_device_ops *provider =
		verbs_priv(ctx)->dev->provider;

	provider->close_context(
		verbs_container_of(ctx, struct verbs_context, context));
}
