/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What all destroy commands have in common: the rule for devices that are
 * gone, and the whole command for objects that raise no events.
 */
#ifndef KERNEL_CMD_DESTROY_H
#define KERNEL_CMD_DESTROY_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "kernel/kernel_caps.h"

/* How to destroy one kind of object of which the kernel wants a handle only. */
struct destroy_cmd {
	enum verbs_kernel_cap cap;
	uint16_t handle_attr;	/* of the native method */
	uint32_t write_command; /* IB_USER_VERBS_CMD_*; takes the handle */
};

/**
 * destroy_device_gone() - whether a destroy failed only for lack of a device
 * @ret: result of a destroy command
 *
 * The kernel has forgotten the object already, and the user asked for that to
 * count as done (RDMAV_ALLOW_DISASSOC_DESTROY).
 */
bool destroy_device_gone(int ret);

/**
 * destroy_by_handle() - run a destroy command
 * Return: 0, also under the rule above, or the kernel's error.
 */
int destroy_by_handle(struct ibv_context *ctx,
		      const struct destroy_cmd *destroy, uint32_t handle);

#endif
