/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The list of RDMA devices that exist now. */
#ifndef CORE_DEVICE_LIST_H
#define CORE_DEVICE_LIST_H

#include "core/device_object.h"

/**
 * verbs_device_list_get() - discover devices and return an array of them
 * @ret_array: NULL-terminated, holds one reference on each device; pass it to
 *	verbs_device_list_put()
 * @ret_count: number of devices
 *
 * A device that existed at the last call keeps its object. May load providers.
 *
 * Context: any thread; takes list_mutex, and drops it while it loads
 * providers.
 * Return: 0, -ENOSYS, -EPERM or -ENOMEM as in ibv_get_device_list(3).
 */
int verbs_device_list_get(struct ibv_device ***ret_array, int *ret_count);

/** verbs_device_list_put() - drop the references of @array and free it */
void verbs_device_list_put(struct ibv_device **array);

#endif
