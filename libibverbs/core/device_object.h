/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A device as the library keeps it. It lives as long as somebody holds a
 * reference: the list while the device exists, each array that
 * ibv_get_device_list() returned, each open context.
 */
#ifndef CORE_DEVICE_OBJECT_H
#define CORE_DEVICE_OBJECT_H

#include <provider/provider.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "util/list.h"

/* Constant after it entered the list, but for refs, entry, and node_guid. */
struct verbs_device {
	struct ibv_device pub; /* what the application sees */
	const struct verbs_device_ops *provider;
	bool has_node; /* kernel describes it, and it has a uverbs node */
	struct verbs_kernel_device kernel;
	/* Network order; 0 while it is not known. Any thread may fill it in. */
	_Atomic(__be64) node_guid;
	atomic_uint refs;
	struct list_node entry; /* guarded by list_mutex */
};

/* Our record of a public device. */
static inline struct verbs_device *verbs_device_of(struct ibv_device *pub)
{
	return list_entry(pub, struct verbs_device, pub);
}

/**
 * verbs_device_new() - a device that only its provider knows
 * @node_type: enum ibv_node_type
 *
 * Return: the device with one reference, or NULL when there is no memory.
 */
struct verbs_device *verbs_device_new(const struct verbs_device_ops *provider,
				      const char *name, int node_type);

/** verbs_device_new_kernel() - the same for a device of the kernel */
struct verbs_device *
verbs_device_new_kernel(const struct verbs_device_ops *provider,
			const struct verbs_kernel_device *record);

/** verbs_device_get() - take a reference; the caller must hold one already */
void verbs_device_get(struct verbs_device *dev);

/** verbs_device_put() - drop a reference; the last one frees the device */
void verbs_device_put(struct verbs_device *dev);

/**
 * verbs_device_node_guid() - GUID of the node, read from sysfs if need be
 *
 * Return: network order; 0 if it cannot be had.
 */
__be64 verbs_device_node_guid(struct verbs_device *dev);

#endif
