/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The destroy commands of all objects: one description per object type, and
 * the rule for devices that are gone.
 */
#ifndef KERNEL_CMD_DESTROY_H
#define KERNEL_CMD_DESTROY_H

#include <errno.h>
#include <infiniband/verbs.h>
#include <provider/objects.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/kernel_caps.h"
#include "kernel/kernel_state.h"

/* How to destroy one type of object. The handle is the only input. */
struct destroy_cmd {
	enum verbs_kernel_cap cap;
	uint16_t handle_attr; /* of the ioctl method */
	uint16_t resp_attr;   /* same; only for objects with events */
	/* IB_USER_VERBS_CMD_*, with ..._FLAG_EXTENDED if extended */
	uint32_t write_command;
	bool ioctl_only; /* there is no write command */
};

/**
 * cmd_destroy_device_gone() - check whether to treat -EIO of a destroy as
 * success
 * @ret: result of a destroy command
 *
 * -EIO means that the device is gone and the kernel has already freed the
 * object. RDMAV_ALLOW_DISASSOC_DESTROY selects that this is a success.
 */
static inline bool cmd_destroy_device_gone(int ret)
{
	return ret == -EIO && verbs_allow_disassociate_destroy;
}

/**
 * cmd_destroy_with_resp() - destroy an object and read its event counts
 * @resp, @resp_len: buffer for the kernel's response
 *
 * The caller applies cmd_destroy_device_gone(); there is no response in that
 * case.
 *
 * Return: 0 or the kernel's error.
 */
int cmd_destroy_with_resp(struct ibv_context *ctx,
			  const struct destroy_cmd *destroy, uint32_t handle,
			  void *resp, size_t resp_len);

/**
 * cmd_destroy_acked_events() - read the number of acknowledged events
 * @mutex: mutex of the object; protects @completed
 *
 * A destroy after cmd_destroy_device_gone() reports this number of events, so
 * that the caller waits for no further acknowledgement.
 */
uint32_t cmd_destroy_acked_events(pthread_mutex_t *mutex,
				  const uint32_t *completed);

/**
 * cmd_destroy_count_events() - the end of the destruction of a QP, SRQ or WQ
 * @ret: result of the destroy command
 * @reported: events according to the kernel
 * @mutex, @completed: as in cmd_destroy_acked_events()
 * @ret_raised: receives the number of events
 *
 * Return: 0, also if cmd_destroy_device_gone(); or @ret.
 */
int cmd_destroy_count_events(int ret, uint32_t reported, pthread_mutex_t *mutex,
			     const uint32_t *completed,
			     struct verbs_event_count *ret_raised);

/**
 * cmd_destroy_by_handle() - destroy an object that has no events
 *
 * Return: 0, also if cmd_destroy_device_gone(); or the kernel's error.
 */
int cmd_destroy_by_handle(struct ibv_context *ctx,
			  const struct destroy_cmd *destroy, uint32_t handle);

#endif
