/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the files of discover/ share with each other and with their tests: the
 * places to look at, and what is remembered from scan to scan.
 */
#ifndef DISCOVER_DISCOVER_INTERNAL_H
#define DISCOVER_DISCOVER_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "discover/dev_nodes.h"
#include "discover/discover.h"

/* Folder of the device nodes. */
#define VERBS_DEV_DIR "/dev/infiniband"

/* A test has places of its own. */
struct verbs_discover_paths {
	const char *sysfs;   /* root of sysfs */
	const char *dev_dir; /* VERBS_DEV_DIR */
};

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

struct verbs_discover_memory {
	struct verbs_netlink_memory netlink;
	struct verbs_node_listing nodes;
};

/**
 * verbs_discover_at() - verbs_discover() with other places to look at
 */
int verbs_discover_at(const struct verbs_discover_paths *paths,
		      struct verbs_discover_memory **memory,
		      struct verbs_device_records *ret_records);

#endif
