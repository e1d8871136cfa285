/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Queue pairs of ids, with their CQs and transitions. */
#ifndef API_ID_QP_H
#define API_ID_QP_H

#include "api/own_id.h"

/**
 * id_qp_connect() - move the QP to RTS with the values of the connection
 * @conn: of a reply, which is not sent yet; or NULL
 *
 * Does nothing without a QP.
 *
 * Return: 0, or the -errno of ibv_modify_qp().
 */
int id_qp_connect(struct own_id *own, const struct rdma_conn_param *conn);

/* Moves the QP, if there is one, to the error state. */
void id_qp_fail(const struct own_id *own);

/* The same for a disconnect; on iWARP, the QP sends what is queued first. */
void id_qp_disconnect(const struct own_id *own);

#endif
