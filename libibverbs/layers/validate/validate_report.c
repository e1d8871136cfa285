/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* See validate_report.h. */
#include "layers/validate/validate_report.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "layers/layers_output.h"
#include "layers/validate/validate_rules.h"
#include "util/cancel.h"

/* Constant after the start. */
static struct validate_settings settings;
static struct layers_output log_file = LAYERS_OUTPUT_NONE;
static struct layers_output json_file = LAYERS_OUTPUT_NONE;

static atomic_uint nr_found[LAYERS_NR_RULES];

void validate_report_forked(void)
{
	for (int i = 0; i < LAYERS_NR_RULES; i++)
		atomic_store(&nr_found[i], 0);
}

bool validate_wants(enum layers_rule rule)
{
	return validate_rules[rule].id && !settings.is_off[rule] &&
	       (settings.hints ||
		validate_rules[rule].severity != VALIDATE_HINT);
}

void validate_report_start(const struct validate_settings *from)
{
	settings = *from;
	layers_output_open(&log_file, settings.log, validate_warn);
	layers_output_open(&json_file, settings.json, validate_warn);
}

/* ------------------------------------------------------------------------ */
/* Lines                                                                     */
/* ------------------------------------------------------------------------ */

static void report_add_json_string(struct explain_text *line, const char *text)
{
	explain_add(line, "\"");
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			explain_add(line, "\\%c", *text);
		else if ((unsigned char)*text < ' ')
			explain_add(line, "\\u%04x", (unsigned char)*text);
		else
			explain_add(line, "%c", *text);
	}
	explain_add(line, "\"");
}

/* Long messages are truncated, so that a line of JSON is always complete. */
static void report_write_json(const struct validate_rule *rule,
			      const struct ibv_context *ctx,
			      const struct explain_text *text)
{
	struct explain_text line = {}, message = {};

	explain_add(&message, "%.700s.", text->buf);
	explain_add(&line,
		    "{\"schema\": 1, \"id\": \"%s\", \"severity\": \"%s\", "
		    "\"process\": %ld, \"device\": ",
		    rule->id, validate_severity_name(rule->severity),
		    (long)getpid());
	report_add_json_string(&line, ctx->device->name);
	explain_add(&line, ", \"message\": ");
	report_add_json_string(&line, message.buf);
	explain_add(&line, "}");
	layers_output_write(json_file.fd, &line);
}

static void report_write_text(const struct validate_rule *rule,
			      const struct explain_text *text, bool is_last)
{
	struct explain_text line = {};

	explain_add(&line, "verbs-validate: %s %s: %.900s.%s", rule->id,
		    validate_severity_name(rule->severity), text->buf,
		    is_last ? " (This was the last message of this rule.)"
			    : "");
	layers_output_write(layers_output_fd(&log_file), &line);
}

void validate_report(enum layers_rule rule, const struct ibv_context *ctx,
		     const struct explain_text *text)
{
	unsigned int count;
	int saved = errno;
	int state;

	if (!validate_wants(rule))
		return;
	count = atomic_fetch_add(&nr_found[rule], 1);
	if (count >= settings.limit)
		return;
	state = cancel_disable();
	report_write_text(&validate_rules[rule], text,
			  count + 1 == settings.limit);
	if (layers_output_is_open(&json_file))
		report_write_json(&validate_rules[rule], ctx, text);
	cancel_restore(state);
	errno = saved;
}

/* ------------------------------------------------------------------------ */
/* The end of the process                                                    */
/* ------------------------------------------------------------------------ */

static void report_add_count(struct explain_text *line, unsigned int count,
			     const char *name)
{
	if (count)
		explain_add(line, "%s%u %s%s", line->len ? ", " : "", count,
			    name, count == 1 ? "" : "s");
}

/* Runs at exit(3): the module is never unloaded. */
__attribute__((destructor)) static void report_print_summary(void)
{
	unsigned int counts[VALIDATE_NR_SEVERITIES] = {}, unprinted = 0;
	struct explain_text line = {}, numbers = {};

	for (int i = 0; i < LAYERS_NR_RULES; i++) {
		unsigned int nr = atomic_load(&nr_found[i]);

		counts[validate_rules[i].severity] += nr;
		if (nr > settings.limit)
			unprinted += nr - settings.limit;
	}
	for (int i = 0; i < VALIDATE_NR_SEVERITIES; i++)
		report_add_count(&numbers, counts[i],
				 validate_severity_name(i));
	if (!numbers.len)
		return;
	explain_add(&line, "verbs-validate: %s", numbers.buf);
	if (unprinted)
		explain_add(&line, "; %u were not printed", unprinted);
	layers_output_write(layers_output_fd(&log_file), &line);
}
