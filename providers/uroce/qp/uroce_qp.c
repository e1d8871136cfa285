/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * State transitions of QPs that uroce_qp_state.c allows: attributes, events,
 * and flush or discard of work requests. ibv_modify_qp() and failures of the
 * requester and the responder call it.
 */
#include "uroce/qp/uroce_qp.h"

#include "uroce/qp/uroce_completion.h"
#include "uroce/qp/uroce_migration.h"

/* Longest wait for a peer that accesses memory of a failed QP. */
#define QUIESCE_NS UINT64_C(2000000000)
/* Interval of the checks whether it has ended; a chunk takes about 20 us. */
#define QUIESCE_CHECK_NS UINT64_C(100000)

static void set_state(struct uroce_qp *qp, enum ibv_qp_state state)
{
	__atomic_store_n(&qp->state, (uint8_t)state, __ATOMIC_RELAXED);
	uroce_qp_tell(qp);
}

/* 10.3.1.7: the responder of UC and UD continues. */
static void stop_send_queue(struct uroce_qp *qp)
{
	uroce_complete_send(qp, (enum ibv_wc_status)qp->fault.status);
	qp->fault = (struct uroce_fault){};
	set_state(qp, IBV_QPS_SQE);
	qp->ops->stop(qp);
	uroce_flush_send(qp);
}

/* Completes work requests; no peer accesses their memory any more. */
static void complete_fault(struct uroce_qp *qp)
{
	enum ibv_wc_status status = (enum ibv_wc_status)qp->fault.status;
	struct uroce_cqe cqe = {
		.status = qp->fault.status,
		.opcode = IBV_WC_RECV,
	};

	if (qp->fault.side == UROCE_FAULT_SQ)
		uroce_complete_send(qp, status);
	else if (qp->fault.side == UROCE_FAULT_RQ)
		uroce_complete_receive(qp, &cqe, false);
	qp->fault = (struct uroce_fault){};
	uroce_qp_flush(qp);
	/* 10.2.9.4: the QP takes no more receive WQEs from the SRQ */
	if (qp->rq->shared)
		uroce_qp_event(qp, IBV_EVENT_QP_LAST_WQE_REACHED);
}

static void set_quiet_check(struct uroce_qp *qp, uint64_t now)
{
	uint64_t at_ns = now + QUIESCE_CHECK_NS;

	if (at_ns > qp->quiesce.until_ns)
		at_ns = qp->quiesce.until_ns;
	qp->ops->set_timer(qp, at_ns);
}

/*
 * IBTA 10.3.1. A fault of the send queue of a UC or UD QP completes the WQE,
 * flushes the send queue, and the state is SQE. In all other cases the state is
 * ERR, and work requests are completed as soon as the peer is quiet: now, or in
 * uroce_qp_check_quiet().
 */
static void qp_apply_fault(struct uroce_qp *qp, uint64_t now)
{
	list_del(&qp->faulted);
	if (qp->fault.side == UROCE_FAULT_SQ && qp->type != IBV_QPT_RC &&
	    !qp->fault.fatal) {
		stop_send_queue(qp);
		return;
	}
	set_state(qp, IBV_QPS_ERR);
	qp->ops->stop(qp);
	qp->quiesce.accesses = qp->ops->withdraw(qp);
	if (!qp->quiesce.accesses) {
		complete_fault(qp);
		return;
	}
	qp->quiesce.until_ns = now + QUIESCE_NS;
	set_quiet_check(qp, now);
}

void uroce_core_apply_faults(struct uroce_core *core, uint64_t now)
{
	while (!list_empty(&core->faulted))
		qp_apply_fault(list_entry(core->faulted.next, struct uroce_qp,
					  faulted),
			       now);
}

void uroce_qp_check_quiet(struct uroce_qp *qp, uint64_t now)
{
	if (!qp->ops->is_quiet(qp, qp->quiesce.accesses)) {
		if (now < qp->quiesce.until_ns) {
			set_quiet_check(qp, now);
			return;
		}
		qp->ops->give_up(qp, qp->quiesce.accesses);
	}
	qp->quiesce.accesses = 0;
	complete_fault(qp);
}

