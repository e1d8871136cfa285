/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Completions of requester and responder. A completion that finds its CQ full
 * is lost, and its QP goes to ERR (IBTA 10.10.3, CQ overrun).
 */
#include "uroce/qp/uroce_completion.h"

#include <errno.h>
#include <string.h>

#include "uroce/qp/uroce_chaos.h"
#include "uroce/qp/uroce_comp_cntr.h"

/* enum ibv_wc_opcode, by enum ibv_wr_opcode */
static const uint8_t wc_opcodes[] = {
	[IBV_WR_RDMA_WRITE] = IBV_WC_RDMA_WRITE,
	[IBV_WR_RDMA_WRITE_WITH_IMM] = IBV_WC_RDMA_WRITE,
	[IBV_WR_SEND] = IBV_WC_SEND,
	[IBV_WR_SEND_WITH_IMM] = IBV_WC_SEND,
	[IBV_WR_RDMA_READ] = IBV_WC_RDMA_READ,
	[IBV_WR_ATOMIC_CMP_AND_SWP] = IBV_WC_COMP_SWAP,
	[IBV_WR_ATOMIC_FETCH_AND_ADD] = IBV_WC_FETCH_ADD,
	[IBV_WR_LOCAL_INV] = IBV_WC_LOCAL_INV,
	[IBV_WR_BIND_MW] = IBV_WC_BIND_MW,
	[IBV_WR_SEND_WITH_INV] = IBV_WC_SEND,
	[IBV_WR_FLUSH] = IBV_WC_FLUSH,
	[IBV_WR_ATOMIC_WRITE] = IBV_WC_ATOMIC_WRITE,
};

static void count_receive(struct uroce_qp *qp, const struct uroce_cqe *cqe)
{
	uroce_comp_cntr_count(qp, IBV_QP_ATTACH_COMP_CNTR_OP_RECV,
			      cqe->byte_len, cqe->status != IBV_WC_SUCCESS);
}

static void count_send(struct uroce_qp *qp, const struct uroce_cqe *cqe,
		       uint32_t bytes)
{
	const bool failed = cqe->status != IBV_WC_SUCCESS;

	if (cqe->opcode == IBV_WC_SEND)
		uroce_comp_cntr_count(qp, IBV_QP_ATTACH_COMP_CNTR_OP_SEND,
				      bytes, failed);
	else if (cqe->opcode == IBV_WC_RDMA_WRITE)
		uroce_comp_cntr_count(qp, IBV_QP_ATTACH_COMP_CNTR_OP_RDMA_WRITE,
				      bytes, failed);
	else if (cqe->opcode == IBV_WC_RDMA_READ)
		uroce_comp_cntr_count(qp, IBV_QP_ATTACH_COMP_CNTR_OP_RDMA_READ,
				      bytes, failed);
}

static void completion_push(struct uroce_qp *qp, struct uroce_cq *cq,
			    struct uroce_cqe *cqe, bool solicited)
{
	bool was_dead = cq->overrun;
	bool wake = false;

	cqe->qpn = qp->qpn;
	if (qp->core->chaos && uroce_chaos_hold(qp->core, cq, cqe, solicited))
		return;
	if (uroce_cq_push(cq, cqe, solicited, &wake)) {
		uroce_core_count(qp->core, UROCE_C_CQ_OVERRUN, 1);
		uroce_qp_fault(qp, UROCE_FAULT_QP, IBV_WC_SUCCESS);
		if (!was_dead) {
			cq->report_overrun = true;
			uroce_core_cq_event(qp->core, cq);
		}
		return;
	}
	if (wake) {
		cq->wake = true;
		uroce_core_cq_event(qp->core, cq);
	}
}

void uroce_describe_send(const struct uroce_send_wqe *wqe,
			 struct uroce_cqe *cqe)
{
	cqe->opcode = wc_opcodes[wqe->opcode];
	/* IBTA 11.4.2.1: bytes that a READ or an atomic has returned */
	cqe->byte_len = cqe->opcode >= IBV_WC_RDMA_READ &&
					cqe->opcode <= IBV_WC_FETCH_ADD
				? wqe->length
				: 0;
}

