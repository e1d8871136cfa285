/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Discovery by sysfs. */
#ifndef DISCOVER_DISCOVER_SYSFS_H
#define DISCOVER_DISCOVER_SYSFS_H

#include <provider/device.h>
#include <stdbool.h>
#include <stddef.h>

#include "discover/records.h"

/**
 * verbs_discover_sysfs() - read all devices from class/infiniband_verbs
 * @sysfs: root of sysfs
 * @ret_records: in the order of the folder; without a netlink index
 *
 * A device that lacks what is needed is left out.
 *
 * Return: 0; -ENOSYS if the class is not there, or has a device and an ABI that
 * is not ours; -EPERM; -ENOMEM; -EMFILE or -ENFILE, because a device that
 * cannot be read for lack of descriptors is not a device that is not there.
 */
int verbs_discover_sysfs(const char *sysfs,
			 struct verbs_device_records *ret_records);

/**
 * verbs_sysfs_chardev() - character device of one device that netlink found
 * @sysfs: root of sysfs
 * @device: its ibdev_name is read; uverbs_name, cdev and abi_version are filled
 *	in on success
 *
 * Return: 0; -ENOMEM, -EMFILE or -ENFILE as above; another -errno if sysfs does
 * not tell.
 */
int verbs_sysfs_chardev(const char *sysfs, struct verbs_kernel_device *device);

/* Whether an error of these functions says nothing about the device. */
bool verbs_sysfs_is_resource_error(int error);

/*
 * The texts of sysfs, without their newline. Pure. @len: bytes at @text, which
 * is terminated behind them.
 */

/* "231:192" */
bool verbs_sysfs_parse_dev(const char *text, size_t len, dev_t *ret_dev);

/*
 * verbs_sysfs_parse_number() - leading decimal number
 *
 * Return: whether there is one that fits; what follows it is not looked at.
 */
bool verbs_sysfs_parse_number(const char *text, uint32_t *ret_number);

#endif
