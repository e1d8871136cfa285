/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which opcodes a QP may post: a bit mask in struct rxe_qp, which the data path
 * tests for each work request.
 */
#ifndef RXE_OPCODE_H
#define RXE_OPCODE_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "rxe/rxe.h"

/** rxe_opcodes_of_type() - get the opcodes that every device has for @type */
uint32_t rxe_opcodes_of_type(enum ibv_qp_type type);

/**
 * rxe_opcodes_add_send_ops() - add the opcodes that an application requests
 * @flags: enum ibv_qp_create_send_ops_flags
 * @opcodes: those of @type; optional opcodes of the device are added
 *
 * Context: blocks when the device capabilities have not been queried yet.
 * Return: 0; -EOPNOTSUPP if one of @flags cannot be posted.
 */
int rxe_opcodes_add_send_ops(struct ibv_context *ctx, enum ibv_qp_type type,
			     uint64_t flags, uint32_t *opcodes);

/**
 * rxe_qp_check_optional_opcode() - test an opcode that is not in qp->opcodes
 *
 * Opcodes that only some kernels support are added to qp->opcodes here.
 *
 * Context: blocks when the device capabilities have not been queried yet.
 * Return: whether the QP may post @opcode.
 */
bool rxe_qp_check_optional_opcode(struct rxe_qp *qp, uint32_t opcode);

static inline bool rxe_qp_may_post(struct rxe_qp *qp, uint32_t opcode)
{
	if (opcode < 32 && (qp->opcodes & (UINT32_C(1) << opcode)))
		return true;
	return rxe_qp_check_optional_opcode(qp, opcode);
}

#endif
