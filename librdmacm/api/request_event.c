/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Requests of peers as ids with their event CONNECT_REQUEST. Called by
 * cm_host.c.
 */
#include "api/request_event.h"

#include "api/cm_device_list.h"
#include "api/host_clock.h"
#include "api/id_path.h"
#include "api/ip_header.h"
#include "api/listen_table.h"
#include "cm/cm_service.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Private data of the application in a request */
#define REQUEST_PRIVATE_LEN	 (CM_REQ_PRIVATE_LEN - CM_IP_HEADER_LEN)
#define REQUEST_SIDR_PRIVATE_LEN (CM_SIDR_REQ_PRIVATE_LEN - CM_IP_HEADER_LEN)

void request_spare_free(struct own_id *own)
{
	free(own->request_event);
	free(own);
}

struct own_id *request_spare_new(struct own_device *device)
{
	struct own_id *own = own_id_new();

	if (!own)
		return NULL;
	own->request_event = channel_event_new();
	if (!own->request_event) {
		free(own);
		return NULL;
	}
	cm_sidr_init(&own->sidr);
	own->device = device;
	return own;
}

/* The type of a QP that accepts a request; 0: of another transport */
static int request_qp_type(const struct cm_mad *message)
{
	if (message->attr == CM_SIDR_REQ)
		return IBV_QPT_UD;
	if (message->req.service_type == CM_SERVICE_RC)
		return IBV_QPT_RC;
	return cm_req_is_xrc(&message->req) ? IBV_QPT_XRC_RECV : 0;
}

/* The header in the private data, and the service id */
static const uint8_t *request_header(const struct cm_mad *message,
				     uint64_t *ret_service_id)
{
	if (message->attr == CM_SIDR_REQ) {
		*ret_service_id = message->sidr_req.service_id;
		return message->sidr_req.private_data;
	}
	*ret_service_id = message->req.service_id;
	return message->req.private_data;
}

static struct own_id *request_find_listener_locked(
	const struct own_device *device, const struct cm_mad *message,
	struct sockaddr_storage *ret_src, struct sockaddr_storage *ret_dst)
	REQUIRES(host_mutex)
{
	uint64_t service_id;
	const uint8_t *header = request_header(message, &service_id);

	if (ip_header_read(header, (uint16_t)service_id, ret_src, ret_dst) != 0)
		return NULL;
	return listen_find_locked(device, service_id, request_qp_type(message),
				  (struct sockaddr *)ret_dst);
}

bool request_has_room_locked(const struct own_device *device,
			     const struct cm_mad *message)
{
	struct sockaddr_storage src, dst;
	const struct own_id *listener =
		request_find_listener_locked(device, message, &src, &dst);

	/* Without an id, the request is rejected. */
	return !listener || listener->nr_requests < listener->backlog;
}

static void request_set_values(struct own_id *own, const struct cm_mad *message)
{
	const struct cm_req *req = &message->req;

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
		.remote_ece = { .vendor_id = req->vendor_id,
				.options = message->attr_mod },
	};
}

static void request_set_path(struct own_id *own, const struct cm_req *req)
{
	const struct cm_path *path = &own->conn.path;
	uint8_t ack_timeout = req->primary.local_ack_timeout;

	id_path_set(own);
	own->path.flow_label = htobe32(path->flow_label);
	own->path.hop_limit = path->hop_limit;
	own->path.traffic_class = path->traffic_class;
	own->path.pkey = htobe16(req->pkey);
	own->path.sl = path->sl;
	own->path.mtu = req->path_mtu;
	own->path.rate = req->primary.packet_rate;
	own->path.packet_life_time =
		(uint8_t)(ack_timeout ? ack_timeout - 1 : 0);
}

static void request_set_param(struct channel_event *event,
			      const struct cm_req *req)
{
	struct rdma_conn_param *param = &event->public.param.conn;

	channel_event_set_data(event, &req->private_data[CM_IP_HEADER_LEN],
			       REQUEST_PRIVATE_LEN);
	param->responder_resources = req->initiator_depth;
	param->initiator_depth = req->responder_resources;
	param->flow_control = req->flow_control;
	param->retry_count = req->retry_count;
	param->rnr_retry_count = req->rnr_retry_count;
	param->srq = req->srq;
	param->qp_num = req->local_qpn;
}

static void request_set_gids(struct own_id *own, const struct cm_path *path)
{
	struct rdma_ib_addr *pair = &own->id.route.addr.addr.ibaddr;

	memcpy(pair->sgid.raw, path->sgid, CM_GID_LEN);
	memcpy(pair->dgid.raw, path->dgid, CM_GID_LEN);
	own->sgid_index = device_gid_index(own->device, &pair->sgid, 0);
}

/* What the kinds of requests do not share; a SIDR_REQ has no path. */
static void request_fill_id(struct own_id *own, const struct cm_mad *message)
{
	struct channel_event *event = own->request_event;

	if (message->attr == CM_SIDR_REQ) {
		const uint8_t *bytes = message->sidr_req.private_data;

		request_set_gids(own, &own->sidr.path);
		channel_event_set_data(event, &bytes[CM_IP_HEADER_LEN],
				       REQUEST_SIDR_PRIVATE_LEN);
		return;
	}
	request_set_gids(own, &own->conn.path);
	request_set_values(own, message);
	request_set_path(own, &message->req);
	request_set_param(event, &message->req);
}

int request_deliver_locked(struct own_id *own, const struct cm_mad *message,
			   struct channel **ret_channel)
{
	struct channel_event *event = own->request_event;
	struct rdma_addr *addresses = &own->id.route.addr;
	struct own_id *listener = request_find_listener_locked(
		own->device, message, &addresses->dst_storage,
		&addresses->src_storage);

	if (!listener)
		return -ECONNREFUSED;
	listener->nr_requests++;
	own->state = OWN_ID_CONNECT;
	own->id.ps = listener->id.ps;
	own->id.qp_type = listener->id.qp_type;
	own->id.verbs = own->device->context;
	own->id.port_num = OWN_PORT_NUM;
	request_fill_id(own, message);
	own->request_event = NULL;
	event->public.id = &own->id;
	event->public.listen_id = &listener->id;
	event->public.event = RDMA_CM_EVENT_CONNECT_REQUEST;
	*ret_channel = channel_queue(&listener->source, event);
	return 0;
}
