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

int device_gid_index(const struct own_device *device, const union ibv_gid *gid,
		     unsigned int ifindex)
{
	struct ibv_gid_entry *entries =
		calloc(DEVICE_MAX_GIDS, sizeof(*entries));
	int index = -ENOENT;
	ssize_t nr;

	if (!entries)
		return -ENOENT;
	nr = _ibv_query_gid_table(device->context, entries, DEVICE_MAX_GIDS, 0,
				  sizeof(*entries));
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
