/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internals of discover.c that its tests use: configurable paths, and the state
 * that is kept from scan to scan.
 */
#ifndef DISCOVER_DISCOVER_INTERNAL_H
#define DISCOVER_DISCOVER_INTERNAL_H

#include "discover/dev_nodes.h"
#include "discover/discover_netlink.h"
#include "discover/records.h"

/* Directory of the device nodes. */
#define VERBS_DEV_DIR "/dev/infiniband"

/* Tests pass other paths. */
struct verbs_discover_paths {
	const char *sysfs;   /* root of sysfs */
	const char *dev_dir; /* VERBS_DEV_DIR */
};

struct verbs_discover_cache {
	struct verbs_netlink_cache netlink;
	struct verbs_node_listing nodes;
};

/**
 * verbs_discover_at() - scan for devices at the given paths
 */
int verbs_discover_at(const struct verbs_discover_paths *paths,
		      struct verbs_discover_cache **memory,
		      struct verbs_device_records *ret_records);

#endif
