/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Events of the engine as events of channels, and the values of REQ and REP for
 * the id. Called by cm_host.c. The work that an event causes, such as a QP
 * transition, is done when the application fetches it (id_event.c).
 */
#include "api/conn_event.h"

#include "api/cm_device_list.h"
#include "api/host_clock.h"
#include "api/ip_address.h"
#include "api/listen_table.h"
#include "cm/cm_service.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Private data of the application in a REQ */
#define EVENT_REQ_PRIVATE_LEN (CM_REQ_PRIVATE_LEN - CM_IP_HEADER_LEN)

static struct own_id *own_id_of_conn(struct cm_conn *conn)
{
	return list_entry(conn, struct own_id, conn);
}

void conn_spare_free(struct own_id *own)
{
	free(own->request_event);
	free(own);
}

struct own_id *conn_spare_new(struct own_device *device)
{
	struct own_id *own = calloc(1, sizeof(*own));

	if (!own)
		return NULL;
	own->request_event = channel_event_new();
	if (!own->request_event) {
		free(own);
		return NULL;
	}
	list_init(&own->binding.node);
	list_init(&own->listen_node);
	own->device = device;
	return own;
}

static void header_address(const struct cm_ip_header *header,
			   const uint8_t *bytes, uint16_t port,
			   struct sockaddr_storage *ret_address)
{
	struct sockaddr_in *sin = (struct sockaddr_in *)(void *)ret_address;
	struct sockaddr_in6 *sin6 = (struct sockaddr_in6 *)(void *)ret_address;

	memset(ret_address, 0, sizeof(*ret_address));
	if (header->ip_version == 4) {
		sin->sin_family = AF_INET;
		memcpy(&sin->sin_addr, &bytes[12], sizeof(sin->sin_addr));
	} else {
		sin6->sin6_family = AF_INET6;
		memcpy(&sin6->sin6_addr, bytes, sizeof(sin6->sin6_addr));
	}
	ip_address_set_port((struct sockaddr *)ret_address, port);
}

/* The addresses in the private data of a request; false: it is invalid. */
static bool request_addresses(const struct cm_req *req,
			      struct sockaddr_storage *ret_src,
			      struct sockaddr_storage *ret_dst)
{
	struct cm_ip_header header;

	if (req->service_type != CM_SERVICE_RC ||
	    cm_ip_header_decode(req->private_data, &header) != 0)
		return false;
	header_address(&header, header.src_addr, header.src_port, ret_src);
	header_address(&header, header.dst_addr, (uint16_t)req->service_id,
		       ret_dst);
	return true;
}

static struct own_id *request_find_listener_locked(
	const struct own_device *device, const struct cm_req *req,
	struct sockaddr_storage *ret_src, struct sockaddr_storage *ret_dst)
	REQUIRES(host_mutex)
{
	if (!request_addresses(req, ret_src, ret_dst))
		return NULL;
	return listen_find_locked(device, req->service_id,
				  (struct sockaddr *)ret_dst);
}

bool conn_request_has_room_locked(const struct own_device *device,
				  const struct cm_req *req)
{
	struct sockaddr_storage src, dst;
	const struct own_id *listener =
		request_find_listener_locked(device, req, &src, &dst);

	/* Without an id, the request becomes a REJ. */
	return !listener || listener->nr_requests < listener->backlog;
}

static void request_set_values(struct own_id *own, const struct cm_req *req)
{
	own->values = (struct own_conn_values){
		.has_request = true,
		.has_peer = true,
		.local_psn = host_random() & CM_PSN_MASK,
		.remote_psn = req->starting_psn,
		.remote_qpn = req->local_qpn,
		/* Those of the peer, from this side */
		.responder_resources = req->initiator_depth,
		.initiator_depth = req->responder_resources,
		.retry_count = req->retry_count,
		.rnr_retry_count = req->rnr_retry_count,
		.ack_timeout = req->primary.local_ack_timeout,
		.path_mtu = req->path_mtu,
	};
}

static void request_set_path(struct own_id *own, const struct cm_req *req)
{
	const struct cm_path *path = &own->conn.path;
	uint8_t ack_timeout = req->primary.local_ack_timeout;
	struct rdma_ib_addr *pair = &own->id.route.addr.addr.ibaddr;

	memcpy(pair->sgid.raw, path->sgid, CM_GID_LEN);
	memcpy(pair->dgid.raw, path->dgid, CM_GID_LEN);
	own->sgid_index = device_gid_index(own->device, &pair->sgid, 0);
	own->path = (struct ibv_sa_path_rec){
		.dgid = pair->dgid,
		.sgid = pair->sgid,
		.flow_label = htobe32(path->flow_label),
		.hop_limit = path->hop_limit,
		.traffic_class = path->traffic_class,
		.reversible = 1,
		.numb_path = 1,
		.pkey = htobe16(req->pkey),
		.sl = path->sl,
		.mtu_selector = 2,
		.mtu = req->path_mtu,
		.rate_selector = 2,
		.rate = req->primary.packet_rate,
		.packet_life_time_selector = 2,
		.packet_life_time =
			(uint8_t)(ack_timeout ? ack_timeout - 1 : 0),
	};
	own->id.route.path_rec = &own->path;
	own->id.route.num_paths = 1;
}

