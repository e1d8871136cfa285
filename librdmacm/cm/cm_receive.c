/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What messages of the peer, and their absence, do to connections. One function
 * for each message, in the order in which a connection sees them; at the end
 * the retransmission and the time wait. Called by cm_engine.c.
 *
 * A message that matches no connection in a state that expects it is dropped;
 * two exceptions: a REQ without a listener, and a DREQ of an unknown
 * connection.
 */
#include "cm/cm_parts.h"

#include "cm/cm_bytes.h"

#include <errno.h>
#include <string.h>

/* An MRA extends the timeout at most by that of Linux, 68.7 s. */
#define MAX_SERVICE_TIMEOUT 24

/*
 * The peer chooses how often and at which interval a REP is retransmitted, and
 * thus how long its connection can stay half-open. 16.4 s is four times the
 * interval of Linux.
 */
#define MAX_RESPONSE_TIMEOUT 22

/* What receiving one message needs */
struct receive {
	struct cm_engine *cm;
	const struct cm_path *path; /* as the peer sees it */
	uint64_t now_ns;
	struct cm_conn *spare;
	struct cm_output *out;
};

/* Does the connection know the comm id of its peer? */
static bool conn_has_peer(const struct cm_conn *conn)
{
	return conn->state != CM_IDLE && conn->state != CM_REQ_SENT &&
	       conn->state != CM_MRA_REQ_RCVD;
}

/* The connection of a message that has the ids of both sides. */
static struct cm_conn *conn_find_pair(struct cm_engine *cm, uint32_t local_id,
				      uint32_t remote_id)
{
	struct cm_conn *conn = cm_table_find_id(cm, local_id);

	if (!conn || !conn_has_peer(conn) || conn->remote_comm_id != remote_id)
		return NULL;
	return conn;
}

/* An earlier connection of the same QP of the peer, of which it knows nothing.
 */
static void stale_conn_disconnect(const struct receive *rx,
				  struct cm_conn *stale)
{
	if (stale->state == CM_ESTABLISHED)
		cm_conn_start_dreq(rx->cm, stale, rx->now_ns, rx->out);
}

static void req_receive_duplicate(const struct receive *rx,
				  struct cm_conn *conn)
{
	/* Later the retransmission of the REP is the response. */
	if (conn->state != CM_REQ_RCVD && conn->state != CM_MRA_REQ_SENT)
		return;
	conn->state = CM_MRA_REQ_SENT;
	cm_send_mra(conn, CM_MESSAGE_REQ, rx->out);
}

static void req_refuse(const struct receive *rx, enum cm_reject_reason reason)
{
	const struct cm_mad *message = &rx->out->received;
	struct cm_path path;

	cm_path_reverse(rx->path, &path);
	cm_send_rej(&path, message->tid, 0, message->req.local_comm_id,
		    CM_MESSAGE_REQ, reason, rx->out);
}

static void req_receive_new(const struct receive *rx,
			    struct cm_listener *listener)
{
	const struct cm_req *req = &rx->out->received.req;
	struct cm_conn *conn = rx->spare;
	uint8_t timeout = req->local_cm_timeout;

	if (timeout > MAX_RESPONSE_TIMEOUT)
		timeout = MAX_RESPONSE_TIMEOUT;
	if (!conn || cm_listener_hold(listener, &conn->pending_node) != 0)
		return;
	conn->listener = listener;
	conn->is_active = false;
	conn->is_xrc = cm_req_is_xrc(req);
	conn->tid = rx->out->received.tid;
	conn->max_retries = req->max_cm_retries;
	conn->interval_ns = cm_time_ns(timeout);
	conn->ack_timeout_ns = cm_time_ns(req->primary.local_ack_timeout);
	/* The path of the REQ, back */
	memcpy(conn->path.sgid, rx->path->dgid, CM_GID_LEN);
	memcpy(conn->path.dgid, req->primary.local_gid, CM_GID_LEN);
	conn->path.flow_label = req->primary.flow_label;
	conn->path.traffic_class = req->primary.traffic_class;
	conn->path.hop_limit = req->primary.hop_limit;
	conn->path.sl = req->primary.sl;
	cm_conn_set_peer(rx->cm, conn, req->local_ca_guid, req->local_comm_id,
			 req->local_qpn);
	conn->state = CM_REQ_RCVD;
	cm_event_set(rx->out, CM_EVENT_REQUEST, 0, conn);
}

