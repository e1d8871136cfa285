/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Events of the engine as events of channels, except requests, and the values
 * of the REP for the id. Called by cm_host.c. The work that an event causes,
 * such as a QP transition, is done when the application fetches it
 * (id_event.c).
 */
#include "api/conn_event.h"

#include "api/id_path.h"

static struct own_id *own_id_of_conn(struct cm_conn *conn)
{
	return list_entry(conn, struct own_id, conn);
}

/* The REP has the other half of the values. */
static void reply_set_values(struct own_id *own, const struct cm_mad *message)
{
	const struct cm_rep *rep = &message->rep;
	struct own_conn_values *values = &own->values;

	values->has_peer = true;
	values->remote_ece = (struct ibv_ece){
		.vendor_id = rep->vendor_id,
		.options = message->attr_mod,
	};
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

	channel_event_set_data(event, rep->private_data, CM_REP_PRIVATE_LEN);
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

/* The peer's QP, or the reason why there is none */
static struct channel *datagram_event_deliver(const struct cm_output *out)
{
	struct own_id *own = list_entry(out->event.sidr, struct own_id, sidr);
	const struct cm_sidr_rep *rep = &out->received.sidr_rep;
	struct channel_event *event = channel_event_new();
	struct rdma_ud_param *param;

	/* The application must have a timeout of its own. */
	if (!event)
		return NULL;
	param = &event->public.param.ud;
	event->public.id = &own->id;
	event->public.event = RDMA_CM_EVENT_UNREACHABLE;
	event->public.status = out->event.status;
	if (out->event.type == CM_EVENT_SIDR_REPLY)
		channel_event_set_data(event, rep->private_data,
				       CM_SIDR_REP_PRIVATE_LEN);
	if (out->event.type == CM_EVENT_SIDR_REPLY &&
	    rep->status == CM_SIDR_OK) {
		event->public.event = RDMA_CM_EVENT_ESTABLISHED;
		own->values.remote_ece = (struct ibv_ece){
			.vendor_id = rep->vendor_id,
			.options = out->received.attr_mod,
		};
		id_path_ah(own, &param->ah_attr);
		param->qp_num = rep->qpn;
		param->qkey = rep->qkey;
	}
	return channel_queue(&own->source, event);
}

struct channel *conn_event_deliver_locked(const struct cm_output *out)
{
	struct channel_event *event;
	struct own_id *own;

	if (out->event.sidr)
		return datagram_event_deliver(out);
	own = own_id_of_conn(out->event.conn);
	if (out->event.type == CM_EVENT_REPLY)
		reply_set_values(own, &out->received);
	if (out->event.type == CM_EVENT_DISCONNECTED)
		own->state = OWN_ID_DISCONNECT;
	/* Until it accepts, the application does not see a peer's end. */
	if (!own->conn.is_active && !own->is_accepted)
		return NULL;
	event = channel_event_new();
	if (!event)
		return NULL; /* The connection ends by its timeouts. */
	event->public.id = &own->id;
	event->public.event = event_type(out->event.type);
	event->public.status = out->event.status;
	if (out->event.type == CM_EVENT_REPLY)
		reply_set_param(event, &out->received.rep);
	else if (out->event.type == CM_EVENT_REJECTED)
		channel_event_set_data(event, out->received.rej.private_data,
				       CM_REJ_PRIVATE_LEN);
	return channel_queue(&own->source, event);
}
