/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which opcodes a QP may post: depends on its type and, for the newer opcodes,
 * on the capabilities of the device. create_qp and, for an opcode outside
 * qp->opcodes, the data path call these functions. The kernel uses an opcode as
 * an index into a table of its own, so an opcode that is not listed here must
 * never reach it.
 */
#include "rxe/rxe_opcode.h"

#include <errno.h>
#include <infiniband/verbs.h>

#define RXE_OP(opcode) (UINT32_C(1) << (opcode))

/* UC; the first part of RC. */
#define RXE_UC_OPS                                                        \
	(RXE_OP(IBV_WR_RDMA_WRITE) | RXE_OP(IBV_WR_RDMA_WRITE_WITH_IMM) | \
	 RXE_OP(IBV_WR_SEND) | RXE_OP(IBV_WR_SEND_WITH_IMM) |             \
	 RXE_OP(IBV_WR_BIND_MW))

#define RXE_RC_OPS                                                        \
	(RXE_UC_OPS | RXE_OP(IBV_WR_RDMA_READ) |                          \
	 RXE_OP(IBV_WR_ATOMIC_CMP_AND_SWP) |                              \
	 RXE_OP(IBV_WR_ATOMIC_FETCH_AND_ADD) | RXE_OP(IBV_WR_LOCAL_INV) | \
	 RXE_OP(IBV_WR_SEND_WITH_INV))

/* Index: bit number in enum ibv_qp_create_send_ops_flags. */
#define RXE_SEND_OP(name) [__builtin_ctz(IBV_QP_EX_WITH_##name)] = IBV_WR_##name

static const uint8_t rxe_send_op_opcodes[] = {
	RXE_SEND_OP(RDMA_WRITE),
	RXE_SEND_OP(RDMA_WRITE_WITH_IMM),
	RXE_SEND_OP(SEND),
	RXE_SEND_OP(SEND_WITH_IMM),
	RXE_SEND_OP(RDMA_READ),
	RXE_SEND_OP(ATOMIC_CMP_AND_SWP),
	RXE_SEND_OP(ATOMIC_FETCH_AND_ADD),
	RXE_SEND_OP(LOCAL_INV),
	RXE_SEND_OP(BIND_MW),
	RXE_SEND_OP(SEND_WITH_INV),
	RXE_SEND_OP(TSO),
	RXE_SEND_OP(FLUSH),
	RXE_SEND_OP(ATOMIC_WRITE),
};

/*
 * The kernel's table lists SEND_WITH_INV for UC and UD, but the driver builds
 * no packet for it. The man pages list LOCAL_INV for UC, but the kernel's table
 * has no entry for it. Both would end in an error completion and move the QP to
 * ERR, so they are left out here.
 */
uint32_t rxe_opcodes_of_type(enum ibv_qp_type type)
{
	switch (type) {
	case IBV_QPT_RC:
		return RXE_RC_OPS;
	case IBV_QPT_UC:
		return RXE_UC_OPS;
	case IBV_QPT_UD:
		return RXE_OP(IBV_WR_SEND) | RXE_OP(IBV_WR_SEND_WITH_IMM);
	default:
		return 0;
	}
}

/* Tests for an optional opcode; the driver has them for RC only. */
static bool rxe_device_has_opcode(struct ibv_context *ctx,
				  enum ibv_qp_type type, uint32_t opcode)
{
	if (type != IBV_QPT_RC)
		return false;
	if (opcode == IBV_WR_FLUSH)
		return rxe_device_has(ctx, RXE_CAP_FLUSH);
	if (opcode == IBV_WR_ATOMIC_WRITE)
		return rxe_device_has(ctx, RXE_CAP_ATOMIC_WRITE);
	return false;
}

bool rxe_qp_check_optional_opcode(struct rxe_qp *qp, uint32_t opcode)
{
	const struct ibv_qp *ibqp = &qp->vqp.qp;

	if (!rxe_device_has_opcode(ibqp->context, ibqp->qp_type, opcode))
		return false;
	qp->opcodes |= RXE_OP(opcode);
	return true;
}

int rxe_opcodes_add_send_ops(struct ibv_context *ctx, enum ibv_qp_type type,
			     uint64_t flags, uint32_t *opcodes)
{
	const size_t known =
		sizeof(rxe_send_op_opcodes) / sizeof(rxe_send_op_opcodes[0]);

	for (; flags; flags &= flags - 1) {
		size_t bit = (size_t)__builtin_ctzll(flags);

		if (bit >= known)
			return -EOPNOTSUPP;
		if (*opcodes & RXE_OP(rxe_send_op_opcodes[bit]))
			continue;
		if (!rxe_device_has_opcode(ctx, type, rxe_send_op_opcodes[bit]))
			return -EOPNOTSUPP;
		*opcodes |= RXE_OP(rxe_send_op_opcodes[bit]);
	}
	return 0;
}
