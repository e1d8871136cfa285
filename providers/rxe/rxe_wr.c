/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The ibv_wr_*() interface. Applications call the functions through the
 * pointers that rxe_wr_init() sets:
 *
 *   wr_start()                      takes sq.lock
 *     builder: wr_send(), ...       fills the fixed part of the next slot
 *     setters: wr_set_sge(), ...    fill in address and data of that slot
 *   wr_complete() or wr_abort()     publishes all slots or none, drops sq.lock
 *
 * Builders and setters cannot fail, so the first error is kept in qp->wr_err;
 * later requests are passed over, and wr_complete() returns it and sends
 * nothing. qp->wr_wqe is the slot that setters fill. It is NULL when there is
 * none: before the first builder, after an error, and for operations without
 * data. qp->wr_opcodes tells at once whether a request may follow: it is 0
 * after an error, and while a UD request has no address.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <provider/kernel.h>
#include <stdint.h>
#include <string.h>

#include "rxe/rxe.h"
#include "rxe/rxe_opcode.h"
#include "rxe/rxe_wqe.h"

static void wr_fail(struct rxe_qp *qp, int err)
{
	if (!qp->wr_err)
		qp->wr_err = err;
	qp->wr_wqe = NULL;
	qp->wr_opcodes = 0;
}

/* An opcode that is not among wr_opcodes: an error, or yet to be learned. */
static __attribute__((noinline)) bool wr_may_follow(struct rxe_qp *qp,
						    enum ibv_wr_opcode opcode)
{
	/* the UD request before this one may have got no address */
	if (qp->wr_err || qp->wr_wants_addr || !rxe_qp_may_post(qp, opcode)) {
		wr_fail(qp, EINVAL);
		return false;
	}
	qp->wr_opcodes = qp->opcodes;
	return true;
}

/*
 * Slot for a request of this opcode, its fixed part filled; NULL on error.
 * Inline: builders are called for every request, and know their opcode.
 */
static inline struct rxe_send_wqe *wr_slot(struct rxe_qp *qp,
					   enum ibv_wr_opcode opcode)
{
	struct ibv_qp_ex *qpx = &qp->vqp.qp_ex;
	struct rxe_send_wqe *wqe;

	if (!(qp->wr_opcodes & (UINT32_C(1) << opcode)) &&
	    !wr_may_follow(qp, opcode))
		return NULL;
	if (rxe_ring_full(&qp->sq.ring, qp->wr_next)) {
		wr_fail(qp, ENOMEM);
		return NULL;
	}

	wqe = rxe_ring_elem(&qp->sq.ring, qp->wr_next);
	qp->wr_next = rxe_ring_next(&qp->sq.ring, qp->wr_next);
	/* Whether data is inline is said by the setter, not by a flag. */
	rxe_wqe_start(wqe, qpx->wr_id, opcode,
		      qpx->wr_flags & ~(uint32_t)IBV_SEND_INLINE, qp->ssn++);
	return wqe;
}

/* The same for a request that setters will complete. */
static inline struct rxe_send_wqe *wr_data_slot(struct rxe_qp *qp,
						enum ibv_wr_opcode opcode)
{
	qp->wr_wqe = wr_slot(qp, opcode);
	return qp->wr_wqe;
}

/* -- builders -- */

static inline void wr_send_any(struct rxe_qp *qp, enum ibv_wr_opcode opcode,
			       __be32 imm_data)
{
	struct rxe_send_wqe *wqe = wr_data_slot(qp, opcode);

	if (!wqe)
		return;
	wqe->wr.ex.imm_data = imm_data;
	if (qp->vqp.qp.qp_type == IBV_QPT_UD) {
		qp->wr_wants_addr = true;
		qp->wr_opcodes = 0;
	}
}

static void wr_send(struct ibv_qp_ex *qpx)
{
	wr_send_any(to_rxe_qp_ex(qpx), IBV_WR_SEND, 0);
}

static void wr_send_imm(struct ibv_qp_ex *qpx, __be32 imm_data)
{
	wr_send_any(to_rxe_qp_ex(qpx), IBV_WR_SEND_WITH_IMM, imm_data);
}

