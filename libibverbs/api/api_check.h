/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Do the objects of one call belong together? An object of another context has
 * a number that means something else, or nothing, where it is sent.
 */
#ifndef API_API_CHECK_H
#define API_API_CHECK_H

#include <infiniband/verbs.h>
#include <stdbool.h>

#include "core/core_context.h"

/**
 * api_context_accepts() - can an object of context @other be used with one of
 * @ctx
 *
 * An imported context shares the descriptor of another one, and with it the
 * objects; which of the device's contexts that is, nobody knows.
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

/* The same for objects, which must be there. */
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