static void req_receive(const struct receive *rx)
{
	const struct cm_req *req = &rx->out->received.req;
	struct cm_listener *listener;
	struct cm_conn *conn;

	conn = cm_table_find_remote_id(rx->cm, req->local_ca_guid,
				       req->local_comm_id);
	if (conn) {
		req_receive_duplicate(rx, conn);
		return;
	}
	conn = cm_table_find_remote_qpn(rx->cm, req->local_ca_guid,
					req->local_qpn);
	if (conn) {
		req_refuse(rx, CM_REJ_STALE_CONNECTION);
		stale_conn_disconnect(rx, conn);
		return;
	}
	listener = cm_table_find_listener(rx->cm, req->service_id, false);
	if (listener)
		req_receive_new(rx, listener);
	else
		req_refuse(rx, CM_REJ_INVALID_SERVICE_ID);
}

static void mra_receive(const struct receive *rx)
{
	const struct cm_mra *mra = &rx->out->received.mra;
	struct cm_conn *conn = cm_table_find_id(rx->cm, mra->remote_comm_id);
	uint8_t timeout = mra->service_timeout;

	if (!conn)
		return;
	if (mra->message == CM_MESSAGE_REQ && conn->state == CM_REQ_SENT)
		conn->state = CM_MRA_REQ_RCVD;
	else if (mra->message == CM_MESSAGE_REP && conn->state == CM_REP_SENT &&
		 mra->local_comm_id == conn->remote_comm_id)
		conn->state = CM_MRA_REP_RCVD;
	else
		return;
	/* Once: the retransmissions after that are bounded as always. */
	if (timeout > MAX_SERVICE_TIMEOUT)
		timeout = MAX_SERVICE_TIMEOUT;
	cm_timer_arm(&rx->cm->conn_timers, &conn->timer,
		     rx->now_ns + cm_time_ns(timeout) + conn->ack_timeout_ns);
}

static void rep_receive_duplicate(const struct receive *rx,
				  struct cm_conn *conn)
{
	if (!conn->is_active ||
	    conn->remote_comm_id != rx->out->received.rep.local_comm_id)
		return;
	if (conn->state == CM_ESTABLISHED) {
		cm_send_rtu(conn, rx->out);
	} else if (conn->state == CM_REP_RCVD ||
		   conn->state == CM_MRA_REP_SENT) {
		conn->state = CM_MRA_REP_SENT;
		cm_send_mra(conn, CM_MESSAGE_REP, rx->out);
	}
}

static void rep_receive(const struct receive *rx)
{
	const struct cm_mad *message = &rx->out->received;
	struct cm_rep *rep = &rx->out->received.rep;
	struct cm_conn *conn = cm_table_find_id(rx->cm, rep->remote_comm_id);
	struct cm_conn *stale;
	struct cm_path path;

	if (!conn)
		return;
	if (conn->is_xrc)
		rep->local_qpn = rep->local_eecn;
	if (conn->state != CM_REQ_SENT && conn->state != CM_MRA_REQ_RCVD) {
		rep_receive_duplicate(rx, conn);
		return;
	}
	if (cm_table_find_remote_id(rx->cm, rep->local_ca_guid,
				    rep->local_comm_id))
		return;
	stale = cm_table_find_remote_qpn(rx->cm, rep->local_ca_guid,
					 rep->local_qpn);
	if (stale) {
		/* The peer's next response to the REQ is another REP. */
		cm_path_reverse(rx->path, &path);
		cm_send_rej(&path, message->tid, conn->local_comm_id,
			    rep->local_comm_id, CM_MESSAGE_REP,
			    CM_REJ_STALE_CONNECTION, rx->out);
		stale_conn_disconnect(rx, stale);
		return;
	}
	cm_timer_disarm(&rx->cm->conn_timers, &conn->timer);
	cm_conn_set_peer(rx->cm, conn, rep->local_ca_guid, rep->local_comm_id,
			 rep->local_qpn);
	conn->state = CM_REP_RCVD;
	cm_event_set(rx->out, CM_EVENT_REPLY, 0, conn);
}