static void wr_send_inv(struct ibv_qp_ex *qpx, uint32_t invalidate_rkey)
{
	struct rxe_send_wqe *wqe =
		wr_data_slot(to_rxe_qp_ex(qpx), IBV_WR_SEND_WITH_INV);

	if (wqe)
		wqe->wr.ex.invalidate_rkey = invalidate_rkey;
}

static void wr_rdma_write(struct ibv_qp_ex *qpx, uint32_t rkey,
			  uint64_t remote_addr)
{
	struct rxe_send_wqe *wqe =
		wr_data_slot(to_rxe_qp_ex(qpx), IBV_WR_RDMA_WRITE);

	if (wqe)
		rxe_wqe_set_rdma(wqe, remote_addr, rkey);
}

static void wr_rdma_write_imm(struct ibv_qp_ex *qpx, uint32_t rkey,
			      uint64_t remote_addr, __be32 imm_data)
{
	struct rxe_send_wqe *wqe =
		wr_data_slot(to_rxe_qp_ex(qpx), IBV_WR_RDMA_WRITE_WITH_IMM);

	if (!wqe)
		return;
	wqe->wr.ex.imm_data = imm_data;
	rxe_wqe_set_rdma(wqe, remote_addr, rkey);
}

static void wr_rdma_read(struct ibv_qp_ex *qpx, uint32_t rkey,
			 uint64_t remote_addr)
{
	struct rxe_send_wqe *wqe =
		wr_data_slot(to_rxe_qp_ex(qpx), IBV_WR_RDMA_READ);

	if (wqe)
		rxe_wqe_set_rdma(wqe, remote_addr, rkey);
}

static void wr_atomic(struct rxe_qp *qp, enum ibv_wr_opcode opcode,
		      uint32_t rkey, uint64_t remote_addr, uint64_t compare_add,
		      uint64_t swap)
{
	struct rxe_send_wqe *wqe = wr_data_slot(qp, opcode);

	if (!wqe)
		return;
	if (remote_addr % RXE_ATOMIC_LEN) {
		wr_fail(qp, EINVAL);
		return;
	}
	rxe_wqe_set_atomic(wqe, remote_addr, rkey, compare_add, swap);
}

static void wr_atomic_cmp_swp(struct ibv_qp_ex *qpx, uint32_t rkey,
			      uint64_t remote_addr, uint64_t compare,
			      uint64_t swap)
{
	wr_atomic(to_rxe_qp_ex(qpx), IBV_WR_ATOMIC_CMP_AND_SWP, rkey,
		  remote_addr, compare, swap);
}

static void wr_atomic_fetch_add(struct ibv_qp_ex *qpx, uint32_t rkey,
				uint64_t remote_addr, uint64_t add)
{
	wr_atomic(to_rxe_qp_ex(qpx), IBV_WR_ATOMIC_FETCH_AND_ADD, rkey,
		  remote_addr, add, 0);
}

static void wr_atomic_write(struct ibv_qp_ex *qpx, uint32_t rkey,
			    uint64_t remote_addr, const void *value)
{
	struct rxe_qp *qp = to_rxe_qp_ex(qpx);
	struct rxe_send_wqe *wqe = wr_slot(qp, IBV_WR_ATOMIC_WRITE);

	qp->wr_wqe = NULL; /* no setters */
	if (!wqe)
		return;
	rxe_wqe_set_rdma(wqe, remote_addr, rkey);
	rxe_wqe_set_atomic_write(wqe, value);
}

static void wr_flush(struct ibv_qp_ex *qpx, uint32_t rkey, uint64_t remote_addr,
		     size_t len, uint8_t type, uint8_t level)
{
	struct rxe_qp *qp = to_rxe_qp_ex(qpx);
	struct rxe_send_wqe *wqe = wr_slot(qp, IBV_WR_FLUSH);

	qp->wr_wqe = NULL; /* no setters */
	if (!wqe)
		return;
	if (len > UINT32_MAX) {
		wr_fail(qp, EINVAL);
		return;
	}
	rxe_wqe_set_flush(wqe, remote_addr, rkey, (uint32_t)len, type, level);
}

static void wr_local_inv(struct ibv_qp_ex *qpx, uint32_t invalidate_rkey)
{
	struct rxe_qp *qp = to_rxe_qp_ex(qpx);
	struct rxe_send_wqe *wqe = wr_slot(qp, IBV_WR_LOCAL_INV);

	qp->wr_wqe = NULL; /* no setters */
	if (wqe)
		wqe->wr.ex.invalidate_rkey = invalidate_rkey;
}

