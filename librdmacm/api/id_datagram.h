/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Connections of datagram ids: a service id becomes a QPN by SIDR. */
#ifndef API_ID_DATAGRAM_H
#define API_ID_DATAGRAM_H

#include "api/own_id.h"

/**
 * id_datagram_connect() - ask the peer for its QP
 * @param: of the application, or NULL; only the private data is used
 *
 * Return: 0; -EINVAL, or -EADDRNOTAVAIL if the process has no unused request
 * id.
 */
int id_datagram_connect(struct own_id *own,
			const struct rdma_conn_param *param);

/**
 * id_datagram_accept() - respond with the QP of the id, or of @param
 *
 * No event follows; a synchronous id gives up the event that it has kept.
 *
 * Return: 0, or -EINVAL.
 */
int id_datagram_accept(struct own_id *own, const struct rdma_conn_param *param);

int id_datagram_reject(struct own_id *own, const void *private_data,
		       size_t len);

#endif
