/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Root directory of sysfs. */
#ifndef UTIL_SYSFS_ROOT_H
#define UTIL_SYSFS_ROOT_H

/* Size of the longest root, with its NUL. */
#define SYSFS_ROOT_LEN 257

/**
 * sysfs_root() - get the root directory of sysfs: $SYSFS_PATH, or /sys
 *
 * The first call decides; later calls return the same. SYSFS_PATH is truncated
 * to 256 characters and loses trailing slashes. Set-uid and set-gid programs
 * ignore it.
 *
 * Context: any thread.
 */
const char *sysfs_root(void);

#endif
