/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names as addresses, and synchronous ids that are made in one call. */
#ifndef API_ID_ENDPOINT_H
#define API_ID_ENDPOINT_H

#include "api/own_id.h"

int own_getaddrinfo(const char *node, const char *service,
		    const struct rdma_addrinfo *hints,
		    struct rdma_addrinfo **res);
void own_freeaddrinfo(struct rdma_addrinfo *res);
int own_create_ep(struct rdma_cm_id **id, struct rdma_addrinfo *res,
		  struct ibv_pd *pd, struct ibv_qp_init_attr *qp_init_attr);
void own_destroy_ep(struct rdma_cm_id *id);

#endif
