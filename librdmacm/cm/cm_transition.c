/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Changes of state that several messages or calls cause. Called by cm_conn.c
 * and cm_receive.c.
 */
#include "cm/cm_parts.h"

#define NS_PER_MS     UINT64_C(1000000)
#define PACE_NS	      (UINT64_C(1000000000) / CM_PACE_RATE)
#define PACE_BURST_NS (CM_PACE_BURST * PACE_NS)

void cm_event_set(struct cm_output *out, enum cm_event_type type, int status,
		  struct cm_conn *conn)
{
	out->event = (struct cm_event){
		.type = type,
		.status = status,
		.conn = conn,
	};
}

void cm_conn_set_peer(struct cm_engine *cm, struct cm_conn *conn,
		      uint64_t ca_guid, uint32_t comm_id, uint32_t qpn)
{
	conn->remote_ca_guid = ca_guid;
	conn->remote_comm_id = comm_id;
	conn->remote_qpn = qpn;
	cm_table_add(cm, CM_TABLE_REMOTE_ID, ca_guid, comm_id,
		     &conn->remote_id_node);
	cm_table_add(cm, CM_TABLE_REMOTE_QPN, ca_guid, qpn,
		     &conn->remote_qpn_node);
}

void cm_conn_start_timer(struct cm_engine *cm, struct cm_conn *conn,
			 uint64_t now_ns)
{
	conn->retries_left = conn->max_retries;
	cm_timer_arm(&cm->conn_timers, &conn->timer,
		     now_ns + conn->interval_ns);
}

/* No message of the peer finds the connection as a request or as its QP. */
static void conn_forget_peer(struct cm_engine *cm, struct cm_conn *conn)
{
	cm_timer_disarm(&cm->conn_timers, &conn->timer);
	cm_listener_release(&conn->listener, &conn->pending_node);
	list_del(&conn->remote_id_node);
	list_del(&conn->remote_qpn_node);
}

void cm_conn_enter_idle(struct cm_engine *cm, struct cm_conn *conn)
{
	conn_forget_peer(cm, conn);
	conn->state = CM_IDLE;
}

void cm_conn_enter_timewait(struct cm_engine *cm, struct cm_conn *conn,
			    uint64_t now_ns)
{
	conn_forget_peer(cm, conn);
	conn->state = CM_TIMEWAIT;
	cm_timer_arm(&cm->conn_timers, &conn->timer,
		     now_ns + conn->ack_timeout_ns);
}

/*
 * Returns the time at which the next REQ or DREQ may be sent. cm_engine.pace_ns
 * is when a whole burst is permitted again. Later times are rounded up, so that
 * the caller wakes up once per millisecond at most.
 */
static uint64_t engine_take_turn(struct cm_engine *cm, uint64_t now_ns)
{
	uint64_t turn_ns;

	if (cm->pace_ns < now_ns)
		cm->pace_ns = now_ns;
	cm->pace_ns += PACE_NS;
	if (cm->pace_ns - now_ns <= PACE_BURST_NS)
		return now_ns;
	turn_ns = cm->pace_ns - PACE_BURST_NS + NS_PER_MS - 1;
	return turn_ns - turn_ns % NS_PER_MS;
}

void cm_conn_begin_exchange(struct cm_engine *cm, struct cm_conn *conn,
			    uint64_t now_ns, struct cm_output *out)
{
	uint64_t turn_ns = engine_take_turn(cm, now_ns);

	conn->is_deferred = turn_ns > now_ns;
	if (conn->is_deferred) {
		cm_timer_arm(&cm->conn_timers, &conn->timer, turn_ns);
		return;
	}
	cm_conn_start_timer(cm, conn, now_ns);
	cm_send_bytes(out, &conn->path, conn->unacknowledged);
}

void cm_conn_start_dreq(struct cm_engine *cm, struct cm_conn *conn,
			uint64_t now_ns, struct cm_output *out)
{
	cm_conn_encode_dreq(cm, conn);
	conn->state = CM_DREQ_SENT;
	cm_conn_begin_exchange(cm, conn, now_ns, out);
}
