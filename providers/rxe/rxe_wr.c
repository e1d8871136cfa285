/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The ibv_wr_*() interface. Applications call the functions through the
 * pointers that rxe_wr_init() sets:
 *
 *   wr_start()                    takes sq.lock
 *     builder: wr_send(), ...     fills the fixed part of the next WQE
 *     setter: wr_set_sge(), ...   fills the address and the data of that WQE
 *   wr_complete()                 publishes all WQEs, releases sq.lock
 *   wr_abort()                    publishes none, releases sq.lock
 *
 * Builders and setters return no error, so qp->wr_err keeps the first one.
 * Later work requests of the section are ignored, and wr_complete() returns the
 * error and posts nothing. qp->wr_wqe is the WQE that setters fill. It is NULL
 * before the first builder, after an error, and for operations without data.
 * qp->wr_opcodes is the set of opcodes that may follow: 0 after an error, and
 * while a UD work request has no address.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <provider/kernel.h>
#include <stdint.h>
#include <string.h>

#include "rxe/rxe.h"
#include "rxe/rxe_opcode.h"
#include "rxe/rxe_wqe.h"

static void rxe_wr_fail(struct rxe_qp *qp, int err)
{
	if (!qp->wr_err)
		qp->wr_err = err;
	qp->wr_wqe = NULL;
	qp->wr_opcodes = 0;
}

/* Slow path for an opcode outside wr_opcodes: an error, or optional. */
static __attribute__((noinline)) bool
rxe_wr_check_opcode(struct rxe_qp *qp, enum ibv_wr_opcode opcode)
{
	/* The previous UD work request may have no address yet. */
	if (qp->wr_err || qp->wr_needs_ud_addr ||
	    !rxe_qp_may_post(qp, opcode)) {
		rxe_wr_fail(qp, EINVAL);
		return false;
	}
	qp->wr_opcodes = qp->opcodes;
	return true;
}

/*
 * Returns the next WQE with its fixed part filled; NULL on error. Inline,
 * because builders run for every work request with a constant opcode.
 */
static inline struct rxe_send_wqe *rxe_wr_next_slot(struct rxe_qp *qp,
						    enum ibv_wr_opcode opcode)
{
	struct ibv_qp_ex *qpx = &qp->vqp.qp_ex;
	struct rxe_send_wqe *wqe;

	if (!(qp->wr_opcodes & (UINT32_C(1) << opcode)) &&
	    !rxe_wr_check_opcode(qp, opcode))
		return NULL;
	if (rxe_ring_full(&qp->sq.ring, qp->wr_next)) {
		rxe_wr_fail(qp, ENOMEM);
		return NULL;
	}

	wqe = rxe_ring_elem(&qp->sq.ring, qp->wr_next);
	qp->wr_next = rxe_ring_next(&qp->sq.ring, qp->wr_next);
	/* The setter decides whether data is inline, not a flag. */
	rxe_wqe_init(wqe, qpx->wr_id, opcode,
		     qpx->wr_flags & ~(uint32_t)IBV_SEND_INLINE, qp->ssn++);
	return wqe;
}

/* Like rxe_wr_next_slot(), for an operation that has setters. */
static inline struct rxe_send_wqe *
rxe_wr_next_data_slot(struct rxe_qp *qp, enum ibv_wr_opcode opcode)
{
	qp->wr_wqe = rxe_wr_next_slot(qp, opcode);
	return qp->wr_wqe;
}

/* -- builders -- */

static inline void rxe_wr_send_common(struct rxe_qp *qp,
				      enum ibv_wr_opcode opcode,
				      __be32 imm_data)
{
	struct rxe_send_wqe *wqe = rxe_wr_next_data_slot(qp, opcode);

	if (!wqe)
		return;
	wqe->wr.ex.imm_data = imm_data;
	if (qp->vqp.qp.qp_type == IBV_QPT_UD) {
		qp->wr_needs_ud_addr = true;
		qp->wr_opcodes = 0;
	}
}

static void rxe_wr_send(struct ibv_qp_ex *qpx)
{
	rxe_wr_send_common(to_rxe_qp_ex(qpx), IBV_WR_SEND, 0);
}

static void rxe_wr_send_imm(struct ibv_qp_ex *qpx, __be32 imm_data)
{
	rxe_wr_send_common(to_rxe_qp_ex(qpx), IBV_WR_SEND_WITH_IMM, imm_data);
}

static void rxe_wr_send_inv(struct ibv_qp_ex *qpx, uint32_t invalidate_rkey)
{
	struct rxe_send_wqe *wqe =
		rxe_wr_next_data_slot(to_rxe_qp_ex(qpx), IBV_WR_SEND_WITH_INV);

	if (wqe)
		wqe->wr.ex.invalidate_rkey = invalidate_rkey;
}

