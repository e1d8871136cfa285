/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The device that a utility is to use.
 */
#ifndef TOOLS_TOOL_DEVICE_H
#define TOOLS_TOOL_DEVICE_H

#include <stdint.h>

#include <infiniband/verbs.h>

/**
 * tool_list_devices() - all devices
 * @ret_count: how many there are
 *
 * Return: a list to be freed with ibv_free_device_list(); NULL after a message
 * on standard error.
 */
struct ibv_device **tool_list_devices(int *ret_count);

/**
 * tool_open_device() - open a device
 * @name: of the device; NULL means the first
 *
 * Return: a context; NULL after a message on standard error.
 */
struct ibv_context *tool_open_device(const char *name);

/** tool_exit_code() - exit code @code, or 1 when standard output failed */
int tool_exit_code(int code);

#endif
