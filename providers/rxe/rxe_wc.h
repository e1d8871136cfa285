/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the kernel writes into a completion queue, and how it becomes what an
 * application reads. Used by the two ways of polling, rxe_cq.c and rxe_cq_ex.c.
 *
 * The kernel's element is a struct ib_uverbs_wc. Up to dlid_path_bits it is
 * laid out as struct ibv_wc, and opcodes and status have the same numbers; only
 * the flags differ.
 */
#ifndef RXE_WC_H
#define RXE_WC_H

#include <assert.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_verbs.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define RXE_WC_ASSERT_SAME_OFFSET(member)                            \
	static_assert(offsetof(struct ibv_wc, member) ==             \
			      offsetof(struct ib_uverbs_wc, member), \
		      #member)

RXE_WC_ASSERT_SAME_OFFSET(wr_id);
RXE_WC_ASSERT_SAME_OFFSET(status);
RXE_WC_ASSERT_SAME_OFFSET(opcode);
RXE_WC_ASSERT_SAME_OFFSET(vendor_err);
RXE_WC_ASSERT_SAME_OFFSET(byte_len);
RXE_WC_ASSERT_SAME_OFFSET(qp_num);
RXE_WC_ASSERT_SAME_OFFSET(src_qp);
RXE_WC_ASSERT_SAME_OFFSET(wc_flags);
RXE_WC_ASSERT_SAME_OFFSET(pkey_index);
RXE_WC_ASSERT_SAME_OFFSET(slid);
RXE_WC_ASSERT_SAME_OFFSET(sl);
RXE_WC_ASSERT_SAME_OFFSET(dlid_path_bits);
static_assert(offsetof(struct ibv_wc, imm_data) ==
		      offsetof(struct ib_uverbs_wc, ex.imm_data),
	      "imm_data");
static_assert(sizeof(struct ibv_wc) == sizeof(struct ib_uverbs_wc), "size");

/* The driver stores the kernel's internal flags, where this one is bit 2. */
#define RXE_WC_WITH_INVALIDATE (1u << 2)

/* Flags with the same number on both sides; mostly there is no other. */
#define RXE_WC_SAME_FLAGS ((uint32_t)(IBV_WC_GRH | IBV_WC_WITH_IMM))

/* rxe_wc_flags() - flags of the kernel as an application knows them */
static inline uint32_t rxe_wc_flags(uint32_t flags)
{
	uint32_t invalidate = flags & RXE_WC_WITH_INVALIDATE;

	return (flags & RXE_WC_SAME_FLAGS) | (invalidate ? IBV_WC_WITH_INV : 0);
}

#endif
