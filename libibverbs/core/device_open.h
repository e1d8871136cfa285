/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Opening the uverbs node of a device. */
#ifndef CORE_DEVICE_OPEN_H
#define CORE_DEVICE_OPEN_H

#include <provider/device.h>

/**
 * verbs_open_node() - open the character device of a kernel device
 * @dev: record of the device
 * @ret_fd: descriptor, open for reading and writing, closed on exec
 *
 * Makes sure that the node is the device's and not a leftover of another one.
 * Waits, a second at most, only for a node that is missing while nodes are
 * being changed; a forbidden node and one that nobody is making are reported at
 * once.
 *
 * Return: 0; -EACCES or -EPERM if the node is forbidden; -ENOENT if there is
 * none; -ENODEV if the device is gone; otherwise what open(2) said, negative.
 */
int verbs_open_node(const struct verbs_kernel_device *dev, int *ret_fd);

#endif
