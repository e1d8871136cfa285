/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Data path of ibv_post_send(), ibv_post_recv(), ibv_post_srq_recv() and
 * ibv_bind_mw(). Applications call these functions directly, so the return
 * values follow the man pages: 0 or a positive errno, and *bad_wr.
 *
 * Sending: check each work request and fill the next slot (rxe_wqe.h). Then
 * publish all filled slots at once and ring the doorbell with one command for
 * the whole list. Receiving needs no command: the kernel reads the ring when a
 * packet arrives.
 *
 * When a work request in the middle of a list is rejected, those before it are
 * posted. When the doorbell command fails, all of them are in the ring but the
 * kernel has not started them. This happens when the device is gone; *bad_wr
 * then is the first one.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <provider/kernel.h>
#include <stdint.h>
#include <string.h>

#include "rxe/rxe.h"
#include "rxe/rxe_opcode.h"
#include "rxe/rxe_wqe.h"

/* -- send -- */

/* Copies the data of the SGEs; the caller has checked the length. */
static inline void rxe_gather_sges(uint8_t *to, const struct ibv_sge *sge,
				   uint32_t num_sge)
{
	for (uint32_t i = 0; i < num_sge; i++) {
		if (!sge[i].length) /* addr may be invalid */
			continue;
		memcpy(to, (const void *)(uintptr_t)sge[i].addr, sge[i].length);
		to += sge[i].length;
	}
}

static bool rxe_opcode_has_inline(uint32_t opcode)
{
	const uint32_t inline_ops =
		1u << IBV_WR_SEND | 1u << IBV_WR_SEND_WITH_IMM |
		1u << IBV_WR_SEND_WITH_INV | 1u << IBV_WR_RDMA_WRITE |
		1u << IBV_WR_RDMA_WRITE_WITH_IMM;

	return inline_ops & (1u << opcode);
}

/* Fills the data segment: SGEs or inline data. */
static inline int rxe_wqe_fill_data(struct rxe_qp *qp,
				    const struct ibv_send_wr *wr,
				    struct rxe_send_wqe *wqe)
{
	uint32_t num_sge = (uint32_t)wr->num_sge; /* negative: becomes huge */
	uint64_t length;

	if (num_sge > qp->sq.max_sge)
		return EINVAL;
	length = rxe_sges_length(wr->sg_list, num_sge);

	if (wr->send_flags & IBV_SEND_INLINE) {
		if (length > qp->sq.max_inline ||
		    !rxe_opcode_has_inline((uint32_t)wr->opcode))
			return EINVAL;
		rxe_gather_sges(wqe->dma.inline_data, wr->sg_list, num_sge);
		rxe_wqe_set_inline(wqe, (uint32_t)length);
		return 0;
	}
	if (length > RXE_MAX_MSG_LEN)
		return EINVAL;
	rxe_wqe_set_sges(wqe, wr->sg_list, num_sge, (uint32_t)length);
	return 0;
}

static int rxe_wqe_fill_atomic(struct rxe_qp *qp, const struct ibv_send_wr *wr,
			       struct rxe_send_wqe *wqe)
{
	bool swaps = wr->opcode == IBV_WR_ATOMIC_CMP_AND_SWP;
	int err;

	err = rxe_wqe_fill_data(qp, wr, wqe);
	if (err)
		return err;
	/* The old value needs 8 bytes; the remote operand is aligned. */
	if (wqe->dma.length < RXE_ATOMIC_LEN ||
	    wr->wr.atomic.remote_addr % RXE_ATOMIC_LEN)
		return EINVAL;
	rxe_wqe_set_atomic(wqe, wr->wr.atomic.remote_addr, wr->wr.atomic.rkey,
			   wr->wr.atomic.compare_add,
			   swaps ? wr->wr.atomic.swap : 0);
	return 0;
}

/*
 * Copies the value from the SGEs into the WQE, like inline data: an array for
 * it would give rxe_post_send() a stack protector.
 */
static int rxe_wqe_fill_atomic_write(struct rxe_qp *qp,
				     const struct ibv_send_wr *wr,
				     struct rxe_send_wqe *wqe)
{
	uint32_t num_sge = (uint32_t)wr->num_sge;

	if (num_sge > qp->sq.max_sge ||
	    rxe_sges_length(wr->sg_list, num_sge) != RXE_ATOMIC_LEN)
		return EINVAL;
	rxe_gather_sges(wqe->dma.inline_data, wr->sg_list, num_sge);
	wqe->wr.send_flags &= ~(uint32_t)IBV_SEND_INLINE;
	rxe_wqe_set_rdma(wqe, wr->wr.rdma.remote_addr, wr->wr.rdma.rkey);
	rxe_wqe_set_atomic_write(wqe);
	return 0;
}

