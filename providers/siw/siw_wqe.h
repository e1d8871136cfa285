/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fills a WQE of a send queue; shared by siw_post.c and siw_wr.c.
 * siw_slot_publish() stores the flags last; until then the provider owns the
 * WQE. Inline data is in the place of the second and later SGEs.
 */
#ifndef SIW_WQE_H
#define SIW_WQE_H

#include <assert.h>
#include <infiniband/verbs.h>
#include <rdma/siw-abi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static_assert(sizeof(struct siw_sge) == sizeof(struct ibv_sge), "size");
static_assert(offsetof(struct siw_sge, laddr) ==
			      offsetof(struct ibv_sge, addr) &&
		      offsetof(struct siw_sge, length) ==
			      offsetof(struct ibv_sge, length) &&
		      offsetof(struct siw_sge, lkey) ==
			      offsetof(struct ibv_sge, lkey),
	      "SGEs are copied without conversion");

/* Flags to publish the WQE with, except INLINE. */
static inline uint16_t siw_sqe_flags(unsigned int send_flags, bool signal_all)
{
	unsigned int flags = 0;

	if (signal_all || (send_flags & IBV_SEND_SIGNALED))
		flags |= SIW_WQE_SIGNALLED;
	if (send_flags & IBV_SEND_SOLICITED)
		flags |= SIW_WQE_SOLICITED;
	if (send_flags & IBV_SEND_FENCE)
		flags |= SIW_WQE_READ_FENCE;
	return (uint16_t)flags;
}

/* The driver rejects a fence on a READ, the operation that fences wait for. */
static inline uint16_t siw_sqe_read_flags(uint16_t flags)
{
	return (uint16_t)(flags & ~SIW_WQE_READ_FENCE);
}

static inline void siw_sqe_set_sges(struct siw_sqe *sqe,
				    const struct ibv_sge *sges, uint32_t nr)
{
	if (nr)
		memcpy(sqe->sge, sges, nr * sizeof(*sges));
	sqe->num_sge = (uint8_t)nr;
}

/* Place of the inline data, SIW_MAX_INLINE bytes. */
static inline uint8_t *siw_sqe_inline(struct siw_sqe *sqe)
{
	return (uint8_t *)&sqe->sge[1];
}

/* The kernel sets the address, to that of its own copy. */
static inline void siw_sqe_set_inline(struct siw_sqe *sqe, uint32_t length)
{
	sqe->sge[0] = (struct siw_sge){ .length = length };
	sqe->num_sge = 1;
}

/* The driver accepts inline data for these opcodes only. */
static inline bool siw_op_has_inline(uint8_t opcode)
{
	return opcode == SIW_OP_SEND || opcode == SIW_OP_WRITE;
}

#endif
