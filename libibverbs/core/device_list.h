/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The one list of devices that are there now. */
#ifndef CORE_DEVICE_LIST_H
#define CORE_DEVICE_LIST_H

#include "core/device_object.h"

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

#endif
