/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* See fault_log.h. */
#include "layers/fault/fault_log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>

#include "layers/layers_output.h"
#include "layers/layers_settings.h"
#include "util/cancel.h"

/* Constant after fault_log_start(). */
static const struct fault_plan *log_plan;
static struct layers_output log_file = LAYERS_OUTPUT_NONE;

static atomic_bool has_acted[FAULT_MAX_RULES];
static atomic_bool is_used; /* a context was opened */

void fault_warn(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	layers_settings_warn("VERBS_FAULT", fmt, args);
	va_end(args);
}

void fault_log_start(const struct fault_plan *plan)
{
	log_plan = plan;
	layers_output_open(&log_file, plan->log, fault_warn);
}

void fault_log_use(void)
{
	atomic_store(&is_used, true);
}

/* A child that opens no device reports nothing at exit. */
void fault_log_forked(void)
{
	atomic_store(&is_used, false);
	for (unsigned int i = 0; i < FAULT_MAX_RULES; i++)
		atomic_store(&has_acted[i], false);
}

static void log_write(struct explain_text *line)
{
	int saved = errno;
	int state = cancel_disable();

	layers_output_write(layers_output_fd(&log_file), line);
	cancel_restore(state);
	errno = saved;
}

static const char *log_kind_name(enum fault_kind kind)
{
	static const char *const names[FAULT_NR_KINDS] = {
		[FAULT_CONTEXT] = "context",
		[FAULT_QP] = "QP",
		[FAULT_CQ] = "CQ",
		[FAULT_SRQ] = "SRQ",
	};

	return names[kind];
}

static void log_add_rule(struct explain_text *line,
			 const struct fault_rule *rule)
{
	explain_add(line, ": %.*s",
		    rule->text.len < 400 ? (int)rule->text.len : 400,
		    rule->text.start);
}

void fault_log(const struct fault_rule *rule, const struct fault_object *object,
	       uint64_t event)
{
	unsigned int index = (unsigned int)(rule - log_plan->rules);
	struct explain_text line = {};

	atomic_store(&has_acted[index], true);
	explain_add(&line, "verbs-fault: rule %u, %s%s, %s %llu, event %llu",
		    index + 1, rule->call == FAULT_NO_CALL ? "" : "ibv_",
		    fault_call_name(rule->call), log_kind_name(object->kind),
		    (unsigned long long)object->serial,
		    (unsigned long long)event);
	log_add_rule(&line, rule);
	log_write(&line);
}

void fault_log_unable(const struct fault_object *qp, const char *reason)
{
	struct explain_text line = {};

	explain_add(&line, "verbs-fault: QP %llu has no faults of wc=: %s",
		    (unsigned long long)qp->serial, reason);
	log_write(&line);
}

/* Runs at exit(3): the module is never unloaded. */
__attribute__((destructor)) static void log_print_idle_rules(void)
{
	if (!atomic_load(&is_used))
		return;
	for (unsigned int i = 0; i < log_plan->nr_rules; i++) {
		struct explain_text line = {};

		if (atomic_load(&has_acted[i]))
			continue;
		explain_add(&line, "verbs-fault: rule %u has never acted",
			    i + 1);
		log_add_rule(&line, &log_plan->rules[i]);
		log_write(&line);
	}
}
