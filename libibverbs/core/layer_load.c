/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Decides whether calls are observed: reads VERBS_EXPLAIN at the first open,
 * and loads the module of the layers (core/layer_module.c) if it is set. A
 * module that is missing or unusable costs one warning.
 *
 * core/core_context.c calls it when a context is opened and closed. No other
 * call of the library, and none of the data path, depends on this file.
 */
#include "core/layer_load.h"

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "core/core_context.h"
#include "core/device_object.h"
#include "core/log.h"
#include "util/env.h"

/* NULL: no layer is enabled. Written once. */
static const struct verbs_layer_hooks *layer_hooks;

/* Privileged programs ignore the variable, since it loads a module. */
static bool layer_is_requested(void)
{
	const char *value = env_path("VERBS_EXPLAIN");

	return value && *value && strcmp(value, "0") != 0;
}

/* The user asked for the layer, so IBV_SHOW_WARNINGS does not matter. */
static void layer_warn_no_effect(const char *reason)
{
	verbs_log(NULL, VERBS_LOG_WARN, "VERBS_EXPLAIN has no effect: %s",
		  reason);
	(void)fprintf(stderr, "libibverbs: VERBS_EXPLAIN has no effect: %s\n",
		      reason);
}

static void layer_load_once(void)
{
	const struct verbs_layer_hooks *hooks;
	const char *reason;

	if (!layer_is_requested())
		return;
	hooks = verbs_layer_module_load(&reason);
	if (!hooks)
		layer_warn_no_effect(reason);
	else if (hooks->layer_abi != VERBS_LAYER_ABI ||
		 hooks->private_size != sizeof(struct verbs_ex_private))
		layer_warn_no_effect(
			"the module of the layers belongs to another version "
			"of the library");
	else
		layer_hooks = hooks;
}

static const struct verbs_layer_hooks *layer_get_hooks(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	(void)pthread_once(&once, layer_load_once); /* cannot fail */
	return layer_hooks;
}

void verbs_layer_attach(struct ibv_context *ctx)
{
	const struct verbs_layer_hooks *hooks = layer_get_hooks();

	if (hooks)
		hooks->attach(ctx);
}

/* An attached context shows that layer_hooks was written. */
void verbs_layer_detach(struct ibv_context *ctx)
{
	if (verbs_priv(ctx)->layer)
		layer_hooks->detach(ctx);
}

void verbs_layer_open_failed(const struct verbs_device *dev, int error)
{
	const struct verbs_layer_hooks *hooks = layer_get_hooks();

	if (hooks)
		hooks->open_failed(
			dev->pub->name,
			dev->has_node ? dev->kernel.uverbs_name : NULL, error);
}
