/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Life of the transport of messages, of its pairs, and of the QPs that use a
 * pair: what qp/ calls when a QP changes its state.
 */
#include <errno.h>
#include <stdlib.h>

#include "uroce/qp/uroce_cause.h"
#include "uroce/qp/uroce_sq.h"
#include "uroce/roce/uroce_channel.h"
#include "uroce/shm/uroce_msg_state.h"

static int msg_prepare(struct uroce_qp *qp, const struct ibv_qp_attr *attr,
		       int mask)
{
	struct uroce_msg_responder *resp = &qp->msg->resp;
	struct uroce_msg_owed *owed = NULL;

	if ((mask & IBV_QP_MAX_DEST_RD_ATOMIC) && qp->state == IBV_QPS_INIT) {
		if (attr->max_dest_rd_atomic) {
			owed = calloc(attr->max_dest_rd_atomic, sizeof(*owed));
			if (!owed)
				return -ENOMEM;
		}
		free(resp->owed);
		resp->owed = owed;
		resp->max_owed = attr->max_dest_rd_atomic;
	}
	if (mask & IBV_QP_RNR_RETRY)
		qp->msg->req.rnr_left = attr->rnr_retry;
	if (mask & IBV_QP_RETRY_CNT)
		qp->msg->req.retry_left = attr->retry_cnt;
	return 0;
}

static void msg_start_receive(struct uroce_qp *qp)
{
	qp->mtu = UROCE_MSG_FRAGMENT;
	uroce_msg_start_responder(qp->msg);
}

static void msg_start_send(struct uroce_qp *qp)
{
	uroce_msg_start_requester(qp->msg);
}

static void msg_wake(struct uroce_qp *qp)
{
	uroce_msg_wake(qp->msg);
}

static void msg_stop(struct uroce_qp *qp)
{
	struct uroce_msg_qp *mqp = qp->msg;

	list_del(&mqp->timer);
	mqp->req.not_ready = false;
	mqp->req.offset = 0;
	mqp->req.direct.copied = 0;
	/* in SQE: the next message has the first number that was not used */
	mqp->req.una_msn = mqp->req.next_msn;
	mqp->req.begun_msn = mqp->req.next_msn;
	mqp->req.sent_msn = mqp->req.next_msn;
	if (qp->state == IBV_QPS_ERR)
		mqp->resp.kind = UROCE_MSG_KIND_NONE;
}

/*
 * The QP is no longer published, so the peer begins no copy of a chunk any
 * more; it may be copying one.
 */
static uint32_t msg_withdraw(struct uroce_qp *qp)
{
	struct uroce_channel *channel = qp->msg->pair->channel;

	if (qp->type != IBV_QPT_RC || !channel || !channel->rndv)
		return 0;
	return channel->rndv->accesses(channel);
}

static bool msg_is_quiet(const struct uroce_qp *qp, uint32_t accesses)
{
	struct uroce_channel *channel = qp->msg->pair->channel;

	return channel->rndv->is_quiet(channel, accesses);
}

static void msg_give_up(const struct uroce_qp *qp, uint32_t accesses)
{
	struct uroce_channel *channel = qp->msg->pair->channel;

	channel->rndv->give_up(channel, accesses);
}

static void msg_cancel_responses(struct uroce_qp *qp)
{
	uroce_msg_drop_responses(qp->msg);
}

static void msg_end_send(struct uroce_qp *qp, const struct uroce_send_wqe *wqe,
			 bool failed)
{
	/* a WQE at qp->cur is to be sent again, and does not count */
	if (!failed && qp->cur != qp->sq.tail && uroce_sq_has_response(wqe))
		qp->msg->req.nr_unanswered--;
}

static void msg_end_receive(struct uroce_qp *qp)
{
	qp->msg->resp.cursor = (struct uroce_cursor){};
}

/* 11.2.4.3: the PSNs are the numbers of the next messages. */
static void msg_query(const struct uroce_qp *qp, struct ibv_qp_attr *attr)
{
	const struct uroce_msg_qp *mqp = qp->msg;

	if (qp->state == IBV_QPS_RESET || qp->state == IBV_QPS_INIT)
		return;
	attr->rq_psn = mqp->resp.rx_msn;
	if (qp->state != IBV_QPS_RTR)
		attr->sq_psn = mqp->req.next_msn;
	attr->sq_draining = qp->state == IBV_QPS_SQD &&
			    mqp->req.una_msn != mqp->req.begun_msn;
}

static void msg_close(struct uroce_transport_base *transport)
{
	free(uroce_msg_of(transport));
}

static const struct uroce_transport_ops msg_ops = {
	.prepare = msg_prepare,
	.start_receive = msg_start_receive,
	.start_send = msg_start_send,
	.wake = msg_wake,
	.stop = msg_stop,
	.withdraw = msg_withdraw,
	.is_quiet = msg_is_quiet,
	.give_up = msg_give_up,
	.set_timer = uroce_msg_set_timer,
	.cancel_responses = msg_cancel_responses,
	.detach = uroce_msg_detach,
	.end_send = msg_end_send,
	.end_receive = msg_end_receive,
	.query = msg_query,
	.post = uroce_msg_post,
	.owes = uroce_msg_owes,
	.poll = uroce_msg_poll,
	.progress = uroce_msg_progress,
	.flush = uroce_msg_flush,
	.deadline = uroce_msg_deadline,
	.arm = uroce_msg_arm,
	.close = msg_close,
};

