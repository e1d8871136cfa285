/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Layers observe the calls of a program (libibverbs/layers/). Their module is
 * loaded at the first open if the environment requests it. Otherwise these
 * functions test one pointer, and every table has the pointers of the provider.
 */
#ifndef CORE_LAYER_LOAD_H
#define CORE_LAYER_LOAD_H

#include <provider/provider.h>

#include "core/layer_hooks.h"

/** verbs_layer_attach() - observe a new context if a layer is enabled */
void verbs_layer_attach(struct ibv_context *ctx);

/** verbs_layer_detach() - end that before the context is closed */
void verbs_layer_detach(struct ibv_context *ctx);

/** verbs_layer_open_failed() - report an open that failed with @error, < 0 */
void verbs_layer_open_failed(const struct verbs_device *dev, int error);

/**
 * verbs_layer_object_exists() - check an object that a control call uses
 *
 * See struct verbs_layer_hooks. Without layers, all objects exist.
 */
bool verbs_layer_object_exists(const char *function, enum layers_kind kind,
			       const void *object);

/** verbs_layer_object_is_foreign() - report an object of another context */
void verbs_layer_object_is_foreign(const char *function,
				   const struct ibv_context *ctx,
				   enum layers_kind kind, const void *object);

/**
 * verbs_layer_module_load() - load the module of the layers
 * @ret_reason: set on failure: the reason, for a warning
 *
 * A static build has no modules (core/layer_module_static.c).
 *
 * Context: may run constructors of a module, so no lock may be held.
 * Return: the hooks of the module, which is never unloaded, or NULL.
 */
const struct verbs_layer_hooks *
verbs_layer_module_load(const char **ret_reason);

#endif
