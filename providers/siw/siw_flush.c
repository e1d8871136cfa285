/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Flushes the work requests of a QP in ERR. ibv_modify_qp(3) to ERR makes the
 * kernel complete the WQEs in the rings with WR_FLUSH_ERR. Afterwards the
 * kernel does not read the rings any more: a doorbell command succeeds without
 * effect. The library itself completes the work requests that are posted later,
 * because ibv_post_send(3) promises it, and because programs post a last work
 * request and wait for its completion.
 *
 *	siw_modify_qp()		to ERR
 *	  siw_flush_qp()	completes the WQEs that the kernel left
 *	siw_post_send(), ...	complete at once: siw_flush_sends(), _recv()
 *	siw_cq_take_cqe()	returns them when the kernel's ring is empty
 *
 * The kernel may move a QP to ERR by itself when the connection breaks. It
 * reports this only to the connection manager. WQEs that are posted before the
 * application calls ibv_modify_qp() (rdma_disconnect(3) does so in the end)
 * stay in the rings until siw_flush_qp(). A generated CQE raises no completion
 * event, since only the kernel can write to a completion channel.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdlib.h>

#include "siw/siw.h"

int siw_flushed_init(struct siw_cq *cq)
{
	struct siw_flushed *flushed = &cq->flushed;
	int err;

	flushed->cqes =
		calloc((size_t)cq->ring.mask + 1, sizeof(*flushed->cqes));
	if (!flushed->cqes)
		return -ENOMEM;
	err = -pthread_spin_init(&flushed->lock, PTHREAD_PROCESS_PRIVATE);
	if (err)
		free(flushed->cqes);
	return err;
}

void siw_flushed_fini(struct siw_cq *cq)
{
	(void)pthread_spin_destroy(&cq->flushed.lock); /* not held */
	free(cq->flushed.cqes);
}

/* Pairs with the acquire in siw_cq_take_cqe(). */
static void siw_flushed_set_nr_locked(struct siw_flushed *flushed, uint32_t nr)
{
	__atomic_store_n(&flushed->nr, nr, __ATOMIC_RELEASE);
}

static bool siw_flushed_has_room_locked(const struct siw_cq *cq, uint32_t nr)
{
	return nr <= cq->ring.mask + 1 - cq->flushed.nr;
}

static void siw_flushed_add_locked(struct siw_cq *cq, const struct siw_qp *qp,
				   uint64_t id, uint8_t opcode)
{
	struct siw_flushed *flushed = &cq->flushed;
	uint32_t tail = flushed->head + flushed->nr;

	flushed->cqes[tail & cq->ring.mask] = (struct siw_cqe){
		.id = id,
		.flags = SIW_WQE_VALID,
		.opcode = opcode,
		.status = SIW_WC_WR_FLUSH_ERR,
		.qp_id = qp->vqp.qp.qp_num,
	};
	siw_flushed_set_nr_locked(flushed, flushed->nr + 1);
}

bool siw_flushed_take(struct siw_cq *cq, struct siw_cqe *ret_cqe)
{
	struct siw_flushed *flushed = &cq->flushed;
	bool found;

	(void)pthread_spin_lock(&flushed->lock); /* fails on misuse only */
	found = flushed->nr != 0;
	if (found) {
		*ret_cqe = flushed->cqes[flushed->head++ & cq->ring.mask];
		siw_flushed_set_nr_locked(flushed, flushed->nr - 1);
	}
	(void)pthread_spin_unlock(&flushed->lock);
	return found;
}

int siw_flush_sends(struct siw_qp *qp, uint32_t first, uint32_t nr)
{
	struct siw_cq *cq = to_siw_cq(qp->vqp.qp.send_cq);
	int err = 0;

	(void)pthread_spin_lock(&cq->flushed.lock);
	if (!siw_flushed_has_room_locked(cq, nr))
		err = ENOMEM;
	for (uint32_t i = 0; !err && i < nr; i++) {
		const struct siw_sqe *sqe = siw_sqe_at(&qp->sq.ring, first + i);

		siw_flushed_add_locked(cq, qp, sqe->id, (uint8_t)sqe->opcode);
	}
	(void)pthread_spin_unlock(&cq->flushed.lock);
	return err;
}

int siw_flush_recv(struct siw_qp *qp, uint64_t id)
{
	struct siw_cq *cq = to_siw_cq(qp->vqp.qp.recv_cq);
	int err = 0;

	(void)pthread_spin_lock(&cq->flushed.lock);
	if (siw_flushed_has_room_locked(cq, 1))
		siw_flushed_add_locked(cq, qp, id, SIW_OP_RECEIVE);
	else
		err = ENOMEM;
	(void)pthread_spin_unlock(&cq->flushed.lock);
	return err;
}

void siw_sq_mark_refused(struct siw_qp *qp, uint32_t first, uint32_t nr)
{
	(void)pthread_spin_lock(&qp->sq.lock);
	if (qp->refused_from == qp->refused_to)
		qp->refused_from = first;
	qp->refused_to = first + nr;
	(void)pthread_spin_unlock(&qp->sq.lock);
}

static bool siw_sqe_was_refused(const struct siw_qp *qp, uint32_t index)
{
	return index - qp->refused_from < qp->refused_to - qp->refused_from;
}

static bool siw_slot_is_valid(const uint16_t *flags)
{
	return __atomic_load_n(flags, __ATOMIC_ACQUIRE) & SIW_WQE_VALID;
}

static void siw_slot_set_free(uint16_t *flags)
{
	__atomic_store_n(flags, 0, __ATOMIC_RELEASE);
}

/* Flushes from the oldest to the newest; a full CQ drops the rest. */
static void siw_flush_sq(struct siw_qp *qp)
{
	struct siw_ring *ring = &qp->sq.ring;
	int err = 0;

	(void)pthread_spin_lock(&qp->sq.lock);
	for (uint32_t i = ring->index - ring->mask - 1; i != ring->index; i++) {
		struct siw_sqe *sqe = siw_sqe_at(ring, i);

		if (!siw_slot_is_valid(&sqe->flags))
			continue;
		if (!err && !siw_sqe_was_refused(qp, i))
			err = siw_flush_sends(qp, i, 1);
		siw_slot_set_free(&sqe->flags);
	}
	qp->sq.failed = qp;
	(void)pthread_spin_unlock(&qp->sq.lock);
}

static void siw_flush_rq(struct siw_qp *qp)
{
	struct siw_ring *ring = &qp->rq.ring;
	int err = 0;

	(void)pthread_spin_lock(&qp->rq.lock);
	for (uint32_t i = ring->index - ring->mask - 1;
	     ring->map && i != ring->index; i++) {
		struct siw_rqe *rqe = siw_rqe_at(ring, i);

		if (!siw_slot_is_valid(&rqe->flags))
			continue;
		if (!err)
			err = siw_flush_recv(qp, rqe->id);
		siw_slot_set_free(&rqe->flags);
	}
	qp->rq.failed = qp;
	(void)pthread_spin_unlock(&qp->rq.lock);
}

void siw_flush_qp(struct siw_qp *qp)
{
	siw_flush_sq(qp);
	siw_flush_rq(qp);
}
