/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The data path of ibv_post_send(), ibv_post_recv(), ibv_post_srq_recv() and
 * ibv_bind_mw(). Applications call these functions directly, so they return
 * the values of the man pages: 0 or a positive errno, and *bad_wr.
 *
 * Each request is checked, written into a ring slot and published. One call of
 * uroce_worker_post() then sends the whole list, unless another thread holds
 * the engine lock; then that thread sends it. Receive requests need this call
 * only if the QP is in ERR, because the engine must flush them.
 *
 * If a request in the middle of a list is refused, those before it are posted.
 *
 * A signal handler may call these functions, too. If it has interrupted its
 * thread while the thread posts to the same queue, they return EBUSY.
 */
#include <errno.h>
#include <stdint.h>

#include "uroce/verbs/uroce_send.h"

/* -- send -- */

static int fill_inline(const struct uroce_verbs_qp *qp,
		       const struct ibv_send_wr *wr, struct uroce_send_wqe *wqe)
{
	int err = 0;

	for (int i = 0; i < wr->num_sge && !err; i++)
		err = uroce_wqe_add_inline(
			qp, wqe, (const void *)(uintptr_t)wr->sg_list[i].addr,
			wr->sg_list[i].length);
	return err;
}

static int post_fill_data(const struct uroce_verbs_qp *qp,
			  const struct ibv_send_wr *wr, unsigned int op,
			  struct uroce_send_wqe *wqe)
{
	if (!(op & UROCE_OP_DATA))
		return 0;
	if (wr->num_sge < 0)
		return EINVAL;
	if (!(wr->send_flags & IBV_SEND_INLINE))
		return uroce_wqe_set_sges(qp, wqe, wr->sg_list,
					  (size_t)wr->num_sge);
	return op & UROCE_OP_INLINE ? fill_inline(qp, wr, wqe) : EINVAL;
}

/* IBTA 10.8.3.2: windows of type 2 are bound with a work request. */
static int fill_bind(const struct ibv_send_wr *wr, struct uroce_send_wqe *wqe)
{
	struct ibv_mw *mw = wr->bind_mw.mw;

	if (!mw || mw->type != IBV_MW_TYPE_2)
		return EINVAL;
	return uroce_wqe_set_bind(wqe, mw, wr->bind_mw.rkey,
				  &wr->bind_mw.bind_info);
}

static int fill_operation(struct uroce_verbs_qp *qp,
			  const struct ibv_send_wr *wr,
			  struct uroce_send_wqe *wqe)
{
	switch (wr->opcode) {
	case IBV_WR_SEND_WITH_INV:
	case IBV_WR_LOCAL_INV:
		wqe->inv_rkey = wr->invalidate_rkey;
		return 0;
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		wqe->imm = wr->imm_data;
		__attribute__((fallthrough));
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_READ:
	case IBV_WR_ATOMIC_WRITE:
		wqe->remote.va = wr->wr.rdma.remote_addr;
		wqe->remote.rkey = wr->wr.rdma.rkey;
		return 0;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		wqe->remote.va = wr->wr.atomic.remote_addr;
		wqe->remote.rkey = wr->wr.atomic.rkey;
		wqe->remote.compare_add = wr->wr.atomic.compare_add;
		wqe->remote.swap = wr->wr.atomic.swap;
		return 0;
	case IBV_WR_BIND_MW:
		return fill_bind(wr, wqe);
	case IBV_WR_SEND_WITH_IMM:
		wqe->imm = wr->imm_data;
		__attribute__((fallthrough));
	case IBV_WR_SEND:
		if (qp->vqp.qp.qp_type != IBV_QPT_UD)
			return 0;
		if (!wr->wr.ud.ah)
			return EINVAL;
		uroce_wqe_set_ud(qp, wqe, wr->wr.ud.ah, wr->wr.ud.remote_qpn,
				 wr->wr.ud.remote_qkey);
		return 0;
	default: /* ibv_send_wr has no fields for FLUSH */
		return EINVAL;
	}
}

static int post_one(struct uroce_verbs_qp *qp, const struct ibv_send_wr *wr)
{
	unsigned int op = uroce_sq_op(qp, wr->opcode, wr->send_flags);
	struct uroce_send_wqe *wqe;
	int err;

	if (!op || !uroce_sq_may_post(qp))
		return EINVAL;
	wqe = uroce_sq_slot(qp, 0);
	if (!wqe)
		return ENOMEM;
	uroce_wqe_start(wqe, wr->wr_id, wr->opcode, wr->send_flags);
	err = post_fill_data(qp, wr, op, wqe);
	if (!err)
		err = fill_operation(qp, wr, wqe);
	if (qp->op_trait & UROCE_OP_XRC)
		wqe->remote.xrc_srqn = wr->qp_type.xrc.remote_srqn;
	if (!err)
		uroce_sq_publish(qp, 1);
	return err;
}

