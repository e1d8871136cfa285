/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fills a work queue element (WQE) field by field. Both ways of posting,
 * ibv_post_send() in rxe_post.c and ibv_wr_*() in rxe_wr.c, use these
 * functions, so the same work request results in the same WQE.
 *
 * A slot of the ring still contains the previous WQE, so every field that the
 * kernel reads must be written. rxe_wqe_init() zeroes everything except the
 * operation's address fields and the data; the functions after it write those.
 *
 * The caller owns the slot: it holds sq.lock and has not published the slot.
 */
#ifndef RXE_WQE_H
#define RXE_WQE_H

#include <assert.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_rxe.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "rxe/rxe.h"

/* The part of a key that is not the index of the object. */
#define RXE_KEY_MASK 0xffu

/* The kernel reads the application's opcodes, flags and SGEs unchanged. */
static_assert((int)IBV_WR_RDMA_WRITE == IB_UVERBS_WR_RDMA_WRITE, "opcode");
static_assert((int)IBV_WR_LOCAL_INV == IB_UVERBS_WR_LOCAL_INV, "opcode");
static_assert((int)IBV_WR_BIND_MW == IB_UVERBS_WR_BIND_MW, "opcode");
static_assert((int)IBV_WR_SEND_WITH_INV == IB_UVERBS_WR_SEND_WITH_INV,
	      "opcode");
static_assert(sizeof(struct ibv_sge) == sizeof(struct rxe_sge) &&
		      offsetof(struct ibv_sge, addr) ==
			      offsetof(struct rxe_sge, addr) &&
		      offsetof(struct ibv_sge, length) ==
			      offsetof(struct rxe_sge, length) &&
		      offsetof(struct ibv_sge, lkey) ==
			      offsetof(struct rxe_sge, lkey),
	      "SGE");

/* SGEs, inline data or the atomic-write value follow the fixed part. */
#define RXE_SEND_WQE_LEN offsetof(struct rxe_send_wqe, dma.sge)
#define RXE_RECV_WQE_LEN offsetof(struct rxe_recv_wqe, dma.sge)

#define RXE_ATOMIC_LEN 8 /* bytes; IBTA, 9.4.5 */

/* Longest message, IBTA 9.7.8: 2 GiB. */
#define RXE_MAX_MSG_LEN (UINT64_C(1) << 31)

/* Address part of a flush WQE; kernel headers before 6.3 lack it. */
struct rxe_wr_flush {
	__aligned_u64 remote_addr;
	__u32 length;
	__u32 rkey;
	__u8 type;  /* enum ibv_placement_type */
	__u8 level; /* enum ibv_selectivity_level */
	__u8 padding[6];
};

static_assert(sizeof(struct rxe_wr_flush) <=
		      sizeof(((struct rxe_send_wr *)NULL)->wr),
	      "flush request");

/* Start of the state that the kernel keeps in a WQE; 0 in a new one. */
#define RXE_WQE_STATE_OFFSET offsetof(struct rxe_send_wqe, status)

static inline void rxe_wqe_init(struct rxe_send_wqe *wqe, uint64_t wr_id,
				uint32_t opcode, uint32_t send_flags,
				uint32_t ssn)
{
	wqe->wr.wr_id = wr_id;
	wqe->wr.reserved = 0;
	wqe->wr.opcode = opcode;
	wqe->wr.send_flags = send_flags;
	wqe->wr.ex.invalidate_rkey = 0;
	/* status, state, iova, the packet numbers, and an empty data segment */
	memset((uint8_t *)wqe + RXE_WQE_STATE_OFFSET, 0,
	       RXE_SEND_WQE_LEN - RXE_WQE_STATE_OFFSET);
	wqe->ssn = ssn;
}

/* -- address fields of an operation -- */

static inline void rxe_wqe_set_rdma(struct rxe_send_wqe *wqe,
				    uint64_t remote_addr, uint32_t rkey)
{
	wqe->wr.wr.rdma.remote_addr = remote_addr;
	wqe->wr.wr.rdma.rkey = rkey;
	wqe->wr.wr.rdma.reserved = 0;
	wqe->iova = remote_addr;
}

/* @compare_add: value to compare with, or to add; @swap: 0 for fetch-add */
static inline void rxe_wqe_set_atomic(struct rxe_send_wqe *wqe,
				      uint64_t remote_addr, uint32_t rkey,
				      uint64_t compare_add, uint64_t swap)
{
	wqe->wr.wr.atomic.remote_addr = remote_addr;
	wqe->wr.wr.atomic.compare_add = compare_add;
	wqe->wr.wr.atomic.swap = swap;
	wqe->wr.wr.atomic.rkey = rkey;
	wqe->wr.wr.atomic.reserved = 0;
	wqe->iova = remote_addr;
}

