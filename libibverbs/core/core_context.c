/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Opens, imports and closes contexts. To open, core/device_open.c opens the
 * uverbs node and the provider makes the context: its open_context() calls
 * verbs_context_new(), and foreign/ calls verbs_context_prepare(). An import
 * uses a descriptor that is open already and has a kernel context.
 *
 * api/context.c calls this file and fills the public function tables.
 */
#include "core/core_context.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/device_list.h"
#include "core/device_open.h"
#include "core/layer_load.h"
#include "core/op_table.h"
#include "util/cancel.h"

/* kernel_state.h reads its block at the start of the private block. */
_Static_assert(offsetof(struct verbs_ex_private, kernel) == 0,
	       "the kernel's part comes first");

/*
 * Every ioctl carries the driver id. If sysfs does not contain it, the
 * provider's match table has it.
 */
static uint32_t context_driver_id(const struct verbs_device *dev)
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

void verbs_context_prepare(struct ibv_context *ctx, size_t sz,
			   struct verbs_ex_private *priv,
			   struct verbs_device *dev,
			   struct verbs_cmd_file cmd_file)
{
	struct verbs_context *vctx =
		verbs_container_of(ctx, struct verbs_context, context);

	priv->kernel.driver_id = context_driver_id(dev);
	priv->kernel.nr_ports = dev->kernel.nr_ports;
	priv->kernel.imported = cmd_file.imported;
	priv->dev = dev;
	verbs_op_table_init(&priv->ops, cmd_file.fd >= 0);

	vctx->priv = priv;
	vctx->sz = sz;
	ctx->device = dev->pub;
	ctx->cmd_fd = cmd_file.fd;
	ctx->async_fd = -1;
	ctx->abi_compat = __VERBS_ABI_IS_EXTENDED;
	(void)pthread_mutex_init(&ctx->mutex, NULL); /* cannot fail on Linux */
	verbs_op_table_mirror(&priv->ops, &ctx->ops);
	verbs_device_get(dev);
}

void verbs_context_release(struct ibv_context *ctx)
{
	struct verbs_ex_private *priv = verbs_priv(ctx);

	if (ctx->async_fd >= 0)
		(void)close(ctx->async_fd);
	if (ctx->cmd_fd >= 0)
		(void)close(ctx->cmd_fd);
	(void)pthread_mutex_destroy(&ctx->mutex);
	verbs_device_put(priv->dev);
}

struct verbs_context *verbs_context_new(struct verbs_device *dev,
					struct verbs_cmd_file cmd_file,
					size_t size)
{
	const size_t unit = _Alignof(max_align_t);
	const size_t priv_offset = (size + unit - 1) / unit * unit;
	struct verbs_context *vctx;

	/* One allocation: freeing another takes as long as the rest. */
	vctx = calloc(1, priv_offset + sizeof(struct verbs_ex_private));
	if (!vctx) {
		if (cmd_file.fd >= 0)
			(void)close(cmd_file.fd);
		return NULL;
	}
	/*
	 * The provider was compiled with this version of the header, so its
	 * struct contains all of verbs_context.
	 */
	verbs_context_prepare(&vctx->context, sizeof(*vctx),
			      (void *)((char *)vctx + priv_offset), dev,
			      cmd_file);
	return vctx;
}

