/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ops of the data path. Only those of fault_requests.h and fault_receives.h
 * hold a lock while the provider runs.
 */
#include "layers/fault/fault.h"
#include "layers/fault/fault_act.h"
#include "layers/fault/fault_receives.h"
#include "layers/fault/fault_requests.h"

bool fault_post_sends(struct ibv_qp *qp, struct ibv_send_wr *wr,
		      struct ibv_send_wr **bad_wr, bool all_or_none, int *ret)
{
	const struct fault_event event = {
		.call = FAULT_POST_SEND,
		.object = fault_object_find(qp),
		.sends = wr,
	};

	*ret = -fault_act(fault_decide(&event));
	if (*ret) {
		*bad_wr = wr;
		return true;
	}
	return fault_requests_post(qp, wr, bad_wr, all_or_none, ret);
}

static int fault_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
			   struct ibv_send_wr **bad_wr)
{
	int ret;

	if (fault_post_sends(qp, wr, bad_wr, false, &ret))
		return ret;
	return fault_below(qp->context)->post_send(qp, wr, bad_wr);
}

static int fault_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr,
			   struct ibv_recv_wr **bad_wr)
{
	const struct fault_event event = {
		.call = FAULT_POST_RECV,
		.object = fault_object_find(qp),
		.recvs = wr,
	};
	struct fault_decision decision = fault_decide(&event);
	uint64_t hold_ns = 0;
	int ret = fault_act(decision);

	if (ret) {
		*bad_wr = wr;
		return -ret;
	}
	if (decision.rule && decision.rule->action == FAULT_HOLD)
		hold_ns = fault_duration_ns(decision);
	if (fault_receives_post(qp, wr, bad_wr, hold_ns, &ret))
		return ret;
	return fault_below(qp->context)->post_recv(qp, wr, bad_wr);
}

static int fault_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr,
			       struct ibv_recv_wr **bad_wr)
{
	const struct fault_event event = {
		.call = FAULT_POST_SRQ_RECV,
		.object = fault_object_find(srq),
		.recvs = wr,
	};
	int ret = fault_act(fault_decide(&event));

	if (ret) {
		*bad_wr = wr;
		return -ret;
	}
	return fault_below(srq->context)->post_srq_recv(srq, wr, bad_wr);
}

int fault_poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc)
{
	struct fault_event event = {
		.call = FAULT_POLL_CQ,
		.object = fault_object_find(cq),
	};
	struct fault_decision decision = fault_decide(&event);
	const uint64_t *shuffle_hash = NULL;

	(void)fault_act(decision); /* no rule makes a poll fail */
	if (decision.rule && decision.rule->action == FAULT_SHORT &&
	    num_entries > (int)decision.rule->number)
		num_entries = (int)decision.rule->number;
	if (decision.rule && decision.rule->action == FAULT_SHUFFLE)
		shuffle_hash = &decision.hash;
	if (!fault_requests_poll(cq, num_entries, wc, shuffle_hash,
				 &event.nr_wc))
		event.nr_wc =
			fault_below(cq->context)->poll_cq(cq, num_entries, wc);
	event.wc = wc;
	if (event.nr_wc > 0)
		(void)fault_act(fault_decide(&event));
	return event.nr_wc;
}

static int fault_req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
	const struct fault_event event = {
		.call = FAULT_REQ_NOTIFY_CQ,
		.object = fault_object_find(cq),
	};
	struct fault_decision decision = fault_decide(&event);
	int ret = fault_act(decision);

	if (ret)
		return -ret;
	if (decision.rule && decision.rule->action == FAULT_DISARM)
		return 0;
	return fault_below(cq->context)->req_notify_cq(cq, solicited_only);
}

void fault_replace_data_ops(struct verbs_context_ops *table)
{
	LAYERS_REPLACE(table, fault, post_send);
	LAYERS_REPLACE(table, fault, post_recv);
	LAYERS_REPLACE(table, fault, post_srq_recv);
	LAYERS_REPLACE(table, fault, poll_cq);
	LAYERS_REPLACE(table, fault, req_notify_cq);
}
