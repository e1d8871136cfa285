/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Requests of peers, REQ and SIDR_REQ, as ids with their event. */
#ifndef API_REQUEST_EVENT_H
#define API_REQUEST_EVENT_H

#include "api/cm_host.h"
#include "api/own_id.h"

/* An id for the next request of a device, with its event; NULL: no memory. */
struct own_id *request_spare_new(struct own_device *device);
void request_spare_free(struct own_id *own);

/* Is there an id for this request, which may have one more in its queue? */
bool request_has_room_locked(const struct own_device *device,
			     const struct cm_mad *message) REQUIRES(host_mutex);

/**
 * request_deliver_locked() - queue CONNECT_REQUEST
 * @own: a spare id, with the connection of the request; it belongs to the event
 *	then
 * @ret_channel: receives the result of channel_queue()
 *
 * Return: 0, or -ECONNREFUSED if no id listens at the address.
 */
int request_deliver_locked(struct own_id *own, const struct cm_mad *message,
			   struct channel **ret_channel) REQUIRES(host_mutex);

#endif
