/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ids that listen. Called by conn_event.c, device_table.c, id_accept.c and
 * id_object.c.
 */
#include "api/listen_table.h"

#include "api/cm_device_list.h"
#include "api/ip_address.h"
#include "api/port_table.h"
#include "cm/cm_service.h"

#include <errno.h>
#include <stdlib.h>

/* Half-open connections of one port, and datagram requests without a reply */
#define LISTEN_MAX_PENDING 4096

/* A listener of the engine, for all ids of one port */
struct listen_service {
	struct list_node node;
	struct cm_listener listener;
	unsigned int nr_ids;
};

static struct list_node
	listen_ids GUARDED_BY(host_mutex) = LIST_INIT(listen_ids);

static bool id_is_sidr(const struct own_id *own)
{
	return own->id.qp_type == IBV_QPT_UD;
}

static uint64_t listen_service_id(const struct own_id *own)
{
	return cm_service_id(own->binding.port_space, own->binding.port);
}

static struct listen_service *service_find(struct own_device *device,
					   const struct own_id *own)
{
	struct list_node *node;

	list_for_each (node, &device->services) {
		struct listen_service *service =
			list_entry(node, struct listen_service, node);

		if (service->listener.service_id == listen_service_id(own) &&
		    service->listener.is_sidr == id_is_sidr(own))
			return service;
	}
	return NULL;
}

static int service_get(struct own_device *device, const struct own_id *own)
{
	struct listen_service *service = service_find(device, own);
	int ret;

	if (!service) {
		service = calloc(1, sizeof(*service));
		if (!service)
			return -ENOMEM;
		service->listener.service_id = listen_service_id(own);
		service->listener.is_sidr = id_is_sidr(own);
		service->listener.backlog = LISTEN_MAX_PENDING;
		ret = cm_listener_add(&device->cm, &service->listener);
		if (ret) {
			free(service);
			return ret;
		}
		list_add_tail(&device->services, &service->node);
	}
	service->nr_ids++;
	return 0;
}

static void service_put(struct own_device *device, const struct own_id *own)
{
	struct listen_service *service = service_find(device, own);

	if (!service || --service->nr_ids)
		return;
	cm_listener_remove(&device->cm, &service->listener);
	list_del(&service->node);
	free(service);
}

int listen_id_add_locked(struct own_id *own)
{
	struct own_device *device;
	int ret = 0;

	for (device = device_first(); device; device = device_next(device)) {
		if (!port_binding_covers(&own->binding, device))
			continue;
		ret = service_get(device, own);
		if (ret)
			break;
	}
	if (!ret) {
		list_add_tail(&listen_ids, &own->listen_node);
		return 0;
	}
	for (struct own_device *undo = device_first(); undo != device;
	     undo = device_next(undo)) {
		if (port_binding_covers(&own->binding, undo))
			service_put(undo, own);
	}
	return ret;
}

void listen_id_remove_locked(struct own_id *own)
{
	if (list_empty(&own->listen_node))
		return;
	list_del(&own->listen_node);
	for (struct own_device *device = device_first(); device;
	     device = device_next(device)) {
		if (port_binding_covers(&own->binding, device))
			service_put(device, own);
	}
}

void listen_device_add_locked(struct own_device *device)
{
	struct list_node *node;

	list_for_each (node, &listen_ids) {
		struct own_id *own =
			list_entry(node, struct own_id, listen_node);

		/* Without memory, the id does not have the new device. */
		if (port_binding_covers(&own->binding, device))
			(void)service_get(device, own);
	}
}

static bool id_accepts_address(const struct own_id *own,
			       const struct sockaddr *address)
{
	const struct sockaddr *bound =
		(const struct sockaddr *)&own->binding.address;

	if (ip_address_is_any(bound))
		return bound->sa_family == address->sa_family ||
		       (bound->sa_family == AF_INET6 &&
			!own->binding.is_family_only);
	return ip_address_equal(bound, address);
}

struct own_id *listen_find_locked(const struct own_device *device,
				  uint64_t service_id, int qp_type,
				  const struct sockaddr *address)
{
	struct own_id *wildcard = NULL;
	struct list_node *node;

	list_for_each (node, &listen_ids) {
		struct own_id *own =
			list_entry(node, struct own_id, listen_node);

		if (listen_service_id(own) != service_id ||
		    (int)own->id.qp_type != qp_type ||
		    !port_binding_covers(&own->binding, device) ||
		    !id_accepts_address(own, address))
			continue;
		if (own->binding.device)
			return own;
		wildcard = own;
	}
	return wildcard;
}
