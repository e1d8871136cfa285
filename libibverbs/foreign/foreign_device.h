/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Devices of foreign providers. */
#ifndef FOREIGN_FOREIGN_DEVICE_H
#define FOREIGN_FOREIGN_DEVICE_H

#include <infiniband/verbs.h>
#include <provider/provider.h>
#include <stdbool.h>

/* What all foreign providers have in common; a name is missing. */
extern const struct verbs_device_ops foreign_device_template;

/**
 * foreign_open_device() - verbs_open_device(): open, with a word to the
 * provider
 * @private_data: handed to the provider's alloc_context()
 *
 * For functions of vendor libraries that open their devices in ways of their
 * own. Return: as ibv_open_device(3).
 */
struct ibv_context *foreign_open_device(struct ibv_device *device,
					void *private_data);

/*
 * verbs_allow_disassociate_destroy: read by code that is compiled into
 * modules. Equal to kernel/'s since before the first device was made.
 */
extern bool foreign_allow_disassociate_destroy;

#endif
