/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Events of the kernel as events of channels. The uid of an id in the kernel is
 * its address, that of a multicast membership the address of the group: both
 * exist until their events are acknowledged.
 */
#include "api/kernel_event.h"

#include "api/cm_host.h"
#include "api/kernel_id.h"
#include "api/multicast_group.h"
#include "kernel/ucm_cmd.h"
#include "kernel/ucm_event.h"

#include <errno.h>
#include <stdlib.h>

/* Newer types are not known to the application. */
#define EVENT_LAST_TYPE RDMA_CM_EVENT_ADDRINFO_ERROR

/*
 * Ids of requests, which have no uid in the kernel until they are accepted. Old
 * kernels report ESTABLISHED before they have stored it.
 */
static struct verbs_mutex request_mutex = VERBS_MUTEX_INIT;
static struct list_node
	request_ids GUARDED_BY(request_mutex) = LIST_INIT(request_ids);

static void request_remember(struct own_id *own)
{
	verbs_mutex_lock(&request_mutex);
	list_add_tail(&request_ids, &own->kernel_requests);
	verbs_mutex_unlock(&request_mutex);
}

void kernel_event_forget(struct own_id *own)
{
	verbs_mutex_lock(&request_mutex);
	list_del(&own->kernel_requests);
	verbs_mutex_unlock(&request_mutex);
}

static struct own_id *request_find(uint32_t number)
{
	struct own_id *found = NULL;
	struct list_node *node;

	verbs_mutex_lock(&request_mutex);
	list_for_each (node, &request_ids) {
		struct own_id *own =
			list_entry(node, struct own_id, kernel_requests);

		if (own->kernel_number == number)
			found = own;
	}
	verbs_mutex_unlock(&request_mutex);
	return found;
}

static bool event_is_multicast(const struct ucm_event *from)
{
	return from->event == RDMA_CM_EVENT_MULTICAST_JOIN ||
	       from->event == RDMA_CM_EVENT_MULTICAST_ERROR;
}

static void event_fill_param(struct channel_event *event,
			     const struct own_id *own,
			     const struct ucm_event *from)
{
	struct rdma_cm_event *public = &event->public;
	const uint8_t *private_data;

	if (own->id.qp_type == IBV_QPT_UD || event_is_multicast(from)) {
		public->param.ud = ucm_event_ud(from);
		private_data = public->param.ud.private_data;
	} else {
		public->param.conn = ucm_event_conn(from);
		private_data = public->param.conn.private_data;
	}
	/* The two structs begin with the private data. */
	if (private_data)
		channel_event_set_data(event, private_data,
				       public->param.conn.private_data_len);
}

static void event_set_values(struct own_id *own, const struct ucm_event *from)
{
	struct rdma_conn_param param = ucm_event_conn(from);

	verbs_mutex_lock(&host_mutex);
	own->values.responder_resources = param.responder_resources;
	own->values.initiator_depth = param.initiator_depth;
	own->values.remote_ece = from->ece;
	verbs_mutex_unlock(&host_mutex);
}

/* The id of a request; NULL: no memory, the request is rejected. */
static struct own_id *event_request_new(int fd, const struct own_id *listener,
					const struct ucm_event *from)
{
	struct own_id *own = own_id_new();
	uint32_t nr_events;

	if (own && own_id_set_kernel(own, from->id) == 0) {
		own->id.ps = listener->id.ps;
		own->id.qp_type = listener->id.qp_type;
		own->kernel_number = from->id;
		request_remember(own);
		return own;
	}
	free(own);
	(void)ucm_cmd_destroy_id(fd, from->id, &nr_events);
	return NULL;
}

/* Finds the source of an event; NULL: it has none. */
static struct channel_source *event_source(const struct ucm_event *from)
{
	void *owner = (void *)(uintptr_t)from->uid;
	struct own_id *own = owner;

	if (owner && event_is_multicast(from))
		return &((struct multicast_group *)owner)->source;
	if (!own)
		own = request_find(from->id);
	return own ? &own->source : NULL;
}

/* Returns false if the event is discarded. */
static bool event_fill(int fd, const struct ucm_event *from,
		       struct channel_event *event,
		       struct channel_source *source)
{
	struct rdma_cm_event *public = &event->public;
	struct channel_source *whole = source->whole ? source->whole : source;
	struct own_id *own = list_entry(whole, struct own_id, source);

	/* Before it is accepted, the end of a request makes the accept fail. */
	if (from->event > EVENT_LAST_TYPE ||
	    (!from->uid && from->event != RDMA_CM_EVENT_ESTABLISHED))
		return false;
	public->event = (enum rdma_cm_event_type)from->event;
	public->status = from->status;
	if (public->event == RDMA_CM_EVENT_CONNECT_REQUEST) {
		public->listen_id = &own->id;
		own = event_request_new(fd, own, from);
		if (!own)
			return false;
	}
	public->id = &own->id;
	event_fill_param(event, own, from);
	if (public->event == RDMA_CM_EVENT_CONNECT_REQUEST ||
	    public->event == RDMA_CM_EVENT_CONNECT_RESPONSE)
		event_set_values(own, from);
	return true;
}

int kernel_event_read(int fd, struct channel_event **ret_event,
		      struct channel_source **ret_source)
{
	struct channel_event *event = channel_event_new();
	struct ucm_event from;
	int ret;

	if (!event)
		return -ENOMEM;
	for (;;) {
		ret = ucm_cmd_get_event(fd, &from);
		if (ret)
			break;
		*ret_source = event_source(&from);
		if (!*ret_source)
			continue;
		if (event_fill(fd, &from, event, *ret_source)) {
			*ret_event = event;
			return 0;
		}
		channel_source_discard(*ret_source);
	}
	free(event);
	return ret;
}