static void rtu_receive(const struct receive *rx)
{
	const struct cm_rtu *rtu = &rx->out->received.rtu;
	struct cm_conn *conn =
		conn_find_pair(rx->cm, rtu->remote_comm_id, rtu->local_comm_id);

	if (!conn ||
	    (conn->state != CM_REP_SENT && conn->state != CM_MRA_REP_RCVD))
		return;
	cm_timer_disarm(&rx->cm->conn_timers, &conn->timer);
	cm_listener_release(&conn->listener, &conn->pending_node);
	conn->state = CM_ESTABLISHED;
	cm_event_set(rx->out, CM_EVENT_ESTABLISHED, 0, conn);
}

/* The connection that a REJ refers to (IBTA 12.9.8.2 leaves ids out). */
static struct cm_conn *rej_find_conn(struct cm_engine *cm,
				     const struct cm_rej *rej)
{
	struct cm_conn *conn;

	if (rej->reason == CM_REJ_TIMEOUT) {
		if (rej->ari_len < sizeof(uint64_t))
			return NULL;
		return cm_table_find_remote_id(cm, cm_bytes_get(rej->ari, 8),
					       rej->local_comm_id);
	}
	if (rej->message == CM_MESSAGE_REQ) {
		conn = cm_table_find_id(cm, rej->remote_comm_id);
		if (conn && (conn->state == CM_REQ_SENT ||
			     conn->state == CM_MRA_REQ_RCVD))
			return conn;
		return NULL;
	}
	return conn_find_pair(cm, rej->remote_comm_id, rej->local_comm_id);
}

static void rej_receive(const struct receive *rx)
{
	const struct cm_rej *rej = &rx->out->received.rej;
	struct cm_conn *conn = rej_find_conn(rx->cm, rej);
	enum cm_event_type type = CM_EVENT_REJECTED;
	int status = rej->reason;

	if (!conn)
		return;
	switch (conn->state) {
	case CM_REQ_SENT:
	case CM_MRA_REQ_RCVD:
	case CM_REQ_RCVD:
	case CM_MRA_REQ_SENT:
	case CM_REP_SENT:
	case CM_MRA_REP_RCVD:
		/* The peer may still have packets of the stale connection. */
		if (rej->reason == CM_REJ_STALE_CONNECTION)
			cm_conn_enter_timewait(rx->cm, conn, rx->now_ns);
		else
			cm_conn_enter_idle(rx->cm, conn);
		break;
	case CM_DREQ_SENT:
		/* Its owner waits for the end, and has it. */
		type = CM_EVENT_DISCONNECTED;
		status = 0;
		cm_conn_enter_timewait(rx->cm, conn, rx->now_ns);
		break;
	case CM_REP_RCVD:
	case CM_MRA_REP_SENT:
	case CM_ESTABLISHED:
		cm_conn_enter_timewait(rx->cm, conn, rx->now_ns);
		break;
	case CM_IDLE:
	case CM_DREQ_RCVD:
	case CM_TIMEWAIT:
		return;
	}
	cm_event_set(rx->out, type, status, conn);
}

/* The peer must not retransmit its DREQ because this side has forgotten. */
static void dreq_receive_unknown(const struct receive *rx)
{
	const struct cm_mad *dreq = &rx->out->received;
	struct cm_mad message = { .attr = CM_DREP, .tid = dreq->tid };
	struct cm_path path;

	message.drep.local_comm_id = dreq->dreq.remote_comm_id;
	message.drep.remote_comm_id = dreq->dreq.local_comm_id;
	cm_path_reverse(rx->path, &path);
	cm_send_message(rx->out, &path, &message);
}

/* A DREQ, or the end of the peer without one. @tid: for the DREP. */
static void conn_receive_end(struct cm_engine *cm, struct cm_conn *conn,
			     uint64_t tid, struct cm_output *out)
{
	switch (conn->state) {
	case CM_REP_SENT: /* the RTU was lost */
	case CM_MRA_REP_RCVD:
	case CM_ESTABLISHED:
	case CM_DREQ_SENT: /* both sides disconnect */
		cm_timer_disarm(&cm->conn_timers, &conn->timer);
		cm_listener_release(&conn->listener, &conn->pending_node);
		conn->dreq_tid = tid;
		conn->state = CM_DREQ_RCVD;
		cm_event_set(out, CM_EVENT_DISCONNECTED, 0, conn);
		break;
	default:
		break;
	}
}

