/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Enables the layer fault, and begins and ends it for each context. */
#include <fcntl.h>
#include <string.h>

#include "layers/fault/fault.h"
#include "layers/fault/fault_async.h"
#include "layers/fault/fault_events.h"
#include "layers/fault/fault_log.h"
#include "layers/fault/fault_receives.h"
#include "layers/fault/fault_requests.h"
#include "util/text_file.h"

#define MAX_TEXT 65536

bool fault_is_on;

/* Return: the rules, or NULL after a warning. */
static const char *fault_read_settings(const char *settings)
{
	static char text[MAX_TEXT];
	ssize_t len;

	if (!settings || !*settings) {
		fault_warn("not set; there are no faults");
		return NULL;
	}
	if (*settings != '@')
		return settings;
	len = text_file_read_at(AT_FDCWD, settings + 1, text, sizeof(text));
	if (len >= 0)
		return text;
	fault_warn("cannot read %s: %s; there are no faults", settings + 1,
		   strerror((int)-len));
	return NULL;
}

void fault_request(const char *settings)
{
	static struct fault_plan plan;
	struct fault_mistake mistake;
	const char *text = fault_read_settings(settings);

	if (!text)
		return;
	fault_is_on = fault_plan_parse(text, &plan, &mistake);
	if (!fault_is_on) {
		fault_warn("line %u, column %u: \"%.*s\": %s; there are no "
			   "faults",
			   mistake.line, mistake.column,
			   mistake.text.len < 100 ? (int)mistake.text.len : 100,
			   mistake.text.start, mistake.message);
		return;
	}
	fault_plan_start(&plan);
	fault_log_start(&plan);
}

void fault_lock_fork(void)
{
	fault_async_lock_fork();
	fault_requests_lock_fork();
}

void fault_unlock_fork(void)
{
	fault_requests_unlock_fork();
	fault_async_unlock_fork();
}

void fault_forked(void)
{
	fault_log_forked();
	fault_requests_forked();
	fault_receives_forked();
	fault_async_forked();
}

void fault_attach(struct ibv_context *ctx)
{
	struct verbs_ex_private *priv = verbs_priv(ctx);

	layers_context(ctx)->below_fault = priv->ops;
	(void)fault_object_add(FAULT_CONTEXT, ctx, ctx);
	fault_log_use();
	fault_async_attach(ctx);
	if (layers_context(ctx)->fault)
		fault_replace_removed_ops(&priv->ops);
	fault_replace_object_ops(&priv->ops);
	fault_replace_queue_ops(&priv->ops);
	fault_replace_data_ops(&priv->ops);
}

void fault_detach(struct ibv_context *ctx)
{
	verbs_priv(ctx)->ops = layers_context(ctx)->below_fault;
	fault_async_detach(ctx);
	fault_objects_drop_context(ctx);
}
