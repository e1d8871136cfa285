/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Hooks of a provider whose module was built for another library. They replace
 * the description by a table. libibverbs/foreign/ implements them; this file
 * does not depend on the layouts of such a module.
 */
#ifndef CORE_FOREIGN_HOOKS_H
#define CORE_FOREIGN_HOOKS_H

#include <provider/provider.h>
#include <stdbool.h>

/* A kernel device that has no provider yet. */
struct verbs_candidate {
	const struct verbs_kernel_device *kernel;
	/* Read by the first provider that needs it; "" if there is none. */
	bool has_modalias;
	char modalias[512];
	/* Memory of malloc() that claims() stores for make_device(). */
	void *claim;
};

struct verbs_foreign_hooks {
	/* Returns an address in the module. */
	const void *(*origin)(const struct verbs_device_ops *provider);

	/*
	 * claims() - check whether the provider supports a device
	 * @kind: DRIVER_ID: only if the provider names the kernel driver
	 *
	 * If it returns true, make_device() is called next. The list mutex is
	 * held.
	 */
	bool (*claims)(const struct verbs_device_ops *provider,
		       enum verbs_match_kind kind,
		       struct verbs_candidate *candidate);

	/*
	 * make_device() - make the device and call verbs_device_link(); takes
	 * ownership of candidate->claim
	 * @dev: its provider and kernel are set. The caller fills the public
	 *	part.
	 * Return: 0, or -errno.
	 */
	int (*make_device)(struct verbs_device *dev,
			   struct verbs_candidate *candidate);

	/*
	 * free_device() - free the provider's part; the last reference is
	 * gone. The caller frees @dev.
	 */
	void (*free_device)(struct verbs_device *dev);

	/*
	 * adopt_device() - make a record for a device that a provider
	 * allocated itself
	 * @pub: has no record yet
	 * Return: the record with one reference, which belongs to the device;
	 * or NULL.
	 */
	struct verbs_device *(*adopt_device)(struct ibv_device *pub);

	/*
	 * open_context() - used instead of open_context() of verbs_device_ops
	 * @private_data: argument of verbs_open_device(), or NULL
	 */
	int (*open_context)(struct verbs_device *dev, int cmd_fd,
			    void *private_data,
			    struct verbs_context **ret_vctx);

	/* import_context() - open_context() for ibv_import_device(3) */
	int (*import_context)(struct verbs_device *dev, int cmd_fd,
			      struct verbs_context **ret_vctx);
};

#endif
