/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Extended polling: start_poll, next_poll, end_poll and the read functions of
 * an ibv_cq_ex. Applications call them through the pointers that
 * rxe_cq_ex_init() sets. The read functions read the CQE at cq->current, in the
 * ring, which is valid until the next call of next_poll or end_poll.
 *
 * next_poll releases the previous CQE to the kernel; it does not leave that to
 * end_poll. Otherwise the CQ would overrun in a server that posts new work
 * requests for the CQEs it polls, all within one start_poll.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "rxe/rxe.h"
#include "rxe/rxe_wc.h"

/* Out of line because it is rare. */
static __attribute__((cold, noinline)) int
rxe_cq_fix_flags(struct ibv_cq_ex *ibcq)
{
	struct rxe_cq *cq = to_rxe_cq_ex(ibcq);

	cq->current->wc_flags = rxe_wc_flags(cq->current->wc_flags);
	return 0;
}

/*
 * Makes the CQE at @index, the consumer index, the current one. The kernel does
 * not write to it before it is released, so the flags are translated in place.
 */
static inline int rxe_cq_set_current_locked(struct rxe_cq *cq, uint32_t index)
{
	struct rxe_ring *ring = &cq->ring;
	struct ib_uverbs_wc *cqe = rxe_ring_elem(ring, index);

	ring->index = rxe_ring_next(ring, index);
	cq->current = cqe;
	cq->vcq.cq_ex.wr_id = cqe->wr_id;
	cq->vcq.cq_ex.status = (enum ibv_wc_status)cqe->status;
	return cqe->wc_flags & ~RXE_WC_SAME_FLAGS
		       ? rxe_cq_fix_flags(&cq->vcq.cq_ex)
		       : 0;
}

/* Reloads the producer index. Return: whether there is an unread CQE. */
static inline bool rxe_cq_refresh_locked(struct rxe_ring *ring)
{
	ring->kernel_index = rxe_ring_load_producer(ring);
	return ring->index != ring->kernel_index;
}

static int rxe_cq_start_poll_nolock(struct ibv_cq_ex *ibcq,
				    struct ibv_poll_cq_attr *attr)
{
	struct rxe_cq *cq = to_rxe_cq_ex(ibcq);

	if (attr->comp_mask)
		return EINVAL;
	if (!rxe_cq_refresh_locked(&cq->ring))
		return ENOENT;
	return rxe_cq_set_current_locked(cq, cq->ring.index);
}

/* Not inline: see rxe_cq_lock_and_poll(). */
static __attribute__((noinline)) int rxe_cq_lock_and_start(struct rxe_cq *cq)
{
	(void)pthread_spin_lock(&cq->lock); /* fails on misuse only */
	if (!rxe_cq_refresh_locked(&cq->ring)) {
		/* the application does not call end_poll */
		(void)pthread_spin_unlock(&cq->lock);
		return ENOENT;
	}
	return rxe_cq_set_current_locked(cq, cq->ring.index);
}

static int rxe_cq_start_poll(struct ibv_cq_ex *ibcq,
			     struct ibv_poll_cq_attr *attr)
{
	return attr->comp_mask ? EINVAL
			       : rxe_cq_lock_and_start(to_rxe_cq_ex(ibcq));
}

/* All CQEs up to the cached producer index have been read. */
static __attribute__((noinline)) int
rxe_cq_refresh_and_next(struct ibv_cq_ex *ibcq)
{
	struct rxe_cq *cq = to_rxe_cq_ex(ibcq);

	if (rxe_cq_refresh_locked(&cq->ring))
		return rxe_cq_set_current_locked(cq, cq->ring.index);
	cq->current = NULL;
	return ENOENT;
}

/* Without a current CQE, the release stores the same index again. */
static int rxe_cq_next_poll(struct ibv_cq_ex *ibcq)
{
	struct rxe_cq *cq = to_rxe_cq_ex(ibcq);
	uint32_t index = cq->ring.index;

	rxe_ring_release(&cq->ring, index);
	if (index == cq->ring.kernel_index)
		return rxe_cq_refresh_and_next(ibcq);
	return rxe_cq_set_current_locked(cq, index);
}

static void rxe_cq_end_poll_nolock(struct ibv_cq_ex *ibcq)
{
	struct rxe_ring *ring = &to_rxe_cq_ex(ibcq)->ring;

	rxe_ring_release(ring, ring->index);
}

static void rxe_cq_end_poll(struct ibv_cq_ex *ibcq)
{
	rxe_cq_end_poll_nolock(ibcq);
	(void)pthread_spin_unlock(&to_rxe_cq_ex(ibcq)->lock);
}

static enum ibv_wc_opcode rxe_cq_read_opcode(struct ibv_cq_ex *ibcq)
{
	return (enum ibv_wc_opcode)to_rxe_cq_ex(ibcq)->current->opcode;
}

static uint32_t rxe_cq_read_vendor_err(struct ibv_cq_ex *ibcq)
{
	return to_rxe_cq_ex(ibcq)->current->vendor_err;
}

static uint32_t rxe_cq_read_byte_len(struct ibv_cq_ex *ibcq)
{
	return to_rxe_cq_ex(ibcq)->current->byte_len;
}

/* Returns the invalidated rkey, too: the same word, in host byte order. */
static __be32 rxe_cq_read_imm_data(struct ibv_cq_ex *ibcq)
{
	return to_rxe_cq_ex(ibcq)->current->ex.imm_data;
}

static uint32_t rxe_cq_read_qp_num(struct ibv_cq_ex *ibcq)
{
	return to_rxe_cq_ex(ibcq)->current->qp_num;
}

static uint32_t rxe_cq_read_src_qp(struct ibv_cq_ex *ibcq)
{
	return to_rxe_cq_ex(ibcq)->current->src_qp;
}

static unsigned int rxe_cq_read_wc_flags(struct ibv_cq_ex *ibcq)
{
	return to_rxe_cq_ex(ibcq)->current->wc_flags;
}

static uint32_t rxe_cq_read_slid(struct ibv_cq_ex *ibcq)
{
	return to_rxe_cq_ex(ibcq)->current->slid;
}

static uint8_t rxe_cq_read_sl(struct ibv_cq_ex *ibcq)
{
	return to_rxe_cq_ex(ibcq)->current->sl;
}

static uint8_t rxe_cq_read_dlid_path_bits(struct ibv_cq_ex *ibcq)
{
	return to_rxe_cq_ex(ibcq)->current->dlid_path_bits;
}

void rxe_cq_ex_init(struct ibv_cq_ex *cq, bool single_threaded)
{
	cq->start_poll = single_threaded ? rxe_cq_start_poll_nolock
					 : rxe_cq_start_poll;
	cq->next_poll = rxe_cq_next_poll;
	cq->end_poll = single_threaded ? rxe_cq_end_poll_nolock
				       : rxe_cq_end_poll;
	cq->read_opcode = rxe_cq_read_opcode;
	cq->read_vendor_err = rxe_cq_read_vendor_err;
	/* Every field of RXE_WC_FLAGS, whether requested or not. */
	cq->read_byte_len = rxe_cq_read_byte_len;
	cq->read_imm_data = rxe_cq_read_imm_data;
	cq->read_qp_num = rxe_cq_read_qp_num;
	cq->read_src_qp = rxe_cq_read_src_qp;
	cq->read_wc_flags = rxe_cq_read_wc_flags;
	cq->read_slid = rxe_cq_read_slid;
	cq->read_sl = rxe_cq_read_sl;
	cq->read_dlid_path_bits = rxe_cq_read_dlid_path_bits;
}
