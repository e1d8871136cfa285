/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The back end of devices with a GSI: the table, and the functions without a
 * file of their own. Calls the other engine_* files and cm_host.c.
 */
#include "api/engine_backend.h"

#include "api/cm_host.h"
#include "api/device_table.h"
#include "api/id_backend.h"
#include "api/id_path.h"
#include "api/ip_address.h"
#include "api/listen_table.h"
#include "api/port_table.h"

#include <errno.h>

#define ENGINE_MULTICAST_QPN 0xffffff

void engine_id_end(struct own_id *own)
{
	verbs_mutex_lock(&host_mutex);
	listen_id_remove_locked(own);
	host_conn_remove_locked(own);
	verbs_mutex_unlock(&host_mutex);
}

void engine_id_unbind(struct own_id *own)
{
	port_binding_remove(&own->binding);
	host_id_set_state(own, OWN_ID_IDLE);
}

void engine_id_unlisten(struct own_id *own)
{
	verbs_mutex_lock(&host_mutex);
	listen_id_remove_locked(own);
	own->state = OWN_ID_ADDR_BOUND;
	verbs_mutex_unlock(&host_mutex);
}

/* On RoCE the address of a group follows from its IP address, so the event
 * follows at once. */
static int engine_join(struct own_id *own, struct multicast_group *group)
{
	enum own_id_state state = host_id_state(own);
	struct channel_event *event;
	struct rdma_ud_param *param;

	if (own->sgid_index < 0 ||
	    group->address.ss_family != own->id.route.addr.src_addr.sa_family ||
	    (state != OWN_ID_ADDR_BOUND && state != OWN_ID_ADDR_RESOLVED))
		return -EINVAL;
	event = channel_event_new();
	if (!event)
		return -ENOMEM;
	event->public.id = &own->id;
	event->public.event = RDMA_CM_EVENT_MULTICAST_JOIN;
	param = &event->public.param.ud;
	param->qp_num = ENGINE_MULTICAST_QPN;
	param->qkey = RDMA_UDP_QKEY;
	ip_address_to_gid((struct sockaddr *)&group->address,
			  &param->ah_attr.grh.dgid);
	param->ah_attr.grh.sgid_index = (uint8_t)own->sgid_index;
	param->ah_attr.grh.hop_limit = ID_PATH_HOP_LIMIT;
	param->ah_attr.grh.traffic_class = own->tos;
	param->ah_attr.is_global = 1;
	param->ah_attr.port_num = own->id.port_num;
	channel_post(&group->source, event);
	return 0;
}

static int engine_leave(struct own_id *own, struct multicast_group *group)
{
	return 0;
}

static int engine_prepare_event(struct own_id *own, struct channel_event *event)
{
	struct own_id *listener;

	if (event->public.event != RDMA_CM_EVENT_CONNECT_REQUEST)
		return 0;
	listener = own_id_of(event->public.listen_id);
	verbs_mutex_lock(&host_mutex);
	listener->nr_requests--;
	verbs_mutex_unlock(&host_mutex);
	return device_id_attach(own->device, OWN_PORT_NUM, own);
}

const struct id_backend engine_backend = {
	.bind = engine_bind,
	.resolve_addr = engine_resolve_addr,
	.resolve_route = engine_resolve_route,
	.listen = engine_listen,
	.connect = engine_connect,
	.accept = engine_accept,
	.confirm = host_conn_confirm,
	.reject = engine_reject,
	.disconnect = engine_disconnect,
	.notify = engine_notify,
	.get_qp_attr = engine_get_qp_attr,
	.join = engine_join,
	.leave = engine_leave,
	.prepare_event = engine_prepare_event,
};
