/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds and opens the device node of the kernel's connection manager. Called by
 * the owner of a channel.
 */
#include "kernel/ucm_node.h"

#include <errno.h>
#include <fcntl.h>
#include <rdma/rdma_cma_abi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/sysfs_root.h"
#include "util/text_file.h"

/* Below the root of sysfs; the second one is that of older kernels. */
static const char *const node_abi_files[] = {
	"class/misc/rdma_cm/abi_version",
	"class/infiniband_ucma/abi_version",
};
#define NODE_ABI_PATH_LEN (SYSFS_ROOT_LEN + 64)

/* Room for a number of sysfs */
#define NODE_ABI_TEXT_LEN 32

static bool node_abi_is_known(const char *text)
{
	char *end;
	long version = strtol(text, &end, 10);

	return end != text && *end == '\0' &&
	       version >= RDMA_USER_CM_MIN_ABI_VERSION &&
	       version <= RDMA_USER_CM_MAX_ABI_VERSION;
}

static int node_read_abi(void)
{
	char path[NODE_ABI_PATH_LEN], text[NODE_ABI_TEXT_LEN];
	size_t nr_files = sizeof(node_abi_files) / sizeof(node_abi_files[0]);

	for (size_t i = 0; i < nr_files; i++) {
		ssize_t len;

		(void)snprintf(path, sizeof(path), "%s/%s", sysfs_root(),
			       node_abi_files[i]); /* fits */
		len = text_file_read_at(AT_FDCWD, path, text, sizeof(text));
		if (len == -EOVERFLOW)
			return -EPERM;
		if (len >= 0)
			return node_abi_is_known(text) ? 0 : -EPERM;
	}
	return 0;
}

int ucm_node_check_abi(void)
{
	int saved_errno = errno;
	int ret = node_read_abi();

	errno = saved_errno;
	return ret;
}

static int node_check_type(int fd)
{
	struct stat status;

	if (fstat(fd, &status) != 0)
		return -errno;
	return S_ISCHR(status.st_mode) ? 0 : -ENODEV;
}

int ucm_node_open(int *ret_fd)
{
	int saved_errno = errno;
	int fd = open(RDMACM_DEVICE_NODE, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	int ret = fd < 0 ? -errno : node_check_type(fd);

	if (!ret)
		*ret_fd = fd;
	else if (fd >= 0)
		(void)close(fd); /* nothing was written */
	errno = saved_errno;
	return ret;
}
