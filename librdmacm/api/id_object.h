/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ids: creation, destruction and channel. */
#ifndef API_ID_OBJECT_H
#define API_ID_OBJECT_H

#include "api/own_id.h"

/* Acknowledges the event that a synchronous id has kept. */
void id_object_ack(struct own_id *own);

/**
 * id_object_make_sync() - give an id a channel of its own
 *
 * An id that has another channel moves, with its events.
 *
 * Return: 0, or -errno.
 */
int id_object_make_sync(struct own_id *own);

/* Destroys the id of a request that no application has. */
void id_object_drop_request(struct own_id *own);

#endif
