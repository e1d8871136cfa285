/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Device discovery by sysfs. */
#ifndef DISCOVER_DISCOVER_SYSFS_H
#define DISCOVER_DISCOVER_SYSFS_H

#include <provider/device.h>
#include <stdbool.h>
#include <stddef.h>

#include "discover/records.h"

/**
 * verbs_discover_sysfs() - read all devices from class/infiniband_verbs
 * @sysfs: root of sysfs
 * @ret_records: in the order of the directory; without a netlink index
 *
 * Skips devices whose required files are missing or malformed.
 *
 * Return: 0; -ENOSYS if the class does not exist, or has a device and an
 * unsupported ABI version; -EPERM; -ENOMEM; -EMFILE or -ENFILE, because a
 * device that cannot be read for lack of file descriptors must not be skipped.
 */
int verbs_discover_sysfs(const char *sysfs,
			 struct verbs_device_records *ret_records);

/**
 * verbs_sysfs_chardev() - read the character device of one RDMA device
 * @sysfs: root of sysfs
 * @device: ibdev_name is input; uverbs_name, cdev and abi_version are set on
 *	success
 *
 * Return: 0; -ENOMEM, -EMFILE or -ENFILE as above; another -errno if sysfs has
 * no valid entry.
 */
int verbs_sysfs_chardev(const char *sysfs, struct verbs_kernel_device *device);

/* Checks for errors that say nothing about the device, such as -ENOMEM. */
bool verbs_sysfs_is_resource_error(int error);

/*
 * Parsers for texts of sysfs without their newline. @len: bytes at @text,
 * without the NUL that follows.
 */

/* "231:192" */
bool verbs_sysfs_parse_dev(const char *text, size_t len, dev_t *ret_dev);

/*
 * verbs_sysfs_parse_number() - parse a leading decimal number
 *
 * Ignores everything after the number.
 *
 * Return: whether there is a number that fits.
 */
bool verbs_sysfs_parse_number(const char *text, uint32_t *ret_number);

#endif
