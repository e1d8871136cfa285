/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The lines that report faults. */
#ifndef LAYERS_FAULT_LOG_H
#define LAYERS_FAULT_LOG_H

#include "layers/fault/fault_objects.h"
#include "layers/fault/fault_replay.h"
#include "layers/fault/fault_rules.h"

/** fault_warn() - print "libibverbs: VERBS_FAULT: ..." */
void fault_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/**
 * fault_log_start() - create the file of a plan, which is constant
 * @replay: or NULL
 */
void fault_log_start(const struct fault_plan *plan,
		     const struct fault_replay *replay);

/**
 * fault_log_use() - at exit, report the rules that have not acted, or the
 * faults that were not repeated
 */
void fault_log_use(void);

/** fault_log_forked() - called in the child of a fork() */
void fault_log_forked(void);

/**
 * fault_log() - report a fault; errno is unchanged
 * @event: its number among the events of @object that match @rule at any time
 */
void fault_log(const struct fault_rule *rule, const struct fault_object *object,
	       uint64_t event);

/** fault_log_unable() - report that rules with wc= cannot act on a QP */
void fault_log_unable(const struct fault_object *qp, const char *reason);

#endif