static int rxe_wqe_fill_ud(const struct ibv_send_wr *wr,
			   struct rxe_send_wqe *wqe)
{
	if (!wr->wr.ud.ah)
		return EINVAL;
	rxe_wqe_set_ud(wqe, to_rxe_ah(wr->wr.ud.ah), wr->wr.ud.remote_qpn,
		       wr->wr.ud.remote_qkey);
	return 0;
}

static int rxe_wqe_fill_bind(const struct ibv_send_wr *wr,
			     struct rxe_send_wqe *wqe)
{
	const struct ibv_mw_bind_info *info = &wr->bind_mw.bind_info;
	int err;

	err = rxe_bind_check(wr->bind_mw.mw, info);
	if (err)
		return err;
	rxe_wqe_set_mw(wqe, wr->bind_mw.mw, wr->bind_mw.rkey, info);
	return 0;
}

/* Fills @wqe from @wr, whose opcode the QP may post. */
static int rxe_wqe_fill_send(struct rxe_qp *qp, const struct ibv_send_wr *wr,
			     struct rxe_send_wqe *wqe)
{
	rxe_wqe_init(wqe, wr->wr_id, (uint32_t)wr->opcode, wr->send_flags,
		     qp->ssn);

	switch (wr->opcode) {
	case IBV_WR_SEND_WITH_IMM:
		wqe->wr.ex.imm_data = wr->imm_data;
		__attribute__((fallthrough));
	case IBV_WR_SEND:
		if (qp->vqp.qp.qp_type == IBV_QPT_UD &&
		    rxe_wqe_fill_ud(wr, wqe))
			return EINVAL;
		break;
	case IBV_WR_SEND_WITH_INV:
		wqe->wr.ex.invalidate_rkey = wr->invalidate_rkey;
		break;
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		wqe->wr.ex.imm_data = wr->imm_data;
		__attribute__((fallthrough));
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_READ:
		rxe_wqe_set_rdma(wqe, wr->wr.rdma.remote_addr,
				 wr->wr.rdma.rkey);
		break;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		return rxe_wqe_fill_atomic(qp, wr, wqe);
	case IBV_WR_LOCAL_INV:
		wqe->wr.ex.invalidate_rkey = wr->invalidate_rkey;
		return 0;
	case IBV_WR_BIND_MW:
		return rxe_wqe_fill_bind(wr, wqe);
	case IBV_WR_ATOMIC_WRITE:
		return rxe_wqe_fill_atomic_write(qp, wr, wqe);
	default: /* FLUSH: an ibv_send_wr has no members for its range */
		return EINVAL;
	}
	return rxe_wqe_fill_data(qp, wr, wqe);
}

/* IBTA 10.8.3.1: posting in RESET, INIT or RTR is an immediate error. */
static bool rxe_qp_can_send(const struct ibv_qp *qp)
{
	return qp->state >= IBV_QPS_RTS;
}

int rxe_post_send(struct ibv_qp *ibqp, struct ibv_send_wr *wr,
		  struct ibv_send_wr **bad_wr)
{
	struct rxe_qp *qp = to_rxe_qp(ibqp);
	struct rxe_ring *ring = &qp->sq.ring;
	struct ibv_send_wr *first = wr;
	bool posted;
	uint32_t index;
	int err = 0;

	if (!rxe_qp_can_send(ibqp)) {
		*bad_wr = wr;
		return EINVAL;
	}

	(void)pthread_spin_lock(&qp->sq.lock); /* fails on misuse only */
	index = ring->index;
	for (; wr; wr = wr->next) {
		if (!rxe_qp_may_post(qp, (uint32_t)wr->opcode))
			err = EINVAL;
		else if (rxe_ring_full(ring, index))
			err = ENOMEM;
		else
			err = rxe_wqe_fill_send(qp, wr,
						rxe_ring_elem(ring, index));
		if (err) {
			*bad_wr = wr;
			break;
		}
		qp->ssn++;
		index = rxe_ring_next(ring, index);
	}
	posted = index != ring->index;
	if (posted)
		rxe_ring_publish(ring, index);
	(void)pthread_spin_unlock(&qp->sq.lock);