void verbs_context_free(struct verbs_context *vctx)
{
	verbs_context_release(&vctx->context);
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

const struct verbs_gsi_ops *verbs_get_gsi_ops(struct ibv_context *ctx,
					      uint32_t version)
{
	return verbs_ops(ctx)->get_gsi_ops
		       ? verbs_ops(ctx)->get_gsi_ops(ctx, version)
		       : NULL;
}

uint64_t verbs_core_support(const struct ibv_context *ctx)
{
	return verbs_priv(ctx)->kernel.core_support;
}

/*
 * Adds the async event descriptor, unless the provider has set it. From here on
 * a layer may observe the calls.
 */
static int context_finish_open(struct verbs_context *vctx,
			       struct ibv_context **ret_ctx)
{
	struct ibv_context *ctx = &vctx->context;
	int ret;

	if (ctx->async_fd < 0) {
		ret = VERBS_CALL_OP(ctx, alloc_async_fd, ctx, &ctx->async_fd);
		if (ret) {
			verbs_core_close(ctx);
			return ret;
		}
	}
	verbs_layer_attach(ctx);
	*ret_ctx = ctx;
	return 0;
}

static int context_open(struct verbs_device *dev, void *private_data,
			struct ibv_context **ret_ctx)
{
	const struct verbs_device_ops *provider = dev->provider;
	struct verbs_cmd_file cmd_file = { .fd = -1 };
	struct verbs_context *vctx;
	int ret;

	if (dev->has_node) {
		ret = verbs_open_node(&dev->kernel, &cmd_file.fd);
		if (ret)
			return ret;
	}
	ret = provider->foreign ? provider->foreign->open_context(
					  dev, cmd_file.fd, private_data, &vctx)
				: provider->open_context(dev, cmd_file, &vctx);
	return ret ? ret : context_finish_open(vctx, ret_ctx);
}

/* A thread that is cancelled meanwhile loses no context. */
int verbs_core_open_private(struct verbs_device *dev, void *private_data,
			    struct ibv_context **ret_ctx)
{
	int state = cancel_disable();
	int ret = context_open(dev, private_data, ret_ctx);

	if (ret)
		verbs_layer_open_failed(dev, ret);
	cancel_restore(state);
	return ret;
}

int verbs_core_open(struct verbs_device *dev, struct ibv_context **ret_ctx)
{
	return verbs_core_open_private(dev, NULL, ret_ctx);
}

/*
 * Whether a descriptor is a command descriptor of a device. That of a device
 * without a kernel driver is a regular file, which only its provider knows.
 */
static bool context_is_of_device(const struct verbs_device *dev, int cmd_fd,
				 const struct stat *st)
{
	if (S_ISCHR(st->st_mode))
		return dev->has_node && dev->kernel.cdev == st->st_rdev;
	return !dev->has_node && dev->provider->is_cmd_file &&
	       dev->provider->is_cmd_file(dev->pub, cmd_fd);
}

/* Finds the device of a command descriptor and takes a reference on it. */
static int context_find_device(int cmd_fd, const struct stat *st,
			       struct verbs_device **ret_dev)
{
	struct ibv_device **array;
	int ret = -ENODEV;
	int count;

	if (verbs_device_list_get(&array, &count) != 0)
		return -ENODEV;
	for (int i = 0; i < count && ret; i++) {
		struct verbs_device *dev = verbs_device_of(array[i]);

		if (context_is_of_device(dev, cmd_fd, st)) {
			verbs_device_get(dev);
			*ret_dev = dev;
			ret = 0;
		}
	}
	verbs_device_list_put(array);
	return ret;
}

static int context_import(struct verbs_device *dev, int cmd_fd,
			  struct verbs_context **ret_vctx)
{
	const struct verbs_cmd_file cmd_file = { .fd = cmd_fd,
						 .imported = true };
	const struct verbs_device_ops *provider = dev->provider;
	int ret;

	if (!provider->foreign)
		return provider->open_context(dev, cmd_file, ret_vctx);
	ret = provider->foreign->import_context(dev, cmd_fd, ret_vctx);
	if (ret)
		return ret;
	/* The module may not have sent a kernel command. */
	(*ret_vctx)->priv->kernel.imported = true;
	return 0;
}

int verbs_core_import(int cmd_fd, struct ibv_context **ret_ctx)
{
	struct verbs_context *vctx;
	struct verbs_device *dev;
	struct stat st;
	int ret;

	if (fstat(cmd_fd, &st) != 0)
		return -EINVAL;
	/* That of a user-space device without import may be an eventfd. */
	if ((st.st_mode & S_IFMT) == 0)
		return -EOPNOTSUPP;
	if (!S_ISCHR(st.st_mode) && !S_ISREG(st.st_mode))
		return -EINVAL;
	ret = context_find_device(cmd_fd, &st, &dev);
	if (ret)
		return S_ISCHR(st.st_mode) ? ret : -EINVAL;
	ret = context_import(dev, cmd_fd, &vctx);
	verbs_device_put(dev); /* the context has its own reference */
	return ret ? ret : context_finish_open(vctx, ret_ctx);
}

void verbs_core_close(struct ibv_context *ctx)
{
	const struct verbs_device_ops *provider =
		verbs_priv(ctx)->dev->provider;
	int state = cancel_disable();

	verbs_layer_detach(ctx);
	provider->close_context(
		verbs_container_of(ctx, struct verbs_context, context));
	cancel_restore(state);
}
