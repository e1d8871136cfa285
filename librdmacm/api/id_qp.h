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

/**
 * id_recv_cq_new() - create the CQ of receives, with its channel, for the id
 *
 * Return: 0, or the -errno of verbs.
 */
int id_recv_cq_new(struct rdma_cm_id *id, uint32_t nr_entries);

/* Destroys the CQs that the library has created for the id. */
void id_cqs_free(struct rdma_cm_id *id);

/* Moves the QP, if there is one, to the error state. */
void id_qp_fail(const struct own_id *own);

/* The same for a disconnect; on iWARP, the QP sends what is queued first. */
void id_qp_disconnect(const struct own_id *own);

#endif
