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

#include "core/foreign_hooks.h"
#include "util/list.h"

/* Constant after it entered the list, but for refs, entry, and node_guid. */
struct verbs_device {
	/* What the application sees: own, or in memory of the provider's. */
	struct ibv_device *pub;
	struct ibv_device own;
	const struct verbs_device_ops *provider;
	bool has_node; /* kernel describes it, and it has a uverbs node */
	struct verbs_kernel_device kernel;
	/* Network order; 0 while it is not known. Any thread may fill it in. */
	_Atomic(__be64) node_guid;
	atomic_uint refs;
	struct list_node entry; /* guarded by list_mutex */
};

/**
 * verbs_device_of() - our record of a public device
 * @pub: from a device list, or made by a vendor library without our help
 *
 * The first slot of the public struct leads to the record.
 *
 * Return: NULL if nobody knows the device, or when there is no memory for the
 * record of one that we have not seen before.
 */
struct verbs_device *verbs_device_of(struct ibv_device *pub);

/**
 * verbs_device_link() - make verbs_device_of() find the record
 * @pub: becomes the public part of @dev
 */
void verbs_device_link(struct verbs_device *dev, struct ibv_device *pub);

/**
 * verbs_device_new() - a device that only its provider knows
 * @node_type: enum ibv_node_type
 *
 * Return: the device with one reference, or NULL when there is no memory.
 */
struct verbs_device *verbs_device_new(const struct verbs_device_ops *provider,
				      const char *name, int node_type);

/**
 * verbs_device_new_bare() - a record without a public part
 *
 * For a device that a provider has made by itself: verbs_device_link() is next.
 */
struct verbs_device *
verbs_device_new_bare(const struct verbs_device_ops *provider);

/**
 * verbs_device_new_kernel() - a device of the kernel
 * @provider: the one that claimed @candidate
 *
 * Return: 0, -ENOMEM, or -ENODEV if @provider does not want it after all.
 */
int verbs_device_new_kernel(const struct verbs_device_ops *provider,
			    struct verbs_candidate *candidate,
			    struct verbs_device **ret_dev);

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
