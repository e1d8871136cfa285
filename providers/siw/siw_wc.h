/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Translates a CQE of the kernel into the form that applications read. Both
 * ways of polling use it, siw_cq.c and siw_cq_ex.c. An unknown status becomes
 * IBV_WC_GENERAL_ERR.
 */
#ifndef SIW_WC_H
#define SIW_WC_H

#include <infiniband/verbs.h>
#include <rdma/siw-abi.h>
#include <string.h>

static inline enum ibv_wc_opcode siw_wc_opcode(const struct siw_cqe *cqe)
{
	switch (cqe->opcode) {
	case SIW_OP_WRITE:
		return IBV_WC_RDMA_WRITE;
	case SIW_OP_READ:
	case SIW_OP_READ_LOCAL_INV:
		return IBV_WC_RDMA_READ;
	case SIW_OP_RECEIVE:
		return IBV_WC_RECV;
	default: /* every SEND; user space gets no other opcode */
		return IBV_WC_SEND;
	}
}

static inline enum ibv_wc_status siw_wc_status(const struct siw_cqe *cqe)
{
	switch (cqe->status) {
	case SIW_WC_SUCCESS:
		return IBV_WC_SUCCESS;
	case SIW_WC_LOC_LEN_ERR:
		return IBV_WC_LOC_LEN_ERR;
	case SIW_WC_LOC_PROT_ERR:
		return IBV_WC_LOC_PROT_ERR;
	case SIW_WC_LOC_QP_OP_ERR:
		return IBV_WC_LOC_QP_OP_ERR;
	case SIW_WC_WR_FLUSH_ERR:
		return IBV_WC_WR_FLUSH_ERR;
	case SIW_WC_BAD_RESP_ERR:
		return IBV_WC_BAD_RESP_ERR;
	case SIW_WC_LOC_ACCESS_ERR:
		return IBV_WC_LOC_ACCESS_ERR;
	case SIW_WC_REM_ACCESS_ERR:
		return IBV_WC_REM_ACCESS_ERR;
	case SIW_WC_REM_INV_REQ_ERR:
		return IBV_WC_REM_INV_REQ_ERR;
	default:
		return IBV_WC_GENERAL_ERR;
	}
}

static inline unsigned int siw_wc_flags(const struct siw_cqe *cqe)
{
	return cqe->flags & SIW_WQE_REM_INVAL ? IBV_WC_WITH_INV : 0;
}

static inline void siw_wc_fill(struct ibv_wc *wc, const struct siw_cqe *cqe)
{
	*wc = (struct ibv_wc){
		.wr_id = cqe->id,
		.status = siw_wc_status(cqe),
		.opcode = siw_wc_opcode(cqe),
		.byte_len = cqe->bytes,
		.qp_num = (uint32_t)cqe->qp_id,
		.wc_flags = siw_wc_flags(cqe),
	};
	if (wc->wc_flags & IBV_WC_WITH_INV)
		wc->invalidated_rkey = cqe->inval_stag;
}

#endif
