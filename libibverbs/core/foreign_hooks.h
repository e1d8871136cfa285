/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a provider does by itself, instead of being described by its table,
 * when its module was built for another library. libibverbs/foreign/ fills it
 * in; nothing here depends on the layouts that such a module has.
 */
#ifndef CORE_FOREIGN_HOOKS_H
#define CORE_FOREIGN_HOOKS_H

#include <provider/provider.h>
#include <stdbool.h>

/* A kernel device that looks for its provider. */
struct verbs_candidate {
	const struct verbs_kernel_device *kernel;
	/* Read by the first provider that asks for it; "" if there is none. */
	bool has_modalias;
	char modalias[512];
	/* What claims() leaves for make_device(): memory of malloc(). */
	void *claim;
};

struct verbs_foreign_hooks {
	/* An address in the module. */
	const void *(*origin)(const struct verbs_device_ops *provider);

	/*
	 * claims() - is this device the provider's?
	 * @kind: DRIVER_ID: only if it names the kernel driver
	 *
	 * After true, make_device() follows. The list mutex is held.
	 */
	bool (*claims)(const struct verbs_device_ops *provider,
		       enum verbs_match_kind kind,
		       struct verbs_candidate *candidate);

	/*
	 * make_device() - have the device made, and verbs_device_link() it;
	 * takes candidate->claim over
	 * @dev: knows provider and kernel. The public part that it is linked to
	 *	is filled in by the caller.
	 * Return: 0, or -errno.
	 */
	int (*make_device)(struct verbs_device *dev,
			   struct verbs_candidate *candidate);

	/* free_device() - nobody has a reference any more; @dev itself stays */
	void (*free_device)(struct verbs_device *dev);

	/*
	 * adopt_device() - a device that a provider has made by itself
	 * @pub: has no record of ours
	 * Return: its new record with one reference, which is the one that the
	 * device was made with; or NULL.
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
