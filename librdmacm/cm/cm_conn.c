/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the owner of a connection does with it: connect, accept, confirm,
 * reject, disconnect, remove. cm_receive.c has the other half, the messages of
 * the peer.
 */
#include "cm/cm_parts.h"

#include "cm/cm_bytes.h"

#include <errno.h>
#include <string.h>

int cm_conn_add(struct cm_engine *cm, struct cm_conn *conn, uint32_t comm_id)
{
	if (cm_table_find_id(cm, comm_id))
		return -EEXIST;
	memset(conn, 0, sizeof(*conn));
	conn->local_comm_id = comm_id;
	list_init(&conn->pending_node);
	list_init(&conn->remote_id_node);
	list_init(&conn->remote_qpn_node);
	list_init(&conn->id_node);
	cm_table_add(cm, CM_TABLE_ID, 0, comm_id, &conn->id_node);
	return 0;
}

/* The peer must not wait for the response to its REQ or REP. */
static void conn_send_timeout(const struct cm_engine *cm,
			      const struct cm_conn *conn, struct cm_output *out)
{
	struct cm_mad message = { .attr = CM_REJ, .tid = conn->tid };

	/* The peer finds the connection by CA GUID and comm id. */
	message.rej.local_comm_id = conn->local_comm_id;
	message.rej.message = CM_MESSAGE_OTHER;
	message.rej.reason = CM_REJ_TIMEOUT;
	message.rej.ari_len = sizeof(cm->config.ca_guid);
	cm_bytes_put(message.rej.ari, sizeof(cm->config.ca_guid),
		     cm->config.ca_guid);
	cm_send_message(out, &conn->path, &message);
}

static void conn_send_consumer_rej(const struct cm_conn *conn,
				   enum cm_message about, struct cm_output *out)
{
	cm_send_rej(&conn->path, conn->tid, conn->local_comm_id,
		    conn->remote_comm_id, about, CM_REJ_CONSUMER, out);
}

void cm_conn_remove(struct cm_engine *cm, struct cm_conn *conn,
		    struct cm_output *out)
{
	cm_output_reset(out);
	switch (conn->state) {
	case CM_REQ_SENT:
	case CM_MRA_REQ_RCVD:
		if (!conn->is_deferred)
			conn_send_timeout(cm, conn, out);
		break;
	case CM_REQ_RCVD:
	case CM_MRA_REQ_SENT:
		conn_send_consumer_rej(conn, CM_MESSAGE_REQ, out);
		break;
	case CM_REP_RCVD:
	case CM_MRA_REP_SENT:
		conn_send_consumer_rej(conn, CM_MESSAGE_REP, out);
		break;
	case CM_REP_SENT:
	case CM_MRA_REP_RCVD:
		conn_send_consumer_rej(conn, CM_MESSAGE_OTHER, out);
		break;
	case CM_ESTABLISHED:
		cm_conn_encode_dreq(cm, conn);
		cm_send_bytes(out, &conn->path, conn->unacknowledged);
		break;
	case CM_DREQ_SENT:
		if (conn->is_deferred)
			cm_send_bytes(out, &conn->path, conn->unacknowledged);
		break;
	case CM_DREQ_RCVD:
		cm_send_drep(conn, conn->dreq_tid, out);
		break;
	case CM_IDLE:
	case CM_TIMEWAIT:
		break;
	}
	cm_conn_enter_idle(cm, conn);
	list_del(&conn->id_node);
}

int cm_conn_connect(struct cm_engine *cm, struct cm_conn *conn,
		    const struct cm_connect_param *param, uint64_t now_ns,
		    struct cm_output *out)
{
	struct cm_mad message = {
		.attr = CM_REQ,
		.attr_mod = param->ece_options,
		.tid = cm_own_tid(cm, conn->local_comm_id),
		.req = param->req,
	};
	int ret;

	cm_output_reset(out);
	if (conn->state != CM_IDLE)
		return -EISCONN;
	message.req.local_comm_id = conn->local_comm_id;
	message.req.local_ca_guid = cm->config.ca_guid;
	ret = cm_mad_encode(&message, conn->unacknowledged);
	if (ret)
		return ret;
	conn->is_active = true;
	conn->is_xrc = cm_req_is_xrc(&param->req);
	conn->tid = message.tid;
	conn->path = param->path;
	conn->local_qpn = param->req.local_qpn;
	conn->max_retries = param->req.max_cm_retries;
	conn->interval_ns = 2 * cm_time_ns(param->packet_life_time) +
			    cm_time_ns(param->req.remote_cm_timeout);
	conn->ack_timeout_ns = cm_time_ns(param->req.primary.local_ack_timeout);
	conn->state = CM_REQ_SENT;
	cm_conn_begin_exchange(cm, conn, now_ns, out);
	return 0;
}

