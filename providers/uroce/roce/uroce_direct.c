/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Direct access, by uroce_channel.direct_copy (CMA) or in memory that both
 * processes have mapped. uroce_requester_next() and quick posts call
 * uroce_direct_try() for each request whose turn has come.
 */
#include "uroce/roce/uroce_direct.h"

#include "uroce/qp/uroce_completion.h"
#include "uroce/qp/uroce_place.h"
#include "uroce/qp/uroce_sq.h"
#include "uroce/roce/uroce_direct_parts.h"
#include "uroce/roce/uroce_engine.h"
#include "uroce/roce/uroce_requester.h"

static bool is_atomic(const struct uroce_send_wqe *wqe)
{
	return wqe->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD ||
	       wqe->opcode == IBV_WR_ATOMIC_CMP_AND_SWP;
}

static bool is_suited(const struct uroce_qp *qp,
		      const struct uroce_send_wqe *wqe)
{
	switch (wqe->opcode) {
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_READ:
		break;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		if (!uroce_direct_is_aligned(wqe->remote.va))
			return false;
		break;
	default:
		return false;
	}
	return wqe->length && wqe->length <= UROCE_DIRECT_MAX &&
	       uroce_sq_check(qp, wqe) == IBV_WC_SUCCESS;
}

/*
 * Whether all SGEs are in ordinary MRs. The null MR reads as zeros, of which
 * there are enough for one packet only.
 */
static bool is_memory(const struct uroce_memory *memory,
		      const struct uroce_send_wqe *wqe)
{
	for (uint32_t i = 0; i < wqe->nr_sge; i++) {
		const struct uroce_region *region =
			uroce_memory_find(memory, wqe->sge[i].lkey);

		if (!region || region->kind != UROCE_REGION_MEMORY)
			return false;
	}
	return true;
}

/* Resolve the local memory of a chunk; false: no right, or no ordinary MR. */
static bool find_memory(const struct uroce_qp *qp, struct uroce_send_wqe *wqe,
			uint32_t chunk, struct uroce_iovecs *ret_iovecs)
{
	const struct uroce_sge_list list =
		uroce_sq_sge_list(qp, wqe, wqe->opcode != IBV_WR_RDMA_WRITE);
	struct uroce_cursor cursor = {};

	if (wqe->flags & IBV_SEND_INLINE && wqe->opcode == IBV_WR_RDMA_WRITE) {
		uroce_iovecs_set(ret_iovecs, (uint8_t *)wqe->sge, chunk, false);
		return true;
	}
	return is_memory(list.memory, wqe) &&
	       !uroce_sge_resolve(&list, &cursor, qp->roce->req.copied, chunk,
				  ret_iovecs);
}

static bool is_possible(const struct uroce_qp *qp,
			const struct uroce_send_wqe *wqe)
{
	const struct uroce_channel *channel = qp->roce->channel;

	return channel && (channel->direct_copy || channel->nr_shared) &&
	       uroce_direct_is_free(qp) && is_suited(qp, wqe);
}

static void direct_gather(uint8_t *to, const struct uroce_direct_access *copy)
{
	for (uint32_t i = 0; i < copy->nr_iov; i++) {
		const struct iovec *iov = &copy->iov[i];

		uroce_place(to, iov->iov_base, iov->iov_len);
		to += iov->iov_len;
	}
}

static void scatter(const struct uroce_direct_access *copy, const uint8_t *from)
{
	for (uint32_t i = 0; i < copy->nr_iov; i++) {
		const struct iovec *iov = &copy->iov[i];

		uroce_place(iov->iov_base, from, iov->iov_len);
		from += iov->iov_len;
	}
}

static void direct_execute(const struct uroce_send_wqe *wqe, uint8_t *there,
			   const struct uroce_direct_access *copy)
{
	uint64_t orig;

	if (wqe->opcode == IBV_WR_RDMA_WRITE) {
		direct_gather(there, copy);
		return;
	}
	if (wqe->opcode == IBV_WR_RDMA_READ) {
		scatter(copy, there);
		return;
	}
	orig = uroce_direct_atomic(wqe, there);
	scatter(copy, (const uint8_t *)&orig);
}

/* Execute a chunk in memory that both processes have mapped. */
static bool do_shared(const struct uroce_qp *qp,
		      const struct uroce_send_wqe *wqe,
		      const struct uroce_direct_access *copy)
{
	struct uroce_channel *channel = qp->roce->channel;
	uint8_t *there;
	bool aligned;

	if (!uroce_channel_is_shared(channel))
		return false;
	there = channel->direct_begin(channel, copy);
	if (!there)
		return false;
	aligned = !is_atomic(wqe) || uroce_direct_is_aligned((uintptr_t)there);
	if (aligned)
		direct_execute(wqe, there, copy);
	channel->direct_end(channel);
	return aligned;
}

/*
 * Execute a chunk by CMA. After the first chunk it no longer matters whether
 * the peer polls.
 */
static bool do_copy(const struct uroce_qp *qp, const struct uroce_send_wqe *wqe,
		    const struct uroce_direct_access *copy)
{
	struct uroce_channel *channel = qp->roce->channel;

	if (!channel->direct_copy || is_atomic(wqe) ||
	    (!qp->roce->req.copied &&
	     channel->is_recently_polling(channel, wqe->length)))
		return false;
	return !channel->direct_copy(channel, copy);
}

static bool do_part(const struct uroce_qp *qp, struct uroce_send_wqe *wqe,
		    uint32_t chunk)
{
	struct uroce_iovecs iovecs;
	struct uroce_direct_access copy;

	if (!find_memory(qp, wqe, chunk, &iovecs))
		return false;
	copy = uroce_direct_wish(qp, wqe);
	copy.read = wqe->opcode == IBV_WR_RDMA_READ;
	copy.offset = qp->roce->req.copied;
	copy.chunk = chunk;
	copy.iov = iovecs.iov;
	copy.nr_iov = iovecs.nr;
	return do_shared(qp, wqe, &copy) || do_copy(qp, wqe, &copy);
}

enum uroce_direct uroce_direct_try(struct uroce_qp *qp,
				   struct uroce_send_wqe *wqe)
{
	struct uroce_requester *req = &qp->roce->req;
	uint32_t chunk = wqe->length - req->copied;

	if (qp->roce->channel && chunk > qp->roce->channel->chunk)
		chunk = qp->roce->channel->chunk;
	if (!is_possible(qp, wqe) || !do_part(qp, wqe, chunk)) {
		req->copied = 0;
		return UROCE_DIRECT_NO;
	}
	req->copied += chunk;
	if (req->copied < wqe->length)
		return UROCE_DIRECT_MORE;
	req->copied = 0;
	qp->cur++;
	uroce_complete_send(qp, IBV_WC_SUCCESS);
	uroce_sq_check_oldest(qp);
	return UROCE_DIRECT_DONE;
}
