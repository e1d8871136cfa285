/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Addresses and paths of ids. */
#ifndef API_ID_BIND_H
#define API_ID_BIND_H

#include "api/own_id.h"

/**
 * id_bind() - bind an id that is idle
 * @is_claimed: as port_binding_add()
 *
 * Return: 0, or -errno as rdma_bind_addr(3).
 */
int id_bind(struct own_id *own, const struct sockaddr *address,
	    bool is_claimed);

#endif