static void wr_bind_mw(struct ibv_qp_ex *qpx, struct ibv_mw *mw, uint32_t rkey,
		       const struct ibv_mw_bind_info *bind_info)
{
	struct rxe_qp *qp = to_rxe_qp_ex(qpx);
	struct rxe_send_wqe *wqe = wr_slot(qp, IBV_WR_BIND_MW);

	qp->wr_wqe = NULL; /* no setters */
	if (!wqe)
		return;
	if (rxe_check_bind(mw, bind_info)) {
		wr_fail(qp, EINVAL);
		return;
	}
	rxe_wqe_set_mw(wqe, mw, rkey, bind_info);
	qp->wr_has_bind = true;
}

/* -- setters -- */

static void wr_set_ud_addr(struct ibv_qp_ex *qpx, struct ibv_ah *ah,
			   uint32_t remote_qpn, uint32_t remote_qkey)
{
	struct rxe_qp *qp = to_rxe_qp_ex(qpx);

	if (!qp->wr_wqe || !qp->wr_wants_addr)
		return;
	qp->wr_wants_addr = false;
	qp->wr_opcodes = qp->opcodes;
	if (!ah) {
		wr_fail(qp, EINVAL);
		return;
	}
	rxe_wqe_set_ud(qp->wr_wqe, to_rxe_ah(ah), remote_qpn, remote_qkey);
}

