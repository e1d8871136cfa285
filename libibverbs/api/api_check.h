/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checks that the objects of one call belong together. In the kernel, the
 * handle of an object of another context denotes a different object, or none.
 */
#ifndef API_API_CHECK_H
#define API_API_CHECK_H

#include <infiniband/verbs.h>
#include <stdbool.h>

#include "core/core_context.h"

/**
 * api_context_accepts() - check whether @ctx may use objects of @other
 *
 * An imported context shares a descriptor, and thereby its objects, with
 * another context of the same device. The library does not know which one.
 */
static inline bool api_context_accepts(const struct ibv_context *ctx,
				       const struct ibv_context *other)
{
	if (ctx == other)
		return true;
	return ctx->device == other->device &&
	       (verbs_priv(ctx)->kernel.imported ||
		verbs_priv(other)->kernel.imported);
}

/* The same for objects, which must not be NULL. */
static inline bool api_context_accepts_pd(const struct ibv_context *ctx,
					  const struct ibv_pd *pd)
{
	return pd && api_context_accepts(ctx, pd->context);
}

static inline bool api_context_accepts_cq(const struct ibv_context *ctx,
					  const struct ibv_cq *cq)
{
	return cq && api_context_accepts(ctx, cq->context);
}

static inline bool api_context_accepts_xrcd(const struct ibv_context *ctx,
					    const struct ibv_xrcd *xrcd)
{
	return xrcd && api_context_accepts(ctx, xrcd->context);
}

#endif
