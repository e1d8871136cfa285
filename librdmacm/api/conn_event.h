/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Events of the engine as events of channels. */
#ifndef API_CONN_EVENT_H
#define API_CONN_EVENT_H

#include "api/cm_host.h"
#include "api/own_id.h"

/* Queues an event other than a request for its id; as channel_queue(). */
struct channel *conn_event_deliver_locked(const struct cm_output *out)
	REQUIRES(host_mutex);

#endif