void uroce_complete_send(struct uroce_qp *qp, enum ibv_wc_status status)
{
	struct uroce_send_wqe *wqe = uroce_ring_front(&qp->sq);
	struct uroce_cqe cqe = {
		.wr_id = wqe->wr_id,
		.status = (uint8_t)status,
	};
	bool wanted = status != IBV_WC_SUCCESS || qp->sig_all ||
		      (wqe->flags & IBV_SEND_SIGNALED);

	uroce_describe_send(wqe, &cqe);
	qp->ops->end_send(qp, wqe, status != IBV_WC_SUCCESS);
	if (qp->counted_ops)
		count_send(qp, &cqe, wqe->length);
	wqe->begun = false;
	uroce_ring_take(&qp->sq);
	if (wanted)
		completion_push(qp, qp->send_cq, &cqe, false);
}

void uroce_sq_check_oldest(struct uroce_qp *qp)
{
	const struct uroce_send_wqe *wqe = uroce_ring_front(&qp->sq);

	if (wqe && wqe->begun && wqe->status != IBV_WC_SUCCESS) {
		uroce_qp_fault(qp, UROCE_FAULT_SQ,
			       (enum ibv_wc_status)wqe->status);
		return;
	}
	/* 10.3.1.6: drained once all started messages are complete */
	if (qp->state == IBV_QPS_SQD && qp->sqd_notify &&
	    qp->cur == qp->sq.tail && !(wqe && wqe->begun)) {
		qp->sqd_notify = false;
		uroce_qp_event(qp, IBV_EVENT_SQ_DRAINED);
	}
}

/* IBTA 10.2.9.2: setting the limit arms one event. */
static void check_limit(struct uroce_qp *qp)
{
	struct uroce_rq *rq = qp->rq;
	uint32_t limit = __atomic_load_n(&rq->limit, __ATOMIC_RELAXED);

	if (!limit || uroce_ring_used(&rq->ring) >= limit)
		return;
	if (!__atomic_exchange_n(&rq->limit, 0, __ATOMIC_SEQ_CST))
		return;
	rq->limit_event = true;
	uroce_core_rq_event(qp->core, rq);
}

int uroce_hold_receive(struct uroce_qp *qp)
{
	struct uroce_receive *receive = &qp->receive;
	const struct uroce_recv_wqe *wqe;

	if (receive->in_use)
		return 0;
	wqe = uroce_ring_front(&qp->rq->ring);
	if (!wqe)
		return -ENOENT;
	receive->in_use = true;
	receive->wr_id = wqe->wr_id;
	receive->length = wqe->length;
	receive->nr_sge = wqe->nr_sge;
	memcpy(receive->sge, wqe->sge, wqe->nr_sge * sizeof(wqe->sge[0]));
	uroce_ring_take(&qp->rq->ring);
	check_limit(qp);
	return 0;
}

void uroce_complete_receive(struct uroce_qp *qp, struct uroce_cqe *cqe,
			    bool solicited)
{
	uroce_memory_end_access(qp->core->memory);
	qp->ops->end_receive(qp);
	cqe->wr_id = qp->receive.wr_id;
	qp->receive.in_use = false;
	count_receive(qp, cqe);
	completion_push(qp, qp->recv_cq, cqe, solicited);
}

void uroce_complete_front_receive(struct uroce_qp *qp, struct uroce_cqe *cqe,
				  bool solicited)
{
	const struct uroce_recv_wqe *wqe = uroce_ring_front(&qp->rq->ring);

	cqe->wr_id = wqe->wr_id;
	uroce_ring_take(&qp->rq->ring);
	check_limit(qp);
	count_receive(qp, cqe);
	completion_push(qp, qp->recv_cq, cqe, solicited);
}

void uroce_flush_send(struct uroce_qp *qp)
{
	while (uroce_ring_front(&qp->sq))
		uroce_complete_send(qp, IBV_WC_WR_FLUSH_ERR);
	qp->cur = qp->sq.tail;
}

void uroce_flush_receive(struct uroce_qp *qp)
{
	while (qp->receive.in_use ||
	       (!qp->rq->shared && !uroce_hold_receive(qp))) {
		struct uroce_cqe cqe = {
			.status = IBV_WC_WR_FLUSH_ERR,
			.opcode = IBV_WC_RECV,
		};

		uroce_complete_receive(qp, &cqe, false);
	}
}