void cm_conn_end(struct cm_engine *cm, struct cm_conn *conn,
		 struct cm_output *out)
{
	cm_output_reset(out);
	conn_receive_end(cm, conn, cm_own_tid(cm, conn->local_comm_id), out);
}

static void dreq_receive(const struct receive *rx)
{
	const struct cm_mad *message = &rx->out->received;
	struct cm_conn *conn = conn_find_pair(rx->cm,
					      message->dreq.remote_comm_id,
					      message->dreq.local_comm_id);

	if (!conn) {
		dreq_receive_unknown(rx);
		return;
	}
	if (message->dreq.remote_qpn != conn->local_qpn)
		return;
	if (conn->state == CM_TIMEWAIT) /* the DREP was lost */
		cm_send_drep(conn, message->tid, rx->out);
	else
		conn_receive_end(rx->cm, conn, message->tid, rx->out);
}

static void drep_receive(const struct receive *rx)
{
	const struct cm_drep *drep = &rx->out->received.drep;
	struct cm_conn *conn = conn_find_pair(rx->cm, drep->remote_comm_id,
					      drep->local_comm_id);

	if (!conn)
		return;
	/* The owner knows of a disconnect by the peer's DREQ. */
	if (conn->state == CM_DREQ_SENT)
		cm_event_set(rx->out, CM_EVENT_DISCONNECTED, 0, conn);
	else if (conn->state != CM_DREQ_RCVD)
		return;
	cm_conn_enter_timewait(rx->cm, conn, rx->now_ns);
}

void cm_conn_receive(struct cm_engine *cm, const struct cm_path *path,
		     uint64_t now_ns, struct cm_conn *spare,
		     struct cm_output *out)
{
	const struct receive rx = { cm, path, now_ns, spare, out };

	switch (out->received.attr) {
	case CM_REQ:
		req_receive(&rx);
		break;
	case CM_MRA:
		mra_receive(&rx);
		break;
	case CM_REJ:
		rej_receive(&rx);
		break;
	case CM_REP:
		rep_receive(&rx);
		break;
	case CM_RTU:
		rtu_receive(&rx);
		break;
	case CM_DREQ:
		dreq_receive(&rx);
		break;
	case CM_DREP:
		drep_receive(&rx);
		break;
	case CM_SIDR_REQ:
	case CM_SIDR_REP:
		break; /* cm_sidr.c */
	}
}

/* The peer has not responded, after all retransmissions. */
static void conn_give_up(struct cm_engine *cm, struct cm_conn *conn,
			 uint64_t now_ns, struct cm_output *out)
{
	if (conn->state == CM_DREQ_SENT) {
		cm_conn_enter_timewait(cm, conn, now_ns);
		cm_event_set(out, CM_EVENT_DISCONNECTED, -ETIMEDOUT, conn);
		return;
	}
	cm_conn_enter_idle(cm, conn);
	cm_event_set(out, CM_EVENT_UNREACHABLE, -ETIMEDOUT, conn);
}

void cm_conn_expire(struct cm_engine *cm, struct cm_conn *conn, uint64_t now_ns,
		    struct cm_output *out)
{
	if (conn->state == CM_TIMEWAIT) {
		cm_conn_enter_idle(cm, conn);
		cm_event_set(out, CM_EVENT_TIMEWAIT_EXIT, 0, conn);
		return;
	}
	if (conn->is_deferred) {
		conn->is_deferred = false;
		cm_conn_start_timer(cm, conn, now_ns);
	} else if (conn->retries_left) {
		conn->retries_left--;
		cm_timer_arm(&cm->conn_timers, &conn->timer,
			     now_ns + conn->interval_ns);
	} else {
		conn_give_up(cm, conn, now_ns, out);
		return;
	}
	cm_send_bytes(out, &conn->path, conn->unacknowledged);
}
