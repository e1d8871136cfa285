/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Opens the uverbs node of a device. */
#ifndef CORE_DEVICE_OPEN_H
#define CORE_DEVICE_OPEN_H

#include <provider/device.h>

/**
 * verbs_open_node() - open the character device of a kernel device
 * @dev: record of the device
 * @ret_fd: descriptor, open for reading and writing, closed on exec
 *
 * Checks that the node has the device's number and is not left over from
 * another device. Waits at most one second, and only for a node that is
 * missing while the folder changes. A node without permission, and a missing
 * node in an unchanged folder, are reported at once.
 *
 * Return: 0; -EACCES or -EPERM without permission; -ENOENT if there is no
 * node; -ENODEV if the device is gone; otherwise -errno of open(2).
 */
int verbs_open_node(const struct verbs_kernel_device *dev, int *ret_fd);

#endif
