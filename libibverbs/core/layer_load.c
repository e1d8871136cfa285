/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Decides whether calls are observed: reads VERBS_LAYERS and VERBS_EXPLAIN at
 * the first open, and loads the module of the layers (core/layer_module.c) if
 * one of them is set. A module that is missing or unusable costs one warning.
 *
 * core/core_context.c calls it when a context is opened and closed, and api/
 * for each object of a control call. The data path does not depend on it.
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

/* The variable that requests a layer, for warnings. */
static const char *layer_variable;

/*
 * Collects the names of the layers. VERBS_EXPLAIN=1 adds the layer explain.
 * Privileged programs ignore the variables, since they load a module.
 *
 * Return: whether there are any.
 */
static bool layer_get_names(char *names, size_t size)
{
	const char *explain = env_path("VERBS_EXPLAIN");
	const char *layers = env_path("VERBS_LAYERS");
	bool is_explained = explain && *explain && strcmp(explain, "0") != 0;

	if (!layers)
		layers = "";
	layer_variable = *layers ? "VERBS_LAYERS" : "VERBS_EXPLAIN";
	(void)snprintf(names, size, "%s%s%s", is_explained ? "explain" : "",
		       is_explained && *layers ? "," : "", layers);
	return *names;
}

/* The user asked for the layer, so IBV_SHOW_WARNINGS does not matter. */
static void layer_warn_no_effect(const char *reason)
{
	verbs_log(NULL, VERBS_LOG_WARN, "%s has no effect: %s", layer_variable,
		  reason);
	(void)fprintf(stderr, "libibverbs: %s has no effect: %s\n",
		      layer_variable, reason);
}

static void layer_load_once(void)
{
	const struct verbs_layer_hooks *hooks;
	const char *reason;
	char names[256];

	if (!layer_get_names(names, sizeof(names)))
		return;
	hooks = verbs_layer_module_load(&reason);
	if (!hooks)
		layer_warn_no_effect(reason);
	else if (hooks->layer_abi != VERBS_LAYER_ABI ||
		 hooks->private_size != sizeof(struct verbs_ex_private))
		layer_warn_no_effect(
			"the module of the layers belongs to another version "
			"of the library");
	else if (hooks->start(&(const struct verbs_layer_settings){
			 .names = names,
			 .trace = env_path("VERBS_TRACE"),
			 .validate = env_path("VERBS_VALIDATE"),
			 .fault = env_path("VERBS_FAULT"),
		 }))
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

/* A caller with an object has opened a device, so layer_hooks is constant. */
bool verbs_layer_object_exists(const char *function, enum layers_kind kind,
			       const void *object)
{
	return !layer_hooks ||
	       layer_hooks->object_exists(function, kind, object);
}

void verbs_layer_object_is_foreign(const char *function,
				   const struct ibv_context *ctx,
				   enum layers_kind kind, const void *object)
{
	if (layer_hooks)
		layer_hooks->object_is_foreign(function, ctx, kind, object);
}
