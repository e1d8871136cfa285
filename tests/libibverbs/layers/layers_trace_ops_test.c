/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Every op of provider.h is recorded by the layer trace. The module's objects
 * are linked, since no public interface has a list of ops: a new op without a
 * record would not be noticed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "layers/layers.h"

typedef void (*op_pointer)(void);

static void provider_op(void)
{
}

static void replace_all(struct verbs_context_ops *table)
{
	layers_replace_object_ops(table);
	layers_replace_queue_ops(table);
	layers_replace_data_ops(table);
	layers_replace_trace_ops(table);
}

/* The program does not call these; async_event records what was read. */
static bool op_is_internal(size_t offset)
{
	if (offset == offsetof(struct verbs_context_ops, get_async_event))
		return true;
	return offset == offsetof(struct verbs_context_ops, alloc_async_fd) ||
	       offset == offsetof(struct verbs_context_ops, describe_error) ||
	       offset == offsetof(struct verbs_context_ops, get_gsi_ops) ||
	       offset == offsetof(struct verbs_context_ops, qp_to_ex);
}

static void trace_replaces_every_op(void **state)
{
	op_pointer ops[sizeof(struct verbs_context_ops) / sizeof(op_pointer)];
	struct verbs_context_ops table;
	const size_t nr = sizeof(ops) / sizeof(ops[0]);

	for (size_t i = 0; i < nr; i++)
		ops[i] = provider_op;
	memcpy(&table, ops, sizeof(table));
	replace_all(&table);
	memcpy(ops, &table, sizeof(table));
	for (size_t i = 0; i < nr; i++) {
		size_t offset = i * sizeof(op_pointer);

		if ((ops[i] == provider_op) != op_is_internal(offset))
			fail_msg("the op at offset %zu of "
				 "struct verbs_context_ops",
				 offset);
	}
}

static void trace_replaces_no_op_that_provider_lacks(void **state)
{
	struct verbs_context_ops table = {};
	const struct verbs_context_ops none = {};

	/* The data path has functions in each table. */
	layers_replace_object_ops(&table);
	layers_replace_queue_ops(&table);
	layers_replace_trace_ops(&table);
	assert_memory_equal(&table, &none, sizeof(table));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trace_replaces_every_op),
		cmocka_unit_test(trace_replaces_no_op_that_provider_lacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
