/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Opens devices. Called by files that bind ids, and by applications. */
#include "api/device_table.h"

#include "api/cm_device_list.h"
#include "api/cm_host.h"
#include "api/listen_table.h"

#include "util/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <rdma/rdma_cma.h>
#include <stdlib.h>
#include <string.h>

/* Weak: there are releases of libibverbs without this interface. */
#pragma weak verbs_get_gsi_ops

/* Held while devices are opened; users of default protection domains */
static struct verbs_mutex device_mutex = VERBS_MUTEX_INIT;

static bool device_is_open(const struct ibv_device *wanted)
{
	struct own_device *device;

	for (device = device_first(); device; device = device_next(device)) {
		if (strcmp(device->context->device->name, wanted->name) == 0)
			return true;
	}
	return false;
}

/*
 * Whether an earlier device has the GSI of this network interface: both have
 * the same addresses, so one receives the MADs to them. Ids use that device.
 */
static bool device_gsi_is_open(const struct own_device *device)
{
	unsigned int ifindex = device_ifindex(device);
	struct own_device *other;

	for (other = device_first(); ifindex && other;
	     other = device_next(other)) {
		if (other->gsi && other->gsi_ops == device->gsi_ops &&
		    device_ifindex(other) == ifindex)
			return true;
	}
	return false;
}

static void device_open_locked(struct ibv_device *wanted) REQUIRES(device_mutex)
{
	struct own_device *device = calloc(1, sizeof(*device));

	if (!device)
		return;
	list_init(&device->services);
	list_init(&device->conns);
	device->context = ibv_open_device(wanted);
	if (!device->context)
		goto err_free;
	if (ibv_query_device(device->context, &device->attr) != 0)
		goto err_close;
	if (verbs_get_gsi_ops)
		device->gsi_ops =
			verbs_get_gsi_ops(device->context, VERBS_GSI_VERSION);
	/* Without a GSI the device has no engine. */
	if (device->gsi_ops && !device_gsi_is_open(device))
		(void)host_device_start(device);
	verbs_mutex_lock(&host_mutex);
	if (device_list_add(device) == 0 && device->gsi)
		listen_device_add_locked(device);
	verbs_mutex_unlock(&host_mutex);
	return;

err_close:
	(void)ibv_close_device(device->context);
err_free:
	free(device);
}

void device_table_refresh(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);

	if (!list)
		return;
	verbs_mutex_lock(&device_mutex);
	for (size_t i = 0; list[i]; i++) {
		if (!device_is_open(list[i]))
			device_open_locked(list[i]);
	}
	verbs_mutex_unlock(&device_mutex);
	ibv_free_device_list(list);
}

static int open_device_find(const union ibv_gid *gid, unsigned int ifindex,
			    struct own_device **ret_device, int *ret_index)
{
	for (struct own_device *device = device_first(); device;
	     device = device_next(device)) {
		int index = device->gsi ? device_gid_index(device, gid, ifindex)
					: -ENOENT;

		if (index >= 0) {
			*ret_device = device;
			*ret_index = index;
			return 0;
		}
	}
	return -ENODEV;
}

int device_find(const union ibv_gid *gid, unsigned int ifindex,
		struct own_device **ret_device, int *ret_index)
{
	if (open_device_find(gid, ifindex, ret_device, ret_index) == 0)
		return 0;
	device_table_refresh();
	return open_device_find(gid, ifindex, ret_device, ret_index);
}

static struct own_device *open_device_find_kernel(__be64 guid, int64_t index)
{
	for (struct own_device *device = device_first(); device;
	     device = device_next(device)) {
		int own_index = ibv_get_device_index(device->context->device);

		if (!device->gsi_ops && device->attr.node_guid == guid &&
		    (index < 0 || own_index < 0 || index == own_index))
			return device;
	}
	return NULL;
}

struct own_device *device_find_kernel(__be64 guid, int64_t index)
{
	struct own_device *device = open_device_find_kernel(guid, index);

	if (device)
		return device;
	device_table_refresh();
	return open_device_find_kernel(guid, index);
}

struct own_device *device_find_first(void)
{
	struct own_device *device;

	if (!device_first())
		device_table_refresh();
	for (device = device_first(); device; device = device_next(device)) {
		if (device->gsi)
			return device;
	}
	return NULL;
}

int device_id_attach(struct own_device *device, uint8_t port_num,
		     struct own_id *own)
{
	int ret = 0;

	verbs_mutex_lock(&device_mutex);
	if (!device->nr_pd_users) {
		device->pd = ibv_alloc_pd(device->context);
		if (!device->pd)
			ret = -errno;
	}
	if (!ret) {
		device->nr_pd_users++;
		own->has_pd = true;
		own->device = device;
		own->id.verbs = device->context;
		own->id.pd = device->pd;
		own->id.port_num = port_num;
	}
	verbs_mutex_unlock(&device_mutex);
	return ret;
}

int device_xrcd(struct own_device *device, struct ibv_xrcd **ret_xrcd)
{
	struct ibv_xrcd_init_attr attr = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = -1,
		.oflags = O_CREAT,
	};
	int ret = 0;

	verbs_mutex_lock(&device_mutex);
	if (!device->xrcd) {
		device->xrcd = ibv_open_xrcd(device->context, &attr);
		if (!device->xrcd)
			ret = -errno;
	}
	*ret_xrcd = device->xrcd;
	verbs_mutex_unlock(&device_mutex);
	return ret;
}

void device_id_detach(struct own_id *own)
{
	struct own_device *device = own->device;

	if (!own->has_pd)
		return;
	own->has_pd = false;
	verbs_mutex_lock(&device_mutex);
	if (!--device->nr_pd_users) {
		/* EBUSY: the application has objects in it. */
		if (ibv_dealloc_pd(device->pd) != 0)
			device->nr_pd_users++;
		else
			device->pd = NULL;
	}
	verbs_mutex_unlock(&device_mutex);
}

struct ibv_context **rdma_get_devices(int *num_devices)
{
	struct ibv_context **list;
	unsigned int nr;

	device_table_refresh();
	nr = device_list_size();
	list = nr ? calloc(nr + 1, sizeof(struct ibv_context *)) : NULL;
	if (num_devices)
		*num_devices = list ? (int)nr : 0;
	if (!list) {
		errno = nr ? ENOMEM : ENODEV;
		return NULL;
	}
	for (struct own_device *device = device_first();
	     device && device->index < nr; device = device_next(device))
		list[device->index] = device->context;
	return list;
}

void rdma_free_devices(struct ibv_context **list)
{
	free(list);
}
