/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names as addresses, with an event of an id. */
#ifndef API_ADDRINFO_QUERY_H
#define API_ADDRINFO_QUERY_H

#include <rdma/rdma_cma.h>

int own_resolve_addrinfo(struct rdma_cm_id *id, const char *node,
			 const char *service,
			 const struct rdma_addrinfo *hints);
int own_query_addrinfo(struct rdma_cm_id *id, struct rdma_addrinfo **info);

#endif
