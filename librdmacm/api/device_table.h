/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Opens the devices of the process: one context for each, which all ids share
 * and rdma_get_devices() returns, and its default protection domain. A device
 * stays open until the process ends.
 */
#ifndef API_DEVICE_TABLE_H
#define API_DEVICE_TABLE_H

#include "api/own_id.h"

/* All functions: any thread, without host_mutex. */

/**
 * device_table_refresh() - open the devices that are not open yet
 *
 * Devices that fail to open are left out.
 */
void device_table_refresh(void);

/**
 * device_find() - the device of a local address
 * @ifindex: interface of the address, 0: any
 * @ret_index: index in the GID table of the port
 *
 * Return: 0, or -ENODEV.
 */
int device_find(const union ibv_gid *gid, unsigned int ifindex,
		struct own_device **ret_device, int *ret_index);

/**
 * device_find_kernel() - a device of the kernel's connection manager
 * @guid: of its node
 * @index: of the device in the kernel, or -1
 *
 * Return: NULL if there is none.
 */
struct own_device *device_find_kernel(__be64 guid, int64_t index);

/* The first device with an engine; NULL: there is none. */
struct own_device *device_find_first(void);

/**
 * device_id_attach() - give an id its device, default PD and port
 *
 * Return: 0, or the -errno of ibv_alloc_pd().
 */
int device_id_attach(struct own_device *device, uint8_t port_num,
		     struct own_id *own);

/**
 * device_xrcd() - the XRC domain of ids, which has no file and stays open
 *
 * Return: 0, or the -errno of ibv_open_xrcd().
 */
int device_xrcd(struct own_device *device, struct ibv_xrcd **ret_xrcd);

/* Ends the use of the default PD. */
void device_id_detach(struct own_id *own);

#endif
