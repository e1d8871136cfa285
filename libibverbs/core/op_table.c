/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Builds the op table of a context: the defaults of core/op_defaults_*.c, the
 * ops that the kernel implements for every device, and the ops of the
 * provider. core/core_context.c calls it.
 */
#include "core/op_table.h"

#include <provider/kernel.h>
#include <pthread.h>
#include <stddef.h>

#include "core/op_defaults.h"

/*
 * The table consists of function pointers only. The merge treats it as an
 * array of this type, which may alias all of them.
 */
typedef void (*any_op)(void) __attribute__((may_alias));

#define NR_OPS (sizeof(struct verbs_context_ops) / sizeof(any_op))

_Static_assert(sizeof(struct verbs_context_ops) % sizeof(any_op) == 0,
	       "only function pointers in the op table");

/* Ops that the kernel implements for all its devices, whatever the driver. */
static const struct verbs_context_ops kernel_ops = {
	.query_gid_entry = verbs_cmd_query_gid_entry,
	.query_gid_table = verbs_cmd_query_gid_table,
	.query_pkey = verbs_cmd_query_pkey,
	.alloc_async_fd = verbs_cmd_alloc_async_fd,
	.create_comp_channel = verbs_cmd_create_comp_channel,
};

void verbs_op_table_merge(struct verbs_context_ops *table,
			  const struct verbs_context_ops *ops)
{
	const any_op *from = (const any_op *)ops;
	any_op *to = (any_op *)table;

	for (size_t i = 0; i < NR_OPS; i++) {
		if (from[i])
			to[i] = from[i];
	}
}

/* Initial tables of contexts without and with a kernel driver. Written once. */
static struct verbs_context_ops defaults, kernel_defaults;

static void op_table_join_defaults(void)
{
	defaults = verbs_device_defaults;
	verbs_op_table_merge(&defaults, &verbs_memory_defaults);
	verbs_op_table_merge(&defaults, &verbs_queue_defaults);
	kernel_defaults = defaults;
	verbs_op_table_merge(&kernel_defaults, &kernel_ops);
}

void verbs_op_table_prepare(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	(void)pthread_once(&once, op_table_join_defaults); /* cannot fail */
}

void verbs_op_table_init(struct verbs_context_ops *table, bool kernel_backed)
{
	verbs_op_table_prepare();
	*table = kernel_backed ? kernel_defaults : defaults;
}

void verbs_op_table_mirror(const struct verbs_context_ops *table,
			   struct ibv_context_ops *public_ops)
{
	public_ops->poll_cq = table->poll_cq;
	public_ops->req_notify_cq = table->req_notify_cq;
	public_ops->post_send = table->post_send;
	public_ops->post_recv = table->post_recv;
	public_ops->post_srq_recv = table->post_srq_recv;
	public_ops->bind_mw = table->bind_mw;
}
