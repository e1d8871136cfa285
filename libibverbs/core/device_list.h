/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The one list of devices, and the device objects in it. A device lives as long
 * as somebody holds a reference: the list itself while the device exists, each
 * array that ibv_get_device_list() returned, each open context.
 */
#ifndef CORE_DEVICE_LIST_H
#define CORE_DEVICE_LIST_H

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
 * verbs_device_list_get() - look for devices, return those of now
 * @ret_array: NULL-terminated, holds one reference each; given back with
 *	verbs_device_list_put()
 * @ret_count: number of devices
 *
 * Devices that were there before keep their object. May load providers.
 *
 * Context: any thread; takes list_mutex, and none while it loads.
 * Return: 0, -ENOSYS, -EPERM or -ENOMEM as ibv_get_device_list(3) says.
 */
int verbs_device_list_get(struct ibv_device ***ret_array, int *ret_count);

/** verbs_device_list_put() - drop the references of @array and free it */
void verbs_device_list_put(struct ibv_device **array);

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
