/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Addresses and paths of ids in the engine. The path of RoCE follows from the
 * addresses, so that both resolutions have their result at once; uroce sends
 * its packets by UDP sockets, and the kernel resolves the neighbour.
 */
#include "api/engine_backend.h"

#include "api/cm_host.h"
#include "api/device_table.h"
#include "api/id_path.h"
#include "api/ip_address.h"
#include "api/ip_route.h"
#include "api/port_table.h"

#include <endian.h>
#include <string.h>

#define PATH_PKEY	  0xffff
#define PATH_LIFE_TIME	  16   /* that of Linux since 6.12 */
#define PATH_PREFERENCE	  0x43 /* the kernel reports its flags here */
#define PATH_LABEL_FACTOR 31
#define PATH_LABEL_MASK	  0xfffff
#define OWN_INDEX_NOWHERE (-1)

static unsigned int address_ifindex(const struct sockaddr *address)
{
	return ip_address_is_link_local(address)
		       ? ((const struct sockaddr_in6 *)(const void *)address)
				 ->sin6_scope_id
		       : 0;
}

/* The device of a local address; none for wildcard and loopback addresses.
 * Returns -ENODEV if it is an address of the kernel. */
static int address_find_device(const struct sockaddr *address,
			       struct own_device **ret_device, int *ret_index)
{
	union ibv_gid gid;

	*ret_device = NULL;
	*ret_index = OWN_INDEX_NOWHERE;
	if (ip_address_is_any(address)) {
		device_table_refresh();
		return 0;
	}
	ip_address_to_gid(address, &gid);
	return device_find(&gid, address_ifindex(address), ret_device,
			   ret_index) == 0 ||
			       ip_address_is_loopback(address)
		       ? 0
		       : -ENODEV;
}

/* Other types of QPs, and other families of addresses, are the kernel's. */
static bool engine_has_type(const struct own_id *own)
{
	switch (own->id.qp_type) {
	case IBV_QPT_RC:
	case IBV_QPT_UD:
	case IBV_QPT_XRC_SEND:
	case IBV_QPT_XRC_RECV:
		return true;
	default:
		return false;
	}
}

static int id_check_address(const struct own_id *own,
			    const struct sockaddr *address)
{
	if (!engine_has_type(own) || !ip_address_size(address))
		return -ENODEV;
	if (host_id_state(own) != OWN_ID_IDLE ||
	    (ip_address_is_link_local(address) && !address_ifindex(address)))
		return -EINVAL;
	return 0;
}

/* IPv4 addresses never cover IPv6. */
static bool id_is_family_only(const struct own_id *own,
			      const struct sockaddr *address)
{
	if (own->is_family_only || address->sa_family == AF_INET)
		return true;
	return !own->has_family_only && ip_route_is_v6only();
}

/* Gives the id a port at an address whose device is known. */
static int id_bind_to_device(struct own_id *own, const struct sockaddr *address,
			     struct own_device *device, int sgid_index,
			     bool is_claimed)
{
	struct rdma_addr *addresses = &own->id.route.addr;
	struct port_binding *binding = &own->binding;
	int ret;

	if (device && own->id.ps == RDMA_PS_IPOIB)
		return -EINVAL;
	binding->port_space = (uint16_t)own->id.ps;
	binding->device = device;
	binding->is_reusable = own->is_reusable;
	binding->is_family_only = id_is_family_only(own, address);
	ip_address_copy(&binding->address, address);
	ret = port_binding_add(binding, is_claimed);
	if (ret)
		return ret;
	if (device)
		ret = device_id_attach(device, OWN_PORT_NUM, own);
	if (ret) {
		port_binding_remove(binding);
		return ret;
	}
	own->sgid_index = sgid_index;
	addresses->src_storage = binding->address;
	if (device)
		ip_address_to_gid(address, &addresses->addr.ibaddr.sgid);
	host_id_set_state(own, OWN_ID_ADDR_BOUND);
	return 0;
}

/* @is_claimed: as port_binding_add() */
static int engine_bind_port(struct own_id *own, const struct sockaddr *address,
			    bool is_claimed)
{
	struct own_device *device;
	int sgid_index;
	int ret = id_check_address(own, address);

	if (ret)
		return ret;
	ret = address_find_device(address, &device, &sgid_index);
	if (ret)
		return ret;
	return id_bind_to_device(own, address, device, sgid_index, is_claimed);
}

int engine_bind(struct own_id *own, const struct sockaddr *address)
{
	return engine_bind_port(own, address, true);
}

/* Destinations of this host that no device has: the kernel uses the first one,
 * and resolves no route. */
static int loopback_find_device(const struct sockaddr *source,
				struct own_device **ret_device, int *ret_index)
{
	if (!ip_address_is_loopback(source))
		return -ENODEV;
	*ret_device = device_find_first();
	*ret_index = OWN_INDEX_NOWHERE;
	return *ret_device ? 0 : -ENODEV;
}

/* Packets to the wildcard address arrive at their own source address. */
static void id_set_destination(struct own_id *own, const struct sockaddr *dst,
			       const struct sockaddr_storage *source)
{
	struct rdma_addr *addresses = &own->id.route.addr;

	if (ip_address_is_any(dst))
		addresses->dst_storage = *source;
	else
		ip_address_copy(&addresses->dst_storage, dst);
	ip_address_set_port(&addresses->dst_addr, ip_address_port(dst));
	ip_address_to_gid(&addresses->dst_addr, &addresses->addr.ibaddr.dgid);
}

