/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The character device of the kernel's connection manager, by RDMA netlink. */
#ifndef KERNEL_UCM_CHARDEV_H
#define KERNEL_UCM_CHARDEV_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct ucm_chardev {
	dev_t number;
	uint32_t abi_version;
};

/**
 * ucm_chardev_query() - ask the kernel for the device
 *
 * The kernel loads the module rdma_ucm if it is not loaded, which may take as
 * long as modprobe(8) does. Leaves errno unchanged.
 *
 * Return: 0; -EPROTO if the response is invalid; the kernel's -errno if there
 * is no device; or the -errno of a system call, such as EPROTONOSUPPORT without
 * RDMA netlink and EAGAIN without a response.
 */
int ucm_chardev_query(struct ucm_chardev *ret_chardev);

/**
 * ucm_chardev_parse() - parse the response of the kernel
 * @datagram: @len bytes
 *
 * Return: 0; -EPROTO if it is invalid; or the -errno in it.
 */
int ucm_chardev_parse(const void *datagram, size_t len,
		      struct ucm_chardev *ret_chardev);

#endif
