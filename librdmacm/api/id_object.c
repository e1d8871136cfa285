/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ids: creation, destruction, channel, ports and options. */
#include "api/id_object.h"

#include "api/api_err.h"
#include "api/cm_host.h"
#include "api/device_table.h"
#include "api/ip_address.h"
#include "api/listen_table.h"
#include "api/multicast_group.h"
#include "api/port_table.h"

#include <stdlib.h>
#include <string.h>

#define OPTION_MAX_ACK_TIMEOUT 31

struct rdma_event_channel *rdma_create_event_channel(void)
{
	struct channel *channel;
	int ret = event_channel_new(&channel);

	return ret ? api_ret_null(ret) : &channel->public;
}

void rdma_destroy_event_channel(struct rdma_event_channel *channel)
{
	event_channel_free(channel_of(channel));
}

int id_object_make_sync(struct own_id *own)
{
	struct channel *channel;
	int ret = event_channel_new(&channel);

	if (ret)
		return ret;
	own->source.channel = channel;
	own->id.channel = &channel->public;
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
	own = calloc(1, sizeof(*own));
	if (!own)
		return api_ret_minus1(-ENOMEM);
	if (channel) {
		own->source.channel = channel_of(channel);
		own->id.channel = channel;
	} else if (id_object_make_sync(own) != 0) {
		free(own);
		return api_ret_minus1(-ENOMEM);
	}
	list_init(&own->binding.node);
	list_init(&own->listen_node);
	list_init(&own->groups);
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

void id_object_drop_request(struct own_id *own)
{
	verbs_mutex_lock(&host_mutex);
	host_conn_remove_locked(own);
	verbs_mutex_unlock(&host_mutex);
	device_id_detach(own);
	free(own);
}

int rdma_destroy_id(struct rdma_cm_id *id)
{
	struct list_node events = LIST_INIT(events);
	struct own_id *own = own_id_of(id);
	struct list_node *node, *next;

	verbs_mutex_lock(&host_mutex);
	listen_id_remove_locked(own);
	host_conn_remove_locked(own);
	verbs_mutex_unlock(&host_mutex);
	if (own->is_sync)
		id_object_ack(own);
	channel_source_close(&own->source, &events);
	list_for_each_safe (node, next, &events) {
		struct channel_event *event =
			list_entry(node, struct channel_event, node);

		if (event->public.event == RDMA_CM_EVENT_CONNECT_REQUEST)
			id_object_drop_request(own_id_of(event->public.id));
		free(event);
	}
	multicast_groups_free(own);
	port_binding_remove(&own->binding);
	device_id_detach(own);
	if (own->is_sync)
		event_channel_free(own->source.channel);
	rdma_freeaddrinfo(own->addrinfo);
	free(own->endpoint_attr);
	free(own);
	return 0;
}

int rdma_migrate_id(struct rdma_cm_id *id, struct rdma_event_channel *channel)
{
	struct own_id *own = own_id_of(id);
	struct channel *before = own->source.channel;
	struct channel *to = channel ? channel_of(channel) : NULL;
	bool was_sync = own->is_sync;
	int ret;

	if (!channel) {
		if (was_sync)
			return api_ret_minus1(-EINVAL);
		ret = event_channel_new(&to);
		if (ret)
			return api_ret_minus1(ret);
	}
	if (was_sync)
		id_object_ack(own);
	channel_source_move(&own->source, to);
	own->is_sync = !channel;
	id->channel = &to->public;
	if (was_sync)
		event_channel_free(before);
	return 0;
}

__be16 rdma_get_src_port(struct rdma_cm_id *id)
{
	return htobe16(ip_address_port(&id->route.addr.src_addr));
}

__be16 rdma_get_dst_port(struct rdma_cm_id *id)
{
	return htobe16(ip_address_port(&id->route.addr.dst_addr));
}

static int option_set_tos(struct own_id *own, const void *value, size_t len)
{
	if (len != sizeof(own->tos))
		return -EINVAL;
	memcpy(&own->tos, value, sizeof(own->tos));
	return 0;
}

static int option_read_boolean(const void *value, size_t len, bool *ret_value)
{
	int number;

	if (len != sizeof(number))
		return -EINVAL;
	memcpy(&number, value, sizeof(number));
	*ret_value = number != 0;
	return 0;
}

static int option_set_reusable(struct own_id *own, const void *value,
			       size_t len)
{
	enum own_id_state state = host_id_state(own);
	bool is_reusable;
	int ret = option_read_boolean(value, len, &is_reusable);

	if (ret)
		return ret;
	if (state == OWN_ID_LISTEN || (!is_reusable && state != OWN_ID_IDLE))
		return -EINVAL;
	own->is_reusable = is_reusable;
	own->binding.is_reusable = is_reusable;
	return 0;
}

static int option_set_family_only(struct own_id *own, const void *value,
				  size_t len)
{
	enum own_id_state state = host_id_state(own);
	bool is_family_only;
	int ret = option_read_boolean(value, len, &is_family_only);

	if (ret)
		return ret;
	if (state != OWN_ID_IDLE && state != OWN_ID_ADDR_BOUND)
		return -EINVAL;
	own->is_family_only = is_family_only;
	own->binding.is_family_only = is_family_only;
	return 0;
}

static int option_set_ack_timeout(struct own_id *own, const void *value,
				  size_t len)
{
	uint8_t ack_timeout;

	if (len != sizeof(ack_timeout) || own->id.qp_type != IBV_QPT_RC)
		return -EINVAL;
	memcpy(&ack_timeout, value, sizeof(ack_timeout));
	if (ack_timeout > OPTION_MAX_ACK_TIMEOUT)
		return -EINVAL;
	own->ack_timeout = ack_timeout;
	own->has_ack_timeout = true;
	return 0;
}

static int option_set(struct own_id *own, int level, int name,
		      const void *value, size_t len)
{
	/* InfiniBand paths have no meaning on RoCE. */
	if (level == RDMA_OPTION_IB && name == RDMA_OPTION_IB_PATH)
		return -EINVAL;
	if (level != RDMA_OPTION_ID)
		return -ENOSYS;
	if (!value && len)
		return -EFAULT;
	switch (name) {
	case RDMA_OPTION_ID_TOS:
		return option_set_tos(own, value, len);
	case RDMA_OPTION_ID_REUSEADDR:
		return option_set_reusable(own, value, len);
	case RDMA_OPTION_ID_AFONLY:
		return option_set_family_only(own, value, len);
	case RDMA_OPTION_ID_ACK_TIMEOUT:
		return option_set_ack_timeout(own, value, len);
	default:
		return -ENOSYS;
	}
}

int rdma_set_option(struct rdma_cm_id *id, int level, int optname, void *optval,
		    size_t optlen)
{
	return api_ret_minus1(
		option_set(own_id_of(id), level, optname, optval, optlen));
}
