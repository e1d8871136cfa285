/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Changes of state that several messages or calls cause. Called by cm_conn.c
 * and cm_receive.c.
 */
#include "cm/cm_parts.h"

#include <string.h>

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

void cm_conn_start_dreq(struct cm_engine *cm, struct cm_conn *conn,
			uint64_t now_ns, struct cm_output *out)
{
	cm_send_dreq(cm, conn, out);
	memcpy(conn->unacknowledged, out->sends[out->nr_sends - 1].bytes,
	       CM_MAD_LEN);
	conn->state = CM_DREQ_SENT;
	cm_conn_start_timer(cm, conn, now_ns);
}
