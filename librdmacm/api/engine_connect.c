/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Connections in the engine: the active side, and the end of both sides; the
 * passive side is in engine_accept.c, and both sides of datagrams are in
 * engine_datagram.c.
 */
#include "api/engine_backend.h"

#include "api/cm_host.h"
#include "api/conn_param.h"
#include "api/engine_datagram.h"
#include "api/host_clock.h"
#include "api/id_path.h"
#include "api/id_qp.h"
#include "api/ip_address.h"
#include "api/ip_header.h"
#include "cm/cm_service.h"

#include <endian.h>
#include <string.h>

/* What Linux sends */
#define CONNECT_CM_TIMEOUT 20 /* 4.096 us * 2^n */
#define CONNECT_CM_RETRIES 15

#define CONNECT_PRIVATE_LEN (CM_REQ_PRIVATE_LEN - CM_IP_HEADER_LEN)

static void request_fill_path(const struct own_id *own,
			      struct cm_connect_param *param)
{
	const struct ibv_sa_path_rec *path = &own->path;
	struct cm_req_path *primary = &param->req.primary;

	id_path_mad(own, &param->path);
	param->packet_life_time = path->packet_life_time;
	primary->local_lid = CM_LID_GLOBAL;
	primary->remote_lid = CM_LID_GLOBAL;
	memcpy(primary->local_gid, path->sgid.raw, CM_GID_LEN);
	memcpy(primary->remote_gid, path->dgid.raw, CM_GID_LEN);
	primary->flow_label = param->path.flow_label;
	primary->traffic_class = path->traffic_class;
	primary->hop_limit = path->hop_limit;
	primary->local_ack_timeout = own->values.ack_timeout;
}

static void request_fill(const struct own_id *own,
			 const struct rdma_conn_param *conn,
			 struct cm_connect_param *ret_param)
{
	const struct rdma_addr *addresses = &own->id.route.addr;
	struct cm_req *req = &ret_param->req;

	memset(ret_param, 0, sizeof(*ret_param));
	request_fill_path(own, ret_param);
	req->service_id = cm_service_id((uint16_t)own->id.ps,
					ip_address_port(&addresses->dst_addr));
	req->local_qpn = conn->qp_num & CM_QPN_MASK;
	req->starting_psn = own->values.local_psn;
	req->initiator_depth = conn->initiator_depth;
	req->remote_cm_timeout = CONNECT_CM_TIMEOUT;
	req->local_cm_timeout = CONNECT_CM_TIMEOUT;
	if (own->id.qp_type == IBV_QPT_XRC_SEND) {
		/* An initiator has no responder, and no receive queue. */
		req->service_type = CM_SERVICE_EXTENDED;
		req->extended_type = CM_EXTENDED_XRC;
	} else {
		req->service_type = CM_SERVICE_RC;
		req->responder_resources = conn->responder_resources;
		req->retry_count = conn->retry_count;
		req->rnr_retry_count = conn->rnr_retry_count;
		req->srq = conn->srq != 0;
	}
	req->vendor_id = own->local_ece.vendor_id;
	ret_param->ece_options = own->local_ece.options;
	req->max_cm_retries = CONNECT_CM_RETRIES;
	req->path_mtu = own->values.path_mtu;
	req->pkey = CM_PKEY;
	req->flow_control = conn->flow_control != 0;
	ip_header_write(addresses, req->private_data);
	memcpy(&req->private_data[CM_IP_HEADER_LEN], conn->private_data,
	       conn->private_data_len);
}

static int id_start_connection_locked(struct own_id *own,
				      const struct rdma_conn_param *conn,
				      struct cm_output *out)
	REQUIRES(host_mutex)
{
	struct cm_connect_param param;
	uint8_t life_time = own->path.packet_life_time;
	int ret;

	own->values = (struct own_conn_values){
		.has_request = true,
		.local_psn = host_random() & CM_PSN_MASK,
		.local_qpn = conn->qp_num,
		.responder_resources = conn->responder_resources,
		.initiator_depth = conn->initiator_depth,
		.retry_count = conn->retry_count,
		.rnr_retry_count = conn->rnr_retry_count,
		.ack_timeout = own->has_ack_timeout ? own->ack_timeout
						    : (uint8_t)(life_time + 1),
		.path_mtu = own->path.mtu,
	};
	request_fill(own, conn, &param);
	ret = host_conn_add_locked(own);
	if (ret)
		return ret;
	ret = cm_conn_connect(&own->device->cm, &own->conn, &param,
			      host_clock_now_ns(), out);
	if (ret) {
		host_conn_remove_locked(own);
		return ret == -ERANGE ? -EINVAL : ret;
	}
	own->state = OWN_ID_CONNECT;
	host_deliver_locked(own->device, out);
	return 0;
}

int engine_connect(struct own_id *own, const struct rdma_conn_param *param)
{
	struct rdma_conn_param conn;
	struct cm_output out;
	int ret;

	if (host_id_state(own) != OWN_ID_ROUTE_RESOLVED)
		return -EINVAL;
	if (own->id.qp_type == IBV_QPT_UD)
		return engine_datagram_connect(own, param);
	if (!own_id_is_connected_type(own))
		return -EOPNOTSUPP;
	ret = conn_param_for_request(own, param, CONNECT_PRIVATE_LEN, &conn);
	if (ret)
		return ret;
	verbs_mutex_lock(&host_mutex);
	ret = id_start_connection_locked(own, &conn, &out);
	verbs_mutex_unlock(&host_mutex);
	if (!ret)
		host_send(own->device, &out);
	return ret;
}

int engine_notify(struct own_id *own, enum ibv_event_type event)
{
	struct cm_output out;
	int ret = -EINVAL;

	/* There are no alternate paths on RoCE. */
	if (event == IBV_EVENT_PATH_MIG)
		return 0;
	if (event != IBV_EVENT_COMM_EST)
		return -EINVAL;
	verbs_mutex_lock(&host_mutex);
	if (own->has_conn)
		ret = cm_conn_notify(&own->device->cm, &own->conn, &out);
	if (!ret)
		host_flush_locked(own->device, &out);
	verbs_mutex_unlock(&host_mutex);
	return ret;
}

/* Returns true if the peer is informed, so that an event follows. */
static bool id_disconnect_locked(struct own_id *own, struct cm_output *out)
	REQUIRES(host_mutex)
{
	if (cm_conn_disconnect(&own->device->cm, &own->conn,
			       host_clock_now_ns(), out) != 0)
		return false;
	own->state = OWN_ID_DISCONNECT;
	host_deliver_locked(own->device, out);
	return true;
}

int engine_disconnect(struct own_id *own, bool *ret_has_event)
{
	struct cm_output out;
	bool is_connected;

	verbs_mutex_lock(&host_mutex);
	/* Datagrams have no connection to end, and so no event. */
	is_connected = own->has_conn || own->has_sidr;
	*ret_has_event = own->has_conn && id_disconnect_locked(own, &out);
	verbs_mutex_unlock(&host_mutex);
	if (*ret_has_event)
		host_send(own->device, &out);
	return is_connected ? 0 : -EINVAL;
}
