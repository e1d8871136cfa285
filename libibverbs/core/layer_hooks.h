/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The interface between the library and the module of the layers
 * (libibverbs/layers/), which replaces ops of open contexts in order to observe
 * calls. The module exports one object of this type, verbs_layer_hooks. Both
 * sides access struct verbs_ex_private, so both are of one build.
 */
#ifndef CORE_LAYER_HOOKS_H
#define CORE_LAYER_HOOKS_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

/* Changes with each change of this file or of struct verbs_ex_private. */
#define VERBS_LAYER_ABI 5

struct verbs_layer_settings {
	const char *names;    /* of the layers, separated by commas */
	const char *trace;    /* VERBS_TRACE, or NULL */
	const char *validate; /* VERBS_VALIDATE, or NULL */
	const char *fault;    /* VERBS_FAULT, or NULL */
};

struct verbs_layer_hooks {
	uint32_t layer_abi;    /* VERBS_LAYER_ABI */
	uint32_t private_size; /* sizeof(struct verbs_ex_private) */

	/*
	 * start() - enable layers; called once, before the other functions
	 *
	 * Prints a warning for each unknown name.
	 *
	 * Return: whether a layer is enabled. If not, no other function is
	 * called.
	 */
	bool (*start)(const struct verbs_layer_settings *settings);

	/*
	 * attach() - observe a context that was opened or imported
	 *
	 * Sets the member layer of its private block and replaces ops.
	 * On failure it leaves the context unchanged.
	 */
	void (*attach)(struct ibv_context *ctx);

	/* detach() - undo attach() before the provider closes the context */
	void (*detach)(struct ibv_context *ctx);

	/*
	 * open_failed() - a device cannot be opened
	 * @node: name of its uverbs node, or NULL for a user-space device
	 * @error: -errno
	 */
	void (*open_failed)(const char *device, const char *node, int error);
};

/* Exported by the module. */
extern const struct verbs_layer_hooks verbs_layer_hooks
	__attribute__((visibility("default")));

#endif
