/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Enhanced connection establishment (ECE) of ids without a QP. */
#ifndef API_ID_ECE_H
#define API_ID_ECE_H

#include "api/own_id.h"

int own_set_local_ece(struct rdma_cm_id *id, struct ibv_ece *ece);
int own_get_remote_ece(struct rdma_cm_id *id, struct ibv_ece *ece);

#endif
