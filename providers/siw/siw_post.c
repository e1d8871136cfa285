/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Data path of ibv_post_send(), ibv_post_recv() and ibv_post_srq_recv().
 * Applications call these functions directly, so the return values follow the
 * man pages: 0 or a positive errno, and *bad_wr.
 *
 * Sending: each work request is checked, written to the next WQE and published
 * by the flags of the WQE. One doorbell command follows for the whole list.
 * Receiving needs no command: the kernel reads the ring when data arrives.
 *
 * When a work request in the middle of a list is rejected, those before it are
 * posted. When the doorbell command fails (the QP is not connected, the device
 * is gone), they are in the ring but the kernel has not started them; *bad_wr
 * then is the first one.
 *
 * The state of the QP is not checked: the kernel's connection manager moves it
 * to RTS without the library. The library only tracks ERR, which is final;
 * siw_flush.c completes work requests that are posted in that state.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <provider/kernel.h>
#include <stdint.h>
#include <string.h>

#include "siw/siw.h"
#include "siw/siw_wqe.h"

/* -- send -- */

/* Copies the data of the SGEs; -1 if it exceeds @room bytes. */
static int siw_gather_inline(uint8_t *to, uint32_t room,
			     const struct ibv_sge *sge, uint32_t num_sge)
{
	uint32_t length = 0;

	for (uint32_t i = 0; i < num_sge; i++) {
		if (sge[i].length > room - length)
			return -1;
		if (!sge[i].length) /* addr may be invalid */
			continue;
		memcpy(to + length, (const void *)(uintptr_t)sge[i].addr,
		       sge[i].length);
		length += sge[i].length;
	}
	return (int)length;
}

static int siw_sqe_fill_data(struct siw_qp *qp, const struct ibv_send_wr *wr,
			     struct siw_sqe *sqe, uint16_t *flags)
{
	uint32_t num_sge = (uint32_t)wr->num_sge; /* negative: becomes huge */
	int length;

	if (wr->send_flags & IBV_SEND_INLINE) {
		if (!siw_op_has_inline(sqe->opcode) || wr->num_sge < 0)
			return EINVAL;
		length = siw_gather_inline(siw_sqe_inline(sqe), qp->max_inline,
					   wr->sg_list, num_sge);
		if (length < 0)
			return EINVAL;
		siw_sqe_set_inline(sqe, (uint32_t)length);
		*flags |= SIW_WQE_INLINE;
		return 0;
	}
	if (num_sge > qp->sq.max_sge)
		return EINVAL;
	siw_sqe_set_sges(sqe, wr->sg_list, num_sge);
	return 0;
}

/* iWARP (RFC 5040, 5.2.1): an RDMA READ has a single data sink. */
static int siw_sqe_fill_read(const struct ibv_send_wr *wr, struct siw_sqe *sqe,
			     uint16_t *flags)
{
	if (wr->num_sge != 1 || (wr->send_flags & IBV_SEND_INLINE))
		return EINVAL;
	siw_sqe_set_sges(sqe, wr->sg_list, 1);
	*flags = siw_sqe_read_flags(*flags);
	return 0;
}

/* Fills the WQE from @wr, except its flags. */
static int siw_sqe_fill(struct siw_qp *qp, const struct ibv_send_wr *wr,
			struct siw_sqe *sqe, uint16_t *flags)
{
	sqe->id = wr->wr_id;
	sqe->rkey = 0;
	sqe->raddr = 0;

	switch (wr->opcode) {
	case IBV_WR_SEND:
		sqe->opcode = SIW_OP_SEND;
		return siw_sqe_fill_data(qp, wr, sqe, flags);
	case IBV_WR_SEND_WITH_INV:
		sqe->opcode = SIW_OP_SEND_REMOTE_INV;
		sqe->rkey = wr->invalidate_rkey;
		return siw_sqe_fill_data(qp, wr, sqe, flags);
	case IBV_WR_RDMA_WRITE:
		sqe->opcode = SIW_OP_WRITE;
		sqe->raddr = wr->wr.rdma.remote_addr;
		sqe->rkey = wr->wr.rdma.rkey;
		return siw_sqe_fill_data(qp, wr, sqe, flags);
	case IBV_WR_RDMA_READ:
		sqe->opcode = SIW_OP_READ;
		sqe->raddr = wr->wr.rdma.remote_addr;
		sqe->rkey = wr->wr.rdma.rkey;
		return siw_sqe_fill_read(wr, sqe, flags);
	default: /* iWARP has no immediate data and no atomics */
		return EINVAL;
	}
}

