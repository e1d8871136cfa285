/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Extended polling: start_poll, next_poll, end_poll and the read functions of
 * an ibv_cq_ex. Applications call them through the pointers that
 * siw_cq_ex_init() sets. The read functions read cq->current.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdint.h>

#include "siw/siw.h"
#include "siw/siw_cq_take.h"
#include "siw/siw_wc.h"

/* Makes the next CQE the current one. */
static int siw_cq_advance_locked(struct siw_cq *cq)
{
	if (!siw_cq_take_cqe(cq, &cq->current))
		return ENOENT;
	cq->vcq.cq_ex.wr_id = cq->current.id;
	cq->vcq.cq_ex.status = siw_wc_status(&cq->current);
	return 0;
}

static int siw_cq_start_poll(struct ibv_cq_ex *ibcq,
			     struct ibv_poll_cq_attr *attr)
{
	struct siw_cq *cq = to_siw_cq_ex(ibcq);
	int err;

	if (attr->comp_mask)
		return EINVAL;

	siw_cq_lock(cq);
	err = siw_cq_advance_locked(cq);
	if (err) /* the application does not call end_poll */
		siw_cq_unlock(cq);
	return err;
}

static int siw_cq_next_poll(struct ibv_cq_ex *ibcq)
{
	return siw_cq_advance_locked(to_siw_cq_ex(ibcq));
}

static void siw_cq_end_poll(struct ibv_cq_ex *ibcq)
{
	siw_cq_unlock(to_siw_cq_ex(ibcq));
}

static enum ibv_wc_opcode siw_cq_read_opcode(struct ibv_cq_ex *ibcq)
{
	return siw_wc_opcode(&to_siw_cq_ex(ibcq)->current);
}

static uint32_t siw_cq_read_byte_len(struct ibv_cq_ex *ibcq)
{
	return to_siw_cq_ex(ibcq)->current.bytes;
}

/* iWARP has no immediate data: the word is the invalidated rkey. */
static __be32 siw_cq_read_imm_data(struct ibv_cq_ex *ibcq)
{
	return (__be32)to_siw_cq_ex(ibcq)->current.inval_stag;
}

static uint32_t siw_cq_read_qp_num(struct ibv_cq_ex *ibcq)
{
	return (uint32_t)to_siw_cq_ex(ibcq)->current.qp_id;
}

static unsigned int siw_cq_read_wc_flags(struct ibv_cq_ex *ibcq)
{
	return siw_wc_flags(&to_siw_cq_ex(ibcq)->current);
}

/* Fields that iWARP lacks are 0, as in ibv_poll_cq(). */

static uint32_t siw_cq_read_zero_32(struct ibv_cq_ex *ibcq)
{
	(void)ibcq;
	return 0;
}

static uint8_t siw_cq_read_zero_8(struct ibv_cq_ex *ibcq)
{
	(void)ibcq;
	return 0;
}

void siw_cq_ex_init(struct ibv_cq_ex *cq)
{
	cq->start_poll = siw_cq_start_poll;
	cq->next_poll = siw_cq_next_poll;
	cq->end_poll = siw_cq_end_poll;
	cq->read_opcode = siw_cq_read_opcode;
	cq->read_vendor_err = siw_cq_read_zero_32;
	/* Every field of SIW_WC_FLAGS, whether requested or not. */
	cq->read_byte_len = siw_cq_read_byte_len;
	cq->read_imm_data = siw_cq_read_imm_data;
	cq->read_qp_num = siw_cq_read_qp_num;
	cq->read_src_qp = siw_cq_read_zero_32;
	cq->read_wc_flags = siw_cq_read_wc_flags;
	cq->read_slid = siw_cq_read_zero_32;
	cq->read_sl = siw_cq_read_zero_8;
	cq->read_dlid_path_bits = siw_cq_read_zero_8;
}