int uroce_msg_open(const struct uroce_msg_config *config,
		   struct uroce_transport_base **ret_transport)
{
	struct uroce_msg *msg = calloc(1, sizeof(*msg));

	if (!msg)
		return -ENOMEM;
	msg->transport.ops = &msg_ops;
	msg->config = *config;
	msg->next_ns = UROCE_NEVER;
	list_init(&msg->pairs);
	list_init(&msg->ready);
	list_init(&msg->partial);
	list_init(&msg->owing);
	list_init(&msg->untimed);
	list_init(&msg->timed);
	*ret_transport = &msg->transport;
	return 0;
}

void uroce_msg_pair_init(struct uroce_msg_pair *pair)
{
	*pair = (struct uroce_msg_pair){};
	list_init(&pair->node);
	list_init(&pair->qps);
	list_init(&pair->blocked);
}

void uroce_msg_pair_close(struct uroce_msg_pair *pair)
{
	list_del(&pair->node);
	uroce_msg_ring_close_receiver(&pair->in);
	uroce_msg_ring_close_sender(&pair->out);
}

void uroce_msg_pair_forget(struct uroce_msg_pair *pair)
{
	list_del(&pair->node);
	pair->in.memory = NULL;
	pair->out.memory = NULL;
}

void uroce_msg_pair_add(struct uroce_transport_base *transport,
			struct uroce_msg_pair *pair)
{
	pair->msg = uroce_msg_of(transport);
	list_add_tail(&pair->msg->pairs, &pair->node);
}

bool uroce_msg_pair_has_any(const struct uroce_msg_pair *pair)
{
	return !pair->broken && uroce_msg_ring_has_any(&pair->in);
}

bool uroce_msg_pair_take_activity(struct uroce_msg_pair *pair)
{
	bool was_active = pair->was_active;

	pair->was_active = false;
	return was_active && pair->msg->full_pass - pair->active_pass <= 1;
}

static void msg_fail_what_waits_for_ever(struct uroce_msg_qp *mqp)
{
	struct uroce_qp *qp = mqp->qp;
	const struct uroce_send_wqe *wqe = uroce_ring_front(&qp->sq);

	if (qp->type != IBV_QPT_RC || qp->timeout ||
	    (qp->state != IBV_QPS_RTS && qp->state != IBV_QPS_SQD) || !wqe ||
	    !wqe->begun || wqe->status != IBV_WC_SUCCESS)
		return;
	uroce_core_count(qp->core, UROCE_C_RETRY_EXCEEDED, 1);
	uroce_cause_note(qp, UROCE_CAUSE_PEER_PROCESS, 0, 0);
	uroce_qp_fault(qp, UROCE_FAULT_SQ, IBV_WC_RETRY_EXC_ERR);
}

void uroce_msg_pair_fail(struct uroce_msg_pair *pair)
{
	struct list_node *pos;

	pair->failed = true;
	list_del(&pair->node);
	list_for_each (pos, &pair->qps) {
		struct uroce_msg_qp *mqp =
			list_entry(pos, struct uroce_msg_qp, bound);

		msg_fail_what_waits_for_ever(mqp);
		list_del(&mqp->ready);
		uroce_msg_wake(mqp);
	}
}

int uroce_msg_attach(struct uroce_transport_base *transport,
		     struct uroce_msg_pair *pair, struct uroce_qp *qp)
{
	struct uroce_msg_qp *mqp = calloc(1, sizeof(*mqp));

	if (!mqp)
		return -ENOMEM;
	/* the worker may not have seen the new pair yet */
	pair->msg = uroce_msg_of(transport);
	mqp->qp = qp;
	mqp->msg = pair->msg;
	mqp->pair = pair;
	mqp->former = qp->transport;
	list_init(&mqp->ready);
	list_init(&mqp->owing);
	list_init(&mqp->timer);
	list_init(&mqp->bound);
	list_add_tail(&pair->qps, &mqp->bound);
	qp->msg = mqp;
	qp->transport = &msg_ops;
	return 0;
}

void uroce_msg_detach(struct uroce_qp *qp)
{
	struct uroce_msg_qp *mqp = qp->msg;

	list_del(&mqp->ready);
	list_del(&mqp->owing);
	list_del(&mqp->timer);
	list_del(&mqp->bound);
	if (mqp->msg->last == qp)
		mqp->msg->last = NULL;
	qp->transport = mqp->former;
	qp->msg = NULL;
	free(mqp->resp.owed);
	free(mqp);
}

struct uroce_msg_pair *uroce_msg_pair_of(const struct uroce_qp *qp)
{
	return qp->msg ? qp->msg->pair : NULL;
}

bool uroce_msg_is_partial(const struct uroce_qp *qp)
{
	return qp->msg && qp->msg->req.partial;
}

/* In RTR the first message raises COMM_EST; direct access would not. */
unsigned int uroce_msg_rights(const struct uroce_qp *qp, bool *ret_open)
{
	const struct uroce_msg_responder *resp = &qp->msg->resp;

	*ret_open = qp->type == IBV_QPT_RC &&
		    (qp->state == IBV_QPS_RTS ||
		     (qp->state == IBV_QPS_RTR && resp->established));
	if (resp->max_owed)
		return qp->access;
	return qp->access & ~(unsigned int)(IBV_ACCESS_REMOTE_READ |
					    IBV_ACCESS_REMOTE_ATOMIC);
}

struct uroce_msg_counters
uroce_msg_counters(const struct uroce_transport_base *transport)
{
	return list_entry(transport, const struct uroce_msg, transport)
		->counters;
}
