/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The library's record of a device. References are held by the list while the
 * device exists, by each array that ibv_get_device_list() returned, and by
 * each open context. The last one frees the record.
 */
#ifndef CORE_DEVICE_OBJECT_H
#define CORE_DEVICE_OBJECT_H

#include <provider/provider.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "core/foreign_hooks.h"
#include "util/list.h"

/* Constant once the device is in the list, except refs, entry and node_guid. */
struct verbs_device {
	/*
	 * Guarded by list_mutex. The first member: the list then points to the
	 * start of the allocation, and leak checkers find it.
	 */
	struct list_node entry;
	/* The public part: the member own, or memory of the provider. */
	struct ibv_device *pub;
	struct ibv_device own;
	const struct verbs_device_ops *provider;
	bool has_node; /* the member kernel is valid and there is a uverbs node
			*/
	struct verbs_kernel_device kernel;
	/* Network order; 0 while unknown. Any thread may fill it in. */
	_Atomic(__be64) node_guid;
	atomic_uint refs;
};

/**
 * verbs_device_of() - find the record of a public device
 * @pub: from a device list, or made by a vendor library
 *
 * The first slot of the public struct points to the record.
 *
 * Return: NULL if no provider recognizes the device, or if a new record is
 * needed and there is no memory.
 */
struct verbs_device *verbs_device_of(struct ibv_device *pub);

/**
 * verbs_device_linked() - find the record of a public device, make none
 *
 * Return: NULL if the first slot of the public struct is empty.
 */
static inline struct verbs_device *verbs_device_linked(struct ibv_device *pub)
{
	/* Pairs with the store in verbs_device_link(). */
	return (struct verbs_device *)(void *)__atomic_load_n(
		&pub->_ops._dummy1, __ATOMIC_ACQUIRE);
}

/**
 * verbs_device_link() - make verbs_device_of() find a record
 * @pub: becomes the public part of @dev
 */
void verbs_device_link(struct verbs_device *dev, struct ibv_device *pub);

/**
 * verbs_device_new() - make a device that has no kernel driver
 * @node_type: enum ibv_node_type
 *
 * Return: the device with one reference, or NULL when there is no memory.
 */
struct verbs_device *verbs_device_new(const struct verbs_device_ops *provider,
				      const char *name, int node_type);

/**
 * verbs_device_new_bare() - make a record without a public part
 *
 * For a device that a provider has allocated itself. Call verbs_device_link()
 * next.
 */
struct verbs_device *
verbs_device_new_bare(const struct verbs_device_ops *provider);

/**
 * verbs_device_new_kernel() - make a device for a discovered kernel device
 * @provider: the provider that claimed @candidate
 *
 * Return: 0, -ENOMEM, or -ENODEV if @provider fails to make it.
 */
int verbs_device_new_kernel(const struct verbs_device_ops *provider,
			    struct verbs_candidate *candidate,
			    struct verbs_device **ret_dev);

/** verbs_device_get() - take a reference; the caller must hold one */
void verbs_device_get(struct verbs_device *dev);

/** verbs_device_put() - drop a reference; the last one frees the device */
void verbs_device_put(struct verbs_device *dev);

/**
 * verbs_device_put_not_last() - drop a reference unless it is the last one
 *
 * Return: false if it is the last one; the caller still holds it.
 */
static inline bool verbs_device_put_not_last(struct verbs_device *dev)
{
	unsigned int refs =
		atomic_load_explicit(&dev->refs, memory_order_relaxed);

	do {
		if (refs == 1)
			return false;
	} while (!atomic_compare_exchange_weak(&dev->refs, &refs, refs - 1));
	return true;
}

/**
 * verbs_device_node_guid() - return the node GUID, from sysfs if necessary
 *
 * Return: network order; 0 if it is not available.
 */
__be64 verbs_device_node_guid(struct verbs_device *dev);

#endif
