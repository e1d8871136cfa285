/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Decides about MADs; called by uroce_gsi.c, calls uroce_mad.c. */
#include "uroce/gsi/uroce_gsi_route.h"

#include <errno.h>
#include <string.h>

static void make_reply_addresses(const struct uroce_gsi_mad *mad,
				 struct uroce_gsi_mad *reply)
{
	memcpy(reply->local_gid, mad->local_gid, UROCE_GID_LEN);
	memcpy(reply->remote_gid, mad->remote_gid, UROCE_GID_LEN);
	reply->flow_label = mad->flow_label;
	reply->traffic_class = mad->traffic_class;
}

static int route_to_service(const struct uroce_gsi_ways *ways,
			    uint64_t service_id,
			    const struct uroce_gsi_mad *mad,
			    struct uroce_gsi_interface *ret_interface)
{
	int ret = ways->to_service(ways->links, mad->local_gid, 0, service_id,
				   mad);

	if (ret != -ENOENT)
		return ret;
	*ret_interface = ways->find_interface(ways->arg, mad->local_gid);
	if (ret_interface->ifindex)
		ret = ways->to_service(ways->links, NULL,
				       ret_interface->ifindex, service_id, mad);
	return ret;
}

enum uroce_gsi_outcome uroce_gsi_route(const struct uroce_gsi_ways *ways,
				       const struct uroce_gsi_mad *mad,
				       struct uroce_gsi_mad *ret_reply)
{
	struct uroce_mad_key key = uroce_mad_read_key(mad->bytes);
	struct uroce_gsi_interface interface = {};
	int ret = -ENOENT;

	if (key.owner == UROCE_MAD_NO_OWNER)
		return UROCE_GSI_NO_OWNER;
	if (key.owner == UROCE_MAD_OF_SERVICE) {
		ret = route_to_service(ways, key.service_id, mad, &interface);
	} else {
		ret = ways->to_id(ways->links, key.id, mad);
		if (ret == -ENOENT)
			interface =
				ways->find_interface(ways->arg, mad->local_gid);
	}
	if (!ret)
		return UROCE_GSI_FORWARDED;
	if (ret != -ENOENT)
		return UROCE_GSI_LOST;
	*ret_reply = (struct uroce_gsi_mad){};
	if (!interface.own || !uroce_mad_reply(mad->bytes, ret_reply->bytes))
		return UROCE_GSI_NO_OWNER;
	make_reply_addresses(mad, ret_reply);
	return UROCE_GSI_REPLY;
}
