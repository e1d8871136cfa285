/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which operations a queue pair can post: by its type, and for the younger ones
 * by what the device says it can do. Asked when a QP is created and, for an
 * opcode that is not known to be good, by the data path. The kernel uses an
 * opcode as an index into its own table, so none may get there that is not in
 * ours.
 */
#include "rxe/rxe_opcode.h"

#include <errno.h>
#include <infiniband/verbs.h>

#define OP(opcode) (UINT32_C(1) << (opcode))

/* Types that carry data over a connection. */
#define CONNECTED_OPS                                             \
	(OP(IBV_WR_RDMA_WRITE) | OP(IBV_WR_RDMA_WRITE_WITH_IMM) | \
	 OP(IBV_WR_SEND) | OP(IBV_WR_SEND_WITH_IMM) | OP(IBV_WR_BIND_MW))

#define RELIABLE_OPS                                                       \
	(CONNECTED_OPS | OP(IBV_WR_RDMA_READ) |                            \
	 OP(IBV_WR_ATOMIC_CMP_AND_SWP) | OP(IBV_WR_ATOMIC_FETCH_AND_ADD) | \
	 OP(IBV_WR_LOCAL_INV) | OP(IBV_WR_SEND_WITH_INV))

/* What the bits of enum ibv_qp_create_send_ops_flags ask for. */
#define SEND_OP(name) [__builtin_ctz(IBV_QP_EX_WITH_##name)] = IBV_WR_##name

static const uint8_t send_ops[] = {
	SEND_OP(RDMA_WRITE),
	SEND_OP(RDMA_WRITE_WITH_IMM),
	SEND_OP(SEND),
	SEND_OP(SEND_WITH_IMM),
	SEND_OP(RDMA_READ),
	SEND_OP(ATOMIC_CMP_AND_SWP),
	SEND_OP(ATOMIC_FETCH_AND_ADD),
	SEND_OP(LOCAL_INV),
	SEND_OP(BIND_MW),
	SEND_OP(SEND_WITH_INV),
	SEND_OP(TSO),
	SEND_OP(FLUSH),
	SEND_OP(ATOMIC_WRITE),
};

/*
 * The kernel's table also lists SEND_WITH_INV for UC and UD, and LOCAL_INV is
 * in the man pages for UC; but it makes no packet for the former and has no
 * entry for the latter: each ends as an error completion and takes the QP down.
 */
uint32_t rxe_opcodes_of(enum ibv_qp_type type)
{
	switch (type) {
	case IBV_QPT_RC:
		return RELIABLE_OPS;
	case IBV_QPT_UC:
		return CONNECTED_OPS;
	case IBV_QPT_UD:
		return OP(IBV_WR_SEND) | OP(IBV_WR_SEND_WITH_IMM);
	default:
		return 0;
	}
}

/* Tests for an opcode that only some kernels support, and only for RC. */
static bool rxe_opcode_is_available(struct ibv_context *ctx,
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

bool rxe_qp_learn_opcode(struct rxe_qp *qp, uint32_t opcode)
{
	const struct ibv_qp *ibqp = &qp->vqp.qp;

	if (!rxe_opcode_is_available(ibqp->context, ibqp->qp_type, opcode))
		return false;
	qp->opcodes |= OP(opcode);
	return true;
}

int rxe_opcodes_add_send_ops(struct ibv_context *ctx, enum ibv_qp_type type,
			     uint64_t flags, uint32_t *opcodes)
{
	const size_t known = sizeof(send_ops) / sizeof(send_ops[0]);

	for (; flags; flags &= flags - 1) {
		size_t bit = (size_t)__builtin_ctzll(flags);

		if (bit >= known)
			return -EOPNOTSUPP;
		if (*opcodes & OP(send_ops[bit]))
			continue;
		if (!rxe_opcode_is_available(ctx, type, send_ops[bit]))
			return -EOPNOTSUPP;
		*opcodes |= OP(send_ops[bit]);
	}
	return 0;
}
