/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Discovery by RDMA netlink. */
#ifndef DISCOVER_DISCOVER_NETLINK_H
#define DISCOVER_DISCOVER_NETLINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "discover/records.h"

struct verbs_netlink_rx;

struct verbs_netlink_memory {
	/* Devices that netlink knew completely; asked for again at once. */
	uint32_t *known;
	size_t nr_known;
	/*
	 * Queries in flight that the receive buffer has room for. 0: no more
	 * in this scan; the next one starts anew.
	 */
	size_t window;
	bool wide; /* this kernel sends datagrams of many devices */
	struct verbs_netlink_rx *rx; /* receive buffer; NULL before the first */
};

/**
 * verbs_discover_netlink() - ask the kernel by netlink
 * @memory: {} before the first scan
 * @ret_records: in the order of the kernel; a device whose character device
 *	netlink could not tell has an empty uverbs_name
 *
 * Return: 0, -ENOMEM, or another error that says: netlink cannot be used.
 */
int verbs_discover_netlink(struct verbs_netlink_memory *memory,
			   struct verbs_device_records *ret_records);

void verbs_netlink_memory_free(struct verbs_netlink_memory *memory);

#endif
