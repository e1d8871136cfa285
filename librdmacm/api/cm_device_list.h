/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The open devices of the process. The list only grows, and an element does not
 * change its place, so that any thread may iterate without a lock.
 */
#ifndef API_CM_DEVICE_LIST_H
#define API_CM_DEVICE_LIST_H

#include "api/own_id.h"

unsigned int device_list_size(void);

/* Iteration; NULL: the end. */
struct own_device *device_first(void);
struct own_device *device_next(const struct own_device *device);

/**
 * device_list_add() - add a device to the end
 *
 * Context: one thread at a time.
 * Return: 0, or -ENOSPC.
 */
int device_list_add(struct own_device *device);

/**
 * device_gid_index() - the index of a GID in the table of the port
 * @ifindex: network interface of the GID, 0: any
 *
 * Return: the index, or -ENOENT.
 */
int device_gid_index(const struct own_device *device, const union ibv_gid *gid,
		     unsigned int ifindex);

/** device_ifindex() - the network interface of the port, 0: unknown */
unsigned int device_ifindex(const struct own_device *device);

#endif
