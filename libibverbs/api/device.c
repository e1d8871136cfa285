/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Devices before they are opened: ibv_get_device_list(3) and the queries of a
 * device in the list. core/device_list.c has the list.
 */
#include <infiniband/verbs.h>

#include "api/api_err.h"
#include "core/device_list.h"
#include "core/library_init.h"

/* With RDMA_STATIC_PROVIDERS the header has a macro of this name. */
#undef ibv_get_device_list

struct ibv_device **ibv_get_device_list(int *num_devices)
{
	struct ibv_device **array;
	int count, ret;

	if (num_devices)
		*num_devices = 0;

	verbs_library_init();
	ret = verbs_device_list_get(&array, &count);
	if (ret)
		return api_ret_null(ret);

	if (num_devices)
		*num_devices = count;
	return array;
}

void ibv_free_device_list(struct ibv_device **list)
{
	if (list)
		verbs_device_list_put(list);
}

const char *ibv_get_device_name(struct ibv_device *device)
{
	return device ? device->name : NULL;
}

__be64 ibv_get_device_guid(struct ibv_device *device)
{
	struct verbs_device *dev = device ? verbs_device_of(device) : NULL;

	return dev ? verbs_device_node_guid(dev) : 0;
}

int ibv_get_device_index(struct ibv_device *device)
{
	const struct verbs_device *dev = device ? verbs_device_of(device)
						: NULL;

	return dev && dev->has_node ? dev->kernel.ibdev_index : -1;
}
