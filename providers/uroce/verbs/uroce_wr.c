/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The ibv_wr_*() interface. Applications call these functions through the
 * pointers that uroce_wr_init() sets:
 *
 *   wr_start()                      takes sq_lock
 *     builder: wr_send(), ...       begins the next slot
 *     setters: wr_set_sge(), ...    fill in address and data of that slot
 *   wr_complete() or wr_abort()     publishes all slots or none, drops sq_lock
 *
 * Builders and setters return no error, so qp->wr_err keeps the first one.
 * Later calls have no effect, and wr_complete() returns the error and posts
 * nothing. qp->wr_wqe is the slot that setters fill. It is NULL when there is
 * no slot, and for operations without data.
 *
 * A signal handler may interrupt the thread of an open section and open another
 * section of the same QP. This nested section posts nothing, and its
 * wr_complete() returns EBUSY.
 */
#include <errno.h>
#include <stdint.h>

#include "uroce/verbs/uroce_send.h"
#include "util/thread.h"

static void wr_fail(struct uroce_verbs_qp *qp, int err)
{
	if (!qp->wr_err)
		qp->wr_err = err;
	qp->wr_wqe = NULL;
}

/* -- builders -- */

/* Initializes the next slot for @opcode; NULL on error. */
static struct uroce_send_wqe *wr_slot(struct uroce_verbs_qp *qp,
				      enum ibv_wr_opcode opcode)
{
	const struct ibv_qp_ex *qpx = &qp->vqp.qp_ex;
	unsigned int op = uroce_sq_op(qp, opcode, qpx->wr_flags);
	struct uroce_send_wqe *wqe = NULL;

	qp->wr_wqe = NULL;
	/* wr_wants_addr: the previous request got no address or SRQ */
	if (qp->wr_wants_addr || !op)
		wr_fail(qp, EINVAL);
	if (qp->wr_err)
		return NULL;
	wqe = uroce_sq_slot(qp, qp->wr_nr);
	if (!wqe) {
		wr_fail(qp, ENOMEM);
		return NULL;
	}
	qp->wr_nr++;
	/* the setter decides whether data is inline, not a flag */
	uroce_wqe_start(wqe, qpx->wr_id, opcode,
			qpx->wr_flags & ~(unsigned int)IBV_SEND_INLINE);
	if (op & UROCE_OP_DATA)
		qp->wr_wqe = wqe;
	qp->wr_wants_addr = qp->op_trait & (UROCE_OP_UD | UROCE_OP_XRC);
	return wqe;
}

static void wr_send_any(struct ibv_qp_ex *qpx, enum ibv_wr_opcode opcode,
			__be32 imm_data)
{
	struct uroce_verbs_qp *qp = to_uroce_qp_ex(qpx);
	struct uroce_send_wqe *wqe = wr_slot(qp, opcode);

	if (!wqe)
		return;
	wqe->imm = imm_data;
}

static void wr_send(struct ibv_qp_ex *qpx)
{
	wr_send_any(qpx, IBV_WR_SEND, 0);
}

static void wr_send_imm(struct ibv_qp_ex *qpx, __be32 imm_data)
{
	wr_send_any(qpx, IBV_WR_SEND_WITH_IMM, imm_data);
}

static void wr_send_inv(struct ibv_qp_ex *qpx, uint32_t invalidate_rkey)
{
	struct uroce_send_wqe *wqe =
		wr_slot(to_uroce_qp_ex(qpx), IBV_WR_SEND_WITH_INV);

	if (wqe)
		wqe->inv_rkey = invalidate_rkey;
}

/* Begins an operation on remote memory. */
static struct uroce_send_wqe *wr_remote(struct ibv_qp_ex *qpx,
					enum ibv_wr_opcode opcode,
					uint32_t rkey, uint64_t remote_addr)
{
	struct uroce_send_wqe *wqe = wr_slot(to_uroce_qp_ex(qpx), opcode);

	if (!wqe)
		return NULL;
	wqe->remote.va = remote_addr;
	wqe->remote.rkey = rkey;
	return wqe;
}

static void wr_rdma_write(struct ibv_qp_ex *qpx, uint32_t rkey,
			  uint64_t remote_addr)
{
	(void)wr_remote(qpx, IBV_WR_RDMA_WRITE, rkey, remote_addr);
}

static void wr_rdma_write_imm(struct ibv_qp_ex *qpx, uint32_t rkey,
			      uint64_t remote_addr, __be32 imm_data)
{
	struct uroce_send_wqe *wqe =
		wr_remote(qpx, IBV_WR_RDMA_WRITE_WITH_IMM, rkey, remote_addr);

	if (wqe)
		wqe->imm = imm_data;
}

