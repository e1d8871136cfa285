/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_get_sysfs_path() and ibv_read_sysfs_file(): see api/sysfs.h. util/
 * implements them.
 */
#include "api/sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/api_err.h"
#include "util/sysfs_root.h"
#include "util/text_file.h"

const char *ibv_get_sysfs_path(void)
{
	return sysfs_root();
}

/*
 * The trailing newline needs no room in the caller's buffer, but it does while
 * reading. Therefore the file is read into a buffer that is one byte longer.
 */
static int sysfs_file_read(const char *path, char *buf, size_t size)
{
	size_t own_size;
	ssize_t len;
	char *own;

	if (!size || __builtin_add_overflow(size, 1, &own_size))
		return -EINVAL;
	own = malloc(own_size);
	if (!own)
		return -ENOMEM;

	len = text_file_read_at(AT_FDCWD, path, own, own_size);
	if (len >= 0) {
		if ((size_t)len >= size || len > INT_MAX)
			len = -EOVERFLOW;
		else
			memcpy(buf, own, (size_t)len + 1);
	}
	free(own);
	return (int)len;
}

int ibv_read_sysfs_file(const char *dir, const char *file, char *buf,
			size_t size)
{
	char path[PATH_MAX]; /* the kernel rejects longer paths */
	int len;

	if (!dir || !file || !buf)
		return api_ret_minus1(-EINVAL);
	len = snprintf(path, sizeof(path), "%s/%s", dir, file);
	if (len < 0 || (size_t)len >= sizeof(path))
		return api_ret_minus1(-ENAMETOOLONG);

	len = sysfs_file_read(path, buf, size);
	return len < 0 ? api_ret_minus1(len) : len;
}
