/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Memory for the outstanding READs and atomics of a QP, in both directions. */
#ifndef UROCE_RD_ATOMIC_H
#define UROCE_RD_ATOMIC_H

#include "uroce/roce/uroce_roce.h"

/**
 * uroce_rd_atomic_reserve() - allocate the rings of outstanding READs, atomics
 * @qp: QP; outstanding requests are kept
 * @attr: max_rd_atomic and max_dest_rd_atomic, at most UROCE_MAX_RD_ATOMIC
 * @mask: which of them is valid (ibv_modify_qp(3))
 *
 * The responder's ring is allocated in INIT only: a ring in use keeps its size.
 *
 * Return: 0, or -ENOMEM.
 */
int uroce_rd_atomic_reserve(struct uroce_qp *qp, const struct ibv_qp_attr *attr,
			    int mask);

/** uroce_rd_atomic_free() - free both rings; no request may be outstanding */
void uroce_rd_atomic_free(struct uroce_qp *qp);

#endif