static void rxe_wr_rdma_write(struct ibv_qp_ex *qpx, uint32_t rkey,
			      uint64_t remote_addr)
{
	struct rxe_send_wqe *wqe =
		rxe_wr_next_data_slot(to_rxe_qp_ex(qpx), IBV_WR_RDMA_WRITE);

	if (wqe)
		rxe_wqe_set_rdma(wqe, remote_addr, rkey);
}

static void rxe_wr_rdma_write_imm(struct ibv_qp_ex *qpx, uint32_t rkey,
				  uint64_t remote_addr, __be32 imm_data)
{
	struct rxe_send_wqe *wqe = rxe_wr_next_data_slot(
		to_rxe_qp_ex(qpx), IBV_WR_RDMA_WRITE_WITH_IMM);

	if (!wqe)
		return;
	wqe->wr.ex.imm_data = imm_data;
	rxe_wqe_set_rdma(wqe, remote_addr, rkey);
}

static void rxe_wr_rdma_read(struct ibv_qp_ex *qpx, uint32_t rkey,
			     uint64_t remote_addr)
{
	struct rxe_send_wqe *wqe =
		rxe_wr_next_data_slot(to_rxe_qp_ex(qpx), IBV_WR_RDMA_READ);

	if (wqe)
		rxe_wqe_set_rdma(wqe, remote_addr, rkey);
}

static void rxe_wr_atomic(struct rxe_qp *qp, enum ibv_wr_opcode opcode,
			  uint32_t rkey, uint64_t remote_addr,
			  uint64_t compare_add, uint64_t swap)
{
	struct rxe_send_wqe *wqe = rxe_wr_next_data_slot(qp, opcode);

	if (!wqe)
		return;
	if (remote_addr % RXE_ATOMIC_LEN) {
		rxe_wr_fail(qp, EINVAL);
		return;
	}
	rxe_wqe_set_atomic(wqe, remote_addr, rkey, compare_add, swap);
}

static void rxe_wr_atomic_cmp_swp(struct ibv_qp_ex *qpx, uint32_t rkey,
				  uint64_t remote_addr, uint64_t compare,
				  uint64_t swap)
{
	rxe_wr_atomic(to_rxe_qp_ex(qpx), IBV_WR_ATOMIC_CMP_AND_SWP, rkey,
		      remote_addr, compare, swap);
}

static void rxe_wr_atomic_fetch_add(struct ibv_qp_ex *qpx, uint32_t rkey,
				    uint64_t remote_addr, uint64_t add)
{
	rxe_wr_atomic(to_rxe_qp_ex(qpx), IBV_WR_ATOMIC_FETCH_AND_ADD, rkey,
		      remote_addr, add, 0);
}

static void rxe_wr_atomic_write(struct ibv_qp_ex *qpx, uint32_t rkey,
				uint64_t remote_addr, const void *value)
{
	struct rxe_qp *qp = to_rxe_qp_ex(qpx);
	struct rxe_send_wqe *wqe = rxe_wr_next_slot(qp, IBV_WR_ATOMIC_WRITE);

	qp->wr_wqe = NULL; /* no setters */
	if (!wqe)
		return;
	rxe_wqe_set_rdma(wqe, remote_addr, rkey);
	memcpy(wqe->dma.inline_data, value, RXE_ATOMIC_LEN);
	rxe_wqe_set_atomic_write(wqe);
}

static void rxe_wr_flush(struct ibv_qp_ex *qpx, uint32_t rkey,
			 uint64_t remote_addr, size_t len, uint8_t type,
			 uint8_t level)
{
	struct rxe_qp *qp = to_rxe_qp_ex(qpx);
	struct rxe_send_wqe *wqe = rxe_wr_next_slot(qp, IBV_WR_FLUSH);

	qp->wr_wqe = NULL; /* no setters */
	if (!wqe)
		return;
	if (len > UINT32_MAX) {
		rxe_wr_fail(qp, EINVAL);
		return;
	}
	rxe_wqe_set_flush(wqe, remote_addr, rkey, (uint32_t)len, type, level);
}

static void rxe_wr_local_inv(struct ibv_qp_ex *qpx, uint32_t invalidate_rkey)
{
	struct rxe_qp *qp = to_rxe_qp_ex(qpx);
	struct rxe_send_wqe *wqe = rxe_wr_next_slot(qp, IBV_WR_LOCAL_INV);

	qp->wr_wqe = NULL; /* no setters */
	if (wqe)
		wqe->wr.ex.invalidate_rkey = invalidate_rkey;
}

