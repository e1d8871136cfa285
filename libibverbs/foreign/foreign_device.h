/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Devices of foreign providers. */
#ifndef FOREIGN_FOREIGN_DEVICE_H
#define FOREIGN_FOREIGN_DEVICE_H

#include <infiniband/verbs.h>
#include <provider/provider.h>
#include <stdbool.h>

/* Members that all foreign providers share; the name is not set. */
extern const struct verbs_device_ops foreign_device_template;

/**
 * foreign_open_device() - open a device with private data for the provider
 * @private_data: passed to the provider's alloc_context()
 *
 * Exported as verbs_open_device(). Vendor libraries call it in their own
 * functions to open a device.
 *
 * Return: as ibv_open_device(3).
 */
struct ibv_context *foreign_open_device(struct ibv_device *device,
					void *private_data);

/*
 * Exported as verbs_allow_disassociate_destroy, which inline functions in
 * modules read. Has the value of the variable in kernel/ before the first
 * device is allocated.
 */
extern bool foreign_allow_disassociate_destroy;

#endif
