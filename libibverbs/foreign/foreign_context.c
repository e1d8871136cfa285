/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Life of a context in memory of a foreign provider. The provider's
 * alloc_context() calls _verbs_init_and_alloc_context(), then verbs_set_ops()
 * any number of times. Commands can be sent on the context before the first
 * verbs_set_ops(). The provider's free_context() calls verbs_uninit_context()
 * at its end.
 */
#include "foreign/foreign_context.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/op_table.h"
#include "foreign/foreign_adapt.h"
#include "foreign/foreign_export.h"
#include "foreign/foreign_provider.h"
#include "foreign/foreign_state.h"

/* A device outside the kernel needs no descriptor for async events. */
static int foreign_context_no_async_fd(struct ibv_context *ctx, int *ret_fd)
{
	return 0;
}

static const struct verbs_context_ops no_kernel_ops = {
	.alloc_async_fd = foreign_context_no_async_fd,
};

static const struct foreign_provider *
foreign_context_provider_of(struct ibv_device *device,
			    struct verbs_device **ret_dev)
{
	struct verbs_device *dev = device ? verbs_device_of(device) : NULL;

	if (!dev || !dev->provider->foreign)
		return NULL;
	*ret_dev = dev;
	return foreign_provider_of(dev->provider);
}

/*
 * Allocate the struct of the provider; return NULL with errno set on failure.
 */
static char *
foreign_context_alloc_struct(const struct foreign_provider *provider,
			     size_t size, size_t offset)
{
	size_t end;
	char *start;

	if (!provider ||
	    __builtin_add_overflow(
		    offset, foreign_variant_sz(provider->variant), &end) ||
	    end > size) {
		errno = EINVAL;
		return NULL;
	}
	start = calloc(1, size);
	if (!start)
		errno = ENOMEM;
	return start;
}

void *foreign_init_and_alloc_context(struct ibv_device *device, int cmd_fd,
				     size_t alloc_size, void *context_offset,
				     uint32_t driver_id)
{
	/*
	 * A module's import_context() cannot mark the context as imported here;
	 * foreign_cmd_query_context() does.
	 */
	const struct verbs_cmd_file cmd_file = { .fd = cmd_fd };
	const struct foreign_variant *variant;
	const struct foreign_provider *provider;
	struct foreign_context *fctx;
	struct verbs_device *dev;
	struct ibv_context *ctx;
	char *start;

	/* rdma-core declares the offset as a pointer. */
	provider = foreign_context_provider_of(device, &dev);
	start = foreign_context_alloc_struct(provider, alloc_size,
					     (uintptr_t)context_offset);
	if (!start)
		goto err_close;
	fctx = calloc(1, sizeof(*fctx));
	if (!fctx)
		goto err_free;

	variant = provider->variant;
	ctx = (void *)(start + (uintptr_t)context_offset +
		       variant->context_offset);
	fctx->variant = variant;
	fctx->release = provider->release;
	verbs_context_prepare(ctx, foreign_variant_sz(variant), &fctx->priv,
			      dev, cmd_file);
	fctx->priv.kernel.driver_id = driver_id;
	if (!dev->has_node)
		verbs_op_table_merge(&fctx->priv.ops, &no_kernel_ops);
	return start;

err_free:
	free(start);
	errno = ENOMEM;
err_close:
	if (cmd_fd >= 0)
		(void)close(cmd_fd);
	return NULL;
}
FOREIGN_EXPORT_ALL(foreign_init_and_alloc_context,
		   _verbs_init_and_alloc_context)

/*
 * The variants of a node have verbs_context structs of different sizes. At the
 * offset where abi_compat has its marker in the shorter one, the longer one has
 * a mutex, which never has this value.
 */
struct ibv_context *foreign_context_of(unsigned int node, void *vctx)
{
	for (size_t i = 0; vctx && i < FOREIGN_NR_VARIANTS; i++) {
		const struct foreign_variant *variant = &foreign_variants[i];
		struct ibv_context *ctx;

		if (variant->node != node)
			continue;
		ctx = (void *)((char *)vctx + variant->context_offset);
		if (ctx->abi_compat == __VERBS_ABI_IS_EXTENDED &&
		    foreign_context(ctx)->variant == variant)
			return ctx;
	}
	return NULL;
}

/* ------------------------------------------------------------------------ */
/* verbs_set_ops()                                                           */
/* ------------------------------------------------------------------------ */

static void foreign_context_set_ops(unsigned int node, void *vctx,
				    const void *ops)
{
	struct ibv_context *ctx = foreign_context_of(node, vctx);
	struct verbs_context_ops adapted = {};
	struct foreign_context *fctx;

	if (!ctx)
		return;
	fctx = foreign_context(ctx);
	foreign_variant_read_ops(fctx->variant, ops, &fctx->ops);
	foreign_adapt(&fctx->ops, &adapted);
	verbs_op_table_merge(&fctx->priv.ops, &adapted);
	verbs_op_table_mirror(&fctx->priv.ops, &ctx->ops);
}

void foreign_set_ops_34(void *vctx, const void *ops)
{
	foreign_context_set_ops(34, vctx, ops);
}
FOREIGN_EXPORT(foreign_set_ops_34, verbs_set_ops, 34)

void foreign_set_ops_57(void *vctx, const void *ops)
{
	foreign_context_set_ops(57, vctx, ops);
}
FOREIGN_EXPORT(foreign_set_ops_57, verbs_set_ops, 57)

void foreign_set_ops_59(void *vctx, const void *ops)
{
	foreign_context_set_ops(59, vctx, ops);
}
FOREIGN_EXPORT(foreign_set_ops_59, verbs_set_ops, 59)

void foreign_set_ops_64(void *vctx, const void *ops)
{
	foreign_context_set_ops(64, vctx, ops);
}
FOREIGN_EXPORT(foreign_set_ops_64, verbs_set_ops, 64)

void foreign_set_ops_65(void *vctx, const void *ops)
{
	foreign_context_set_ops(65, vctx, ops);
}
FOREIGN_EXPORT(foreign_set_ops_65, verbs_set_ops, 65)

/* ------------------------------------------------------------------------ */
/* verbs_uninit_context()                                                    */
/* ------------------------------------------------------------------------ */

static void foreign_context_uninit(unsigned int node, void *vctx)
{
	struct ibv_context *ctx = foreign_context_of(node, vctx);
	struct foreign_context *fctx;

	if (!ctx)
		return;
	fctx = foreign_context(ctx);
	verbs_context_release(ctx);
	free(fctx);
}

void foreign_uninit_context_34(void *vctx)
{
	foreign_context_uninit(34, vctx);
}
FOREIGN_EXPORT(foreign_uninit_context_34, verbs_uninit_context, 34)

void foreign_uninit_context_57(void *vctx)
{
	foreign_context_uninit(57, vctx);
}
FOREIGN_EXPORT(foreign_uninit_context_57, verbs_uninit_context, 57)

void foreign_uninit_context_59(void *vctx)
{
	foreign_context_uninit(59, vctx);
}
FOREIGN_EXPORT(foreign_uninit_context_59, verbs_uninit_context, 59)

void foreign_uninit_context_64(void *vctx)
{
	foreign_context_uninit(64, vctx);
}
FOREIGN_EXPORT(foreign_uninit_context_64, verbs_uninit_context, 64)

void foreign_uninit_context_65(void *vctx)
{
	foreign_context_uninit(65, vctx);
}
FOREIGN_EXPORT(foreign_uninit_context_65, verbs_uninit_context, 65)
