/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The ibv_wr_*() interface. Applications call the functions through the
 * pointers that siw_wr_init() sets:
 *
 *   wr_start()                    takes sq.lock
 *     builder: wr_send(), ...     fills the fixed part of the next WQE
 *     setter: wr_set_sge(), ...   fills the data of that WQE
 *   wr_complete()                 publishes all WQEs, releases sq.lock
 *   wr_abort()                    publishes none, releases sq.lock
 *
 * Builders and setters return no error, so qp->wr_err keeps the first one.
 * Later work requests of the section are ignored, and wr_complete() returns the
 * error and posts nothing. The flags of a WQE publish it, so qp->wr_flags keeps
 * them until wr_complete(), one word per slot.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <provider/kernel.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "siw/siw.h"
#include "siw/siw_wqe.h"

static void siw_wr_fail(struct siw_qp *qp, int err)
{
	if (!qp->wr_err)
		qp->wr_err = err;
	qp->wr_sqe = NULL;
}

/* Flags of the WQE that setters fill. */
static uint16_t *siw_wr_slot_flags(struct siw_qp *qp)
{
	return &qp->wr_flags[(qp->wr_next - 1) & qp->sq.ring.mask];
}

/* Begins a work request; does nothing after an error. */
static void siw_wr_begin(struct siw_qp *qp, uint8_t opcode, uint32_t rkey,
			 uint64_t raddr)
{
	struct ibv_qp_ex *qpx = &qp->vqp.qp_ex;
	struct siw_sqe *sqe = siw_sqe_at(&qp->sq.ring, qp->wr_next);
	uint16_t flags = siw_sqe_flags(qpx->wr_flags, qp->signal_all);

	if (!siw_slot_is_free(&qp->sq.ring, qp->wr_next, &sqe->flags))
		siw_wr_fail(qp, ENOMEM);
	if (qp->wr_err)
		return;

	qp->wr_next++;
	qp->wr_sqe = sqe;
	*siw_wr_slot_flags(qp) =
		opcode == SIW_OP_READ ? siw_sqe_read_flags(flags) : flags;
	sqe->id = qpx->wr_id;
	sqe->opcode = opcode;
	sqe->rkey = rkey;
	sqe->raddr = raddr;
	sqe->num_sge = 0;
}

/* -- builders -- */

static void siw_wr_send(struct ibv_qp_ex *qpx)
{
	siw_wr_begin(to_siw_qp_ex(qpx), SIW_OP_SEND, 0, 0);
}

static void siw_wr_send_inv(struct ibv_qp_ex *qpx, uint32_t invalidate_rkey)
{
	siw_wr_begin(to_siw_qp_ex(qpx), SIW_OP_SEND_REMOTE_INV, invalidate_rkey,
		     0);
}

static void siw_wr_rdma_write(struct ibv_qp_ex *qpx, uint32_t rkey,
			      uint64_t remote_addr)
{
	siw_wr_begin(to_siw_qp_ex(qpx), SIW_OP_WRITE, rkey, remote_addr);
}

static void siw_wr_rdma_read(struct ibv_qp_ex *qpx, uint32_t rkey,
			     uint64_t remote_addr)
{
	siw_wr_begin(to_siw_qp_ex(qpx), SIW_OP_READ, rkey, remote_addr);
}

/* -- setters -- */

static void siw_wr_set_sge_list(struct ibv_qp_ex *qpx, size_t num_sge,
				const struct ibv_sge *sg_list)
{
	struct siw_qp *qp = to_siw_qp_ex(qpx);

	if (!qp->wr_sqe)
		return;
	if (num_sge > qp->sq.max_sge ||
	    (qp->wr_sqe->opcode == SIW_OP_READ && num_sge != 1)) {
		siw_wr_fail(qp, EINVAL);
		return;
	}
	siw_sqe_set_sges(qp->wr_sqe, sg_list, (uint32_t)num_sge);
}

static void siw_wr_set_sge(struct ibv_qp_ex *qpx, uint32_t lkey, uint64_t addr,
			   uint32_t length)
{
	const struct ibv_sge sge = {
		.addr = addr,
		.length = length,
		.lkey = lkey,
	};

	siw_wr_set_sge_list(qpx, 1, &sge);
}

