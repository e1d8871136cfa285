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

/* Private block of the context of a foreign provider: verbs_context.priv. */
struct foreign_context {
	struct verbs_ex_private priv; /* first, for verbs_priv() and kernel/ */
	const struct foreign_variant *variant;
	unsigned int release;	/* foreign_release() */
	struct foreign_ops ops; /* ops that the provider has set, or NULL */
};

/* The functions below are for contexts of foreign providers only. */
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
 * The oldest rdma-core release that the provider can be of. 54 means that it
 * was built for v54, or for a later release of its variant with the same
 * verbs_qp. 0 if the possible releases differ in verbs_qp.
 */
static inline unsigned int foreign_release(const struct ibv_context *ctx)
{
	return foreign_context(ctx)->release;
}

#endif
