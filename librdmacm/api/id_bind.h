/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Addresses and paths of ids. */
#ifndef API_ID_BIND_H
#define API_ID_BIND_H

#include "api/own_id.h"

int own_bind_addr(struct rdma_cm_id *id, struct sockaddr *addr);
int own_resolve_addr(struct rdma_cm_id *id, struct sockaddr *src_addr,
		     struct sockaddr *dst_addr, int timeout_ms);
int own_resolve_route(struct rdma_cm_id *id, int timeout_ms);

/**
 * id_bind() - bind an id that is idle
 * @is_claimed: as port_binding_add()
 *
 * Return: 0, or -errno as rdma_bind_addr(3).
 */
int id_bind(struct own_id *own, const struct sockaddr *address,
	    bool is_claimed);

#endif
