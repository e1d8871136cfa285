/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Options of enhanced connection establishment (ECE) of QPs that the library
 * creates: a provider accepts options of its own vendor only. The active side
 * sends those of its QP, the passive side replies with those that its QP has
 * accepted, and the active side sets them. Without options of both sides, ECE
 * is not used.
 *
 * Functions return 0 or the -errno of ibv_query_ece() or ibv_set_ece().
 */
#ifndef API_ID_ECE_H
#define API_ID_ECE_H

#include "api/own_id.h"

/* Queries the options of a new QP; on the passive side, offers it the peer's.
 */
int id_ece_begin(struct own_id *own, struct ibv_qp *qp);

/* The options for a reply, after the QP has them and is in the state RTS. */
int id_ece_reply(const struct own_id *own, struct ibv_ece *ret_ece);

/* Sets the options of a reply; -EINVAL: they are of another vendor. */
int id_ece_finish(const struct own_id *own);

#endif
