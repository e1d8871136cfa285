/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ids: creation, destruction, channel and ports. An id that is destroyed or
 * moved has a part in the engine, in the kernel, or in both.
 */
#include "api/id_object.h"

#include "api/api_err.h"
#include "api/device_table.h"
#include "api/engine_backend.h"
#include "api/ip_address.h"
#include "api/kernel_channel.h"
#include "api/kernel_event.h"
#include "api/kernel_id.h"
#include "api/multicast_group.h"
#include "api/port_table.h"

#include <endian.h>
#include <infiniband/ib.h>
#include <stdlib.h>

struct rdma_event_channel *rdma_create_event_channel(void)
{
	struct channel *channel;
	int ret = event_channel_new(&channel);

	return ret ? api_ret_null(ret) : &channel->public;
}

void rdma_destroy_event_channel(struct rdma_event_channel *channel)
{
	if (channel)
		kernel_channel_free(channel_of(channel));
}

/* Moves an id to another channel, with its events. */
static int id_object_move(struct own_id *own, struct channel *to)
{
	uint32_t nr_events = 0;
	int ret = kernel_id_migrate(own, to, &nr_events);

	if (ret)
		return ret;
	channel_source_wait(&own->source, nr_events);
	channel_source_move(&own->source, to);
	own->id.channel = &to->public;
	return 0;
}

int id_object_make_sync(struct own_id *own)
{
	struct channel *channel;
	int ret = event_channel_new(&channel);

	if (ret)
		return ret;
	if (own->source.channel)
		ret = id_object_move(own, channel);
	else
		own_id_set_channel(own, channel);
	if (ret) {
		kernel_channel_free(channel);
		return ret;
	}
	own->is_sync = true;
	return 0;
}

int rdma_create_id(struct rdma_event_channel *channel, struct rdma_cm_id **id,
		   void *context, enum rdma_port_space ps)
{
	bool is_datagram = ps == RDMA_PS_UDP || ps == RDMA_PS_IPOIB;
	struct own_id *own;

	if (!is_datagram && ps != RDMA_PS_TCP && ps != RDMA_PS_IB)
		return api_ret_minus1(-EINVAL);
	own = own_id_new();
	if (!own)
		return api_ret_minus1(-ENOMEM);
	if (channel) {
		own_id_set_channel(own, channel_of(channel));
	} else if (id_object_make_sync(own) != 0) {
		free(own);
		return api_ret_minus1(-ENOMEM);
	}
	own->id.context = context;
	own->id.ps = ps;
	own->id.qp_type = is_datagram ? IBV_QPT_UD : IBV_QPT_RC;
	*id = &own->id;
	return 0;
}

void id_object_ack(struct own_id *own)
{
	if (own->id.event)
		channel_ack(channel_event_of(own->id.event));
	own->id.event = NULL;
}

/* Frees an id without events. */
static void id_object_free(struct own_id *own)
{
	kernel_event_forget(own);
	multicast_groups_free(own);
	port_binding_remove(&own->binding);
	device_id_detach(own);
	if (own->is_sync)
		kernel_channel_free(own->source.channel);
	rdma_freeaddrinfo(own->addrinfo);
	free(own->endpoint_attr);
	free(own);
}

void id_object_drop_request(struct own_id *own)
{
	kernel_id_drop(own);
	engine_id_end(own);
	id_object_free(own);
}

int rdma_destroy_id(struct rdma_cm_id *id)
{
	struct list_node events = LIST_INIT(events);
	struct own_id *own = own_id_of(id);
	struct list_node *node, *next;
	uint32_t nr_events = 0;
	int ret = kernel_id_destroy(own, &nr_events);

	if (ret)
		return api_ret_minus1(ret);
	engine_id_end(own);
	if (own->is_sync)
		id_object_ack(own);
	channel_source_wait(&own->source, nr_events);
	channel_source_close(&own->source, &events);
	list_for_each_safe (node, next, &events) {
		struct channel_event *event =
			list_entry(node, struct channel_event, node);

		if (event->public.event == RDMA_CM_EVENT_CONNECT_REQUEST)
			id_object_drop_request(own_id_of(event->public.id));
		free(event);
	}
	id_object_free(own);
	return 0;
}

int rdma_migrate_id(struct rdma_cm_id *id, struct rdma_event_channel *channel)
{
	struct own_id *own = own_id_of(id);
	struct channel *before = own->source.channel;
	bool was_sync = own->is_sync;
	int ret;

	if (!channel)
		return api_ret_minus1(was_sync ? -EINVAL
					       : id_object_make_sync(own));
	if (was_sync)
		id_object_ack(own);
	ret = id_object_move(own, channel_of(channel));
	if (ret)
		return api_ret_minus1(ret);
	own->is_sync = false;
	if (was_sync)
		kernel_channel_free(before);
	return 0;
}

static __be16 address_port(const struct sockaddr *address)
{
	const struct sockaddr_ib *ib = (const void *)address;

	/* The port is the end of a service id. */
	if (address->sa_family == AF_IB)
		return htobe16((uint16_t)be64toh(ib->sib_sid));
	return htobe16(ip_address_port(address));
}

__be16 rdma_get_src_port(struct rdma_cm_id *id)
{
	return address_port(&id->route.addr.src_addr);
}

__be16 rdma_get_dst_port(struct rdma_cm_id *id)
{
	return address_port(&id->route.addr.dst_addr);
}
