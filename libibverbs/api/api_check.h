/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checks of the objects of a control call: each exists, and all belong
 * together. In the kernel, the handle of an object of another context denotes a
 * different object, or none. The layer validate reports both mistakes.
 */
#ifndef API_API_CHECK_H
#define API_API_CHECK_H

#include <infiniband/verbs.h>
#include <stdbool.h>

#include "core/core_context.h"
#include "core/layer_load.h"

/* The kind of an object, which is not evaluated. */
/* clang-format off: it does not know _Generic() */
#define API_KIND(object)                                 \
	_Generic(*(object), struct ibv_pd                \
		 : LAYERS_PD, struct ibv_mr              \
		 : LAYERS_MR, struct ibv_mw              \
		 : LAYERS_MW, struct ibv_ah              \
		 : LAYERS_AH, struct ibv_cq              \
		 : LAYERS_CQ, struct ibv_srq             \
		 : LAYERS_SRQ, struct ibv_qp             \
		 : LAYERS_QP, struct ibv_wq              \
		 : LAYERS_WQ, struct ibv_rwq_ind_table   \
		 : LAYERS_TABLE, struct ibv_flow         \
		 : LAYERS_FLOW, struct ibv_flow_action   \
		 : LAYERS_ACTION, struct ibv_counters    \
		 : LAYERS_COUNTERS, struct ibv_comp_cntr \
		 : LAYERS_COMP_CNTR, struct ibv_td       \
		 : LAYERS_TD, struct ibv_xrcd            \
		 : LAYERS_XRCD, struct ibv_dm            \
		 : LAYERS_DM, struct ibv_dmah            \
		 : LAYERS_DMAH, struct ibv_comp_channel  \
		 : LAYERS_CHANNEL)
/* clang-format on */

/*
 * API_EXISTS() - whether an object is not NULL, and no layer knows that it was
 * destroyed
 *
 * Call it before the object is read; evaluates @object more than once. A static
 * function names the function of the program: API_EXISTS_IN().
 */
#define API_EXISTS(object) API_EXISTS_IN(__func__, object)
#define API_EXISTS_IN(function, object) \
	((object) &&                    \
	 verbs_layer_object_exists(function, API_KIND(object), object))

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

/* Return: as api_context_accepts(). If not, the layers get the object. */
static inline bool api_accepts(const char *function,
			       const struct ibv_context *ctx,
			       enum layers_kind kind, const void *object,
			       const struct ibv_context *other)
{
	if (api_context_accepts(ctx, other))
		return true;
	verbs_layer_object_is_foreign(function, ctx, kind, object);
	return false;
}

/* API_ACCEPTS() - whether an object exists, and @ctx may use it */
#define API_ACCEPTS(function, ctx, object)                    \
	(API_EXISTS_IN(function, object) &&                   \
	 api_accepts(function, ctx, API_KIND(object), object, \
		     (object)->context))

#endif