static void siw_wr_set_inline_data_list(struct ibv_qp_ex *qpx, size_t num_buf,
					const struct ibv_data_buf *buf_list)
{
	struct siw_qp *qp = to_siw_qp_ex(qpx);
	size_t length = 0;

	if (!qp->wr_sqe)
		return;
	if (!siw_op_has_inline(qp->wr_sqe->opcode)) {
		siw_wr_fail(qp, EINVAL);
		return;
	}
	for (size_t i = 0; i < num_buf; i++) {
		if (buf_list[i].length > qp->max_inline - length) {
			siw_wr_fail(qp, EINVAL);
			return;
		}
		if (!buf_list[i].length) /* addr may be invalid */
			continue;
		memcpy(siw_sqe_inline(qp->wr_sqe) + length, buf_list[i].addr,
		       buf_list[i].length);
		length += buf_list[i].length;
	}
	siw_sqe_set_inline(qp->wr_sqe, (uint32_t)length);
	*siw_wr_slot_flags(qp) |= SIW_WQE_INLINE;
}

static void siw_wr_set_inline_data(struct ibv_qp_ex *qpx, void *addr,
				   size_t length)
{
	const struct ibv_data_buf buf = { .addr = addr, .length = length };

	siw_wr_set_inline_data_list(qpx, 1, &buf);
}

/* -- section -- */

static void siw_wr_start(struct ibv_qp_ex *qpx)
{
	struct siw_qp *qp = to_siw_qp_ex(qpx);

	(void)pthread_spin_lock(&qp->sq.lock); /* fails on misuse only */
	qp->wr_next = qp->sq.ring.index;
	qp->wr_sqe = NULL;
	qp->wr_err = 0;
}

/* Hands the WQEs of the section to the kernel. */
static void siw_wr_publish_locked(struct siw_qp *qp)
{
	struct siw_ring *ring = &qp->sq.ring;

	while (ring->index != qp->wr_next) {
		struct siw_sqe *sqe = siw_sqe_at(ring, ring->index);

		siw_slot_publish(&sqe->flags,
				 qp->wr_flags[ring->index & ring->mask]);
		ring->index++;
	}
}

static int siw_wr_complete(struct ibv_qp_ex *qpx)
{
	struct siw_qp *qp = to_siw_qp_ex(qpx);
	uint32_t from = qp->sq.ring.index;
	uint32_t nr = qp->wr_next - from;
	int err = qp->wr_err;

	if (!err && qp->sq.failed)
		err = siw_flush_sends(qp, from, nr);
	else if (!err)
		siw_wr_publish_locked(qp);
	nr = qp->sq.ring.index - from; /* published */
	(void)pthread_spin_unlock(&qp->sq.lock);

	if (nr) {
		err = -verbs_cmd_ring_send_doorbell(&qpx->qp_base);
		if (err)
			siw_sq_mark_refused(qp, from, nr);
	}
	return err;
}

static void siw_wr_abort(struct ibv_qp_ex *qpx)
{
	(void)pthread_spin_unlock(&to_siw_qp_ex(qpx)->sq.lock);
}

int siw_wr_init(struct siw_qp *qp)
{
	struct ibv_qp_ex *qpx = &qp->vqp.qp_ex;

	qp->wr_flags =
		calloc((size_t)qp->sq.ring.mask + 1, sizeof(*qp->wr_flags));
	if (!qp->wr_flags)
		return -ENOMEM;
	qpx->wr_start = siw_wr_start;
	qpx->wr_complete = siw_wr_complete;
	qpx->wr_abort = siw_wr_abort;
	qpx->wr_send = siw_wr_send;
	qpx->wr_send_inv = siw_wr_send_inv;
	qpx->wr_rdma_write = siw_wr_rdma_write;
	qpx->wr_rdma_read = siw_wr_rdma_read;
	qpx->wr_set_sge = siw_wr_set_sge;
	qpx->wr_set_sge_list = siw_wr_set_sge_list;
	qpx->wr_set_inline_data = siw_wr_set_inline_data;
	qpx->wr_set_inline_data_list = siw_wr_set_inline_data_list;
	qp->vqp.comp_mask |= VERBS_QP_MASK_EX;
	return 0;
}