static bool is_atomic(const struct rxe_send_wqe *wqe)
{
	return wqe->wr.opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
	       wqe->wr.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

static inline void wr_set_sge_list(struct ibv_qp_ex *qpx, size_t num_sge,
				   const struct ibv_sge *sg_list)
{
	struct rxe_qp *qp = to_rxe_qp_ex(qpx);
	struct rxe_send_wqe *wqe = qp->wr_wqe;
	uint64_t length;

	if (!wqe)
		return;
	if (num_sge > qp->sq.max_sge) {
		wr_fail(qp, EINVAL);
		return;
	}
	length = rxe_sge_length(sg_list, num_sge);
	if (length > RXE_MAX_MSG_LEN ||
	    (is_atomic(wqe) && length < RXE_ATOMIC_LEN)) {
		wr_fail(qp, EINVAL);
		return;
	}
	rxe_wqe_set_sges(wqe, sg_list, (uint32_t)num_sge, (uint32_t)length);
}

static void wr_set_sge(struct ibv_qp_ex *qpx, uint32_t lkey, uint64_t addr,
		       uint32_t length)
{
	const struct ibv_sge sge = {
		.addr = addr,
		.length = length,
		.lkey = lkey,
	};

	wr_set_sge_list(qpx, 1, &sge);
}

static bool takes_inline(const struct rxe_send_wqe *wqe)
{
	return !is_atomic(wqe) && wqe->wr.opcode != IBV_WR_RDMA_READ;
}

static void wr_set_inline_data_list(struct ibv_qp_ex *qpx, size_t num_buf,
				    const struct ibv_data_buf *buf_list)
{
	struct rxe_qp *qp = to_rxe_qp_ex(qpx);
	struct rxe_send_wqe *wqe = qp->wr_wqe;
	size_t length = 0;

	if (!wqe)
		return;
	if (!takes_inline(wqe)) {
		wr_fail(qp, EINVAL);
		return;
	}
	for (size_t i = 0; i < num_buf; i++) {
		if (buf_list[i].length > qp->sq.max_inline - length) {
			wr_fail(qp, EINVAL);
			return;
		}
		if (!buf_list[i].length) /* its address may be anything */
			continue;
		memcpy(wqe->dma.inline_data + length, buf_list[i].addr,
		       buf_list[i].length);
		length += buf_list[i].length;
	}
	rxe_wqe_set_inline(wqe, (uint32_t)length);
}

static void wr_set_inline_data(struct ibv_qp_ex *qpx, void *addr, size_t length)
{
	struct rxe_qp *qp = to_rxe_qp_ex(qpx);
	struct rxe_send_wqe *wqe = qp->wr_wqe;

	if (!wqe)
		return;
	if (!takes_inline(wqe) || length > qp->sq.max_inline) {
		wr_fail(qp, EINVAL);
		return;
	}
	if (length) /* its address may be anything */
		memcpy(wqe->dma.inline_data, addr, length);
	rxe_wqe_set_inline(wqe, (uint32_t)length);
}

/* -- the section -- */

static void wr_start(struct ibv_qp_ex *qpx)
{
	struct rxe_qp *qp = to_rxe_qp_ex(qpx);

	(void)pthread_spin_lock(&qp->sq.lock); /* fails on misuse only */
	qp->wr_next = qp->sq.ring.index;
	qp->wr_wqe = NULL;
	/* IBTA 10.8.3.1: posting before RTS is an immediate error. */
	qp->wr_err = qp->vqp.qp.state < IBV_QPS_RTS ? EINVAL : 0;
	qp->wr_opcodes = qp->wr_err ? 0 : qp->opcodes;
	qp->wr_wants_addr = false;
	qp->wr_has_bind = false;
}

/* Gives the windows their old keys back, the last bind first. */
static void undo_binds_locked(struct rxe_qp *qp)
{
	struct rxe_ring *ring = &qp->sq.ring;
	struct rxe_send_wqe *wqe;

	for (uint32_t index = qp->wr_next; index != ring->index;) {
		index = (index - 1) & ring->mask;
		wqe = rxe_ring_elem(ring, index);
		/* iova is 0 in a bind that was refused */
		if (wqe->wr.opcode == IBV_WR_BIND_MW && wqe->iova)
			rxe_wqe_undo_mw(wqe);
	}
}

static void discard_locked(struct rxe_qp *qp)
{
	if (qp->wr_has_bind)
		undo_binds_locked(qp);
	qp->ssn -= (qp->wr_next - qp->sq.ring.index) & qp->sq.ring.mask;
}

static int wr_complete(struct ibv_qp_ex *qpx)
{
	struct rxe_qp *qp = to_rxe_qp_ex(qpx);
	bool posted;
	int err;

	if (qp->wr_wants_addr)
		wr_fail(qp, EINVAL);
	err = qp->wr_err;
	if (err) {
		discard_locked(qp);
		(void)pthread_spin_unlock(&qp->sq.lock);
		return err;
	}
	posted = qp->wr_next != qp->sq.ring.index;
	if (posted)
		rxe_ring_publish(&qp->sq.ring, qp->wr_next);
	(void)pthread_spin_unlock(&qp->sq.lock);

	return posted ? -verbs_cmd_ring_send_doorbell(&qpx->qp_base) : 0;
}

static void wr_abort(struct ibv_qp_ex *qpx)
{
	struct rxe_qp *qp = to_rxe_qp_ex(qpx);

	discard_locked(qp);
	(void)pthread_spin_unlock(&qp->sq.lock);
}

/*
 * All of them, whatever the QP has: an operation that it does not have is
 * refused by wr_slot(), so a program that did not ask for it gets an error
 * instead of a jump through NULL.
 */
void rxe_wr_init(struct ibv_qp_ex *qp)
{
	qp->wr_start = wr_start;
	qp->wr_complete = wr_complete;
	qp->wr_abort = wr_abort;

	qp->wr_send = wr_send;
	qp->wr_send_imm = wr_send_imm;
	qp->wr_send_inv = wr_send_inv;
	qp->wr_rdma_write = wr_rdma_write;
	qp->wr_rdma_write_imm = wr_rdma_write_imm;
	qp->wr_rdma_read = wr_rdma_read;
	qp->wr_atomic_cmp_swp = wr_atomic_cmp_swp;
	qp->wr_atomic_fetch_add = wr_atomic_fetch_add;
	qp->wr_atomic_write = wr_atomic_write;
	qp->wr_flush = wr_flush;
	qp->wr_local_inv = wr_local_inv;
	qp->wr_bind_mw = wr_bind_mw;

	qp->wr_set_ud_addr = wr_set_ud_addr;
	qp->wr_set_sge = wr_set_sge;
	qp->wr_set_sge_list = wr_set_sge_list;
	qp->wr_set_inline_data = wr_set_inline_data;
	qp->wr_set_inline_data_list = wr_set_inline_data_list;
}
