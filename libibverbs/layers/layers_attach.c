/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The entry of the module: core/layer_load.c finds the object verbs_layer_hooks
 * and calls it for each context. attach() copies the op table of the context,
 * and replaces ops in the original. The public slots of the data path follow.
 */
#include <pthread.h>
#include <stdlib.h>

#include "core/layer_hooks.h"
#include "layers/explain.h"
#include "layers/layers.h"
#include "layers/layers_record.h"

/*
 * A thread may hold layers_mutex while another one forks. The child uses the
 * records of its parent, whose objects it does not use.
 */
static void layers_prepare_fork(void) LOCK_ATTRIBUTE(no_thread_safety_analysis)
{
	layers_lock();
}

static void layers_finish_fork(void) LOCK_ATTRIBUTE(no_thread_safety_analysis)
{
	layers_unlock();
}

static void layers_watch_fork(void)
{
	/* Without memory, a child that observes contexts may hang. */
	(void)pthread_atfork(layers_prepare_fork, layers_finish_fork,
			     layers_finish_fork);
}

static void layers_mirror_ops(struct ibv_context *ctx)
{
	const struct verbs_context_ops *table = verbs_ops(ctx);

	ctx->ops.poll_cq = table->poll_cq;
	ctx->ops.post_send = table->post_send;
	ctx->ops.post_recv = table->post_recv;
	ctx->ops.post_srq_recv = table->post_srq_recv;
}

static void layers_attach(struct ibv_context *ctx)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct verbs_ex_private *priv = verbs_priv(ctx);
	struct layers_context *layers = malloc(sizeof(*layers));

	if (!layers)
		return;
	(void)pthread_once(&once, layers_watch_fork); /* cannot fail */
	layers->below = priv->ops;
	priv->layer = layers;
	layers_replace_object_ops(&priv->ops);
	layers_replace_queue_ops(&priv->ops);
	layers_replace_data_ops(&priv->ops);
	layers_mirror_ops(ctx);
}

static void layers_detach(struct ibv_context *ctx)
{
	struct verbs_ex_private *priv = verbs_priv(ctx);
	struct layers_context *layers = priv->layer;

	priv->ops = layers->below;
	layers_mirror_ops(ctx);
	priv->layer = NULL;
	layers_record_drop_context(ctx);
	free(layers);
}

static void layers_open_failed(const char *device, const char *node, int error)
{
	explain_open(device, node, -error);
}

const struct verbs_layer_hooks verbs_layer_hooks = {
	.layer_abi = VERBS_LAYER_ABI,
	.private_size = sizeof(struct verbs_ex_private),
	.attach = layers_attach,
	.detach = layers_detach,
	.open_failed = layers_open_failed,
};
