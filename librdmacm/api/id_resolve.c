/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Addresses and routes of ids, and the selection of the back end: the engine,
 * if one of its devices has the local address, otherwise the kernel. An id that
 * is bound to a wildcard address has a part in both, with the same port.
 */
#include "api/id_resolve.h"

#include "api/api_err.h"
#include "api/cm_host.h"
#include "api/device_table.h"
#include "api/engine_backend.h"
#include "api/id_backend.h"
#include "api/id_event.h"
#include "api/ip_address.h"
#include "api/ip_route.h"
#include "api/kernel_id.h"

#include <errno.h>
#include <string.h>

/* Ports that are tried if the application leaves the choice to the library */
#define RESOLVE_MAX_PORTS 64

/* Without the kernel's connection manager, is there another? */
static bool kernel_is_optional(int error)
{
	return kernel_id_is_missing(error) ||
	       ((error == -EACCES || error == -EPERM) && device_find_first());
}

/* The error for a local address of no device */
static int address_error(const struct sockaddr *address)
{
	return !ip_address_size(address) || ip_route_is_local(address)
		       ? -ENODEV
		       : -EADDRNOTAVAIL;
}

static int bind_in_kernel(struct own_id *own, const struct sockaddr *address)
{
	int ret = kernel_backend.bind(own, address);

	if (ret)
		kernel_id_drop(own);
	return ret;
}

/* The engine has chosen the port if the application did not. */
static int bind_other_part(struct own_id *own)
{
	struct rdma_addr *addresses = &own->id.route.addr;
	int ret = kernel_id_new(own);

	if (kernel_is_optional(ret))
		return 0;
	if (!ret)
		ret = bind_in_kernel(own, &addresses->src_addr);
	if (!ret)
		return 0;
	engine_id_unbind(own);
	memset(&addresses->src_storage, 0, sizeof(addresses->src_storage));
	return ret;
}

static int bind_in_both(struct own_id *own, const struct sockaddr *address)
{
	int nr_tries = ip_address_port(address) ? 1 : RESOLVE_MAX_PORTS;
	int ret;

	do {
		ret = engine_backend.bind(own, address);
		if (own->device)
			own->backend = &engine_backend;
		if (ret || own->backend)
			return ret;
		ret = bind_other_part(own);
	} while ((ret == -EADDRINUSE || ret == -EADDRNOTAVAIL) && --nr_tries);
	return ret;
}

int id_bind_any(struct own_id *own)
{
	struct sockaddr_storage any;

	ip_address_set_any(&any, AF_INET);
	return bind_in_both(own, (struct sockaddr *)&any);
}

static int id_bind(struct own_id *own, const struct sockaddr *address)
{
	int ret;

	if (!id_address_size(address) || own->backend)
		return -EINVAL;
	ret = bind_in_both(own, address);
	if (ret != -ENODEV)
		return ret;
	ret = kernel_id_new(own);
	if (kernel_id_is_missing(ret))
		return address_error(address);
	if (!ret)
		ret = bind_in_kernel(own, address);
	if (!ret)
		own->backend = &kernel_backend;
	return ret;
}

int rdma_bind_addr(struct rdma_cm_id *id, struct sockaddr *addr)
{
	return api_ret_minus1(id_bind(own_id_of(id), addr));
}

/* The event may arrive before the functions of the back end return. */
static int resolve_in_engine(struct own_id *own, const struct sockaddr *src,
			     const struct sockaddr *dst, int timeout_ms)
{
	int ret;

	own->backend = &engine_backend;
	ret = engine_backend.resolve_addr(own, src, dst, timeout_ms);
	if (own->device)
		kernel_id_drop(own);
	else
		own->backend = NULL;
	return ret;
}

static int resolve_in_kernel(struct own_id *own, const struct sockaddr *src,
			     const struct sockaddr *dst, int timeout_ms)
{
	int ret;

	own->backend = &kernel_backend;
	ret = kernel_backend.resolve_addr(own, src, dst, timeout_ms);
	if (ret)
		own->backend = NULL;
	else
		engine_id_unbind(own);
	return ret;
}

static int resolve_without_device(struct own_id *own,
				  const struct sockaddr *src)
{
	if (src && !ip_address_is_any(src))
		return address_error(src);
	return own_id_post(own, RDMA_CM_EVENT_ADDR_ERROR, -ENODEV, 0);
}

static int id_resolve_addr(struct own_id *own, const struct sockaddr *src,
			   const struct sockaddr *dst, int timeout_ms)
{
	bool was_in_kernel = own->kernel != NULL;
	int ret;

	if (!id_address_size(dst) || (src && !id_address_size(src)))
		return -EINVAL;
	if (own->backend)
		return own->backend->resolve_addr(own, src, dst, timeout_ms);
	ret = resolve_in_engine(own, src, dst, timeout_ms);
	if (ret != -ENODEV)
		return ret;
	ret = kernel_id_new(own);
	if (kernel_id_is_missing(ret))
		return resolve_without_device(own, src);
	if (!ret)
		ret = resolve_in_kernel(own, src, dst, timeout_ms);
	if (ret && !was_in_kernel)
		kernel_id_drop(own);
	return ret;
}

int rdma_resolve_addr(struct rdma_cm_id *id, struct sockaddr *src_addr,
		      struct sockaddr *dst_addr, int timeout_ms)
{
	struct own_id *own = own_id_of(id);
	int ret = id_resolve_addr(own, src_addr, dst_addr, timeout_ms);

	if (!ret)
		ret = id_event_complete(own);
	return api_ret_minus1(ret);
}

int rdma_resolve_route(struct rdma_cm_id *id, int timeout_ms)
{
	struct own_id *own = own_id_of(id);
	int ret = -EINVAL;

	if (own_id_has_device(own))
		ret = own->backend->resolve_route(own, timeout_ms);
	if (!ret)
		ret = id_event_complete(own);
	return api_ret_minus1(ret);
}
