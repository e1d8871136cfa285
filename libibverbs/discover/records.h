/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Filling device records: what both ways of discovery have in common. Pure,
 * but for the memory of the array.
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
 * Return: 0 or -ENOMEM, which leaves @records as it was.
 */
int verbs_records_add(struct verbs_device_records *records,
		      const struct verbs_kernel_device *device);

/**
 * verbs_record_name() - take over a name that came from outside
 * @text: not necessarily terminated
 * @len: bytes at @text, without a terminator
 * @ret_name: VERBS_DEVICE_NAME_LEN bytes, zero behind the name
 *
 * Names become parts of paths, so an empty one, ".", "..", one that holds a
 * slash or a NUL, or one that is too long is refused.
 *
 * Return: whether the name was taken; @ret_name is untouched if not.
 */
bool verbs_record_name(const char *text, size_t len, char *ret_name);

/**
 * verbs_record_node_type() - enum ibv_node_type of the kernel's number
 *
 * Return: the type, -1 (unknown) for a number without a meaning.
 */
int verbs_record_node_type(unsigned long number);

#endif
