/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Enables the layer fault, and begins and ends it for each context. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layers/fault/fault.h"
#include "layers/fault/fault_async.h"
#include "layers/fault/fault_events.h"
#include "layers/fault/fault_log.h"
#include "layers/fault/fault_receives.h"
#include "layers/fault/fault_replay.h"
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

/* Return: 0, or -errno after a warning. */
static int fault_read_lines(FILE *file, const struct fault_plan *plan,
			    struct fault_replay *replay)
{
	size_t size = 0;
	char *line = NULL;
	unsigned int line_nr = 0;
	ssize_t len;
	int ret = 0;

	while (ret == 0 && (len = getline(&line, &size, file)) > 0) {
		struct fault_text text = { line, (size_t)len };

		line_nr++;
		ret = fault_replay_add(replay, plan,
				       fault_text_cut(&text, '\n'));
	}
	if (ret == -EINVAL)
		fault_warn(
			"line %u of %s is not the fault of one of the rules; "
			"there are no faults",
			line_nr, plan->replay);
	else if (ret)
		fault_warn("%s; there are no faults", strerror(-ret));
	free(line);
	return ret;
}

/* Return: whether it succeeded; otherwise after a warning. */
static bool fault_read_replay(const struct fault_plan *plan,
			      struct fault_replay *replay)
{
	FILE *file = fopen(plan->replay, "re");
	int ret;

	if (!file) {
		fault_warn("cannot read %s: %s; there are no faults",
			   plan->replay, strerror(errno));
		return false;
	}
	ret = fault_read_lines(file, plan, replay);
	(void)fclose(file);
	fault_replay_sort(replay);
	return ret == 0;
}

void fault_request(const char *settings)
{
	static struct fault_plan plan;
	static struct fault_replay replay;
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
	if (plan.replay[0])
		fault_is_on = fault_read_replay(&plan, &replay);
	if (!fault_is_on)
		return;
	fault_plan_start(&plan, plan.replay[0] ? &replay : NULL);
	fault_log_start(&plan, plan.replay[0] ? &replay : NULL);
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
