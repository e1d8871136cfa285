/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which devices have a node in /dev/infiniband. */
#ifndef DISCOVER_DEV_NODES_H
#define DISCOVER_DEV_NODES_H

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

#include "discover/dir_names.h"
#include "discover/records.h"

/*
 * A listing of the folder. {} is "never listed". It answers for a later scan if
 * the folder is still the same one, was not modified since, and was settled.
 */
struct verbs_node_listing {
	struct verbs_dir_names names; /* sorted by name */
	dev_t dev;
	ino_t ino;
	struct timespec modified; /* the folder, before it was listed */
	struct timespec listed;	  /* the clock, before the folder was listed */
	bool mtime_reliable;	  /* see verbs_nodes_settled() */
};

/**
 * verbs_nodes_settled() - whether a listing can be trusted later on
 * @modified: modification time of the folder when it was listed
 * @listed: time of the listing, by the clock that stamps files
 *
 * A change right after the listing carries the time of the same clock tick. If
 * the folder had been modified in that tick too, the two times are equal and
 * the change would go unseen. So the modification must lie some ticks back.
 */
bool verbs_nodes_mtime_is_reliable(const struct timespec *modified,
				   const struct timespec *listed);

/**
 * verbs_nodes_filter() - remove the devices that have no node
 * @dir: folder of the nodes
 * @listing: of an earlier call or {}; updated
 * @records: devices with a uverbs_name; order is kept
 *
 * Only existence counts; a node that may not be opened is a node. Looks at a
 * single node for a single device, otherwise at the folder as a whole, or not
 * even that if @listing still holds.
 *
 * Return: 0 or -ENOMEM.
 */
int verbs_nodes_filter(const char *dir, struct verbs_node_listing *listing,
		       struct verbs_device_records *records);

void verbs_node_listing_free(struct verbs_node_listing *listing);

#endif