/* Gives an id the device and the address of its packets. */
static int id_set_source(struct own_id *own,
			 const struct sockaddr_storage *source)
{
	const struct sockaddr *address = (const struct sockaddr *)source;
	struct rdma_addr *addresses = &own->id.route.addr;
	struct own_device *device;
	union ibv_gid gid;
	int sgid_index;
	int ret;

	ip_address_to_gid(address, &gid);
	ret = device_find(&gid, address_ifindex(address), &device, &sgid_index);
	if (ret)
		ret = loopback_find_device(address, &device, &sgid_index);
	if (ret)
		return ret;
	/* The port space has no devices of RoCE. */
	if (own->id.ps == RDMA_PS_IPOIB)
		return -EINVAL;
	if (host_id_state(own) == OWN_ID_IDLE)
		return id_bind_to_device(own, address, device, sgid_index,
					 false);
	if (!own->device) {
		ret = device_id_attach(device, OWN_PORT_NUM, own);
		if (ret)
			return ret;
		own->sgid_index = sgid_index;
		addresses->src_storage = *source;
		ip_address_set_port(&addresses->src_addr, own->binding.port);
	}
	addresses->addr.ibaddr.sgid = gid;
	return 0;
}

/* Binds an id that is idle to the source address that the caller gives. */
static int id_prepare_source(struct own_id *own, const struct sockaddr *src,
			     const struct sockaddr *dst,
			     struct sockaddr_storage *ret_bound)
{
	enum own_id_state state = host_id_state(own);
	int ret;

	if (!engine_has_type(own) || !ip_address_size(dst))
		return -ENODEV;
	if (state != OWN_ID_IDLE && state != OWN_ID_ADDR_BOUND)
		return -EINVAL;
	if (state == OWN_ID_IDLE && src) {
		if (src->sa_family != dst->sa_family)
			return -EINVAL;
		ret = engine_bind_port(own, src, false);
		if (ret)
			return ret;
		state = OWN_ID_ADDR_BOUND;
	}
	if (state == OWN_ID_IDLE)
		ip_address_set_any(ret_bound, dst->sa_family);
	else
		*ret_bound = own->id.route.addr.src_storage;
	return ret_bound->ss_family == dst->sa_family ? 0 : -EINVAL;
}

int engine_resolve_addr(struct own_id *own, const struct sockaddr *src,
			const struct sockaddr *dst, int timeout_ms)
{
	struct sockaddr_storage bound, source;
	int ret = id_prepare_source(own, src, dst, &bound);

	if (ret)
		return ret;
	ret = ip_route_source((struct sockaddr *)&bound, dst, &source);
	if (ret)
		return ret;
	ret = id_set_source(own, &source);
	if (ret == -EINVAL)
		return own_id_post(own, RDMA_CM_EVENT_ADDR_ERROR, ret, 0);
	if (ret)
		return ret;
	id_set_destination(own, dst, &source);
	host_id_set_state(own, OWN_ID_ADDR_RESOLVED);
	return own_id_post(own, RDMA_CM_EVENT_ADDR_RESOLVED, 0, 0);
}

/* The flow label of an IPv6 source address; otherwise, ports make one. */
static uint32_t id_flow_label(const struct rdma_addr *addresses)
{
	uint32_t label = 0;

	if (addresses->src_addr.sa_family == AF_INET6)
		label = be32toh(addresses->src_sin6.sin6_flowinfo) &
			PATH_LABEL_MASK;
	if (label)
		return label;
	label = PATH_LABEL_FACTOR * ip_address_port(&addresses->src_addr) +
		ip_address_port(&addresses->dst_addr);

	return label & PATH_LABEL_MASK;
}

int engine_resolve_route(struct own_id *own, int timeout_ms)
{
	const struct rdma_addr *addresses = &own->id.route.addr;
	struct ibv_port_attr port;
	uint8_t life_time = PATH_LIFE_TIME;
	int ret;

	if (!own->device || timeout_ms <= 0 ||
	    host_id_state(own) != OWN_ID_ADDR_RESOLVED)
		return -EINVAL;
	if (own->sgid_index == OWN_INDEX_NOWHERE)
		return -ENODEV;
	ret = ibv_query_port(own->id.verbs, own->id.port_num, &port);
	if (ret)
		return -ret;
	if (own->has_ack_timeout)
		life_time =
			(uint8_t)(own->ack_timeout ? own->ack_timeout - 1 : 0);
	id_path_set(own);
	own->path.flow_label = htobe32(id_flow_label(addresses));
	own->path.hop_limit = ID_PATH_HOP_LIMIT;
	own->path.traffic_class = own->tos;
	own->path.pkey = htobe16(PATH_PKEY);
	own->path.mtu = (uint8_t)port.active_mtu;
	own->path.packet_life_time = life_time;
	own->path.preference = PATH_PREFERENCE;
	host_id_set_state(own, OWN_ID_ROUTE_RESOLVED);
	return own_id_post(own, RDMA_CM_EVENT_ROUTE_RESOLVED, 0, 0);
}
