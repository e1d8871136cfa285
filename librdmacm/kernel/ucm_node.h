/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The device node of the kernel's connection manager. Each descriptor has its
 * own queue of events; closing it destroys the ids that belong to it.
 */
#ifndef KERNEL_UCM_NODE_H
#define KERNEL_UCM_NODE_H

/**
 * ucm_node_check_abi() - check the version of the kernel's interface
 *
 * Reads it from sysfs. A kernel without the file has no connection manager, or
 * hides sysfs: the check succeeds, and ucm_node_open() decides.
 *
 * Return: 0; -EPERM if the version is unknown.
 */
int ucm_node_check_abi(void);

/**
 * ucm_node_open() - open the node
 * @ret_fd: a descriptor with O_NONBLOCK and O_CLOEXEC
 *
 * Return: 0; -ENODEV if the node is no character device; or the -errno of
 * open(2) (ENOENT: no such node).
 */
int ucm_node_open(int *ret_fd);

#endif