static void wr_rdma_read(struct ibv_qp_ex *qpx, uint32_t rkey,
			 uint64_t remote_addr)
{
	(void)wr_remote(qpx, IBV_WR_RDMA_READ, rkey, remote_addr);
}

static void wr_atomic_cmp_swp(struct ibv_qp_ex *qpx, uint32_t rkey,
			      uint64_t remote_addr, uint64_t compare,
			      uint64_t swap)
{
	struct uroce_send_wqe *wqe =
		wr_remote(qpx, IBV_WR_ATOMIC_CMP_AND_SWP, rkey, remote_addr);

	if (!wqe)
		return;
	wqe->remote.compare_add = compare;
	wqe->remote.swap = swap;
}

static void wr_atomic_fetch_add(struct ibv_qp_ex *qpx, uint32_t rkey,
				uint64_t remote_addr, uint64_t add)
{
	struct uroce_send_wqe *wqe =
		wr_remote(qpx, IBV_WR_ATOMIC_FETCH_AND_ADD, rkey, remote_addr);

	if (wqe)
		wqe->remote.compare_add = add;
}

/* The WQE contains the 8 bytes; every slot has room for them. */
static void wr_atomic_write(struct ibv_qp_ex *qpx, uint32_t rkey,
			    uint64_t remote_addr, const void *value)
{
	struct uroce_send_wqe *wqe =
		wr_remote(qpx, IBV_WR_ATOMIC_WRITE, rkey, remote_addr);

	to_uroce_qp_ex(qpx)->wr_wqe = NULL; /* no setters */
	if (!wqe)
		return;
	memcpy(wqe->sge, value, sizeof(uint64_t));
	wqe->length = sizeof(uint64_t);
	wqe->flags |= IBV_SEND_INLINE;
}

static void wr_flush(struct ibv_qp_ex *qpx, uint32_t rkey, uint64_t remote_addr,
		     size_t len, uint8_t type, uint8_t level)
{
	struct uroce_send_wqe *wqe =
		wr_remote(qpx, IBV_WR_FLUSH, rkey, remote_addr);

	if (!wqe)
		return;
	if (len > UINT32_MAX) {
		wr_fail(to_uroce_qp_ex(qpx), EINVAL);
		return;
	}
	wqe->length = (uint32_t)len;
	wqe->flush_placement = type;
	wqe->flush_level = level;
}

static void wr_local_inv(struct ibv_qp_ex *qpx, uint32_t invalidate_rkey)
{
	struct uroce_send_wqe *wqe =
		wr_slot(to_uroce_qp_ex(qpx), IBV_WR_LOCAL_INV);

	if (wqe)
		wqe->inv_rkey = invalidate_rkey;
}

/*
 * The window's key changes at once, for the next bind in the section. The new
 * key stays valid for later binds if the section fails: the engine finds the
 * window by the index part of the key.
 */
static void wr_bind_mw(struct ibv_qp_ex *qpx, struct ibv_mw *mw, uint32_t rkey,
		       const struct ibv_mw_bind_info *bind_info)
{
	struct uroce_verbs_qp *qp = to_uroce_qp_ex(qpx);
	struct uroce_send_wqe *wqe = wr_slot(qp, IBV_WR_BIND_MW);

	if (!wqe)
		return;
	if (!mw || mw->type != IBV_MW_TYPE_2 ||
	    uroce_wqe_set_bind(wqe, mw, rkey, bind_info))
		wr_fail(qp, EINVAL);
}

/* -- setters -- */

static void wr_set_ud_addr(struct ibv_qp_ex *qpx, struct ibv_ah *ah,
			   uint32_t remote_qpn, uint32_t remote_qkey)
{
	struct uroce_verbs_qp *qp = to_uroce_qp_ex(qpx);

	if (!qp->wr_wqe || !qp->wr_wants_addr ||
	    qp->vqp.qp.qp_type != IBV_QPT_UD)
		return;
	qp->wr_wants_addr = false;
	if (ah)
		uroce_wqe_set_ud(qp, qp->wr_wqe, ah, remote_qpn, remote_qkey);
	else
		wr_fail(qp, EINVAL);
}

static void wr_set_xrc_srqn(struct ibv_qp_ex *qpx, uint32_t remote_srqn)
{
	struct uroce_verbs_qp *qp = to_uroce_qp_ex(qpx);

	if (!qp->wr_wqe || qp->vqp.qp.qp_type != IBV_QPT_XRC_SEND)
		return;
	qp->wr_wants_addr = false;
	qp->wr_wqe->remote.xrc_srqn = remote_srqn;
}

