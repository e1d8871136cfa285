/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The default ops of a context, in three tables: the data path, and ops that do
 * something without the provider. All other ops of struct verbs_context_ops are
 * NULL by default, and VERBS_CALL_OP() returns -EOPNOTSUPP for them.
 */
#ifndef CORE_OP_DEFAULTS_H
#define CORE_OP_DEFAULTS_H

#include <provider/provider.h>

extern const struct verbs_context_ops verbs_device_defaults;
extern const struct verbs_context_ops verbs_memory_defaults;
extern const struct verbs_context_ops verbs_queue_defaults;

#endif