static inline void rxe_wqe_set_ud(struct rxe_send_wqe *wqe,
				  const struct rxe_ah *ah, uint32_t remote_qpn,
				  uint32_t remote_qkey)
{
	wqe->wr.wr.ud.remote_qpn = remote_qpn;
	wqe->wr.wr.ud.remote_qkey = remote_qkey;
	wqe->wr.wr.ud.pkey_index = 0;
	wqe->wr.wr.ud.reserved = 0;
	/* A kernel that numbers AHs does not read the address. */
	wqe->wr.wr.ud.ah_num = ah->ah_num;
	if (!ah->ah_num)
		wqe->wr.wr.ud.av = ah->av;
}

static inline void rxe_wqe_set_flush(struct rxe_send_wqe *wqe,
				     uint64_t remote_addr, uint32_t rkey,
				     uint32_t length, uint8_t type,
				     uint8_t level)
{
	const struct rxe_wr_flush flush = {
		.remote_addr = remote_addr,
		.length = length,
		.rkey = rkey,
		.type = type,
		.level = level,
	};

	memcpy(&wqe->wr.wr, &flush, sizeof(flush));
	wqe->iova = remote_addr;
	/* There is no data, but the kernel takes the length from here. */
	wqe->dma.length = length;
	wqe->dma.resid = length;
}

/*
 * rxe_wqe_set_mw() - bind @mw to the range in @info
 * @rkey: the low 8 bits are those of the new key; the others are ignored,
 *        because the index of a window does not change (IBTA 10.6.7.2.6)
 *
 * The kernel accepts a bind only with the window's current key, so mw->rkey is
 * changed at once; ibv_alloc_mw(3) says that binding changes it. If the work
 * request is not posted in the end, rxe_wqe_undo_mw() restores the key. It
 * finds the window through wqe->iova, which the kernel ignores for a local
 * operation.
 */
static inline void rxe_wqe_set_mw(struct rxe_send_wqe *wqe, struct ibv_mw *mw,
				  uint32_t rkey,
				  const struct ibv_mw_bind_info *info)
{
	wqe->wr.wr.mw.addr = info->addr;
	wqe->wr.wr.mw.length = info->length;
	wqe->wr.wr.mw.mr_lkey = info->mr ? info->mr->lkey : 0;
	wqe->wr.wr.mw.mw_rkey = mw->rkey;
	wqe->wr.wr.mw.rkey = (mw->rkey & ~RXE_KEY_MASK) | (rkey & RXE_KEY_MASK);
	wqe->wr.wr.mw.access = info->mw_access_flags;
	wqe->iova = (uintptr_t)mw;
	mw->rkey = wqe->wr.wr.mw.rkey;
}

static inline void rxe_wqe_undo_mw(struct rxe_send_wqe *wqe)
{
	struct ibv_mw *mw = (struct ibv_mw *)(uintptr_t)wqe->iova;

	mw->rkey = wqe->wr.wr.mw.mw_rkey;
}

/* Checks a bind work request. Return: 0 or a positive errno. */
static inline int rxe_bind_check(const struct ibv_mw *mw,
				 const struct ibv_mw_bind_info *info)
{
	/* IBTA 10.6.7.2.2: type 2 only, and window and region share a PD */
	if (!mw || mw->type != IBV_MW_TYPE_2 || !info->mr ||
	    info->mr->pd != mw->pd)
		return EINVAL;
	return 0;
}

/* -- data -- */

/* Sum of the SGE lengths; cannot overflow. */
static inline uint64_t rxe_sges_length(const struct ibv_sge *sge,
				       size_t num_sge)
{
	uint64_t length = 0;

	for (size_t i = 0; i < num_sge; i++)
		length += sge[i].length;
	return length;
}

static inline void rxe_wqe_set_sges(struct rxe_send_wqe *wqe,
				    const struct ibv_sge *sge, uint32_t num_sge,
				    uint32_t length)
{
	wqe->dma.length = length;
	wqe->dma.resid = length;
	wqe->dma.num_sge = num_sge;
	if (num_sge == 1) {
		wqe->dma.sge[0].addr = sge->addr;
		wqe->dma.sge[0].length = sge->length;
		wqe->dma.sge[0].lkey = sge->lkey;
	} else if (num_sge) { /* memcpy() must not get NULL, even for 0 bytes */
		memcpy(wqe->dma.sge, sge, num_sge * sizeof(*sge));
	}
}

/* The caller has copied the data to wqe->dma.inline_data. */
static inline void rxe_wqe_set_inline(struct rxe_send_wqe *wqe, uint32_t length)
{
	wqe->wr.send_flags |= IBV_SEND_INLINE;
	wqe->dma.length = length;
	wqe->dma.resid = length;
}

/* The caller has copied the value to wqe->dma.inline_data. */
static inline void rxe_wqe_set_atomic_write(struct rxe_send_wqe *wqe)
{
	wqe->dma.length = RXE_ATOMIC_LEN;
	wqe->dma.resid = RXE_ATOMIC_LEN;
}

#endif