static void rxe_wr_bind_mw(struct ibv_qp_ex *qpx, struct ibv_mw *mw,
			   uint32_t rkey,
			   const struct ibv_mw_bind_info *bind_info)
{
	struct rxe_qp *qp = to_rxe_qp_ex(qpx);
	struct rxe_send_wqe *wqe = rxe_wr_next_slot(qp, IBV_WR_BIND_MW);

	qp->wr_wqe = NULL; /* no setters */
	if (!wqe)
		return;
	if (rxe_bind_check(mw, bind_info)) {
		rxe_wr_fail(qp, EINVAL);
		return;
	}
	rxe_wqe_set_mw(wqe, mw, rkey, bind_info);
	qp->wr_has_bind = true;
}

/* -- setters -- */

static void rxe_wr_set_ud_addr(struct ibv_qp_ex *qpx, struct ibv_ah *ah,
			       uint32_t remote_qpn, uint32_t remote_qkey)
{
	struct rxe_qp *qp = to_rxe_qp_ex(qpx);

	if (!qp->wr_wqe || !qp->wr_needs_ud_addr)
		return;
	qp->wr_needs_ud_addr = false;
	qp->wr_opcodes = qp->opcodes;
	if (!ah) {
		rxe_wr_fail(qp, EINVAL);
		return;
	}
	rxe_wqe_set_ud(qp->wr_wqe, to_rxe_ah(ah), remote_qpn, remote_qkey);
}

