/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Device lists for programs of libibverbs 1.0. Each list has its own shadows
 * and holds the real list, so that the real devices stay valid. An open
 * context holds the shadow of its device, which the program can reach through
 * the context, and the real device through the real context.
 */
#include <provider/objects.h>
#include <stdatomic.h>

#include "api/api_err.h"
#include "compat/compat_shadow.h"

/* With RDMA_STATIC_PROVIDERS the header has a macro of this name. */
#undef ibv_get_device_list

struct compat_device {
	struct ibv_device_1_0 device; /* first: the program's pointer */
	atomic_uint nr_users; /* references of the list and of contexts */
};

struct compat_list {
	struct ibv_device **real;
	struct ibv_device_1_0 *devices[]; /* the program's array */
};

static struct compat_device *compat_device_of(struct ibv_device_1_0 *device)
{
	return verbs_container_of(device, struct compat_device, device);
}

void compat_device_get(struct ibv_device_1_0 *device)
{
	atomic_fetch_add(&compat_device_of(device)->nr_users, 1);
}

void compat_device_put(struct ibv_device_1_0 *device)
{
	struct compat_device *dev = compat_device_of(device);

	if (atomic_fetch_sub(&dev->nr_users, 1) == 1)
		free(dev);
}

static struct ibv_device_1_0 *compat_device_new(struct ibv_device *real)
{
	struct compat_device *dev = calloc(1, sizeof(*dev));

	if (!dev)
		return NULL;
	dev->device.real_device = real;
	atomic_init(&dev->nr_users, 1);
	return &dev->device;
}

static void compat_list_free(struct compat_list *list)
{
	for (size_t i = 0; list->devices[i]; i++)
		compat_device_put(list->devices[i]);
	free(list);
}

static struct compat_list *compat_list_new(struct ibv_device **real,
					   size_t count)
{
	struct compat_list *list;

	list = calloc(1,
		      sizeof(*list) + (count + 1) * sizeof(list->devices[0]));
	if (!list)
		return NULL;
	list->real = real;
	for (size_t i = 0; i < count; i++) {
		list->devices[i] = compat_device_new(real[i]);
		if (!list->devices[i]) {
			compat_list_free(list);
			return NULL;
		}
	}
	return list;
}

struct ibv_device_1_0 **compat_ibv_get_device_list(int *num)
{
	struct compat_list *list;
	struct ibv_device **real;
	int count;

	if (num)
		*num = 0;
	real = ibv_get_device_list(&count);
	if (!real)
		return NULL;

	list = compat_list_new(real, (size_t)count);
	if (!list) {
		ibv_free_device_list(real);
		return api_ret_null(-ENOMEM);
	}
	if (num)
		*num = count;
	return list->devices;
}

void compat_ibv_free_device_list(struct ibv_device_1_0 **devices)
{
	struct compat_list *list;

	if (!devices)
		return;
	list = verbs_container_of(devices, struct compat_list, devices);
	ibv_free_device_list(list->real);
	compat_list_free(list);
}

static struct ibv_device *
compat_real_device(const struct ibv_device_1_0 *device)
{
	return device ? device->real_device : NULL;
}

const char *compat_ibv_get_device_name(struct ibv_device_1_0 *device)
{
	return ibv_get_device_name(compat_real_device(device));
}

__be64 compat_ibv_get_device_guid(struct ibv_device_1_0 *device)
{
	return ibv_get_device_guid(compat_real_device(device));
}

COMPAT_EXPORT(ibv_get_device_list)
COMPAT_EXPORT(ibv_free_device_list)
COMPAT_EXPORT(ibv_get_device_name)
COMPAT_EXPORT(ibv_get_device_guid)
