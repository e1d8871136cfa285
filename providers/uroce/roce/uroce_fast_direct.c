/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fast path of direct access: the requester executes short requests itself, in
 * memory that both processes have mapped. uroce_worker_quick.c calls it first;
 * uroce_direct_try() handles the requests that do not qualify.
 */
#include "uroce/roce/uroce_direct_parts.h"
#include "uroce/roce/uroce_fast_parts.h"

/* Whether the opcode and the length qualify. */
static bool fast_direct_is_simple(const struct uroce_qp *qp,
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
		return qp->max_rd_atomic && wqe->length == UROCE_ATOMIC_BYTES &&
		       uroce_direct_is_aligned(wqe->remote.va);
	default:
		return false;
	}
}

/* Address of inline data or of the only SGE, if its lkey is valid; or NULL. */
static uint8_t *find_here(const struct uroce_qp *qp,
			  const struct uroce_send_wqe *wqe)
{
	const bool write = wqe->opcode == IBV_WR_RDMA_WRITE;

	if (write && (wqe->flags & IBV_SEND_INLINE))
		return (uint8_t *)wqe->sge;
	if (wqe->nr_sge != 1)
		return NULL;
	return uroce_fast_memory(qp->core->memory, qp->pd, &wqe->sge[0],
				 wqe->sge[0].length,
				 write ? 0 : IBV_ACCESS_LOCAL_WRITE);
}

static bool fast_direct_execute(const struct uroce_send_wqe *wqe, uint8_t *here,
				uint8_t *there)
{
	uint64_t orig;

	switch (wqe->opcode) {
	case IBV_WR_RDMA_WRITE:
		uroce_fast_place(there, here, wqe->length);
		return true;
	case IBV_WR_RDMA_READ:
		uroce_fast_place(here, there, wqe->length);
		return true;
	default:
		break;
	}
	if (!uroce_direct_is_aligned((uintptr_t)there))
		return false;
	orig = uroce_direct_atomic(wqe, there);
	uroce_fast_place(here, (const uint8_t *)&orig, sizeof(orig));
	return true;
}

static bool do_request(const struct uroce_qp *qp,
		       const struct uroce_send_wqe *wqe)
{
	struct uroce_channel *channel = qp->roce->channel;
	uint8_t *here = find_here(qp, wqe);
	struct uroce_direct_access copy = uroce_direct_wish(qp, wqe);
	uint8_t *there;
	bool done;

	if (!here)
		return false;
	copy.chunk = wqe->length;
	there = channel->direct_begin(channel, &copy);
	if (!there)
		return false;
	done = fast_direct_execute(wqe, here, there);
	channel->direct_end(channel);
	return done;
}

bool uroce_fast_direct(struct uroce_qp *qp)
{
	/* a receive WQE was posted: a full pass flushes it in ERR */
	if (!uroce_ring_has(&qp->sq, qp->cur))
		return false;
	while (uroce_ring_has(&qp->sq, qp->cur)) {
		struct uroce_send_wqe *wqe = uroce_ring_at(&qp->sq, qp->cur);

		if (!uroce_direct_is_free(qp) || qp->roce->req.copied ||
		    !fast_direct_is_simple(qp, wqe) || !do_request(qp, wqe))
			return false;
		qp->cur++;
		uroce_fast_complete_send(qp, wqe);
	}
	return true;
}