	if (posted) {
		int db_err = verbs_cmd_ring_send_doorbell(ibqp);

		if (db_err) {
			*bad_wr = first;
			return -db_err;
		}
	}
	return err;
}

/*
 * Binds a type 1 window. The library has checked the window and the memory
 * region. The kernel requires a new key that differs from the old one only in
 * its low byte.
 */
int rxe_bind_mw(struct ibv_qp *ibqp, struct ibv_mw *mw,
		struct ibv_mw_bind *bind)
{
	struct rxe_qp *qp = to_rxe_qp(ibqp);
	struct rxe_ring *ring = &qp->sq.ring;
	struct rxe_send_wqe *wqe;
	int err = 0;

	if (!rxe_qp_can_send(ibqp) || !rxe_qp_may_post(qp, IBV_WR_BIND_MW))
		return EINVAL;
	/* IBTA 10.6.7.2.1: only type 2 windows can be zero based */
	if (bind->bind_info.mw_access_flags & IBV_ACCESS_ZERO_BASED)
		return EINVAL;

	(void)pthread_spin_lock(&qp->sq.lock);
	if (rxe_ring_full(ring, ring->index)) {
		err = ENOMEM;
	} else {
		wqe = rxe_ring_elem(ring, ring->index);
		rxe_wqe_init(wqe, bind->wr_id, IBV_WR_BIND_MW, bind->send_flags,
			     qp->ssn++);
		rxe_wqe_set_mw(wqe, mw, ibv_inc_rkey(mw->rkey),
			       &bind->bind_info);
		rxe_ring_publish(ring, rxe_ring_next(ring, ring->index));
	}
	(void)pthread_spin_unlock(&qp->sq.lock);

	return err ? err : -verbs_cmd_ring_send_doorbell(ibqp);
}

/* -- receive -- */

static int rxe_wqe_fill_recv(const struct rxe_wq *rq,
			     const struct ibv_recv_wr *wr,
			     struct rxe_recv_wqe *wqe)
{
	uint32_t num_sge = (uint32_t)wr->num_sge; /* negative: becomes huge */
	uint64_t length;

	if (num_sge > rq->max_sge)
		return EINVAL;
	length = rxe_sges_length(wr->sg_list, num_sge);
	if (length > UINT32_MAX) /* the length field has 32 bits */
		return EINVAL;

	wqe->wr_id = wr->wr_id;
	wqe->reserved = 0;
	wqe->padding = 0;
	wqe->dma.length = (uint32_t)length;
	wqe->dma.resid = (uint32_t)length;
	wqe->dma.cur_sge = 0;
	wqe->dma.num_sge = num_sge;
	wqe->dma.sge_offset = 0;
	wqe->dma.reserved = 0;
	if (num_sge)
		memcpy(wqe->dma.sge, wr->sg_list,
		       num_sge * sizeof(*wr->sg_list));
	return 0;
}

static int rxe_wq_post_recv(struct rxe_wq *rq, struct ibv_recv_wr *wr,
			    struct ibv_recv_wr **bad_wr)
{
	struct rxe_ring *ring = &rq->ring;
	uint32_t index;
	int err = 0;

	(void)pthread_spin_lock(&rq->lock);
	index = ring->index;
	for (; wr; wr = wr->next) {
		if (rxe_ring_full(ring, index))
			err = ENOMEM;
		else
			err = rxe_wqe_fill_recv(rq, wr,
						rxe_ring_elem(ring, index));
		if (err) {
			*bad_wr = wr;
			break;
		}
		index = rxe_ring_next(ring, index);
	}
	if (index != ring->index)
		rxe_ring_publish(ring, index);
	(void)pthread_spin_unlock(&rq->lock);
	return err;
}

/* IBTA 10.8.3.2: posting in RESET, and only there, is an immediate error. */
int rxe_post_recv(struct ibv_qp *ibqp, struct ibv_recv_wr *wr,
		  struct ibv_recv_wr **bad_wr)
{
	struct rxe_qp *qp = to_rxe_qp(ibqp);

	/* A QP without a receive ring has an SRQ. */
	if (!qp->rq.ring.buf || ibqp->state == IBV_QPS_RESET) {
		*bad_wr = wr;
		return EINVAL;
	}
	return rxe_wq_post_recv(&qp->rq, wr, bad_wr);
}

int rxe_post_srq_recv(struct ibv_srq *ibsrq, struct ibv_recv_wr *wr,
		      struct ibv_recv_wr **bad_wr)
{
	return rxe_wq_post_recv(&to_rxe_srq(ibsrq)->rq, wr, bad_wr);
}
