/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The path of an id, and its forms; those are for ids that have one. */
#ifndef API_ID_PATH_H
#define API_ID_PATH_H

#include "api/own_id.h"

/* Hops of a path if none are given */
#define ID_PATH_HOP_LIMIT 64

/*
 * Gives an id a path between its GIDs, with what all paths of RoCE have in
 * common; the caller fills in the rest.
 */
void id_path_set(struct own_id *own);

/* The address vector to the peer. */
void id_path_ah(const struct own_id *own, struct ibv_ah_attr *ret_attr);

/* The path of MADs to the peer. */
void id_path_mad(const struct own_id *own, struct cm_path *ret_path);

#endif
