/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The multicast groups of ids. A device with a GSI joins a group on the network
 * when a QP is attached to it. Called by id_multicast.c, id_event.c and
 * id_object.c.
 */
#include "api/multicast_group.h"

#include "api/ip_address.h"

#include <stdlib.h>
#include <string.h>

struct multicast_group *multicast_group_new(struct own_id *own,
					    const struct sockaddr *address,
					    bool is_send_only)
{
	struct multicast_group *group = calloc(1, sizeof(*group));

	if (!group)
		return NULL;
	group->source.whole = &own->source;
	group->is_send_only = is_send_only;
	memcpy(&group->address, address, id_address_size(address));
	list_add_tail(&own->groups, &group->node);
	return group;
}

struct multicast_group *multicast_group_find(const struct own_id *own,
					     const struct sockaddr *address)
{
	socklen_t size = id_address_size(address);
	struct list_node *node;

	list_for_each (node, &own->groups) {
		struct multicast_group *group =
			list_entry(node, struct multicast_group, node);

		if (group->address.ss_family == address->sa_family &&
		    memcmp(&group->address, address, size) == 0)
			return group;
	}
	return NULL;
}

struct multicast_group *multicast_group_of(const struct channel_event *event)
{
	return list_entry(event->source, struct multicast_group, source);
}

int multicast_group_attach(struct multicast_group *group, struct ibv_qp *qp)
{
	int ret;

	if (!qp || group->is_send_only)
		return 0;
	ret = ibv_attach_mcast(qp, &group->gid, group->lid);
	group->is_attached = ret == 0;
	return -ret;
}

void multicast_group_free(struct multicast_group *group, struct ibv_qp *qp)
{
	if (group->is_attached && qp)
		(void)ibv_detach_mcast(qp, &group->gid, group->lid);
	list_del(&group->node);
	free(group);
}

void multicast_groups_free(struct own_id *own)
{
	struct list_node *node, *next;

	list_for_each_safe (node, next, &own->groups)
		multicast_group_free(
			list_entry(node, struct multicast_group, node), NULL);
}
