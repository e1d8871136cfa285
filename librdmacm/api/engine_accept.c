/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The passive side of connections in the engine: listen, accept and reject. */
#include "api/engine_backend.h"

#include "api/cm_host.h"
#include "api/conn_param.h"
#include "api/engine_datagram.h"
#include "api/host_clock.h"
#include "api/id_ece.h"
#include "api/id_qp.h"
#include "api/listen_table.h"
#include "api/port_table.h"

#include <string.h>

/* The maximum of Linux, net.rdma_ucm.max_backlog */
#define LISTEN_MAX_BACKLOG 1024
#define ACCEPT_ACK_DELAY   15

int engine_listen(struct own_id *own, int backlog)
{
	int ret;

	if (host_id_state(own) != OWN_ID_ADDR_BOUND)
		return -EINVAL;
	ret = port_binding_claim(&own->binding);
	if (ret)
		return ret;
	verbs_mutex_lock(&host_mutex);
	own->backlog = backlog <= 0 || backlog > LISTEN_MAX_BACKLOG
			       ? LISTEN_MAX_BACKLOG
			       : (unsigned int)backlog;
	ret = listen_id_add_locked(own);
	if (!ret)
		own->state = OWN_ID_LISTEN;
	verbs_mutex_unlock(&host_mutex);
	return ret;
}

/* Returns whether the connection waits for rdma_accept(). */
static bool id_is_request_locked(const struct own_id *own) REQUIRES(host_mutex)
{
	return own->has_conn && (own->conn.state == CM_REQ_RCVD ||
				 own->conn.state == CM_MRA_REQ_SENT);
}

static void reply_fill(const struct rdma_conn_param *conn, bool is_xrc,
		       uint32_t psn, uint8_t ack_delay, struct cm_rep *ret_rep)
{
	memset(ret_rep, 0, sizeof(*ret_rep));
	ret_rep->local_qpn = conn->qp_num & CM_QPN_MASK;
	ret_rep->starting_psn = psn;
	ret_rep->responder_resources = conn->responder_resources;
	ret_rep->initiator_depth = conn->initiator_depth;
	ret_rep->target_ack_delay = ack_delay;
	ret_rep->rnr_retry_count = conn->rnr_retry_count;
	ret_rep->flow_control = conn->flow_control != 0;
	ret_rep->srq = conn->srq != 0;
	if (is_xrc) {
		/* A target has no requester, and the SRQs of its domain. */
		ret_rep->initiator_depth = 0;
		ret_rep->flow_control = false;
		ret_rep->srq = true;
	}
	memcpy(ret_rep->private_data, conn->private_data,
	       conn->private_data_len);
}

static int id_send_reply(struct own_id *own, const struct rdma_conn_param *conn)
{
	uint8_t ack_delay = own->device->attr.local_ca_ack_delay;
	struct ibv_ece ece = own->local_ece;
	struct cm_output out;
	struct cm_rep rep;
	int ret = own->id.qp ? id_ece_reply(own, &ece) : 0;

	if (ret)
		return ret;
	ret = -EINVAL;
	verbs_mutex_lock(&host_mutex);
	reply_fill(conn, own->id.qp_type == IBV_QPT_XRC_RECV,
		   own->values.local_psn,
		   ack_delay > 31 ? ACCEPT_ACK_DELAY : ack_delay, &rep);
	rep.vendor_id = ece.vendor_id;
	if (id_is_request_locked(own))
		ret = cm_conn_accept(&own->device->cm, &own->conn, &rep,
				     ece.options, host_clock_now_ns(), &out);
	if (!ret) {
		own->is_accepted = true;
		host_deliver_locked(own->device, &out);
		host_watch_peer_locked(own);
	}
	verbs_mutex_unlock(&host_mutex);
	if (!ret)
		host_send(own->device, &out);
	return ret == -ERANGE ? -EINVAL : ret;
}

int engine_reject(struct own_id *own, uint8_t reason, const void *private_data,
		  uint8_t len)
{
	struct cm_reject_param param = {
		.reason = (enum cm_reject_reason)reason,
	};
	struct cm_output out;
	int ret = -EINVAL;

	if (own->id.qp_type == IBV_QPT_UD)
		return engine_datagram_reject(own, private_data, len);
	if (len > CM_REJ_PRIVATE_LEN || (len && !private_data))
		return -EINVAL;
	if (len)
		memcpy(param.private_data, private_data, len);
	verbs_mutex_lock(&host_mutex);
	if (own->has_conn)
		ret = cm_conn_reject(&own->device->cm, &own->conn, &param,
				     host_clock_now_ns(), &out);
	if (!ret)
		host_flush_locked(own->device, &out);
	verbs_mutex_unlock(&host_mutex);
	return ret;
}

int engine_accept(struct own_id *own, const struct rdma_conn_param *param)
{
	struct own_conn_values values = { 0 };
	struct rdma_conn_param conn;
	bool is_request;
	int ret;

	if (own->id.qp_type == IBV_QPT_UD)
		return engine_datagram_accept(own, param);
	verbs_mutex_lock(&host_mutex);
	is_request = id_is_request_locked(own);
	values = own->values;
	verbs_mutex_unlock(&host_mutex);
	if (!is_request)
		return -EINVAL;
	/* The kernel, too, rejects a request whose reply is too long. */
	if (param && param->private_data_len > CM_REP_PRIVATE_LEN) {
		id_qp_fail(own);
		(void)engine_reject(own, CM_REJ_CONSUMER, NULL, 0);
		return -EINVAL;
	}
	ret = conn_param_for_reply(own, param, CM_REP_PRIVATE_LEN, &values,
				   &conn);
	if (ret)
		return ret;
	verbs_mutex_lock(&host_mutex);
	own->values.local_qpn = conn.qp_num;
	own->values.responder_resources = conn.responder_resources;
	own->values.initiator_depth = conn.initiator_depth;
	verbs_mutex_unlock(&host_mutex);
	/* The peer may send as soon as it has the REP. */
	ret = id_qp_connect(own, &conn);
	return ret ? ret : id_send_reply(own, &conn);
}
