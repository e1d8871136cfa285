/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The path of an id, which must have one, in the forms of its users. */
#ifndef API_ID_PATH_H
#define API_ID_PATH_H

#include "api/own_id.h"

/* Hops of a path if none are given */
#define ID_PATH_HOP_LIMIT 64

/* The address vector to the peer. */
void id_path_ah(const struct own_id *own, struct ibv_ah_attr *ret_attr);

/* The path of MADs to the peer. */
void id_path_mad(const struct own_id *own, struct cm_path *ret_path);

#endif