void uroce_qp_flush(struct uroce_qp *qp)
{
	uroce_flush_send(qp);
	if (qp->state == IBV_QPS_ERR)
		uroce_flush_receive(qp);
}

/* 10.3.1.1: discards all posted work requests without completions. */
static void reset(struct uroce_qp *qp)
{
	set_state(qp, IBV_QPS_RESET);
	qp->ops->detach(qp);
	list_del(&qp->faulted);
	qp->quiesce.accesses = 0;
	while (uroce_ring_front(&qp->sq)) {
		struct uroce_send_wqe *wqe = uroce_ring_front(&qp->sq);

		wqe->begun = false;
		uroce_ring_take(&qp->sq);
	}
	while (!qp->rq->shared && uroce_ring_front(&qp->rq->ring))
		uroce_ring_take(&qp->rq->ring);
	qp->receive.in_use = false;
	qp->access = 0;
	qp->qkey = 0;
	qp->dest_qpn = 0;
	qp->rq_psn = 0;
	qp->sq_psn = 0;
	qp->timeout = 0;
	qp->retry_cnt = 0;
	qp->rnr_retry = 0;
	qp->min_rnr_timer = 0;
	qp->max_rd_atomic = 0;
	qp->max_dest_rd_atomic = 0;
	qp->path_mtu = 0;
	qp->mtu = UROCE_MAX_MTU;
	qp->sqd_notify = false;
	qp->fault = (struct uroce_fault){};
	qp->ah_attr = (struct ibv_ah_attr){};
	qp->path = (struct uroce_path){};
	qp->alternate = (struct uroce_alternate){};
	qp->mig_state = IBV_MIG_MIGRATED;
	qp->ops->start_send(qp);
	qp->ops->start_receive(qp);
}

static void set_identity(struct uroce_qp *qp, const struct ibv_qp_attr *attr,
			 int mask, const struct uroce_path *path)
{
	if (mask & IBV_QP_ACCESS_FLAGS)
		qp->access = attr->qp_access_flags;
	if (mask & IBV_QP_PORT)
		qp->port_num = attr->port_num;
	if (mask & IBV_QP_QKEY)
		qp->qkey = attr->qkey;
	if (mask & IBV_QP_DEST_QPN)
		qp->dest_qpn = attr->dest_qp_num;
	if (mask & IBV_QP_RQ_PSN)
		qp->rq_psn = attr->rq_psn;
	if (mask & IBV_QP_SQ_PSN)
		qp->sq_psn = attr->sq_psn;
	if (mask & IBV_QP_AV) {
		qp->ah_attr = attr->ah_attr;
		qp->path = *path;
	}
	if (mask & IBV_QP_PATH_MTU)
		qp->path_mtu = (uint8_t)attr->path_mtu;
	if (mask & IBV_QP_EN_SQD_ASYNC_NOTIFY)
		qp->sqd_notify = attr->en_sqd_async_notify;
}

static void note_timeout(struct uroce_qp *qp, uint8_t timeout)
{
	if (timeout > qp->longest_timeout)
		qp->longest_timeout = timeout;
}

static void set_limits(struct uroce_qp *qp, const struct ibv_qp_attr *attr,
		       int mask)
{
	if (mask & IBV_QP_TIMEOUT) {
		qp->timeout = attr->timeout;
		note_timeout(qp, attr->timeout);
	}
	if (mask & IBV_QP_ALT_PATH)
		note_timeout(qp, attr->alt_timeout);
	if (mask & IBV_QP_RETRY_CNT)
		qp->retry_cnt = attr->retry_cnt;
	if (mask & IBV_QP_RNR_RETRY)
		qp->rnr_retry = attr->rnr_retry;
	if (mask & IBV_QP_MIN_RNR_TIMER)
		qp->min_rnr_timer = attr->min_rnr_timer;
	if (mask & IBV_QP_MAX_QP_RD_ATOMIC)
		qp->max_rd_atomic = attr->max_rd_atomic;
	if (mask & IBV_QP_MAX_DEST_RD_ATOMIC)
		qp->max_dest_rd_atomic = attr->max_dest_rd_atomic;
}

