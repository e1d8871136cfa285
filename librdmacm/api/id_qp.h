/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Queue pairs of ids, with their CQs and transitions. */
#ifndef API_ID_QP_H
#define API_ID_QP_H

#include "api/own_id.h"

/**
 * id_qp_connect() - move the QP to RTS with the values of the connection
 *
 * Does nothing without a QP.
 *
 * Return: 0, or the -errno of ibv_modify_qp().
 */
int id_qp_connect(struct own_id *own);

/* Moves the QP, if there is one, to the error state. */
void id_qp_end(struct own_id *own);

#endif
