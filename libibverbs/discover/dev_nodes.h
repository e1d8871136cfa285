/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds the devices that have a node in /dev/infiniband. */
#ifndef DISCOVER_DEV_NODES_H
#define DISCOVER_DEV_NODES_H

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

#include "discover/dir_names.h"
#include "discover/records.h"

/*
 * A cached listing of the directory; {} if there is none. A later scan may use
 * it if the directory is the same one, has the same modification time, and that
 * time is reliable.
 */
struct verbs_node_listing {
	struct verbs_dir_names names; /* sorted by name */
	dev_t dev;
	ino_t ino;
	struct timespec modified; /* st_mtim before the listing */
	struct timespec listed;	  /* time before the listing */
	bool mtime_reliable;	  /* verbs_nodes_mtime_is_reliable() */
};

/**
 * verbs_nodes_mtime_is_reliable() - check whether later changes are detectable
 * @modified: modification time of the directory, read before the listing
 * @listed: time of the listing, by the clock of file timestamps
 *
 * File timestamps have the resolution of a clock tick. If the directory changes
 * before and after the listing in the same tick, both changes set the same
 * time, and the second one would go undetected. The modification time is
 * reliable only if it is at least two ticks older than the listing.
 */
bool verbs_nodes_mtime_is_reliable(const struct timespec *modified,
				   const struct timespec *listed);

/**
 * verbs_nodes_filter() - remove devices without a node from @records
 * @dir: directory of the nodes
 * @listing: listing of an earlier call or {}; updated
 * @records: devices with a uverbs_name; keeps its order
 *
 * Tests only for existence, not for permission to open the node.
 *
 * Return: 0 or -ENOMEM.
 */
int verbs_nodes_filter(const char *dir, struct verbs_node_listing *listing,
		       struct verbs_device_records *records);

void verbs_node_listing_free(struct verbs_node_listing *listing);

#endif
