/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What all destroy commands have in common: the rule for devices that are
 * gone, and the commands themselves.
 */
#ifndef KERNEL_CMD_DESTROY_H
#define KERNEL_CMD_DESTROY_H

#include <errno.h>
#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/kernel_caps.h"
#include "kernel/kernel_state.h"

/* How to destroy one kind of object; the kernel wants nothing but its handle.
 */
struct destroy_cmd {
	enum verbs_kernel_cap cap;
	uint16_t handle_attr; /* of the native method */
	uint16_t resp_attr;   /* likewise; objects with events only */
	/* IB_USER_VERBS_CMD_*, with ..._FLAG_EXTENDED if it is */
	uint32_t write_command;
	bool ioctl_only; /* there is no write command */
};

/**
 * destroy_device_gone() - whether a destroy failed only for lack of a device
 * @ret: result of a destroy command
 *
 * The kernel has forgotten the object already, and the user asked for that to
 * count as done (RDMAV_ALLOW_DISASSOC_DESTROY).
 */
static inline bool cmd_destroy_device_gone(int ret)
{
	return ret == -EIO && verbs_allow_disassociate_destroy;
}

/**
 * destroy_with_resp() - run a destroy command that tells of events
 * @resp, @resp_len: the kernel's answer
 *
 * Return: 0 or the kernel's error; the rule above is left to the caller, who
 * then has no answer.
 */
int cmd_destroy_with_resp(struct ibv_context *ctx,
			  const struct destroy_cmd *destroy, uint32_t handle,
			  void *resp, size_t resp_len);

/**
 * destroy_acked() - events that were acknowledged until now
 * @mutex: of the object; guards @completed
 *
 * What a destroy by the rule above reports, so that nothing is waited for.
 */
uint32_t cmd_destroy_acked_events(pthread_mutex_t *mutex,
				  const uint32_t *completed);

/**
 * destroy_by_handle() - run a destroy command of an object without events
 * Return: 0, also under the rule above, or the kernel's error.
 */
int cmd_destroy_by_handle(struct ibv_context *ctx,
			  const struct destroy_cmd *destroy, uint32_t handle);

#endif
