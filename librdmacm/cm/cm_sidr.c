/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Service id resolution (SIDR, IBTA 12.11): a request for the QP behind a
 * service id, and its reply. Nothing remains after the reply; if it is lost,
 * the retransmitted request is a new one.
 */
#include "cm/cm_parts.h"

#include <errno.h>
#include <string.h>

static void sidr_event_set(struct cm_output *out, enum cm_event_type type,
			   int status, struct cm_sidr *sidr)
{
	out->event = (struct cm_event){
		.type = type,
		.status = status,
		.sidr = sidr,
	};
}

static void sidr_enter_idle(struct cm_engine *cm, struct cm_sidr *sidr)
{
	cm_timer_disarm(&cm->sidr_timers, &sidr->timer);
	cm_listener_release(&sidr->listener, &sidr->pending_node);
	list_del(&sidr->node);
	sidr->state = CM_SIDR_IDLE;
}

void cm_sidr_init(struct cm_sidr *sidr)
{
	memset(sidr, 0, sizeof(*sidr));
	list_init(&sidr->pending_node);
	list_init(&sidr->node);
}

int cm_sidr_resolve(struct cm_engine *cm, struct cm_sidr *sidr,
		    const struct cm_sidr_param *param, uint64_t now_ns,
		    struct cm_output *out)
{
	struct cm_mad message = {
		.attr = CM_SIDR_REQ,
		.tid = cm_own_tid(cm, param->req.request_id),
		.sidr_req = param->req,
	};

	cm_output_reset(out);
	if (sidr->state != CM_SIDR_IDLE)
		return -EISCONN;
	if (cm_table_find_sidr_active(cm, param->req.request_id))
		return -EEXIST;
	cm_send_message(out, &param->path, &message);
	memcpy(sidr->unacknowledged, out->sends[0].bytes, CM_MAD_LEN);
	sidr->request_id = param->req.request_id;
	sidr->service_id = param->req.service_id;
	sidr->path = param->path;
	sidr->tid = message.tid;
	sidr->interval_ns = cm_time_ns(param->timeout);
	sidr->retries_left = param->max_retries;
	sidr->state = CM_SIDR_REQ_SENT;
	cm_table_add(cm, CM_TABLE_SIDR_ACTIVE, 0, sidr->request_id,
		     &sidr->node);
	cm_timer_arm(&cm->sidr_timers, &sidr->timer,
		     now_ns + sidr->interval_ns);
	return 0;
}

int cm_sidr_reply(struct cm_engine *cm, struct cm_sidr *sidr,
		  const struct cm_sidr_rep *rep, uint32_t ece_options,
		  struct cm_output *out)
{
	struct cm_mad message = {
		.attr = CM_SIDR_REP,
		.attr_mod = ece_options,
		.tid = sidr->tid,
		.sidr_rep = *rep,
	};
	uint8_t bytes[CM_MAD_LEN];
	int ret;

	cm_output_reset(out);
	if (sidr->state != CM_SIDR_REQ_RCVD)
		return -EINVAL;
	message.sidr_rep.request_id = sidr->request_id;
	message.sidr_rep.service_id = sidr->service_id;
	ret = cm_mad_encode(&message, bytes);
	if (ret)
		return ret;
	cm_send_bytes(out, &sidr->path, bytes);
	sidr_enter_idle(cm, sidr);
	return 0;
}

void cm_sidr_remove(struct cm_engine *cm, struct cm_sidr *sidr,
		    struct cm_output *out)
{
	const struct cm_sidr_rep rejected = { .status = CM_SIDR_REJECTED };

	cm_output_reset(out);
	if (sidr->state == CM_SIDR_REQ_RCVD)
		(void)cm_sidr_reply(cm, sidr, &rejected, 0, out);
	else
		sidr_enter_idle(cm, sidr);
}

static void sidr_receive_request(struct cm_engine *cm,
				 const struct cm_path *path,
				 struct cm_sidr *spare, struct cm_output *out)
{
	const struct cm_mad *request = &out->received;
	const struct cm_sidr_req *req = &request->sidr_req;
	struct cm_mad message = { .attr = CM_SIDR_REP, .tid = request->tid };
	struct cm_listener *listener;
	struct cm_path back;

	cm_path_reverse(path, &back);
	if (cm_table_find_sidr_passive(cm, req->request_id, back.dgid))
		return; /* its owner has not replied yet */
	listener = cm_table_find_listener(cm, req->service_id, true);
	if (!listener) {
		message.sidr_rep.request_id = req->request_id;
		message.sidr_rep.service_id = req->service_id;
		message.sidr_rep.status = CM_SIDR_NO_SERVICE;
		cm_send_message(out, &back, &message);
		return;
	}
	if (!spare || cm_listener_hold(listener, &spare->pending_node) != 0)
		return;
	spare->listener = listener;
	spare->request_id = req->request_id;
	spare->service_id = req->service_id;
	spare->path = back;
	spare->tid = request->tid;
	spare->state = CM_SIDR_REQ_RCVD;
	cm_table_add(cm, CM_TABLE_SIDR_PASSIVE, 0, spare->request_id,
		     &spare->node);
	sidr_event_set(out, CM_EVENT_SIDR_REQUEST, 0, spare);
}

static void sidr_receive_reply(struct cm_engine *cm, struct cm_output *out)
{
	const struct cm_sidr_rep *rep = &out->received.sidr_rep;
	struct cm_sidr *sidr = cm_table_find_sidr_active(cm, rep->request_id);

	if (!sidr)
		return;
	sidr_enter_idle(cm, sidr);
	sidr_event_set(out, CM_EVENT_SIDR_REPLY, rep->status, sidr);
}

void cm_sidr_receive(struct cm_engine *cm, const struct cm_path *path,
		     struct cm_sidr *spare, struct cm_output *out)
{
	if (out->received.attr == CM_SIDR_REQ)
		sidr_receive_request(cm, path, spare, out);
	else
		sidr_receive_reply(cm, out);
}

void cm_sidr_expire(struct cm_engine *cm, struct cm_sidr *sidr, uint64_t now_ns,
		    struct cm_output *out)
{
	if (!sidr->retries_left) {
		sidr_enter_idle(cm, sidr);
		sidr_event_set(out, CM_EVENT_UNREACHABLE, -ETIMEDOUT, sidr);
		return;
	}
	sidr->retries_left--;
	cm_timer_arm(&cm->sidr_timers, &sidr->timer,
		     now_ns + sidr->interval_ns);
	cm_send_bytes(out, &sidr->path, sidr->unacknowledged);
}
