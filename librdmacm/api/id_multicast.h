/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Multicast groups of datagram ids. */
#ifndef API_ID_MULTICAST_H
#define API_ID_MULTICAST_H

#include <rdma/rdma_cma.h>

int own_join_multicast(struct rdma_cm_id *id, struct sockaddr *addr,
		       void *context);
int own_join_multicast_ex(struct rdma_cm_id *id,
			  struct rdma_cm_join_mc_attr_ex *mc_join_attr,
			  void *context);
int own_leave_multicast(struct rdma_cm_id *id, struct sockaddr *addr);

#endif
