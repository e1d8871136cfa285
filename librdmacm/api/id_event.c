/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Events of ids. When the application fetches an event, the library does what
 * the event requires of the QP and of the new id of a request.
 */
#include "api/id_event.h"

#include "api/api_err.h"
#include "api/id_backend.h"
#include "api/id_ece.h"
#include "api/id_object.h"
#include "api/id_qp.h"
#include "api/multicast_group.h"

#include <stdlib.h>

/* Events that the application does not see. */
#define EVENT_IS_SILENT 1

static int request_event_process(struct channel *channel,
				 struct channel_event *event)
{
	struct own_id *listener = own_id_of(event->public.listen_id);
	struct own_id *own = own_id_of(event->public.id);
	int ret;

	own->is_passive = true;
	own->backend = own->kernel ? &kernel_backend : &engine_backend;
	own->id.context = listener->id.context;
	own_id_set_channel(own, channel);
	ret = own->backend->prepare_event(own, event);
	if (!ret && listener->is_sync)
		ret = id_object_make_sync(own);
	if (!ret)
		return 0;
	id_object_drop_request(own);
	return EVENT_IS_SILENT;
}

/* The REP has arrived; the library confirms it if it knows the QP. */
static int response_event_process(struct channel_event *event)
{
	struct own_id *own = own_id_of(event->public.id);
	int ret;

	if (!own->id.qp)
		return 0;
	ret = id_ece_finish(own);
	if (!ret)
		ret = id_qp_connect(own, NULL);
	if (!ret)
		ret = own->backend->confirm(own);
	event->public.event = RDMA_CM_EVENT_ESTABLISHED;
	if (ret) {
		id_qp_fail(own);
		event->public.event = RDMA_CM_EVENT_CONNECT_ERROR;
		event->public.status = ret;
		own->has_connect_error = true;
	}
	return 0;
}

static int join_event_process(struct channel_event *event)
{
	const struct own_id *own = own_id_of(event->public.id);
	struct multicast_group *group = multicast_group_of(event);
	struct rdma_ud_param *param = &event->public.param.ud;

	param->private_data = group->context;
	group->gid = param->ah_attr.grh.dgid;
	group->lid = param->ah_attr.dlid;
	if (multicast_group_attach(group, own->id.qp)) {
		event->public.event = RDMA_CM_EVENT_MULTICAST_ERROR;
		event->public.status = -1; /* as other releases */
	}
	return 0;
}

static int event_process(struct channel *channel, struct channel_event *event)
{
	struct own_id *own = own_id_of(event->public.id);

	if (event->public.event == RDMA_CM_EVENT_CONNECT_REQUEST)
		return request_event_process(channel, event);
	/* Without a back end, an id has events of its own. */
	if (own->backend)
		(void)own->backend->prepare_event(own, event);
	switch (event->public.event) {
	case RDMA_CM_EVENT_CONNECT_RESPONSE:
		return response_event_process(event);
	case RDMA_CM_EVENT_REJECTED:
		if (own->has_connect_error)
			return EVENT_IS_SILENT;
		id_qp_fail(own);
		return 0;
	case RDMA_CM_EVENT_MULTICAST_JOIN:
		return join_event_process(event);
	case RDMA_CM_EVENT_MULTICAST_ERROR:
		event->public.param.ud.private_data =
			multicast_group_of(event)->context;
		return 0;
	case RDMA_CM_EVENT_DISCONNECTED:
		return own->has_connect_error ? EVENT_IS_SILENT : 0;
	default:
		return 0;
	}
}

static int event_get(struct channel *channel, struct rdma_cm_event **ret_event)
{
	struct channel_event *event;
	int ret;

	for (;;) {
		ret = channel_fetch(channel, &event);
		if (ret)
			return ret;
		if (event_process(channel, event) == 0)
			break;
		channel_ack(event);
	}
	*ret_event = &event->public;
	return 0;
}

int rdma_get_cm_event(struct rdma_event_channel *channel,
		      struct rdma_cm_event **event)
{
	if (!channel || !event)
		return api_ret_minus1(-EINVAL);
	return api_ret_minus1(event_get(channel_of(channel), event));
}

int rdma_ack_cm_event(struct rdma_cm_event *event)
{
	if (!event)
		return api_ret_minus1(-EINVAL);
	channel_ack(channel_event_of(event));
	return 0;
}

int rdma_write_cm_event(struct rdma_cm_id *id, enum rdma_cm_event_type event,
			int status, uint64_t arg)
{
	if (event != RDMA_CM_EVENT_USER)
		return api_ret_minus1(-EINVAL);
	return api_ret_minus1(own_id_post(own_id_of(id), event, status, arg));
}

int id_event_complete(struct own_id *own)
{
	int ret;

	if (!own->is_sync)
		return 0;
	id_object_ack(own);
	ret = event_get(own->source.channel, &own->id.event);
	if (ret || !own->id.event->status)
		return ret;
	if (own->id.event->event == RDMA_CM_EVENT_REJECTED)
		return -ECONNREFUSED;
	return own->id.event->status < 0 ? own->id.event->status
					 : -own->id.event->status;
}

const char *rdma_event_str(enum rdma_cm_event_type event)
{
	static const char *const names[] = {
		"RDMA_CM_EVENT_ADDR_RESOLVED",
		"RDMA_CM_EVENT_ADDR_ERROR",
		"RDMA_CM_EVENT_ROUTE_RESOLVED",
		"RDMA_CM_EVENT_ROUTE_ERROR",
		"RDMA_CM_EVENT_CONNECT_REQUEST",
		"RDMA_CM_EVENT_CONNECT_RESPONSE",
		"RDMA_CM_EVENT_CONNECT_ERROR",
		"RDMA_CM_EVENT_UNREACHABLE",
		"RDMA_CM_EVENT_REJECTED",
		"RDMA_CM_EVENT_ESTABLISHED",
		"RDMA_CM_EVENT_DISCONNECTED",
		"RDMA_CM_EVENT_DEVICE_REMOVAL",
		"RDMA_CM_EVENT_MULTICAST_JOIN",
		"RDMA_CM_EVENT_MULTICAST_ERROR",
		"RDMA_CM_EVENT_ADDR_CHANGE",
		"RDMA_CM_EVENT_TIMEWAIT_EXIT",
		"RDMA_CM_EVENT_ADDRINFO_RESOLVED",
		"RDMA_CM_EVENT_ADDRINFO_ERROR",
	};

	if ((unsigned int)event >= sizeof(names) / sizeof(names[0]))
		return "UNKNOWN EVENT";
	return names[event];
}
