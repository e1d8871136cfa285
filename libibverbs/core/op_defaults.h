/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The default ops of a context, in four tables. Each member of struct
 * verbs_context_ops is set in exactly one of them.
 */
#ifndef CORE_OP_DEFAULTS_H
#define CORE_OP_DEFAULTS_H

#include <provider/provider.h>

extern const struct verbs_context_ops verbs_device_defaults;
extern const struct verbs_context_ops verbs_memory_defaults;
extern const struct verbs_context_ops verbs_queue_defaults;
extern const struct verbs_context_ops verbs_flow_defaults;

#endif
