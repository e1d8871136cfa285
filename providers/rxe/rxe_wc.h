/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Completion queue elements: layout, and translation into the application's
 * form. Both ways of polling use it, rxe_cq.c and rxe_cq_ex.c.
 *
 * The kernel's CQE is a struct ib_uverbs_wc. Up to dlid_path_bits it has the
 * layout of struct ibv_wc, and opcodes and status have the same numbers; only
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

/* The driver stores kernel-internal flags; there, this flag is bit 2. */
#define RXE_WC_WITH_INVALIDATE (1u << 2)

/* Flags with the same number on both sides; most CQEs have no other. */
#define RXE_WC_SAME_FLAGS ((uint32_t)(IBV_WC_GRH | IBV_WC_WITH_IMM))

/* Translates the flags of a CQE into enum ibv_wc_flags. */
static inline uint32_t rxe_wc_flags(uint32_t flags)
{
	uint32_t invalidate = flags & RXE_WC_WITH_INVALIDATE;

	return (flags & RXE_WC_SAME_FLAGS) | (invalidate ? IBV_WC_WITH_INV : 0);
}

#endif
