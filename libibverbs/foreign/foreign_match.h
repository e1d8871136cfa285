/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Matching of kernel devices with foreign providers. */
#ifndef FOREIGN_FOREIGN_MATCH_H
#define FOREIGN_FOREIGN_MATCH_H

#include <stdbool.h>

#include "core/foreign_hooks.h"

/**
 * foreign_match_device() - decide whether a provider drives a device
 *
 * Implements claims() of struct verbs_foreign_hooks.
 *
 * Return: true if it does. candidate->claim is then a struct foreign_sysfs_dev,
 * to be freed with free().
 */
bool foreign_match_device(const struct verbs_device_ops *ops,
			  enum verbs_match_kind kind,
			  struct verbs_candidate *candidate);

#endif
