/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where sysfs is mounted. */
#ifndef UTIL_SYSFS_ROOT_H
#define UTIL_SYSFS_ROOT_H

/* Longest root that is used, with its NUL. */
#define SYSFS_ROOT_LEN 257

/**
 * sysfs_root() - root of sysfs: SYSFS_PATH, or /sys
 *
 * Decided at the first call and the same ever after. SYSFS_PATH is cut at 256
 * characters and loses trailing slashes; privileged programs ignore it.
 *
 * Context: any thread.
 */
const char *sysfs_root(void);

#endif
