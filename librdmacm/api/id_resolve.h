/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Addresses of ids. */
#ifndef API_ID_RESOLVE_H
#define API_ID_RESOLVE_H

#include "api/own_id.h"

/**
 * id_bind_any() - bind an idle id to any address and port
 *
 * Return: 0, or -errno as rdma_bind_addr(3).
 */
int id_bind_any(struct own_id *own);

#endif
