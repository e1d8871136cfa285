/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Initializes the public part of an object whose wrapper is not the library's
 * own. Own providers call verbs_init_srq() and verbs_init_qp() of
 * <provider/objects.h>.
 */
#ifndef CORE_OBJECT_LIFE_H
#define CORE_OBJECT_LIFE_H

#include <infiniband/verbs.h>

/** verbs_prepare_srq() - verbs_init_srq() for the ibv_srq only */
void verbs_prepare_srq(struct ibv_srq *srq, struct ibv_context *ctx,
		       const struct ibv_srq_init_attr_ex *attr);

/** verbs_prepare_qp() - verbs_init_qp() for the ibv_qp only */
void verbs_prepare_qp(struct ibv_qp *qp, struct ibv_context *ctx,
		      const struct ibv_qp_init_attr_ex *attr);

#endif
