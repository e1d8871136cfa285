/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Events of ids, and the end of calls on synchronous ids. */
#ifndef API_ID_EVENT_H
#define API_ID_EVENT_H

#include "api/own_id.h"

/**
 * id_event_complete() - wait for the event of a call on a synchronous id
 *
 * Keeps the event in the id. Does nothing for other ids.
 *
 * Return: 0, or the -errno that the event stands for.
 */
int id_event_complete(struct own_id *own);

#endif
