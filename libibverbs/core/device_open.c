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

/*
 * A folder that changed this recently may still lack a node that is being
 * created.
 */
#define RECENT_CHANGE_SECONDS 2

/* The wait for such a node: steps of 10 ms, 1 s in total. */
#define WAIT_STEP_NS (10 * 1000 * 1000)
#define WAIT_STEPS   100

/*
 * The path may lead to another device by now, so the device number is checked.
 */
static int uverbs_node_open_checked(const char *path, dev_t cdev, int *ret_fd)
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

/*
 * Tries both paths. An error of the first one other than ENOENT is returned,
 * because it says more than "there is no node".
 */
static int uverbs_node_open_by_any_name(const struct verbs_kernel_device *dev,
					int *ret_fd)
{
	char path[sizeof(DEV_DIR "/") + sizeof(dev->uverbs_name)];
	int ret, other_ret;

	/* stpcpy: snprintf() takes longer than the rest of an open */
	(void)stpcpy(stpcpy(path, DEV_DIR "/"), dev->uverbs_name);
	ret = uverbs_node_open_checked(path, dev->cdev, ret_fd);
	if (ret != -ENOENT || dev->cdev == 0)
		return ret;

	(void)snprintf(path, sizeof(path), DEV_CHAR_DIR "/%u:%u",
		       major(dev->cdev), minor(dev->cdev));
	other_ret = uverbs_node_open_checked(path, dev->cdev, ret_fd);
	return other_ret == -ENOTDIR ? ret : other_ret;
}

static bool folder_changed_recently(const char *folder)
{
	struct timespec now;
	struct stat st;

	if (stat(folder, &st) != 0 || clock_gettime(CLOCK_REALTIME, &now) != 0)
		return false;
	return st.st_mtim.tv_sec <= now.tv_sec &&
	       now.tv_sec - st.st_mtim.tv_sec <= RECENT_CHANGE_SECONDS;
}

static bool uverbs_nodes_changed_recently(void)
{
	return folder_changed_recently(DEV_DIR) ||
	       folder_changed_recently(DEV_CHAR_DIR);
}

int verbs_open_node(const struct verbs_kernel_device *dev, int *ret_fd)
{
	static const struct timespec step = { .tv_nsec = WAIT_STEP_NS };
	int ret = uverbs_node_open_by_any_name(dev, ret_fd);

	for (int i = 0; i < WAIT_STEPS && ret == -ENOENT; i++) {
		if (!uverbs_nodes_changed_recently())
			break;
		(void)nanosleep(&step, NULL); /* a signal shortens the wait,
						 which is harmless */
		ret = uverbs_node_open_by_any_name(dev, ret_fd);
	}
	/* ENXIO: no driver has this device number any more */
	return ret == -ENXIO ? -ENODEV : ret;
}
