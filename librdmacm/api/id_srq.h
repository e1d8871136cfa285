/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared receive queues of ids. */
#ifndef API_ID_SRQ_H
#define API_ID_SRQ_H

#include <rdma/rdma_verbs.h>

int own_create_srq(struct rdma_cm_id *id, struct ibv_pd *pd,
		   struct ibv_srq_init_attr *attr);
int own_create_srq_ex(struct rdma_cm_id *id, struct ibv_srq_init_attr_ex *attr);
void own_destroy_srq(struct rdma_cm_id *id);

#endif
