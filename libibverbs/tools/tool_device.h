/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Listing and opening of devices for all utilities. */
#ifndef TOOLS_TOOL_DEVICE_H
#define TOOLS_TOOL_DEVICE_H

#include <stdint.h>

#include <infiniband/verbs.h>

/**
 * tool_list_devices() - list all devices
 * @ret_count: receives the number of devices; may be NULL
 *
 * Free the list with ibv_free_device_list().
 *
 * Return: the list, or NULL after a message on standard error.
 */
struct ibv_device **tool_list_devices(int *ret_count);

/**
 * tool_open_device() - open a device
 * @name: device name; NULL means the first device
 *
 * Return: a context, or NULL after a message on standard error.
 */
struct ibv_context *tool_open_device(const char *name);

/**
 * tool_exit_code() - flush standard output; return @code, or 1 if that failed
 */
int tool_exit_code(int code);

#endif
