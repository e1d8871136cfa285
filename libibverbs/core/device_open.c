/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Opens /dev/infiniband/<uverbs>, or /dev/char/<major>:<minor> where the node
 * has another name. Called by core/core_context.c for ibv_open_device(3).
 */
#include "core/device_open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#define DEV_DIR	     "/dev/infiniband"
#define DEV_CHAR_DIR "/dev/char"

/* How long a change of the folder counts as "nodes are being made now". */
#define FRESH_SECONDS 2

/* Waiting for such a node: in steps of 10 ms, a second in all. */
#define WAIT_STEP_NS (10 * 1000 * 1000)
#define WAIT_STEPS   100

/* The node may belong to another device by now: the number decides. */
static int open_checked(const char *path, dev_t cdev, int *ret_fd)
{
	struct stat st;
	int fd, ret;

	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) != 0) {
		ret = -errno;
		goto err_close;
	}
	if (!S_ISCHR(st.st_mode) || (cdev != 0 && st.st_rdev != cdev)) {
		ret = -ENOENT;
		goto err_close;
	}
	*ret_fd = fd;
	return 0;

err_close:
	(void)close(fd);
	return ret;
}

/* One look at both names. A refusal says more than "there is none". */
static int open_either(const struct verbs_kernel_device *dev, int *ret_fd)
{
	char path[sizeof(DEV_DIR "/") + sizeof(dev->uverbs_name)];
	int ret, other;

	/* by hand: printing takes longer than all the rest of an open */
	(void)stpcpy(stpcpy(path, DEV_DIR "/"), dev->uverbs_name);
	ret = open_checked(path, dev->cdev, ret_fd);
	if (ret != -ENOENT || dev->cdev == 0)
		return ret;

	(void)snprintf(path, sizeof(path), DEV_CHAR_DIR "/%u:%u",
		       major(dev->cdev), minor(dev->cdev));
	other = open_checked(path, dev->cdev, ret_fd);
	return other == -ENOTDIR ? ret : other;
}

static bool changed_lately(const char *folder)
{
	struct timespec now;
	struct stat st;

	if (stat(folder, &st) != 0 || clock_gettime(CLOCK_REALTIME, &now) != 0)
		return false;
	return st.st_mtim.tv_sec <= now.tv_sec &&
	       now.tv_sec - st.st_mtim.tv_sec <= FRESH_SECONDS;
}

static bool nodes_are_being_made(void)
{
	return changed_lately(DEV_DIR) || changed_lately(DEV_CHAR_DIR);
}

int verbs_open_node(const struct verbs_kernel_device *dev, int *ret_fd)
{
	static const struct timespec step = { .tv_nsec = WAIT_STEP_NS };
	int ret = open_either(dev, ret_fd);

	for (int i = 0; i < WAIT_STEPS && ret == -ENOENT; i++) {
		if (!nodes_are_being_made())
			break;
		(void)nanosleep(&step, NULL); /* a signal only shortens it */
		ret = open_either(dev, ret_fd);
	}
	/* The kernel's word for a number that no driver has any more. */
	return ret == -ENXIO ? -ENODEV : ret;
}