/* Hands the filled WQE to the kernel; in ERR, completes it. */
static int siw_sq_issue_locked(struct siw_qp *qp, struct siw_sqe *sqe,
			       uint16_t flags)
{
	if (qp->sq.failed)
		return siw_flush_sends(qp, qp->sq.ring.index, 1);
	siw_slot_publish(&sqe->flags, flags);
	qp->sq.ring.index++;
	return 0;
}

int siw_post_send(struct ibv_qp *ibqp, struct ibv_send_wr *wr,
		  struct ibv_send_wr **bad_wr)
{
	struct siw_qp *qp = to_siw_qp(ibqp);
	struct siw_ring *ring = &qp->sq.ring;
	struct ibv_send_wr *first = wr;
	uint32_t from, nr;
	int err = 0;

	(void)pthread_spin_lock(&qp->sq.lock); /* fails on misuse only */
	from = ring->index;
	for (; wr; wr = wr->next) {
		struct siw_sqe *sqe = siw_sqe_at(ring, ring->index);
		uint16_t flags = siw_sqe_flags(wr->send_flags, qp->signal_all);

		if (!siw_slot_is_free(ring, ring->index, &sqe->flags))
			err = ENOMEM;
		else
			err = siw_sqe_fill(qp, wr, sqe, &flags);
		if (!err)
			err = siw_sq_issue_locked(qp, sqe, flags);
		if (err) {
			*bad_wr = wr;
			break;
		}
	}
	nr = ring->index - from; /* published */
	(void)pthread_spin_unlock(&qp->sq.lock);

	if (nr) {
		int db_err = verbs_cmd_ring_send_doorbell(ibqp);

		if (db_err) {
			siw_sq_mark_refused(qp, from, nr);
			*bad_wr = first;
			return -db_err;
		}
	}
	return err;
}

/* -- receive -- */

static void siw_rq_publish(struct siw_ring *ring, struct siw_rqe *rqe,
			   const struct ibv_recv_wr *wr, uint32_t num_sge)
{
	rqe->id = wr->wr_id;
	rqe->num_sge = (uint8_t)num_sge;
	if (num_sge)
		memcpy(rqe->sge, wr->sg_list, num_sge * sizeof(*wr->sg_list));
	siw_slot_publish(&rqe->flags, 0);
	ring->index++;
}

static int siw_wq_post_recv(struct siw_wq *rq, struct ibv_recv_wr *wr,
			    struct ibv_recv_wr **bad_wr)
{
	struct siw_ring *ring = &rq->ring;
	int err = 0;

	(void)pthread_spin_lock(&rq->lock);
	for (; wr; wr = wr->next) {
		struct siw_rqe *rqe = siw_rqe_at(ring, ring->index);
		uint32_t num_sge = (uint32_t)wr->num_sge; /* negative: huge */

		if (!siw_slot_is_free(ring, ring->index, &rqe->flags))
			err = ENOMEM;
		else if (num_sge > rq->max_sge)
			err = EINVAL;
		else if (rq->failed)
			err = siw_flush_recv(rq->failed, wr->wr_id);
		else
			siw_rq_publish(ring, rqe, wr, num_sge);
		if (err) {
			*bad_wr = wr;
			break;
		}
	}
	(void)pthread_spin_unlock(&rq->lock);
	return err;
}

int siw_post_recv(struct ibv_qp *ibqp, struct ibv_recv_wr *wr,
		  struct ibv_recv_wr **bad_wr)
{
	struct siw_qp *qp = to_siw_qp(ibqp);

	if (!qp->rq.ring.map) { /* the QP has an SRQ, or max_recv_wr is 0 */
		*bad_wr = wr;
		return EINVAL;
	}
	return siw_wq_post_recv(&qp->rq, wr, bad_wr);
}

int siw_post_srq_recv(struct ibv_srq *ibsrq, struct ibv_recv_wr *wr,
		      struct ibv_recv_wr **bad_wr)
{
	return siw_wq_post_recv(&to_siw_srq(ibsrq)->rq, wr, bad_wr);
}
