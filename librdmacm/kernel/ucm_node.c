/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds and opens the device node of the kernel's connection manager. Called by
 * the owner of a channel, calls ucm_chardev.c.
 */
#include "kernel/ucm_node.h"

#include <errno.h>
#include <fcntl.h>
#include <rdma/rdma_cma_abi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "kernel/ucm_chardev.h"
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

/* Room for a link in /dev/char, with two numbers of 32 bits */
#define NODE_LINK_LEN 40

static bool node_abi_is_known(long version)
{
	return version >= RDMA_USER_CM_MIN_ABI_VERSION &&
	       version <= RDMA_USER_CM_MAX_ABI_VERSION;
}

static bool node_abi_text_is_known(const char *text)
{
	char *end;
	long version = strtol(text, &end, 10);

	return end != text && *end == '\0' && node_abi_is_known(version);
}

static int node_check_sysfs(void)
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
			return node_abi_text_is_known(text) ? 0 : -EPERM;
	}
	return 0;
}

int ucm_node_find(struct ucm_node *ret_node)
{
	int saved_errno = errno;
	struct ucm_node node = {};
	struct ucm_chardev chardev;
	int ret;

	if (ucm_chardev_query(&chardev) == 0) {
		ret = node_abi_is_known((long)chardev.abi_version) ? 0 : -EPERM;
		node.has_number = true;
		node.number = chardev.number;
	} else {
		ret = node_check_sysfs();
	}
	if (!ret)
		*ret_node = node;
	errno = saved_errno;
	return ret;
}

static int node_check_file(const struct ucm_node *node, int fd)
{
	struct stat status;

	if (fstat(fd, &status) != 0)
		return -errno;
	if (!S_ISCHR(status.st_mode) ||
	    (node->has_number && status.st_rdev != node->number))
		return -ENODEV;
	return 0;
}

static int node_open_path(const struct ucm_node *node, const char *path,
			  int *ret_fd)
{
	int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return -errno;
	ret = node_check_file(node, fd);
	if (ret)
		(void)close(fd); /* nothing was written */
	else
		*ret_fd = fd;
	return ret;
}

int ucm_node_open(const struct ucm_node *node, int *ret_fd)
{
	char link[NODE_LINK_LEN];
	int saved_errno = errno;
	int ret = node_open_path(node, RDMACM_DEVICE_NODE, ret_fd);

	if (ret && node->has_number) {
		(void)snprintf(link, sizeof(link), "/dev/char/%u:%u",
			       major(node->number),
			       minor(node->number)); /* fits */
		if (node_open_path(node, link, ret_fd) == 0)
			ret = 0;
	}
	errno = saved_errno;
	return ret;
}
