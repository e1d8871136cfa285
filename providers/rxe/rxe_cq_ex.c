/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Extended polling: start_poll, next_poll, end_poll and the read functions of
 * an ibv_cq_ex. Applications call them through the pointers that
 * rxe_cq_ex_init() sets; the fields they read stand in the ring, at
 * cq->current, until the next element is asked for.
 *
 * An element is given back to the kernel as soon as the next one is asked for
 * and not only by end_poll: a CQ would overrun otherwise when its elements
 * cause new requests, as they do in a server, and are polled in one go.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdint.h>

#include "rxe/rxe.h"
#include "rxe/rxe_wc.h"

/* Makes the element at our index the current one; its lock is held. */
static int cq_enter_locked(struct rxe_cq *cq)
{
	struct rxe_ring *ring = &cq->ring;

	if (rxe_ring_empty(ring, ring->index)) {
		cq->current = NULL;
		return ENOENT;
	}
	cq->current = rxe_ring_elem(ring, ring->index);
	cq->vcq.cq_ex.wr_id = cq->current->wr_id;
	cq->vcq.cq_ex.status = (enum ibv_wc_status)cq->current->status;
	return 0;
}

/* Gives the current element back, if there is one. */
static void cq_leave_locked(struct rxe_cq *cq)
{
	if (!cq->current)
		return;
	cq->current = NULL;
	rxe_ring_consume(&cq->ring, rxe_ring_next(&cq->ring, cq->ring.index));
}

static int cq_start_poll(struct ibv_cq_ex *ibcq, struct ibv_poll_cq_attr *attr)
{
	struct rxe_cq *cq = to_rxe_cq_ex(ibcq);
	int err;

	if (attr->comp_mask)
		return EINVAL;

	rxe_cq_lock(cq);
	err = cq_enter_locked(cq);
	if (err) /* end_poll is not called then */
		rxe_cq_unlock(cq);
	return err;
}

static int cq_next_poll(struct ibv_cq_ex *ibcq)
{
	struct rxe_cq *cq = to_rxe_cq_ex(ibcq);

	cq_leave_locked(cq);
	return cq_enter_locked(cq);
}

static void cq_end_poll(struct ibv_cq_ex *ibcq)
{
	struct rxe_cq *cq = to_rxe_cq_ex(ibcq);

	cq_leave_locked(cq);
	rxe_cq_unlock(cq);
}

static enum ibv_wc_opcode read_opcode(struct ibv_cq_ex *ibcq)
{
	return (enum ibv_wc_opcode)to_rxe_cq_ex(ibcq)->current->opcode;
}

static uint32_t read_vendor_err(struct ibv_cq_ex *ibcq)
{
	return to_rxe_cq_ex(ibcq)->current->vendor_err;
}

static uint32_t read_byte_len(struct ibv_cq_ex *ibcq)
{
	return to_rxe_cq_ex(ibcq)->current->byte_len;
}

/* Also the invalidated key: the same word, in host order. */
static __be32 read_imm_data(struct ibv_cq_ex *ibcq)
{
	return to_rxe_cq_ex(ibcq)->current->ex.imm_data;
}

static uint32_t read_qp_num(struct ibv_cq_ex *ibcq)
{
	return to_rxe_cq_ex(ibcq)->current->qp_num;
}

static uint32_t read_src_qp(struct ibv_cq_ex *ibcq)
{
	return to_rxe_cq_ex(ibcq)->current->src_qp;
}

static unsigned int read_wc_flags(struct ibv_cq_ex *ibcq)
{
	return rxe_wc_flags(to_rxe_cq_ex(ibcq)->current);
}

static uint32_t read_slid(struct ibv_cq_ex *ibcq)
{
	return to_rxe_cq_ex(ibcq)->current->slid;
}

static uint8_t read_sl(struct ibv_cq_ex *ibcq)
{
	return to_rxe_cq_ex(ibcq)->current->sl;
}

static uint8_t read_dlid_path_bits(struct ibv_cq_ex *ibcq)
{
	return to_rxe_cq_ex(ibcq)->current->dlid_path_bits;
}

void rxe_cq_ex_init(struct ibv_cq_ex *cq)
{
	cq->start_poll = cq_start_poll;
	cq->next_poll = cq_next_poll;
	cq->end_poll = cq_end_poll;
	cq->read_opcode = read_opcode;
	cq->read_vendor_err = read_vendor_err;
	/* All that RXE_WC_FLAGS allows; a field not asked for does no harm. */
	cq->read_byte_len = read_byte_len;
	cq->read_imm_data = read_imm_data;
	cq->read_qp_num = read_qp_num;
	cq->read_src_qp = read_src_qp;
	cq->read_wc_flags = read_wc_flags;
	cq->read_slid = read_slid;
	cq->read_sl = read_sl;
	cq->read_dlid_path_bits = read_dlid_path_bits;
}
