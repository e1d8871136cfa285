/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the files of discover/ share with each other and with their tests: the
 * places to look at, and what is remembered from scan to scan.
 */
#ifndef DISCOVER_DISCOVER_INTERNAL_H
#define DISCOVER_DISCOVER_INTERNAL_H

#include "discover/dev_nodes.h"
#include "discover/discover_netlink.h"
#include "discover/records.h"

/* Folder of the device nodes. */
#define VERBS_DEV_DIR "/dev/infiniband"

/* A test has places of its own. */
struct verbs_discover_paths {
	const char *sysfs;   /* root of sysfs */
	const char *dev_dir; /* VERBS_DEV_DIR */
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
