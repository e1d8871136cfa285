/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The op table of a context: the defaults and the ops of the provider. */
#ifndef CORE_OP_TABLE_H
#define CORE_OP_TABLE_H

#include <provider/provider.h>
#include <stdbool.h>

/**
 * verbs_op_table_prepare() - merge the default tables, once
 *
 * Otherwise the first open does it.
 *
 * Context: any thread.
 */
void verbs_op_table_prepare(void);

/**
 * verbs_op_table_init() - fill a table with the default ops
 * @kernel_backed: include the kernel's queries and event descriptors
 *
 * The other members are NULL: see VERBS_CALL_OP() in core/core_context.h.
 */
void verbs_op_table_init(struct verbs_context_ops *table, bool kernel_backed);

/** verbs_op_table_merge() - copy the non-NULL members of @ops into @table */
void verbs_op_table_merge(struct verbs_context_ops *table,
			  const struct verbs_context_ops *ops);

/**
 * verbs_op_table_mirror() - copy the data path ops to the public table
 * @public_ops: inline functions of applications call its slots directly
 */
void verbs_op_table_mirror(const struct verbs_context_ops *table,
			   struct ibv_context_ops *public_ops);

#endif
