/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which provider takes a device. Pure: no I/O, no state, no lock; but a foreign
 * provider is asked, and may look into sysfs.
 */
#ifndef CORE_DEVICE_MATCH_H
#define CORE_DEVICE_MATCH_H

#include <provider/provider.h>
#include <stddef.h>

#include "core/foreign_hooks.h"

/**
 * verbs_match_device() - choose the provider of a kernel device
 * @candidate: what discovery found
 * @providers, @count: candidates, in order of preference
 *
 * A provider that names the kernel driver goes before one that only knows the
 * device's name.
 *
 * Return: the provider; NULL if nobody claims the device or speaks the ABI
 * version of its driver.
 */
const struct verbs_device_ops *
verbs_match_device(struct verbs_candidate *candidate,
		   const struct verbs_device_ops *const *providers,
		   size_t count);

/**
 * verbs_driver_name() - name of the provider for a kernel driver
 * @driver_id: enum rdma_driver_id
 *
 * Return: a name as in "driver rxe", or NULL if the number is not known.
 */
const char *verbs_driver_name(uint32_t driver_id);

/**
 * verbs_driver_name_each() - call @visit for the name of each kernel driver
 * @arg: passed to @visit
 */
void verbs_driver_name_each(void (*visit)(void *arg, const char *name),
			    void *arg);

#endif
