/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The op table of a context: defaults, and what the provider puts over them. */
#ifndef CORE_OP_TABLE_H
#define CORE_OP_TABLE_H

#include <provider/provider.h>
#include <stdbool.h>

/**
 * verbs_op_table_prepare() - put the parts of the defaults together, once
 *
 * The first open would do it otherwise.
 *
 * Context: any thread.
 */
void verbs_op_table_prepare(void);

/**
 * verbs_op_table_init() - fill a table so that no member is NULL
 * @kernel_backed: start from the kernel's queries and event descriptors
 */
void verbs_op_table_init(struct verbs_context_ops *table, bool kernel_backed);

/** verbs_op_table_merge() - put the members of @ops that are set into @table */
void verbs_op_table_merge(struct verbs_context_ops *table,
			  const struct verbs_context_ops *ops);

/**
 * verbs_op_table_mirror() - show the data path to applications
 * @public_ops: the slots that inline functions call straight
 */
void verbs_op_table_mirror(const struct verbs_context_ops *table,
			   struct ibv_context_ops *public_ops);

#endif
