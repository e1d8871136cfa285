/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The fast path without packets: short requests in memory that both sides have
 * mapped. The loop asks here before all else, for each post; uroce_direct_try()
 * does the same for whatever is not as usual.
 */
#include "uroce/engine/uroce_atomic.h"
#include "uroce/engine/uroce_fast_parts.h"
#include "uroce/engine/uroce_place.h"
#include "uroce/engine/uroce_request.h"

/* Nothing is on the way, and nothing stands in the way. */
static bool is_free(const struct uroce_qp *qp)
{
	const struct uroce_requester *req = &qp->req;

	return qp->type == IBV_QPT_RC && qp->state == IBV_QPS_RTS &&
	       !qp->condemned && !qp->channel->lost &&
	       req->cur == qp->sq.tail && req->una_psn == req->new_psn &&
	       req->resume_ns == UROCE_NEVER && !req->copied;
}

static bool is_atomic(const struct uroce_send_wqe *wqe)
{
	return wqe->length == UROCE_ATOMIC_BYTES &&
	       wqe->remote.va % UROCE_ATOMIC_BYTES == 0;
}

/* Of a kind and a length that are done here. */
static bool is_simple(const struct uroce_qp *qp,
		      const struct uroce_send_wqe *wqe)
{
	if (wqe->begun || !wqe->length || wqe->length > qp->mtu)
		return false;
	switch (wqe->opcode) {
	case IBV_WR_RDMA_WRITE:
		return true;
	case IBV_WR_RDMA_READ:
		return qp->max_rd_atomic;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		return qp->max_rd_atomic && is_atomic(wqe);
	default:
		return false;
	}
}

/* One piece, with the right that it needs; NULL: not here. */
static uint8_t *find_here(const struct uroce_qp *qp,
			  const struct uroce_send_wqe *wqe)
{
	const bool write = wqe->opcode == IBV_WR_RDMA_WRITE;

	if (write && (wqe->flags & IBV_SEND_INLINE))
		return (uint8_t *)wqe->sge;
	if (wqe->nr_sge != 1)
		return NULL;
	return uroce_fast_memory(&qp->engine->memory, qp->pd, &wqe->sge[0],
				 wqe->sge[0].length,
				 write ? 0 : IBV_ACCESS_LOCAL_WRITE);
}

/* Of a length that is the one of most, which needs no loop to copy. */
static void place(uint8_t *to, const uint8_t *from, uint32_t bytes)
{
	if (bytes == sizeof(uint64_t) && (uintptr_t)to % sizeof(uint64_t) == 0)
		uroce_place_word(to, from, sizeof(uint64_t));
	else
		uroce_place(to, from, bytes);
}

static bool execute(const struct uroce_send_wqe *wqe, uint8_t *here,
		    uint8_t *there)
{
	uint64_t orig;

	switch (wqe->opcode) {
	case IBV_WR_RDMA_WRITE:
		place(there, here, wqe->length);
		return true;
	case IBV_WR_RDMA_READ:
		place(here, there, wqe->length);
		return true;
	default:
		break;
	}
	if ((uintptr_t)there % UROCE_ATOMIC_BYTES)
		return false;
	if (wqe->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD)
		orig = uroce_atomic_add(there, wqe->remote.compare_add);
	else
		orig = uroce_atomic_swap(there, wqe->remote.compare_add,
					 wqe->remote.swap);
	place(here, (const uint8_t *)&orig, sizeof(orig));
	return true;
}

static bool do_request(const struct uroce_qp *qp,
		       const struct uroce_send_wqe *wqe)
{
	struct uroce_channel *channel = qp->channel;
	uint8_t *here = find_here(qp, wqe);
	const struct uroce_copy copy = {
		.access = uroce_request_remote_access(wqe),
		.qpn = qp->qpn,
		.dest_qpn = qp->dest_qpn,
		.rkey = wqe->remote.rkey,
		.va = wqe->remote.va,
		.bytes = wqe->length,
		.part = wqe->length,
	};
	uint8_t *there;
	bool done;

	if (!here)
		return false;
	there = channel->enter(channel, &copy);
	if (!there)
		return false;
	done = execute(wqe, here, there);
	channel->leave(channel);
	return done;
}

static void complete(struct uroce_qp *qp, const struct uroce_send_wqe *wqe,
		     uint64_t now)
{
	struct uroce_cqe *cqe = NULL;

	qp->req.cur++;
	if (!qp->sig_all && !(wqe->flags & IBV_SEND_SIGNALED)) {
		uroce_ring_take(&qp->sq);
		return;
	}
	if (wqe->opcode == IBV_WR_RDMA_WRITE)
		cqe = uroce_cq_vacant(qp->send_cq);
	if (!cqe) {
		uroce_complete_send(qp, IBV_WC_SUCCESS, now);
		return;
	}
	cqe->wr_id = wqe->wr_id;
	cqe->now_ns = now;
	cqe->byte_len = 0;
	cqe->imm = 0;
	cqe->wc_flags = 0;
	cqe->opcode = IBV_WC_RDMA_WRITE;
	uroce_ring_take(&qp->sq);
	uroce_fast_complete(qp, qp->send_cq, cqe, false);
}

bool uroce_fast_direct(struct uroce_qp *qp, uint64_t now)
{
	while (uroce_ring_has(&qp->sq, qp->req.cur)) {
		const struct uroce_send_wqe *wqe =
			uroce_ring_at(&qp->sq, qp->req.cur);

		if (!is_free(qp) || !is_simple(qp, wqe) || !do_request(qp, wqe))
			return false;
		complete(qp, wqe, now);
	}
	return true;
}