static void wr_set_sge_list(struct ibv_qp_ex *qpx, size_t num_sge,
			    const struct ibv_sge *sg_list)
{
	struct uroce_verbs_qp *qp = to_uroce_qp_ex(qpx);

	if (qp->wr_wqe && uroce_wqe_set_sges(qp, qp->wr_wqe, sg_list, num_sge))
		wr_fail(qp, EINVAL);
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

static void wr_set_inline_data_list(struct ibv_qp_ex *qpx, size_t num_buf,
				    const struct ibv_data_buf *buf_list)
{
	struct uroce_verbs_qp *qp = to_uroce_qp_ex(qpx);
	struct uroce_send_wqe *wqe = qp->wr_wqe;

	if (!wqe)
		return;
	if (!(uroce_op_traits((enum ibv_wr_opcode)wqe->opcode) &
	      UROCE_OP_INLINE)) {
		wr_fail(qp, EINVAL);
		return;
	}
	wqe->flags |= IBV_SEND_INLINE;
	wqe->length = 0;
	for (size_t i = 0; i < num_buf; i++)
		if (uroce_wqe_add_inline(qp, wqe, buf_list[i].addr,
					 buf_list[i].length)) {
			wr_fail(qp, EINVAL);
			return;
		}
}

static void wr_set_inline_data(struct ibv_qp_ex *qpx, void *addr, size_t length)
{
	const struct ibv_data_buf buf = { .addr = addr, .length = length };

	wr_set_inline_data_list(qpx, 1, &buf);
}

/* -- the section -- */

/* Blocks all signals: their handlers may open nested sections, too. */
static void wr_start_nested(struct uroce_verbs_qp *qp)
{
	sigset_t before;

	signals_block(&before);
	if (!qp->wr_nested++) {
		qp->wr_interrupted.nr = qp->wr_nr;
		qp->wr_interrupted.wqe = qp->wr_wqe;
		qp->wr_interrupted.wants_addr = qp->wr_wants_addr;
		qp->wr_interrupted.err = qp->wr_err;
		qp->wr_wqe = NULL;
		qp->wr_wants_addr = false;
		qp->wr_err = EBUSY;
	}
	signals_restore(&before);
}

static int wr_end_nested(struct uroce_verbs_qp *qp)
{
	sigset_t before;

	signals_block(&before);
	if (!--qp->wr_nested) {
		qp->wr_nr = qp->wr_interrupted.nr;
		qp->wr_wqe = qp->wr_interrupted.wqe;
		qp->wr_wants_addr = qp->wr_interrupted.wants_addr;
		qp->wr_err = qp->wr_interrupted.err;
	}
	signals_restore(&before);
	return EBUSY;
}

static void wr_start(struct ibv_qp_ex *qpx)
{
	struct uroce_verbs_qp *qp = to_uroce_qp_ex(qpx);

	uroce_sq_expect(qp);
	if (!uroce_spin_lock_unless_own(&qp->sq_lock)) {
		wr_start_nested(qp);
		return;
	}
	qp->wr_nr = 0;
	qp->wr_wqe = NULL;
	qp->wr_err = uroce_sq_may_post(qp) ? 0 : EINVAL;
	qp->wr_wants_addr = false;
}

static int wr_complete(struct ibv_qp_ex *qpx)
{
	struct uroce_verbs_qp *qp = to_uroce_qp_ex(qpx);
	bool posted;
	int err;

	if (__builtin_expect(qp->wr_nested, 0))
		return wr_end_nested(qp);
	if (qp->wr_wants_addr)
		wr_fail(qp, EINVAL);
	err = qp->wr_err;
	posted = !err && qp->wr_nr;
	if (posted)
		uroce_sq_publish(qp, qp->wr_nr);
	uroce_spin_unlock(&qp->sq_lock);
	if (posted)
		uroce_sq_post(qp);
	return err;
}

static void wr_abort(struct ibv_qp_ex *qpx)
{
	struct uroce_verbs_qp *qp = to_uroce_qp_ex(qpx);

	if (qp->wr_nested)
		(void)wr_end_nested(qp); /* always EBUSY */
	else
		uroce_spin_unlock(&qp->sq_lock);
}

/*
 * Sets all functions, also those that the application did not request.
 * wr_slot() refuses an operation that the QP type does not support, so the
 * application gets an error instead of a call through NULL.
 */
void uroce_wr_init(struct ibv_qp_ex *qp)
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
	qp->wr_set_xrc_srqn = wr_set_xrc_srqn;
	qp->wr_set_sge = wr_set_sge;
	qp->wr_set_sge_list = wr_set_sge_list;
	qp->wr_set_inline_data = wr_set_inline_data;
	qp->wr_set_inline_data_list = wr_set_inline_data_list;
}
