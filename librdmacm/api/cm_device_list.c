/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The open devices. Called by most files of api/. */
#include "api/cm_device_list.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define DEVICE_LIST_SIZE 1024
/* GIDs of a device; RoCE ports have a few tens. */
#define DEVICE_MAX_GIDS 512

static struct own_device *device_list[DEVICE_LIST_SIZE];
/* An element is stored before the count that includes it. */
static atomic_uint nr_devices;

unsigned int device_list_size(void)
{
	return atomic_load(&nr_devices);
}

struct own_device *device_first(void)
{
	return device_list_size() ? device_list[0] : NULL;
}

struct own_device *device_next(const struct own_device *device)
{
	unsigned int next = device->index + 1;

	return next < device_list_size() ? device_list[next] : NULL;
}

int device_list_add(struct own_device *device)
{
	unsigned int index = device_list_size();

	if (index == DEVICE_LIST_SIZE)
		return -ENOSPC;
	device->index = index;
	device_list[index] = device;
	atomic_store(&nr_devices, index + 1);
	return 0;
}

/* The GIDs of the port; the caller frees them. */
static ssize_t device_query_gids(const struct own_device *device,
				 struct ibv_gid_entry **ret_entries)
{
	struct ibv_gid_entry *entries =
		calloc(DEVICE_MAX_GIDS, sizeof(*entries));
	ssize_t nr;

	if (!entries)
		return -ENOMEM;
	nr = _ibv_query_gid_table(device->context, entries, DEVICE_MAX_GIDS, 0,
				  sizeof(*entries));
	*ret_entries = entries;
	return nr > 0 ? nr : 0;
}

int device_gid_index(const struct own_device *device, const union ibv_gid *gid,
		     unsigned int ifindex)
{
	struct ibv_gid_entry *entries;
	ssize_t nr = device_query_gids(device, &entries);
	int index = -ENOENT;

	if (nr < 0)
		return -ENOENT;
	for (ssize_t i = 0; i < nr && index < 0; i++) {
		if (entries[i].port_num == OWN_PORT_NUM &&
		    entries[i].gid_type == IBV_GID_TYPE_ROCE_V2 &&
		    (!ifindex || !entries[i].ndev_ifindex ||
		     entries[i].ndev_ifindex == ifindex) &&
		    memcmp(&entries[i].gid, gid, sizeof(*gid)) == 0)
			index = (int)entries[i].gid_index;
	}
	free(entries);
	return index;
}

unsigned int device_ifindex(const struct own_device *device)
{
	struct ibv_gid_entry *entries;
	ssize_t nr = device_query_gids(device, &entries);
	unsigned int ifindex = 0;

	if (nr < 0)
		return 0;
	for (ssize_t i = 0; i < nr && !ifindex; i++) {
		if (entries[i].port_num == OWN_PORT_NUM)
			ifindex = entries[i].ndev_ifindex;
	}
	free(entries);
	return ifindex;
}
