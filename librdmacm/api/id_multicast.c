/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Multicast groups of datagram ids. On RoCE the address of a group follows from
 * its IP address, so that a join has its event at once; the QP is attached when
 * the application fetches the event (id_event.c).
 */

#include "api/api_err.h"
#include "api/cm_host.h"
#include "api/id_event.h"
#include "api/id_object.h"
#include "api/id_path.h"
#include "api/ip_address.h"
#include "api/multicast_group.h"

#include <errno.h>
#include <stdlib.h>

#define MULTICAST_QPN 0xffffff

static int id_check_join(const struct own_id *own,
			 const struct sockaddr *address)
{
	enum own_id_state state = host_id_state(own);

	if (!address || !ip_address_size(address) ||
	    ip_address_is_any(address) || own->id.qp_type != IBV_QPT_UD ||
	    !own->device || own->sgid_index < 0 ||
	    address->sa_family != own->id.route.addr.src_addr.sa_family ||
	    (state != OWN_ID_ADDR_BOUND && state != OWN_ID_ADDR_RESOLVED))
		return -EINVAL;
	return 0;
}

static void join_fill_param(const struct own_id *own,
			    const struct multicast_group *group,
			    const void *context, struct rdma_ud_param *ret)
{
	ret->private_data = context;
	ret->qp_num = MULTICAST_QPN;
	ret->qkey = RDMA_UDP_QKEY;
	ret->ah_attr = (struct ibv_ah_attr){
		.grh.dgid = group->gid,
		.grh.sgid_index = (uint8_t)own->sgid_index,
		.grh.hop_limit = ID_PATH_HOP_LIMIT,
		.grh.traffic_class = own->tos,
		.is_global = 1,
		.port_num = own->id.port_num,
	};
}

static int id_join(struct own_id *own, const struct sockaddr *address,
		   bool is_send_only, const void *context)
{
	struct multicast_group *group;
	struct channel_event *event;
	int ret = id_check_join(own, address);

	if (ret)
		return ret;
	event = channel_event_new();
	if (!event)
		return -ENOMEM;
	group = multicast_group_new(own, address, is_send_only);
	if (!group) {
		free(event);
		return -ENOMEM;
	}
	event->public.id = &own->id;
	event->public.event = RDMA_CM_EVENT_MULTICAST_JOIN;
	join_fill_param(own, group, context, &event->public.param.ud);
	channel_post(&group->source, event);
	return id_event_complete(own);
}

int rdma_join_multicast(struct rdma_cm_id *id, struct sockaddr *addr,
			void *context)
{
	return api_ret_minus1(id_join(own_id_of(id), addr, false, context));
}

int rdma_join_multicast_ex(struct rdma_cm_id *id,
			   struct rdma_cm_join_mc_attr_ex *mc_join_attr,
			   void *context)
{
	const uint32_t required = RDMA_CM_JOIN_MC_ATTR_ADDRESS |
				  RDMA_CM_JOIN_MC_ATTR_JOIN_FLAGS;
	uint32_t flags = mc_join_attr->join_flags;

	if (mc_join_attr->comp_mask >= RDMA_CM_JOIN_MC_ATTR_RESERVED)
		return api_ret_minus1(-ENOTSUP);
	if (mc_join_attr->comp_mask != required ||
	    flags >= RDMA_MC_JOIN_FLAG_RESERVED)
		return api_ret_minus1(-EINVAL);
	return api_ret_minus1(id_join(
		own_id_of(id), mc_join_attr->addr,
		flags == RDMA_MC_JOIN_FLAG_SENDONLY_FULLMEMBER, context));
}

static int id_leave(struct own_id *own, const struct sockaddr *address)
{
	struct list_node events = LIST_INIT(events);
	struct list_node *node, *next;
	struct multicast_group *group;

	if (!ip_address_size(address))
		return -EINVAL;
	group = multicast_group_find(own, address);
	if (!group)
		return -EADDRNOTAVAIL;
	/* A synchronous id may have kept the event of this group. */
	if (own->is_sync && own->id.event &&
	    channel_event_of(own->id.event)->source == &group->source)
		id_object_ack(own);
	channel_source_close(&group->source, &events);
	list_for_each_safe (node, next, &events)
		free(list_entry(node, struct channel_event, node));
	multicast_group_free(group, own->id.qp);
	return 0;
}

int rdma_leave_multicast(struct rdma_cm_id *id, struct sockaddr *addr)
{
	return api_ret_minus1(id_leave(own_id_of(id), addr));
}
