/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Events of the engine as events of channels. */
#ifndef API_CONN_EVENT_H
#define API_CONN_EVENT_H

#include "api/cm_host.h"
#include "api/own_id.h"

/* An id for the next request of a device, with its event; NULL: no memory. */
struct own_id *conn_spare_new(struct own_device *device);
void conn_spare_free(struct own_id *own);

/* Is there an id for this request, which may have one more in its queue? */
bool conn_request_has_room_locked(const struct own_device *device,
				  const struct cm_req *req)
	REQUIRES(host_mutex);

/**
 * conn_request_deliver_locked() - post CONNECT_REQUEST
 * @own: id with the connection of the event; it belongs to the event then
 *
 * Return: 0, or -ECONNREFUSED if no id listens at the address.
 */
int conn_request_deliver_locked(struct own_id *own, const struct cm_output *out)
	REQUIRES(host_mutex);

/* Posts any other event to its id. */
void conn_event_deliver_locked(const struct cm_output *out)
	REQUIRES(host_mutex);

#endif
