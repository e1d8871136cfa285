/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ops that no rule selects. They fail with EIO when a rule with
 * event=DEVICE_FATAL has removed the device; those that destroy an object stay
 * as they are. Macros make the functions from the table of the layer trace.
 */
#include "layers/fault/fault.h"
#include "layers/fault/fault_async.h"
#include "layers/trace/trace_ops.h"

#define REMOVED_DEFINE_OP(op, id, name, ctx_of, key, bytes, parameters, \
			  arguments)                                    \
	static int removed_##op parameters                              \
	{                                                               \
		return fault_is_removed(ctx_of)                         \
			       ? -EIO                                   \
			       : fault_below(ctx_of)->op arguments;     \
	}

#define REMOVED_IGNORE_OP(op, id, name, ctx_of, key, bytes, parameters, \
			  arguments)
#define REMOVED_IGNORE_OWN(id, name)

TRACE_CONTROL_OPS(REMOVED_DEFINE_OP, REMOVED_DEFINE_OP, REMOVED_IGNORE_OP,
		  REMOVED_IGNORE_OWN)

static ssize_t removed_query_gid_table(struct ibv_context *ctx,
				       struct ibv_gid_entry *entries,
				       size_t max_entries)
{
	return fault_is_removed(ctx) ? -EIO
				     : fault_below(ctx)->query_gid_table(
					       ctx, entries, max_entries);
}

static int removed_post_srq_ops(struct ibv_srq *srq, struct ibv_ops_wr *wr,
				struct ibv_ops_wr **bad_wr)
{
	if (!fault_is_removed(srq->context))
		return fault_below(srq->context)->post_srq_ops(srq, wr, bad_wr);
	*bad_wr = wr;
	return EIO;
}

static int removed_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw,
			   struct ibv_mw_bind *bind)
{
	return fault_is_removed(qp->context)
		       ? EIO
		       : fault_below(qp->context)->bind_mw(qp, mw, bind);
}

/* Ops that destroy an object, and one whose result is a property. */
static void removed_restore_ops(struct verbs_context_ops *table,
				const struct verbs_context_ops *provider)
{
#define RESTORE(op) table->op = provider->op
	RESTORE(dealloc_td);
	RESTORE(free_dm);
	RESTORE(dealloc_dmah);
	RESTORE(destroy_wq);
	RESTORE(destroy_rwq_ind_table);
	RESTORE(destroy_flow);
	RESTORE(destroy_flow_action);
	RESTORE(destroy_counters);
	RESTORE(destroy_comp_cntr);
	RESTORE(query_qp_data_in_order);
#undef RESTORE
}

/* The other files of this layer replace the ops that rules select. */
void fault_replace_removed_ops(struct verbs_context_ops *table)
{
	const struct verbs_context_ops provider = *table;

#define REPLACE_ROW(op, id, name, ctx_of, key, bytes, parameters, arguments) \
	LAYERS_REPLACE(table, removed, op);
	TRACE_CONTROL_OPS(REPLACE_ROW, REPLACE_ROW, REMOVED_IGNORE_OP,
			  REMOVED_IGNORE_OWN)
#undef REPLACE_ROW
	LAYERS_REPLACE(table, removed, query_gid_table);
	LAYERS_REPLACE(table, removed, post_srq_ops);
	LAYERS_REPLACE(table, removed, bind_mw);
	removed_restore_ops(table, &provider);
}