static void event_set_private_data(struct channel_event *event,
				   const uint8_t *bytes, size_t len)
{
	memcpy(event->private_data, bytes, len);
	event->public.param.conn.private_data = event->private_data;
	event->public.param.conn.private_data_len = (uint8_t)len;
}

static void request_set_param(struct channel_event *event,
			      const struct cm_req *req)
{
	struct rdma_conn_param *param = &event->public.param.conn;

	event_set_private_data(event, &req->private_data[CM_IP_HEADER_LEN],
			       EVENT_REQ_PRIVATE_LEN);
	param->responder_resources = req->initiator_depth;
	param->initiator_depth = req->responder_resources;
	param->flow_control = req->flow_control;
	param->retry_count = req->retry_count;
	param->rnr_retry_count = req->rnr_retry_count;
	param->srq = req->srq;
	param->qp_num = req->local_qpn;
}

int conn_request_deliver_locked(struct own_id *own, const struct cm_output *out)
{
	const struct cm_req *req = &out->received.req;
	struct channel_event *event = own->request_event;
	struct rdma_addr *addresses = &own->id.route.addr;
	struct own_id *listener = request_find_listener_locked(
		own->device, req, &addresses->dst_storage,
		&addresses->src_storage);

	if (!listener)
		return -ECONNREFUSED;
	listener->nr_requests++;
	own->request_event = NULL;
	own->state = OWN_ID_CONNECT;
	own->id.ps = listener->id.ps;
	own->id.qp_type = listener->id.qp_type;
	own->id.verbs = own->device->context;
	own->id.port_num = OWN_PORT_NUM;
	request_set_values(own, req);
	request_set_path(own, req);
	event->public.id = &own->id;
	event->public.listen_id = &listener->id;
	event->public.event = RDMA_CM_EVENT_CONNECT_REQUEST;
	request_set_param(event, req);
	channel_post(&listener->source, event);
	return 0;
}

/* The REP has the other half of the values. */
static void reply_set_values(struct own_id *own, const struct cm_rep *rep)
{
	struct own_conn_values *values = &own->values;

	values->has_peer = true;
	values->remote_psn = rep->starting_psn;
	values->remote_qpn = rep->local_qpn;
	values->responder_resources = rep->initiator_depth;
	values->initiator_depth = rep->responder_resources;
	values->rnr_retry_count = rep->rnr_retry_count;
	if (rep->target_ack_delay > values->ack_timeout)
		values->ack_timeout = rep->target_ack_delay;
}

static void reply_set_param(struct channel_event *event,
			    const struct cm_rep *rep)
{
	struct rdma_conn_param *param = &event->public.param.conn;

	event_set_private_data(event, rep->private_data, CM_REP_PRIVATE_LEN);
	param->responder_resources = rep->initiator_depth;
	param->initiator_depth = rep->responder_resources;
	param->flow_control = rep->flow_control;
	param->rnr_retry_count = rep->rnr_retry_count;
	param->srq = rep->srq;
	param->qp_num = rep->local_qpn;
}

static enum rdma_cm_event_type event_type(enum cm_event_type type)
{
	switch (type) {
	case CM_EVENT_REPLY:
		return RDMA_CM_EVENT_CONNECT_RESPONSE;
	case CM_EVENT_ESTABLISHED:
		return RDMA_CM_EVENT_ESTABLISHED;
	case CM_EVENT_REJECTED:
		return RDMA_CM_EVENT_REJECTED;
	case CM_EVENT_DISCONNECTED:
		return RDMA_CM_EVENT_DISCONNECTED;
	case CM_EVENT_TIMEWAIT_EXIT:
		return RDMA_CM_EVENT_TIMEWAIT_EXIT;
	default:
		return RDMA_CM_EVENT_UNREACHABLE;
	}
}

void conn_event_deliver_locked(const struct cm_output *out)
{
	struct channel_event *event;
	struct own_id *own;

	if (!out->event.conn)
		return; /* SIDR has no user yet. */
	own = own_id_of_conn(out->event.conn);
	if (out->event.type == CM_EVENT_REPLY)
		reply_set_values(own, &out->received.rep);
	if (out->event.type == CM_EVENT_DISCONNECTED)
		own->state = OWN_ID_DISCONNECT;
	/* Until it accepts, the application does not see a peer's end. */
	if (!own->conn.is_active && !own->is_accepted)
		return;
	event = channel_event_new();
	if (!event)
		return; /* The connection ends by its timeouts. */
	event->public.id = &own->id;
	event->public.event = event_type(out->event.type);
	event->public.status = out->event.status;
	if (out->event.type == CM_EVENT_REPLY)
		reply_set_param(event, &out->received.rep);
	else if (out->event.type == CM_EVENT_REJECTED)
		event_set_private_data(event, out->received.rej.private_data,
				       CM_REJ_PRIVATE_LEN);
	channel_post(&own->source, event);
}
