/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Multicast groups of datagram ids. The QP is attached when the application
 * fetches the event of the join (id_event.c).
 */

#include "api/api_err.h"
#include "api/id_backend.h"
#include "api/id_event.h"
#include "api/id_object.h"
#include "api/ip_address.h"
#include "api/multicast_group.h"

#include <errno.h>
#include <stdlib.h>

static int id_join(struct own_id *own, const struct sockaddr *address,
		   bool is_send_only, const void *context)
{
	struct multicast_group *group;
	int ret;

	if (!id_address_size(address) || ip_address_is_any(address) ||
	    own->id.qp_type != IBV_QPT_UD || !own_id_has_device(own))
		return -EINVAL;
	group = multicast_group_new(own, address, is_send_only);
	if (!group)
		return -ENOMEM;
	group->context = context;
	ret = own->backend->join(own, group);
	if (ret) {
		multicast_group_free(group, NULL);
		return ret;
	}
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
	uint32_t flags;

	if (!mc_join_attr)
		return api_ret_minus1(-EINVAL);
	flags = mc_join_attr->join_flags;
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
	int ret;

	if (!id_address_size(address))
		return -EINVAL;
	group = multicast_group_find(own, address);
	if (!group)
		return -EADDRNOTAVAIL;
	ret = own->backend->leave(own, group);
	if (ret)
		return ret;
	/* A synchronous id may have kept the event of this group. */
	if (own->is_sync && own->id.event &&
	    channel_event_of(own->id.event)->source == &group->source)
		id_object_ack(own);
	channel_source_wait(&group->source, group->nr_events);
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
