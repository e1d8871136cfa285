/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Completion counters of QPs: ibv_create_comp_cntr(3). A QP counts an operation
 * in at most one counter; QPs of several workers may share a counter.
 */
#ifndef UROCE_COMP_CNTR_H
#define UROCE_COMP_CNTR_H

#include "uroce/qp/uroce_qp.h"

struct uroce_comp_cntr {
	/* atomic; work requests, or bytes */
	uint64_t completed;
	uint64_t failed; /* atomic; work requests */
	bool in_bytes;
	uint32_t nr_uses; /* atomic: operations of QPs that it counts */
};

/**
 * uroce_comp_cntr_attach() - count operations of a QP; with the engine lock
 * @qp: a QP in RESET or INIT
 * @ops: enum ibv_qp_attach_comp_cntr_op
 *
 * Return: 0; -EINVAL in another state; -EBUSY if the QP counts one of @ops
 * already.
 */
int uroce_comp_cntr_attach(struct uroce_qp *qp, struct uroce_comp_cntr *cntr,
			   uint32_t ops);

/** uroce_comp_cntr_detach_all() - end the counting before a QP is freed */
void uroce_comp_cntr_detach_all(struct uroce_qp *qp);

/** uroce_comp_cntr_add() - count an operation in the attached counter */
void uroce_comp_cntr_add(struct uroce_qp *qp,
			 enum ibv_qp_attach_comp_cntr_op op, uint32_t bytes,
			 bool failed);

/**
 * uroce_comp_cntr_count() - count an operation if a counter is attached for it
 * @bytes: its length
 * @failed: whether it completes with an error
 *
 * The data of the operation has been stored.
 */
static inline void uroce_comp_cntr_count(struct uroce_qp *qp,
					 enum ibv_qp_attach_comp_cntr_op op,
					 uint32_t bytes, bool failed)
{
	if (qp->counted_ops & op)
		uroce_comp_cntr_add(qp, op, bytes, failed);
}

/**
 * uroce_comp_cntr_access() - the rights with which peers may access memory
 *			      without a packet; enum ibv_access_flags
 *
 * The QP could not count such accesses.
 */
static inline unsigned int uroce_comp_cntr_access(const struct uroce_qp *qp)
{
	unsigned int access = qp->access;

	if (qp->counted_ops & IBV_QP_ATTACH_COMP_CNTR_OP_REMOTE_RDMA_READ)
		access &= ~(unsigned int)IBV_ACCESS_REMOTE_READ;
	if (qp->counted_ops & IBV_QP_ATTACH_COMP_CNTR_OP_REMOTE_RDMA_WRITE)
		access &= ~(unsigned int)IBV_ACCESS_REMOTE_WRITE;
	return access;
}

#endif
