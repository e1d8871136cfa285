/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Device records: functions that discovery by netlink and by sysfs share. No
 * system calls.
 */
#ifndef DISCOVER_RECORDS_H
#define DISCOVER_RECORDS_H

#include <provider/device.h>
#include <stdbool.h>
#include <stddef.h>

/* Records in the order in which the kernel reported the devices. */
struct verbs_device_records {
	struct verbs_kernel_device *devices;
	size_t count;
};

/** verbs_device_records_free() - free the array and reset @records to {} */
void verbs_device_records_free(struct verbs_device_records *records);

/**
 * verbs_records_add() - append a copy of @device
 * @records: {} is an empty array
 *
 * Return: 0; -ENOMEM, with @records unchanged.
 */
int verbs_records_add(struct verbs_device_records *records,
		      const struct verbs_kernel_device *device);

/**
 * verbs_record_name() - validate and copy an untrusted device name
 * @text: not necessarily terminated
 * @len: bytes at @text, without a terminating NUL
 * @ret_name: VERBS_DEVICE_NAME_LEN bytes; zeros follow the name
 *
 * Names become parts of paths. Refuses an empty name, ".", "..", names with a
 * slash or a NUL, and names that are too long.
 *
 * Return: whether the name is valid; if not, @ret_name is unchanged.
 */
bool verbs_record_name(const char *text, size_t len, char *ret_name);

/**
 * verbs_record_node_type() - convert the kernel's number to enum ibv_node_type
 *
 * Return: the type, or IBV_NODE_UNKNOWN (-1) for an undefined number.
 */
int verbs_record_node_type(unsigned long number);

#endif