int cm_conn_accept(struct cm_engine *cm, struct cm_conn *conn,
		   const struct cm_rep *rep, uint32_t ece_options,
		   uint64_t now_ns, struct cm_output *out)
{
	struct cm_mad message = {
		.attr = CM_REP,
		.attr_mod = ece_options,
		.tid = conn->tid,
		.rep = *rep,
	};
	int ret;

	cm_output_reset(out);
	if (conn->state != CM_REQ_RCVD && conn->state != CM_MRA_REQ_SENT)
		return -EINVAL;
	message.rep.local_comm_id = conn->local_comm_id;
	message.rep.remote_comm_id = conn->remote_comm_id;
	message.rep.local_ca_guid = cm->config.ca_guid;
	if (conn->is_xrc) {
		message.rep.local_eecn = rep->local_qpn;
		message.rep.local_qpn = 0;
	}
	ret = cm_mad_encode(&message, conn->unacknowledged);
	if (ret)
		return ret;
	conn->local_qpn = rep->local_qpn;
	conn->state = CM_REP_SENT;
	cm_conn_start_timer(cm, conn, now_ns);
	cm_send_bytes(out, &conn->path, conn->unacknowledged);
	return 0;
}

int cm_conn_confirm(struct cm_engine *cm, struct cm_conn *conn,
		    struct cm_output *out)
{
	cm_output_reset(out);
	if (conn->state != CM_REP_RCVD && conn->state != CM_MRA_REP_SENT)
		return -EINVAL;
	conn->state = CM_ESTABLISHED;
	cm_send_rtu(conn, out);
	return 0;
}

int cm_conn_reject(struct cm_engine *cm, struct cm_conn *conn,
		   const struct cm_reject_param *param, uint64_t now_ns,
		   struct cm_output *out)
{
	struct cm_mad message = { .attr = CM_REJ, .tid = conn->tid };
	bool has_reply;

	cm_output_reset(out);
	has_reply = conn->state == CM_REP_RCVD ||
		    conn->state == CM_MRA_REP_SENT;
	if (!has_reply && conn->state != CM_REQ_RCVD &&
	    conn->state != CM_MRA_REQ_SENT)
		return -EINVAL;
	if (param->ari_len > CM_ARI_LEN)
		return -ERANGE;
	if (!param->is_anonymous)
		message.rej.local_comm_id = conn->local_comm_id;
	message.rej.remote_comm_id = conn->remote_comm_id;
	message.rej.message = has_reply ? CM_MESSAGE_REP : CM_MESSAGE_REQ;
	message.rej.reason = (uint16_t)param->reason;
	message.rej.ari_len = param->ari_len;
	memcpy(message.rej.ari, param->ari, param->ari_len);
	memcpy(message.rej.private_data, param->private_data,
	       sizeof(message.rej.private_data));
	cm_send_message(out, &conn->path, &message);
	/* After a REP the peer's QP may already have sent packets. */
	if (has_reply)
		cm_conn_enter_timewait(cm, conn, now_ns);
	else
		cm_conn_enter_idle(cm, conn);
	return 0;
}

int cm_conn_notify(struct cm_engine *cm, struct cm_conn *conn,
		   struct cm_output *out)
{
	cm_output_reset(out);
	if (conn->state == CM_ESTABLISHED)
		return -EISCONN;
	if (conn->state != CM_REP_SENT && conn->state != CM_MRA_REP_RCVD)
		return -EINVAL;
	cm_timer_disarm(&cm->conn_timers, &conn->timer);
	cm_listener_release(&conn->listener, &conn->pending_node);
	conn->state = CM_ESTABLISHED;
	cm_event_set(out, CM_EVENT_ESTABLISHED, 0, conn);
	return 0;
}

int cm_conn_disconnect(struct cm_engine *cm, struct cm_conn *conn,
		       uint64_t now_ns, struct cm_output *out)
{
	cm_output_reset(out);
	if (conn->state == CM_DREQ_RCVD) {
		cm_send_drep(conn, conn->dreq_tid, out);
		cm_conn_enter_timewait(cm, conn, now_ns);
		return 0;
	}
	if (conn->state != CM_ESTABLISHED)
		return -ENOTCONN;
	cm_conn_start_dreq(cm, conn, now_ns, out);
	return 0;
}
