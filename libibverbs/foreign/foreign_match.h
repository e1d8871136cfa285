/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Whether a device is a foreign provider's. */
#ifndef FOREIGN_FOREIGN_MATCH_H
#define FOREIGN_FOREIGN_MATCH_H

#include <stdbool.h>

#include "core/foreign_hooks.h"

/**
 * foreign_match_device() - claims() of struct verbs_foreign_hooks
 *
 * When it returns true, candidate->claim is a struct foreign_sysfs_dev, to be
 * freed with free().
 */
bool foreign_match_device(const struct verbs_device_ops *ops,
			  enum verbs_match_kind kind,
			  struct verbs_candidate *candidate);

#endif
