/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Device discovery by RDMA netlink. */
#ifndef DISCOVER_DISCOVER_NETLINK_H
#define DISCOVER_DISCOVER_NETLINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "discover/records.h"

struct verbs_netlink_rx;

struct verbs_netlink_cache {
	/* Devices of the last scan; queried along with the next dump. */
	uint32_t *known;
	size_t nr_known;
	/*
	 * Maximum number of queries in flight, limited by the receive buffer.
	 * 0: no more queries in this scan; the next scan resets it.
	 */
	size_t window;
	bool wide; /* the kernel sends many devices in one datagram */
	struct verbs_netlink_rx
		*rx; /* receive buffer; NULL before the first scan */
};

/**
 * verbs_discover_netlink() - scan for devices by netlink
 * @memory: {} before the first scan
 * @ret_records: in the order of the kernel; uverbs_name is empty if netlink did
 *	not report the character device
 *
 * Return: 0; -ENOMEM; another error if netlink is unusable.
 */
int verbs_discover_netlink(struct verbs_netlink_cache *memory,
			   struct verbs_device_records *ret_records);

void verbs_netlink_cache_free(struct verbs_netlink_cache *memory);

#endif
