/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Makes and frees device objects, and fills in what the public part shows of
 * them. Called by core/device_list.c, which owns the list, and by whoever holds
 * a reference.
 */
#include "core/device_object.h"

#include <endian.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/sysfs_root.h"
#include "util/text_file.h"

static int transport_of(int node_type)
{
	switch (node_type) {
	case IBV_NODE_CA:
	case IBV_NODE_SWITCH:
	case IBV_NODE_ROUTER:
		return IBV_TRANSPORT_IB;
	case IBV_NODE_RNIC:
		return IBV_TRANSPORT_IWARP;
	case IBV_NODE_USNIC:
		return IBV_TRANSPORT_USNIC;
	case IBV_NODE_USNIC_UDP:
		return IBV_TRANSPORT_USNIC_UDP;
	case IBV_NODE_UNSPECIFIED:
		return IBV_TRANSPORT_UNSPECIFIED;
	default:
		return IBV_TRANSPORT_UNKNOWN;
	}
}

struct verbs_device *verbs_device_new(const struct verbs_device_ops *provider,
				      const char *name, int node_type)
{
	struct verbs_device *dev = calloc(1, sizeof(*dev));

	if (!dev)
		return NULL;
	dev->provider = provider;
	atomic_init(&dev->refs, 1);
	list_init(&dev->entry);
	dev->pub.node_type = node_type;
	dev->pub.transport_type = transport_of(node_type);
	(void)snprintf(dev->pub.name, sizeof(dev->pub.name), "%s", name);
	return dev;
}

/* Paths that do not fit are left empty: every reader checks the file. */
static void set_path(char *buf, size_t size, const char *class,
		     const char *name)
{
	int len = snprintf(buf, size, "%s/class/%s/%s", sysfs_root(), class,
			   name);

	if (len < 0 || (size_t)len >= size)
		buf[0] = '\0';
}

struct verbs_device *
verbs_device_new_kernel(const struct verbs_device_ops *provider,
			const struct verbs_kernel_device *record)
{
	struct verbs_device *dev = verbs_device_new(
		provider, record->ibdev_name, record->node_type);

	if (!dev)
		return NULL;
	dev->has_node = true;
	dev->kernel = *record;
	if (record->has_node_guid)
		atomic_init(&dev->node_guid, record->node_guid);
	(void)snprintf(dev->pub.dev_name, sizeof(dev->pub.dev_name), "%s",
		       record->uverbs_name);
	set_path(dev->pub.dev_path, sizeof(dev->pub.dev_path),
		 "infiniband_verbs", record->uverbs_name);
	set_path(dev->pub.ibdev_path, sizeof(dev->pub.ibdev_path), "infiniband",
		 record->ibdev_name);
	return dev;
}

void verbs_device_get(struct verbs_device *dev)
{
	/* Relaxed: the caller's own reference orders everything. */
	(void)atomic_fetch_add_explicit(&dev->refs, 1, memory_order_relaxed);
}

void verbs_device_put(struct verbs_device *dev)
{
	if (atomic_fetch_sub(&dev->refs, 1) == 1)
		free(dev);
}

/* Four groups of four digits, with colons between them. */
static bool parse_guid(const char *text, uint64_t *ret_guid)
{
	uint64_t guid = 0;

	for (int group = 0; group < 4; group++, text += 5) {
		if (strspn(text, "0123456789abcdefABCDEF") != 4 ||
		    text[4] != (group < 3 ? ':' : '\0'))
			return false;
		guid = guid << 16 | strtoul(text, NULL, 16);
	}
	*ret_guid = guid;
	return true;
}

__be64 verbs_device_node_guid(struct verbs_device *dev)
{
	__be64 guid = atomic_load(&dev->node_guid);
	char path[sizeof(dev->pub.ibdev_path) + sizeof("/node_guid")];
	uint64_t number;
	char text[32];

	if (guid || !dev->has_node || !dev->pub.ibdev_path[0])
		return guid;

	(void)snprintf(path, sizeof(path), "%s/node_guid", dev->pub.ibdev_path);
	if (text_file_read_at(AT_FDCWD, path, text, sizeof(text)) < 0 ||
	    !parse_guid(text, &number))
		return 0;

	guid = htobe64(number);
	atomic_store(&dev->node_guid, guid);
	return guid;
}
