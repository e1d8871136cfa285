/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Makes and frees device objects and fills their public part.
 * core/device_list.c, which owns the list, and every holder of a reference
 * call this file.
 */
#include "core/device_object.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/provider_registry.h"
#include "util/sysfs_root.h"
#include "util/text_file.h"

static int device_transport_type(int node_type)
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

struct verbs_device *
verbs_device_new_bare(const struct verbs_device_ops *provider)
{
	struct verbs_device *dev = calloc(1, sizeof(*dev));

	if (!dev)
		return NULL;
	dev->provider = provider;
	atomic_init(&dev->refs, 1);
	list_init(&dev->entry);
	return dev;
}

/* The slot has the type of a function that no program has called since 2006. */
typedef struct ibv_context *(*device_slot)(struct ibv_device *device,
					   int cmd_fd);

void verbs_device_link(struct verbs_device *dev, struct ibv_device *pub)
{
	dev->pub = pub;
	/* Pairs with the load in verbs_device_linked(). */
	__atomic_store_n(&pub->_ops._dummy1, (device_slot)(void *)dev,
			 __ATOMIC_RELEASE);
}

static struct verbs_device *device_adopt_foreign(struct ibv_device *pub)
{
	const struct verbs_device_ops *providers[VERBS_MAX_PROVIDERS];
	size_t count = verbs_provider_snapshot(providers);

	for (size_t i = 0; i < count; i++) {
		if (providers[i]->foreign)
			return providers[i]->foreign->adopt_device(pub);
	}
	return NULL;
}

struct verbs_device *verbs_device_of(struct ibv_device *pub)
{
	struct verbs_device *dev = verbs_device_linked(pub);

	return dev ? dev : device_adopt_foreign(pub);
}

static void device_fill_names(struct ibv_device *pub, const char *name,
			      int node_type)
{
	pub->node_type = node_type;
	pub->transport_type = device_transport_type(node_type);
	(void)snprintf(pub->name, sizeof(pub->name), "%s", name);
}

/*
 * The dev_name of a device without a kernel driver. UCX and others only use a
 * device if /dev/infiniband/<dev_name> is a character device that they may read
 * and write; they do not open it. This one is /dev/full, which all users may
 * open, and where each command fails: ENOSPC, ENOTTY. Such a device has no
 * sysfs paths.
 */
#define DEVICE_WITHOUT_NODE "../full"

struct verbs_device *verbs_device_new(const struct verbs_device_ops *provider,
				      const char *name, int node_type)
{
	struct verbs_device *dev = verbs_device_new_bare(provider);

	if (!dev)
		return NULL;
	verbs_device_link(dev, &dev->own);
	device_fill_names(dev->pub, name, node_type);
	(void)snprintf(dev->pub->dev_name, sizeof(dev->pub->dev_name), "%s",
		       DEVICE_WITHOUT_NODE);
	return dev;
}

/* A path that does not fit is left empty: every reader checks the file. */
static void device_set_sysfs_path(char *buf, size_t size, const char *class,
				  const char *name)
{
	int len = snprintf(buf, size, "%s/class/%s/%s", sysfs_root(), class,
			   name);

	if (len < 0 || (size_t)len >= size)
		buf[0] = '\0';
}

static void device_fill_kernel_names(struct ibv_device *pub,
				     const struct verbs_kernel_device *record)
{
	device_fill_names(pub, record->ibdev_name, record->node_type);
	(void)snprintf(pub->dev_name, sizeof(pub->dev_name), "%s",
		       record->uverbs_name);
	device_set_sysfs_path(pub->dev_path, sizeof(pub->dev_path),
			      "infiniband_verbs", record->uverbs_name);
	device_set_sysfs_path(pub->ibdev_path, sizeof(pub->ibdev_path),
			      "infiniband", record->ibdev_name);
}

int verbs_device_new_kernel(const struct verbs_device_ops *provider,
			    struct verbs_candidate *candidate,
			    struct verbs_device **ret_dev)
{
	const struct verbs_kernel_device *record = candidate->kernel;
	struct verbs_device *dev = verbs_device_new_bare(provider);
	int ret;

	if (!dev) {
		free(candidate->claim);
		return -ENOMEM;
	}
	dev->has_node = true;
	dev->kernel = *record;
	if (record->has_node_guid)
		atomic_init(&dev->node_guid, record->node_guid);
	if (provider->foreign) {
		ret = provider->foreign->make_device(dev, candidate);
		if (ret) {
			free(dev);
			return ret;
		}
	} else {
		verbs_device_link(dev, &dev->own);
	}
	device_fill_kernel_names(dev->pub, record);
	*ret_dev = dev;
	return 0;
}

void verbs_device_get(struct verbs_device *dev)
{
	/* Relaxed: the caller's own reference provides the ordering. */
	(void)atomic_fetch_add_explicit(&dev->refs, 1, memory_order_relaxed);
}

void verbs_device_put(struct verbs_device *dev)
{
	if (atomic_fetch_sub(&dev->refs, 1) != 1)
		return;
	if (dev->provider->foreign)
		dev->provider->foreign->free_device(dev);
	free(dev);
}

/* Four groups of four digits, with colons between them. */
static bool device_parse_guid(const char *text, uint64_t *ret_guid)
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
	char path[sizeof(dev->pub->ibdev_path) + sizeof("/node_guid")];
	uint64_t number;
	char text[32];

	if (guid || !dev->has_node || !dev->pub->ibdev_path[0])
		return guid;

	(void)snprintf(path, sizeof(path), "%s/node_guid",
		       dev->pub->ibdev_path);
	if (text_file_read_at(AT_FDCWD, path, text, sizeof(text)) < 0 ||
	    !device_parse_guid(text, &number))
		return 0;

	guid = htobe64(number);
	atomic_store(&dev->node_guid, guid);
	return guid;
}