/* uroce_qp_state.c allows the transition; the attributes are set already. */
static void qp_enter(struct uroce_qp *qp, enum ibv_qp_state from,
		     enum ibv_qp_state to, enum ibv_mtu max_mtu)
{
	if (from == IBV_QPS_INIT && to == IBV_QPS_RTR) {
		qp->was_connected = true;
		if (!qp->path_mtu)
			qp->path_mtu = (uint8_t)max_mtu; /* UD */
		qp->ops->start_receive(qp);
	}
	if (from == IBV_QPS_RTR && to == IBV_QPS_RTS)
		qp->ops->start_send(qp);
	set_state(qp, to);
	if (to == IBV_QPS_SQD)
		uroce_sq_check_oldest(qp);
	if (to == IBV_QPS_RTS)
		qp->ops->wake(qp);
}

static enum ibv_qp_type qp_verbs_type(const struct uroce_qp *qp)
{
	if (qp->xrc == UROCE_XRC_NONE)
		return (enum ibv_qp_type)qp->type;
	return qp->xrc == UROCE_XRC_TARGET ? IBV_QPT_XRC_RECV
					   : IBV_QPT_XRC_SEND;
}

int uroce_qp_modify(struct uroce_qp *qp, const struct ibv_qp_attr *attr,
		    int mask, enum ibv_mtu max_mtu,
		    const struct uroce_path *paths, uint64_t now)
{
	enum ibv_qp_state from = (enum ibv_qp_state)qp->state;
	enum ibv_qp_state to;
	int ret;

	mask = uroce_qp_state_used(qp_verbs_type(qp), mask);
	ret = uroce_qp_state_check(qp_verbs_type(qp), from, attr, mask, max_mtu,
				   &to);
	if (ret == 0)
		ret = uroce_migration_check(qp, attr, mask);
	if (ret)
		return ret;
	if (to == IBV_QPS_RESET) {
		reset(qp);
		return 0;
	}
	if (to == IBV_QPS_ERR) {
		/* the application may reuse the memory that a READ reads */
		qp->ops->cancel_responses(qp);
		if (from == IBV_QPS_ERR)
			return 0;
		uroce_qp_fault(qp, UROCE_FAULT_QP, IBV_WC_SUCCESS);
		qp->fault.fatal = true;
		qp_apply_fault(qp, now);
		return 0;
	}
	ret = qp->ops->prepare(qp, attr, mask);
	if (ret)
		return ret;
	set_identity(qp, attr, mask, paths);
	set_limits(qp, attr, mask);
	uroce_migration_modify(qp, attr, mask,
			       mask & IBV_QP_ALT_PATH ? &paths[1] : NULL);
	qp_enter(qp, from, to, max_mtu);
	return 0;
}

void uroce_qp_query(const struct uroce_qp *qp, struct ibv_qp_attr *ret_attr)
{
	*ret_attr = (struct ibv_qp_attr){
		.qp_state = (enum ibv_qp_state)qp->state,
		.cur_qp_state = (enum ibv_qp_state)qp->state,
		.path_mtu = (enum ibv_mtu)qp->path_mtu,
		.path_mig_state = (enum ibv_mig_state)qp->mig_state,
		.qkey = qp->qkey,
		.rq_psn = qp->rq_psn,
		.sq_psn = qp->sq_psn,
		.dest_qp_num = qp->dest_qpn,
		.qp_access_flags = qp->access,
		.ah_attr = qp->ah_attr,
		.en_sqd_async_notify = qp->sqd_notify,
		.max_rd_atomic = qp->max_rd_atomic,
		.max_dest_rd_atomic = qp->max_dest_rd_atomic,
		.min_rnr_timer = qp->min_rnr_timer,
		.port_num = qp->port_num,
		.timeout = qp->timeout,
		.retry_cnt = qp->retry_cnt,
		.rnr_retry = qp->rnr_retry,
		.alt_ah_attr = qp->alternate.ah_attr,
		.alt_port_num = qp->alternate.ah_attr.port_num,
		.alt_timeout = qp->alternate.timeout,
	};
	qp->ops->query(qp, ret_attr);
}
