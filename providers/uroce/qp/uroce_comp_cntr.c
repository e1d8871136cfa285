/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Completion counters: which operations count, and where. */
#include "uroce/qp/uroce_comp_cntr.h"

#include <errno.h>

#include "uroce/qp/uroce_chaos.h"

int uroce_comp_cntr_attach(struct uroce_qp *qp, struct uroce_comp_cntr *cntr,
			   uint32_t ops)
{
	if (qp->state != IBV_QPS_RESET && qp->state != IBV_QPS_INIT)
		return -EINVAL;
	if (qp->counted_ops & ops)
		return -EBUSY;
	for (int i = 0; i < UROCE_NR_COUNTED_OPS; i++)
		if (ops >> i & 1)
			qp->comp_cntrs[i] = cntr;
	qp->counted_ops |= (uint8_t)ops;
	(void)__atomic_fetch_add(&cntr->nr_uses,
				 (uint32_t)__builtin_popcount(ops),
				 __ATOMIC_SEQ_CST);
	return 0;
}

void uroce_comp_cntr_detach_all(struct uroce_qp *qp)
{
	for (int i = 0; i < UROCE_NR_COUNTED_OPS; i++) {
		if (qp->counted_ops >> i & 1)
			(void)__atomic_fetch_sub(&qp->comp_cntrs[i]->nr_uses, 1,
						 __ATOMIC_SEQ_CST);
	}
	qp->counted_ops = 0;
}

/* A program that reads the number expects the data. */
static void make_data_visible(struct uroce_qp *qp,
			      enum ibv_qp_attach_comp_cntr_op op)
{
	if (qp->core->chaos)
		uroce_chaos_place(qp, op == IBV_QP_ATTACH_COMP_CNTR_OP_RDMA_READ
					      ? UROCE_CHAOS_RESPONSE
					      : UROCE_CHAOS_REQUEST);
	uroce_memory_end_access(qp->core->memory);
}

void uroce_comp_cntr_add(struct uroce_qp *qp,
			 enum ibv_qp_attach_comp_cntr_op op, uint32_t bytes,
			 bool failed)
{
	struct uroce_comp_cntr *cntr = qp->comp_cntrs[__builtin_ctz(op)];

	make_data_visible(qp, op);
	if (failed)
		(void)__atomic_fetch_add(&cntr->failed, 1, __ATOMIC_RELEASE);
	else
		(void)__atomic_fetch_add(&cntr->completed,
					 cntr->in_bytes ? bytes : 1,
					 __ATOMIC_RELEASE);
}
