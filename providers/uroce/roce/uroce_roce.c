/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The functions that qp/ calls: uroce_qp_ops.h. */
#include "uroce/roce/uroce_roce.h"

#include "uroce/roce/uroce_copy.h"
#include "uroce/roce/uroce_engine.h"
#include "uroce/roce/uroce_interrupted.h"
#include "uroce/roce/uroce_pace.h"
#include "uroce/roce/uroce_rd_atomic.h"
#include "uroce/roce/uroce_reorder.h"
#include "uroce/roce/uroce_requester.h"
#include "uroce/roce/uroce_responder.h"
#include "uroce/roce/uroce_rndv.h"
#include "uroce/roce/uroce_sack.h"
#include "uroce/roce/uroce_timers.h"

static void roce_stop_timers(struct uroce_qp *qp)
{
	qp->roce->req.ack_ns = UROCE_NEVER;
	qp->roce->req.probe_ns = UROCE_NEVER;
	qp->roce->req.resume_ns = UROCE_NEVER;
	qp->roce->pace.until_ns = UROCE_NEVER;
	uroce_timers_remove(qp->roce->engine, qp);
}

void uroce_qp_path_error(struct uroce_qp *qp)
{
	const struct uroce_send_wqe *wqe = uroce_ring_front(&qp->sq);

	if (qp->type == IBV_QPT_UD || qp->state == IBV_QPS_ERR ||
	    uroce_qp_is_stopped(qp))
		return;
	uroce_reply_drop(qp);
	uroce_qp_event(qp, IBV_EVENT_QP_FATAL);
	uroce_qp_fault(qp, wqe && wqe->begun ? UROCE_FAULT_SQ : UROCE_FAULT_QP,
		       IBV_WC_LOC_QP_OP_ERR);
	qp->fault.fatal = true;
}

static int roce_prepare(struct uroce_qp *qp, const struct ibv_qp_attr *attr,
			int mask)
{
	int ret = uroce_rd_atomic_reserve(qp, attr, mask);

	if (ret)
		return ret;
	if (mask & IBV_QP_RETRY_CNT)
		qp->roce->req.retry_left = attr->retry_cnt;
	if (mask & IBV_QP_RNR_RETRY)
		qp->roce->req.rnr_left = attr->rnr_retry;
	if (mask & IBV_QP_RATE_LIMIT)
		uroce_pace_limit(qp, attr->rate_limit, 0);
	return 0;
}

static void roce_start_receive(struct uroce_qp *qp)
{
	if (qp->state != IBV_QPS_RESET)
		qp->mtu = qp->roce->channel ? UROCE_CHANNEL_MTU
					    : (uint16_t)(128 << qp->path_mtu);
	uroce_responder_init(qp);
}

static void roce_wake(struct uroce_qp *qp)
{
	uroce_engine_activate(qp->roce->engine, qp);
}

static void roce_stop(struct uroce_qp *qp)
{
	struct uroce_requester *req = &qp->roce->req;

	roce_stop_timers(qp);
	uroce_sack_drop(qp);
	if (qp->state == IBV_QPS_ERR) {
		uroce_reorder_drop(qp);
		qp->roce->resp.message = UROCE_MESSAGE_NONE;
		list_del(&qp->roce->unsent);
		return;
	}
	/* the next message begins with the first PSN that was not sent */
	req->una_psn = req->next_psn;
	req->new_psn = req->next_psn;
}

static void roce_set_timer(struct uroce_qp *qp, uint64_t at_ns)
{
	uroce_timers_set(qp->roce->engine, qp, at_ns);
}

static void roce_detach(struct uroce_qp *qp)
{
	(void)uroce_rndv_withdraw(qp);
	uroce_pace_end(qp);
	roce_stop_timers(qp);
	list_del(&qp->roce->active);
	list_del(&qp->roce->unsent);
	list_del(&qp->roce->postponed);
	uroce_channel_unbind(qp);
	uroce_rd_atomic_free(qp);
	uroce_sack_drop(qp);
	uroce_reorder_drop(qp);
	uroce_interrupted_drop(&qp->roce->resp, NULL);
	uroce_gather_drop(qp);
}

static void roce_migration_changed(struct uroce_qp *qp, bool moved)
{
	if (moved)
		uroce_requester_restart_window(qp);
	uroce_pace_limit_path(qp, qp->path.max_kbps);
}

/* 11.2.4.3: the PSNs are those of the next packets. */
static void roce_query(const struct uroce_qp *qp, struct ibv_qp_attr *attr)
{
	const struct uroce_requester *req = &qp->roce->req;

	attr->rate_limit = qp->roce->pace.limit_kbps;
	if (qp->state == IBV_QPS_RESET || qp->state == IBV_QPS_INIT)
		return;
	attr->rq_psn = qp->roce->resp.epsn;
	if (qp->state != IBV_QPS_RTR)
		attr->sq_psn = req->new_psn;
	attr->sq_draining = qp->state == IBV_QPS_SQD &&
			    req->una_psn != req->sent_psn;
}

const struct uroce_qp_ops uroce_roce_ops = {
	.prepare = roce_prepare,
	.start_receive = roce_start_receive,
	.start_send = uroce_requester_init,
	.wake = roce_wake,
	.stop = roce_stop,
	.withdraw = uroce_rndv_withdraw,
	.is_quiet = uroce_rndv_is_quiet,
	.give_up = uroce_rndv_give_up,
	.set_timer = roce_set_timer,
	.cancel_responses = uroce_reply_drop_responses,
	.detach = roce_detach,
	.end_send = uroce_rndv_end,
	.end_receive = uroce_rndv_end_receive,
	.migration_changed = roce_migration_changed,
	.query = roce_query,
};