int uroce_post_send(struct ibv_qp *ibqp, struct ibv_send_wr *wr,
		    struct ibv_send_wr **bad_wr)
{
	struct uroce_verbs_qp *qp = to_uroce_qp(ibqp);
	const struct ibv_send_wr *first = wr;
	int err = 0;

	uroce_sq_expect(qp);
	if (!uroce_spin_lock_unless_own(&qp->sq_lock)) {
		*bad_wr = wr;
		return EBUSY;
	}
	for (; wr; wr = wr->next) {
		err = post_one(qp, wr);
		if (err) {
			*bad_wr = wr;
			break;
		}
	}
	uroce_spin_unlock(&qp->sq_lock);
	if (wr != first)
		uroce_sq_post(qp);
	return err;
}

/* The provider chooses the next key of a type 1 window (IBTA 10.6.7.2.1). */
int uroce_bind_mw(struct ibv_qp *ibqp, struct ibv_mw *mw,
		  struct ibv_mw_bind *bind)
{
	struct uroce_verbs_qp *qp = to_uroce_qp(ibqp);
	uint32_t rkey = ibv_inc_rkey(to_uroce_mw(mw)->key);
	struct uroce_send_wqe *wqe = NULL;
	int err = EINVAL;

	if (mw->type != IBV_MW_TYPE_1 || mw->pd->context != ibqp->context)
		return EINVAL;
	if (!uroce_spin_lock_unless_own(&qp->sq_lock))
		return EBUSY;
	if (uroce_sq_may_post(qp) &&
	    uroce_sq_op(qp, IBV_WR_BIND_MW, bind->send_flags)) {
		wqe = uroce_sq_slot(qp, 0);
		err = ENOMEM;
	}
	if (wqe) {
		uroce_wqe_start(wqe, bind->wr_id, IBV_WR_BIND_MW,
				bind->send_flags);
		err = uroce_wqe_set_bind(wqe, mw, rkey, &bind->bind_info);
	}
	if (!err)
		uroce_sq_publish(qp, 1);
	uroce_spin_unlock(&qp->sq_lock);
	if (err)
		return err;
	uroce_worker_post(qp->worker, qp->qp);
	return 0;
}

/* -- receive -- */

static int fill_receive(struct uroce_rq *rq, const struct ibv_recv_wr *wr)
{
	struct uroce_recv_wqe *wqe;
	uint64_t length = 0;

	if (wr->num_sge < 0 || (uint32_t)wr->num_sge > rq->max_sge)
		return EINVAL;
	wqe = uroce_ring_vacant(&rq->ring);
	if (!wqe)
		return ENOMEM;
	for (int i = 0; i < wr->num_sge; i++) {
		wqe->sge[i] = wr->sg_list[i];
		length += wr->sg_list[i].length;
	}
	/* messages are shorter than 4 GB, so the sum may be capped */
	wqe->length = length > UINT32_MAX ? UINT32_MAX : (uint32_t)length;
	wqe->wr_id = wr->wr_id;
	wqe->nr_sge = (uint32_t)wr->num_sge;
	uroce_ring_put(&rq->ring);
	return 0;
}

static int post_receives(struct uroce_verbs_rq *recv, struct ibv_recv_wr *wr,
			 struct ibv_recv_wr **bad_wr)
{
	int err = 0;

	if (!uroce_spin_lock_unless_own(&recv->lock)) {
		*bad_wr = wr;
		return EBUSY;
	}
	for (; wr; wr = wr->next) {
		err = fill_receive(&recv->rq, wr);
		if (err) {
			*bad_wr = wr;
			break;
		}
	}
	uroce_spin_unlock(&recv->lock);
	return err;
}

int uroce_post_recv(struct ibv_qp *ibqp, struct ibv_recv_wr *wr,
		    struct ibv_recv_wr **bad_wr)
{
	struct uroce_verbs_qp *qp = to_uroce_qp(ibqp);
	int err;

	/* IBTA 10.8.3.1: not in RESET, and not with an SRQ */
	if (qp->srq || qp->qp->xrc != UROCE_XRC_NONE ||
	    uroce_qp_state(qp->qp) == IBV_QPS_RESET) {
		*bad_wr = wr;
		return EINVAL;
	}
	err = post_receives(&qp->recv, wr, bad_wr);
	if (uroce_qp_state(qp->qp) == IBV_QPS_ERR)
		uroce_worker_post(qp->worker, qp->qp);
	return err;
}

int uroce_post_srq_recv(struct ibv_srq *ibsrq, struct ibv_recv_wr *wr,
			struct ibv_recv_wr **bad_wr)
{
	return post_receives(&to_uroce_srq(ibsrq)->recv, wr, bad_wr);
}
