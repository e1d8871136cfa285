/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The layers host: state of an observed context, and the functions that replace
 * its ops. Objects are not wrapped: the program has the pointers of the
 * provider, and the records (layers/layers_record.h) are beside them.
 */
#ifndef LAYERS_LAYERS_H
#define LAYERS_LAYERS_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "core/core_context.h"

struct fault_context;

/* The member layer of a context's private block. */
struct layers_context {
	struct verbs_context_ops below; /* of the provider, or of fault */
	/* of the provider; set if the layer fault is enabled */
	struct verbs_context_ops below_fault;
	struct fault_context *fault; /* NULL: no rule has event= */
	/* those that the layer validate calls; set if it is enabled */
	struct verbs_context_ops below_validate;
	bool knows_keys; /* all local keys are those of observed regions */
	atomic_bool is_partly_seen; /* it has queue pairs without a record */
};

static inline struct layers_context *
layers_context(const struct ibv_context *ctx)
{
	return verbs_priv(ctx)->layer;
}

/* Ops of the provider: as verbs_ops(). */
static inline const struct verbs_context_ops *
layers_below(const struct ibv_context *ctx)
{
	return &layers_context(ctx)->below;
}

/* Calls an op of the provider: as VERBS_CALL_OP(). */
#define LAYERS_CALL_BELOW(ctx, op, ...)                             \
	(layers_below(ctx)->op ? layers_below(ctx)->op(__VA_ARGS__) \
			       : -EOPNOTSUPP)

/**
 * layers_replace_ops() - make the ops of a context call this module
 * @table: its ops; the provider's are in layers_below()
 *
 * Each function replaces the ops of its file, if the provider has them.
 */
void layers_replace_object_ops(struct verbs_context_ops *table);
void layers_replace_queue_ops(struct verbs_context_ops *table);
void layers_replace_data_ops(struct verbs_context_ops *table);
void layers_replace_trace_ops(struct verbs_context_ops *table);

#endif
