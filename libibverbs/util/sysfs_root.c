/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Decides once where sysfs is: see util/sysfs_root.h. */
#include "util/sysfs_root.h"

#include <pthread.h>
#include <string.h>

#include "util/env.h"

static pthread_once_t root_once = PTHREAD_ONCE_INIT;
static char root[SYSFS_ROOT_LEN] = "/sys"; /* written under root_once only */

static void choose_root(void)
{
	const char *wish = env_path("SYSFS_PATH");
	size_t len;

	if (!wish || !*wish)
		return;

	len = strnlen(wish, sizeof(root) - 1);
	memcpy(root, wish, len);
	while (len > 0 && root[len - 1] == '/')
		len--;
	root[len] = '\0';
}

const char *sysfs_root(void)
{
	(void)pthread_once(&root_once, choose_root); /* cannot fail */
	return root;
}
