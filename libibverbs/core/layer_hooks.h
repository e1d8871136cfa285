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
#define VERBS_LAYER_ABI 6

/* Objects that calls use. */
enum layers_kind {
	LAYERS_PD, /* or a parent domain */
	LAYERS_MR,
	LAYERS_MW,
	LAYERS_AH,
	LAYERS_CQ,
	LAYERS_SRQ,
	LAYERS_QP,
	LAYERS_WQ,
	LAYERS_TABLE, /* of WQs */
	LAYERS_FLOW,
	LAYERS_ACTION, /* of flows */
	LAYERS_COUNTERS,
	LAYERS_COMP_CNTR,
	LAYERS_TD,
	LAYERS_XRCD,
	LAYERS_DM,
	LAYERS_DMAH,
	LAYERS_CHANNEL, /* of completion events; it has no record */
	LAYERS_NR_KINDS,
};

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

	/*
	 * object_exists() - a control call uses an object
	 * @function: of the program, or a prefix "verbs_api_" and the rest of
	 *	the name
	 * @object: may be destroyed already, so it is not read
	 *
	 * Return: false if it certainly was destroyed. The call fails.
	 */
	bool (*object_exists)(const char *function, enum layers_kind kind,
			      const void *object);

	/* object_is_foreign() - a call fails: @ctx may not use the object */
	void (*object_is_foreign)(const char *function,
				  const struct ibv_context *ctx,
				  enum layers_kind kind, const void *object);
};

/* Exported by the module. */
extern const struct verbs_layer_hooks verbs_layer_hooks
	__attribute__((visibility("default")));

#endif
