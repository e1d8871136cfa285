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
static const struct fault_replay *log_replay; /* NULL: there is none */
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

void fault_log_start(const struct fault_plan *plan,
		     const struct fault_replay *replay)
{
	log_plan = plan;
	log_replay = replay;
	layers_output_open(&log_file, plan->log, fault_warn);
}

void fault_log_use(void)
{
	atomic_store(&is_used, true);
}

/*
 * A child that opens no device reports nothing at exit. The faults that the
 * parent repeats are unknown to the child.
 */
void fault_log_forked(void)
{
	atomic_store(&is_used, false);
	log_replay = NULL;
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

static void log_add_rule(struct explain_text *line,
			 const struct fault_rule *rule)
{
	struct fault_text text = fault_logged_text(rule);

	explain_add(line, ": %.*s", (int)text.len, text.start);
}

void fault_log(const struct fault_rule *rule, const struct fault_object *object,
	       uint64_t event)
{
	unsigned int index = (unsigned int)(rule - log_plan->rules);
	struct explain_text line = {};

	atomic_store(&has_acted[index], true);
	explain_add(&line, "verbs-fault: rule %u, %s%s, %s %llu, event %llu",
		    index + 1, rule->call == FAULT_NO_CALL ? "" : "ibv_",
		    fault_call_name(rule->call), fault_kind_name(object->kind),
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

static void log_print_missing(void)
{
	const struct fault_replayed *first;
	size_t nr = fault_replay_missing(log_replay, &first);
	struct explain_text line = {};

	if (nr == 0)
		return;
	explain_add(&line,
		    "verbs-fault: %zu of %zu faults were not repeated, first "
		    "rule %u, %s %llu, event %llu",
		    nr, log_replay->nr, first->rule + 1,
		    fault_kind_name(first->kind),
		    (unsigned long long)first->serial,
		    (unsigned long long)first->event);
	log_add_rule(&line, &log_plan->rules[first->rule]);
	log_write(&line);
}

/* Runs at exit(3): the module is never unloaded. */
__attribute__((destructor)) static void log_print_rest(void)
{
	if (!atomic_load(&is_used))
		return;
	if (log_replay) {
		log_print_missing();
		return;
	}
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
