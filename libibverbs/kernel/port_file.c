/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Port tables in sysfs. P_Keys are always read from here, GIDs if the kernel
 * has no ioctl method for them. Called by cmd_pkey.c and cmd_gid.c.
 */
#include "kernel/port_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "util/text_file.h"

/* Device directory, "/ports/<port>/gid_attrs/ndevs/<index>" and a NUL. */
#define PORT_PATH_LEN (sizeof(((struct ibv_device *)0)->ibdev_path) + 64)

int port_file_read(const struct ibv_context *ctx, uint32_t port_num,
		   const char *table, uint32_t index, char *buf, size_t size)
{
	const struct ibv_device *dev = ctx->device;
	int saved_errno = errno;
	char path[PORT_PATH_LEN];
	ssize_t len;
	int n;

	if (!dev->ibdev_path[0])
		return -ENODEV;
	n = snprintf(path, sizeof(path), "%.*s/ports/%u/%s/%u",
		     (int)sizeof(dev->ibdev_path), dev->ibdev_path, port_num,
		     table, index);
	if (n < 0 || (size_t)n >= sizeof(path))
		return -ENAMETOOLONG;

	len = text_file_read_at(AT_FDCWD, path, buf, size);
	errno = saved_errno;
	if (len < 0)
		return (int)len;
	return strlen(buf) == (size_t)len ? 0 : -EPROTO;
}
