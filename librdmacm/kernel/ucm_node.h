/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The device node of the kernel's connection manager. Each descriptor has its
 * own queue of events; closing it destroys the ids that belong to it.
 */
#ifndef KERNEL_UCM_NODE_H
#define KERNEL_UCM_NODE_H

#include <stdbool.h>
#include <sys/types.h>

struct ucm_node {
	bool has_number; /* the kernel has reported it */
	dev_t number;
};

/**
 * ucm_node_find() - find the node, and check the version of the interface
 *
 * Asks the kernel by netlink, which loads the module, and otherwise reads the
 * version from sysfs. If neither is possible, there may still be a node: the
 * check succeeds, and ucm_node_open() decides.
 *
 * Return: 0; -EPERM if the version is unknown.
 */
int ucm_node_find(struct ucm_node *ret_node);

/**
 * ucm_node_open() - open the node
 * @node: result of ucm_node_find()
 * @ret_fd: a descriptor with O_NONBLOCK and O_CLOEXEC
 *
 * If that fails and the number of the device is known, also tries its link in
 * /dev/char.
 *
 * Return: 0; -ENODEV if the node is no character device, or not the one that
 * the kernel reported; or the -errno of open(2) (ENOENT: no such node).
 */
int ucm_node_open(const struct ucm_node *node, int *ret_fd);

#endif
