/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The entry of the module: core/layer_load.c finds the object
 * verbs_layer_hooks, starts the layers that the user requests, and calls it for
 * each context. attach() copies the op table of the context, and replaces ops
 * in the original. The public slots of the data path follow.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/layer_hooks.h"
#include "layers/explain.h"
#include "layers/fault/fault.h"
#include "layers/layers.h"
#include "layers/layers_record.h"
#include "layers/trace/trace.h"
#include "layers/validate/validate.h"

/*
 * A thread may hold layers_mutex while another one forks. The child uses the
 * records of its parent, whose objects it does not use.
 */
static void layers_prepare_fork(void) LOCK_ATTRIBUTE(no_thread_safety_analysis)
{
	fault_lock_fork();
	layers_lock();
}

static void layers_finish_fork(void) LOCK_ATTRIBUTE(no_thread_safety_analysis)
{
	layers_unlock();
	fault_unlock_fork();
}

static void layers_finish_fork_child(void)
{
	layers_finish_fork();
	trace_forked();
	validate_forked();
	fault_forked();
}

static void layers_watch_fork(void)
{
	/* Without memory, a child that observes contexts may hang. */
	(void)pthread_atfork(layers_prepare_fork, layers_finish_fork,
			     layers_finish_fork_child);
}

/* Enables a layer by its name. */
static void layers_start_one(const char *name,
			     const struct verbs_layer_settings *settings)
{
	if (strcmp(name, "explain") == 0)
		explain_is_on = true;
	else if (strcmp(name, "trace") == 0)
		trace_request(settings->trace);
	else if (strcmp(name, "validate") == 0)
		validate_request(settings->validate);
	else if (strcmp(name, "fault") == 0)
		fault_request(settings->fault);
	else
		(void)fprintf(stderr,
			      "libibverbs: VERBS_LAYERS: there is no layer "
			      "\"%s\"\n",
			      name);
}

static bool layers_start(const struct verbs_layer_settings *settings)
{
	char *copy = strdup(settings->names), *rest;

	if (!copy)
		return false;
	for (char *name = strtok_r(copy, ",", &rest); name;
	     name = strtok_r(NULL, ",", &rest))
		layers_start_one(name, settings);
	free(copy);
	if (!explain_is_on)
		explain_mute();
	layers_track_is_on = validate_is_on;
	return explain_is_on || trace_is_requested || validate_is_on ||
	       fault_is_on;
}

static void layers_mirror_ops(struct ibv_context *ctx)
{
	const struct verbs_context_ops *table = verbs_ops(ctx);

	ctx->ops.poll_cq = table->poll_cq;
	ctx->ops.bind_mw = table->bind_mw;
	ctx->ops.post_send = table->post_send;
	ctx->ops.post_recv = table->post_recv;
	ctx->ops.post_srq_recv = table->post_srq_recv;
	ctx->ops.req_notify_cq = table->req_notify_cq;
	ctx->ops.bind_mw = table->bind_mw;
}

static void layers_attach(struct ibv_context *ctx)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct verbs_ex_private *priv = verbs_priv(ctx);
	struct layers_context *layers = malloc(sizeof(*layers));

	if (!layers)
		return;
	(void)pthread_once(&once, layers_watch_fork); /* cannot fail */
	if (trace_is_requested)
		trace_open();
	priv->layer = layers;
	if (fault_is_on)
		fault_attach(ctx);
	layers->below = priv->ops;
	layers_replace_object_ops(&priv->ops);
	layers_replace_queue_ops(&priv->ops);
	if (explain_is_on || trace_is_requested || layers_track_is_on)
		layers_replace_data_ops(&priv->ops);
	if (trace_is_requested)
		layers_replace_trace_ops(&priv->ops);
	if (validate_is_on)
		validate_attach(ctx);
	layers_mirror_ops(ctx);
}

static void layers_detach(struct ibv_context *ctx)
{
	struct verbs_ex_private *priv = verbs_priv(ctx);
	struct layers_context *layers = priv->layer;

	if (validate_is_on)
		validate_detach(ctx);
	priv->ops = layers->below;
	if (fault_is_on)
		fault_detach(ctx);
	layers_mirror_ops(ctx);
	layers_record_drop_context(ctx);
	priv->layer = NULL;
	free(layers);
}

static void layers_open_failed(const char *device, const char *node, int error)
{
	if (explain_is_on)
		explain_open(device, node, -error);
}

static bool layers_object_exists(const char *function, enum layers_kind kind,
				 const void *object)
{
	return !validate_is_on ||
	       validate_object_exists(function, kind, object);
}

static void layers_object_is_foreign(const char *function,
				     const struct ibv_context *ctx,
				     enum layers_kind kind, const void *object)
{
	if (validate_is_on && verbs_priv(ctx)->layer)
		validate_object_is_foreign(function, ctx, kind, object);
}

const struct verbs_layer_hooks verbs_layer_hooks = {
	.layer_abi = VERBS_LAYER_ABI,
	.private_size = sizeof(struct verbs_ex_private),
	.start = layers_start,
	.attach = layers_attach,
	.detach = layers_detach,
	.open_failed = layers_open_failed,
	.object_exists = layers_object_exists,
	.object_is_foreign = layers_object_is_foreign,
};
