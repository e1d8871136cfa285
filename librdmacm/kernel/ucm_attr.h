/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Structs of uverbs in responses, as structs of verbs. */
#ifndef KERNEL_UCM_ATTR_H
#define KERNEL_UCM_ATTR_H

#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_cma.h>

struct ibv_ah_attr ucm_ah_attr(const struct ib_uverbs_ah_attr *from);

/* Without qp_state and rate_limit, which the kernel does not return. */
struct ibv_qp_attr ucm_qp_attr(const struct ib_uverbs_qp_attr *from);

#endif
