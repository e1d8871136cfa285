/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Connections of datagram ids: a service id becomes a QPN by SIDR. */
#ifndef API_ENGINE_DATAGRAM_H
#define API_ENGINE_DATAGRAM_H

#include "api/own_id.h"

/**
 * engine_datagram_connect() - ask the peer for its QP
 * @param: of the application, or NULL; only the private data is used
 *
 * Return: 0; -EINVAL, or -EADDRNOTAVAIL if the process has no unused request
 * id.
 */
int engine_datagram_connect(struct own_id *own,
			    const struct rdma_conn_param *param);

/**
 * engine_datagram_accept() - respond with the QP of the id, or of @param
 *
 * Return: 0, or -EINVAL.
 */
int engine_datagram_accept(struct own_id *own,
			   const struct rdma_conn_param *param);

int engine_datagram_reject(struct own_id *own, const void *private_data,
			   size_t len);

#endif
