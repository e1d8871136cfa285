/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the library keeps for each context of a foreign provider, and the
 * accessors for it. Filled in by foreign_context.c.
 */
#ifndef FOREIGN_FOREIGN_STATE_H
#define FOREIGN_FOREIGN_STATE_H

#include <infiniband/verbs.h>

#include "core/core_context.h"
#include "foreign/foreign_ops.h"
#include "foreign/foreign_variant.h"

/* Private block of such a context: what verbs_context.priv points to. */
struct foreign_context {
	struct verbs_ex_private priv; /* first: verbs_priv(), kernel/ */
	const struct foreign_variant *variant;
	unsigned int release;	/* foreign_release() */
	struct foreign_ops ops; /* what it set; NULL where it has none */
};

/* Only for contexts of foreign providers. */
static inline struct foreign_context *
foreign_context(const struct ibv_context *ctx)
{
	return verbs_container_of(verbs_priv(ctx), struct foreign_context,
				  priv);
}

static inline const struct foreign_ops *
foreign_ops(const struct ibv_context *ctx)
{
	return &foreign_context(ctx)->ops;
}

static inline const struct foreign_variant *
foreign_variant(const struct ibv_context *ctx)
{
	return foreign_context(ctx)->variant;
}

/*
 * The oldest rdma-core release that the provider can be of: 54 means that it
 * was built for v54, or for a newer one of its variant with the same verbs_qp.
 * 0 if it can be of releases whose verbs_qp differs.
 */
static inline unsigned int foreign_release(const struct ibv_context *ctx)
{
	return foreign_context(ctx)->release;
}

#endif
