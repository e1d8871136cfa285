/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Root directory of sysfs: see util/sysfs_root.h. */
#include "util/sysfs_root.h"

#include <pthread.h>
#include <string.h>

#include "util/env.h"

static pthread_once_t sysfs_root_once = PTHREAD_ONCE_INIT;
static char sysfs_root_path[SYSFS_ROOT_LEN] =
	"/sys"; /* written by sysfs_root_init() only */

static void sysfs_root_init(void)
{
	const char *value = env_path("SYSFS_PATH");
	size_t len;

	if (!value || !*value)
		return;

	len = strnlen(value, sizeof(sysfs_root_path) - 1);
	memcpy(sysfs_root_path, value, len);
	while (len > 0 && sysfs_root_path[len - 1] == '/')
		len--;
	sysfs_root_path[len] = '\0';
}

const char *sysfs_root(void)
{
	(void)pthread_once(&sysfs_root_once, sysfs_root_init); /* cannot fail */
	return sysfs_root_path;
}
