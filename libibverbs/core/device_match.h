/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Chooses the provider of a device. No state and no lock. The hook of a
 * foreign provider may read sysfs.
 */
#ifndef CORE_DEVICE_MATCH_H
#define CORE_DEVICE_MATCH_H

#include <provider/provider.h>
#include <stddef.h>

#include "core/foreign_hooks.h"

/**
 * verbs_match_device() - choose the provider of a kernel device
 * @candidate: the discovered device
 * @providers, @count: providers in order of preference
 *
 * A provider that matches the kernel driver is preferred to one that matches
 * the device name only.
 *
 * Return: the provider; NULL if no provider claims the device or supports the
 * ABI version of its driver.
 */
const struct verbs_device_ops *
verbs_match_device(struct verbs_candidate *candidate,
		   const struct verbs_device_ops *const *providers,
		   size_t count);

/**
 * verbs_driver_name() - return the provider name of a kernel driver
 * @driver_id: enum rdma_driver_id
 *
 * Return: a name as in "driver rxe", or NULL if the number is unknown.
 */
const char *verbs_driver_name(uint32_t driver_id);

/**
 * verbs_driver_name_each() - call @visit for the name of each kernel driver
 * @arg: passed to @visit
 */
void verbs_driver_name_each(void (*visit)(void *arg, const char *name),
			    void *arg);

#endif