static bool rxe_wqe_is_atomic(const struct rxe_send_wqe *wqe)
{
	return wqe->wr.opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
	       wqe->wr.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

static inline void rxe_wr_set_sge_list(struct ibv_qp_ex *qpx, size_t num_sge,
				       const struct ibv_sge *sg_list)
{
	struct rxe_qp *qp = to_rxe_qp_ex(qpx);
	struct rxe_send_wqe *wqe = qp->wr_wqe;
	uint64_t length;

	if (!wqe)
		return;
	if (num_sge > qp->sq.max_sge) {
		rxe_wr_fail(qp, EINVAL);
		return;
	}
	length = rxe_sges_length(sg_list, num_sge);
	if (length > RXE_MAX_MSG_LEN ||
	    (rxe_wqe_is_atomic(wqe) && length < RXE_ATOMIC_LEN)) {
		rxe_wr_fail(qp, EINVAL);
		return;
	}
	rxe_wqe_set_sges(wqe, sg_list, (uint32_t)num_sge, (uint32_t)length);
}

static void rxe_wr_set_sge(struct ibv_qp_ex *qpx, uint32_t lkey, uint64_t addr,
			   uint32_t length)
{
	const struct ibv_sge sge = {
		.addr = addr,
		.length = length,
		.lkey = lkey,
	};

	rxe_wr_set_sge_list(qpx, 1, &sge);
}

static bool rxe_wqe_allows_inline(const struct rxe_send_wqe *wqe)
{
	return !rxe_wqe_is_atomic(wqe) && wqe->wr.opcode != IBV_WR_RDMA_READ;
}

static void rxe_wr_set_inline_data_list(struct ibv_qp_ex *qpx, size_t num_buf,
					const struct ibv_data_buf *buf_list)
{
	struct rxe_qp *qp = to_rxe_qp_ex(qpx);
	struct rxe_send_wqe *wqe = qp->wr_wqe;
	size_t length = 0;

	if (!wqe)
		return;
	if (!rxe_wqe_allows_inline(wqe)) {
		rxe_wr_fail(qp, EINVAL);
		return;
	}
	for (size_t i = 0; i < num_buf; i++) {
		if (buf_list[i].length > qp->sq.max_inline - length) {
			rxe_wr_fail(qp, EINVAL);
			return;
		}
		if (!buf_list[i].length) /* addr may be invalid */
			continue;
		memcpy(wqe->dma.inline_data + length, buf_list[i].addr,
		       buf_list[i].length);
		length += buf_list[i].length;
	}
	rxe_wqe_set_inline(wqe, (uint32_t)length);
}

static void rxe_wr_set_inline_data(struct ibv_qp_ex *qpx, void *addr,
				   size_t length)
{
	struct rxe_qp *qp = to_rxe_qp_ex(qpx);
	struct rxe_send_wqe *wqe = qp->wr_wqe;

	if (!wqe)
		return;
	if (!rxe_wqe_allows_inline(wqe) || length > qp->sq.max_inline) {
		rxe_wr_fail(qp, EINVAL);
		return;
	}
	if (length) /* addr may be invalid */
		memcpy(wqe->dma.inline_data, addr, length);
	rxe_wqe_set_inline(wqe, (uint32_t)length);
}

/* -- the section -- */

static void rxe_wr_start(struct ibv_qp_ex *qpx)
{
	struct rxe_qp *qp = to_rxe_qp_ex(qpx);

	(void)pthread_spin_lock(&qp->sq.lock); /* fails on misuse only */
	qp->wr_next = qp->sq.ring.index;
	qp->wr_wqe = NULL;
	/* IBTA 10.8.3.1: posting before RTS is an immediate error. */
	qp->wr_err = qp->vqp.qp.state < IBV_QPS_RTS ? EINVAL : 0;
	qp->wr_opcodes = qp->wr_err ? 0 : qp->opcodes;
	qp->wr_needs_ud_addr = false;
	qp->wr_has_bind = false;
}

/* Restores the old keys of the windows, beginning with the last bind. */
static void rxe_wr_undo_binds_locked(struct rxe_qp *qp)
{
	struct rxe_ring *ring = &qp->sq.ring;
	struct rxe_send_wqe *wqe;

	for (uint32_t index = qp->wr_next; index != ring->index;) {
		index = (index - 1) & ring->mask;
		wqe = rxe_ring_elem(ring, index);
		/* iova is 0 in a bind that was rejected */
		if (wqe->wr.opcode == IBV_WR_BIND_MW && wqe->iova)
			rxe_wqe_undo_mw(wqe);
	}
}

static void rxe_wr_discard_locked(struct rxe_qp *qp)
{
	if (qp->wr_has_bind)
		rxe_wr_undo_binds_locked(qp);
	qp->ssn -= (qp->wr_next - qp->sq.ring.index) & qp->sq.ring.mask;
}

static int rxe_wr_complete(struct ibv_qp_ex *qpx)
{
	struct rxe_qp *qp = to_rxe_qp_ex(qpx);
	bool posted;
	int err;

	if (qp->wr_needs_ud_addr)
		rxe_wr_fail(qp, EINVAL);
	err = qp->wr_err;
	if (err) {
		rxe_wr_discard_locked(qp);
		(void)pthread_spin_unlock(&qp->sq.lock);
		return err;
	}
	posted = qp->wr_next != qp->sq.ring.index;
	if (posted)
		rxe_ring_publish(&qp->sq.ring, qp->wr_next);
	(void)pthread_spin_unlock(&qp->sq.lock);

	return posted ? -verbs_cmd_ring_send_doorbell(&qpx->qp_base) : 0;
}

static void rxe_wr_abort(struct ibv_qp_ex *qpx)
{
	struct rxe_qp *qp = to_rxe_qp_ex(qpx);

	rxe_wr_discard_locked(qp);
	(void)pthread_spin_unlock(&qp->sq.lock);
}

static const struct ibv_qp_ex rxe_wr_functions = {
	.wr_start = rxe_wr_start,
	.wr_complete = rxe_wr_complete,
	.wr_abort = rxe_wr_abort,
	.wr_send = rxe_wr_send,
	.wr_send_imm = rxe_wr_send_imm,
	.wr_send_inv = rxe_wr_send_inv,
	.wr_rdma_write = rxe_wr_rdma_write,
	.wr_rdma_write_imm = rxe_wr_rdma_write_imm,
	.wr_rdma_read = rxe_wr_rdma_read,
	.wr_atomic_cmp_swp = rxe_wr_atomic_cmp_swp,
	.wr_atomic_fetch_add = rxe_wr_atomic_fetch_add,
	.wr_atomic_write = rxe_wr_atomic_write,
	.wr_flush = rxe_wr_flush,
	.wr_local_inv = rxe_wr_local_inv,
	.wr_bind_mw = rxe_wr_bind_mw,
	.wr_set_ud_addr = rxe_wr_set_ud_addr,
	.wr_set_sge = rxe_wr_set_sge,
	.wr_set_sge_list = rxe_wr_set_sge_list,
	.wr_set_inline_data = rxe_wr_set_inline_data,
	.wr_set_inline_data_list = rxe_wr_set_inline_data_list,
};

/*
 * Sets every function, independent of the QP's opcodes: rxe_wr_next_slot()
 * rejects an opcode that the QP may not post, so that an application gets an
 * error instead of a jump through NULL.
 */
void rxe_wr_init(struct ibv_qp_ex *qp)
{
	const size_t start = offsetof(struct ibv_qp_ex, wr_atomic_cmp_swp);

	/* The functions are the last members. */
	memcpy((uint8_t *)qp + start,
	       (const uint8_t *)&rxe_wr_functions + start, sizeof(*qp) - start);
}
