/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds the RDMA devices of the kernel: see discover.h. Called by core/.
 *
 * Netlink is tried first: it reports all devices in few system calls, their
 * kernel drivers, and an index that distinguishes a device from a later one of
 * the same name. sysfs is read if netlink is unusable: in kernels without these
 * requests, if a container or a seccomp filter forbids the socket, or if
 * responses are malformed. sysfs is also read for a single device whose
 * character device netlink does not report. The last step removes devices
 * without a device node, which no process can open.
 */
#include "discover/discover.h"

#include <errno.h>
#include <stdlib.h>

#include "discover/dev_nodes.h"
#include "discover/discover_internal.h"
#include "discover/discover_netlink.h"
#include "discover/discover_sysfs.h"
#include "util/sysfs_root.h"

/* Adds missing character devices from sysfs; removes devices without one. */
static int discover_complete_records(const char *sysfs,
				     struct verbs_device_records *records)
{
	size_t kept = 0;

	for (size_t i = 0; i < records->count; i++) {
		struct verbs_kernel_device *device = &records->devices[i];
		int ret = 0;

		if (!device->uverbs_name[0])
			ret = verbs_sysfs_chardev(sysfs, device);
		if (verbs_sysfs_is_resource_error(ret))
			return ret;
		if (ret)
			continue;
		if (kept != i)
			records->devices[kept] = *device;
		kept++;
	}
	records->count = kept;
	return 0;
}

int verbs_discover_at(const struct verbs_discover_paths *paths,
		      struct verbs_discover_cache **memory,
		      struct verbs_device_records *ret_records)
{
	struct verbs_device_records records = {};
	int ret;

	if (!*memory) {
		*memory = calloc(1, sizeof(**memory));
		if (!*memory)
			return -ENOMEM;
	}

	ret = verbs_discover_netlink(&(*memory)->netlink, &records);
	if (ret && ret != -ENOMEM)
		ret = verbs_discover_sysfs(paths->sysfs, &records);
	if (!ret)
		ret = discover_complete_records(paths->sysfs, &records);
	if (!ret)
		ret = verbs_nodes_filter(paths->dev_dir, &(*memory)->nodes,
					 &records);
	if (ret) {
		verbs_device_records_free(&records);
		return ret;
	}
	*ret_records = records;
	return 0;
}

int verbs_discover(struct verbs_discover_cache **memory,
		   struct verbs_device_records *ret_records)
{
	const struct verbs_discover_paths paths = {
		.sysfs = sysfs_root(),
		.dev_dir = VERBS_DEV_DIR,
	};

	return verbs_discover_at(&paths, memory, ret_records);
}

void verbs_discover_cache_free(struct verbs_discover_cache *memory)
{
	if (!memory)
		return;
	verbs_netlink_cache_free(&memory->netlink);
	verbs_node_listing_free(&memory->nodes);
	free(memory);
}
