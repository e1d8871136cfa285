/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by the interop_cm* programs: one end of a connection that librdmacm
 * makes with another process, which may use another connection manager.
 * Included by one .c file per program.
 */
#ifndef INTEROP_CM_END_H
#define INTEROP_CM_END_H

#include "interop_control.h"

#include <rdma/rdma_cma.h>

#include <netdb.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

/* More than any step takes; Linux waits 70 s or more for a silent peer. */
#define WAIT_MS	   60000
#define RESOLVE_MS 20000

struct end {
	bool is_active;
	struct rdma_event_channel *channel;
	struct rdma_cm_id *listener; /* of the passive end */
	struct rdma_cm_id *id;	     /* of the connection */
	/* The last event, which is acknowledged, and its private data */
	struct rdma_cm_event event;
	uint8_t data[256];
	uint8_t data_len;
};

static struct sockaddr_storage own_address;

static inline bool set_own_address(const char *text)
{
	struct addrinfo hints = { .ai_flags = AI_NUMERICHOST }, *list;

	NEED(getaddrinfo(text, NULL, &hints, &list) == 0);
	memcpy(&own_address, list->ai_addr, list->ai_addrlen);
	freeaddrinfo(list);
	return true;
}

/* -- events -- */

static inline bool end_fetch_event(struct end *end)
{
	struct rdma_cm_event *event;

	NEED(rdma_get_cm_event(end->channel, &event) == 0);
	end->event = *event;
	/* Private data of both kinds of parameters is in the same place. */
	end->data_len = event->param.conn.private_data_len;
	if (end->data_len)
		memcpy(end->data, event->param.conn.private_data,
		       end->data_len);
	NEED(rdma_ack_cm_event(event) == 0);
	return true;
}

static inline bool end_expect(struct end *end, enum rdma_cm_event_type type,
			      int status)
{
	struct pollfd fd = { .fd = end->channel->fd, .events = POLLIN };

	if (poll(&fd, 1, WAIT_MS) <= 0)
		FAIL("no event, expected %s", rdma_event_str(type));
	if (!end_fetch_event(end))
		return false;
	if (end->event.event != type || end->event.status != status)
		FAIL("%s, status %d; expected %s, status %d",
		     rdma_event_str(end->event.event), end->event.status,
		     rdma_event_str(type), status);
	return true;
}

static inline bool end_expect_request(struct end *end)
{
	if (!end_expect(end, RDMA_CM_EVENT_CONNECT_REQUEST, 0))
		return false;
	NEED(end->event.listen_id == end->listener);
	end->id = end->event.id;
	return true;
}

/* -- the begin and the end of a connection -- */

/* Binds an id of the passive end, and sends its address to the other end. */
static inline bool end_bind(struct end *end, enum rdma_port_space ps)
{
	NEED(end->channel = rdma_create_event_channel());
	NEED(rdma_create_id(end->channel, &end->listener, end, ps) == 0);
	NEED(rdma_bind_addr(end->listener, (void *)&own_address) == 0);
	return true;
}

static inline bool end_send_address(struct end *end)
{
	return send_to_other(rdma_get_local_addr(end->listener),
			     sizeof(own_address));
}

static inline bool end_listen(struct end *end, enum rdma_port_space ps)
{
	if (!end_bind(end, ps))
		return false;
	NEED(rdma_listen(end->listener, 0) == 0);
	return end_send_address(end);
}

/* A new id of the active end, with the route to an address. */
static inline bool end_resolve(struct end *end, enum rdma_port_space ps,
			       struct sockaddr_storage *to)
{
	if (!end->channel)
		NEED(end->channel = rdma_create_event_channel());
	NEED(rdma_create_id(end->channel, &end->id, end, ps) == 0);
	NEED(rdma_resolve_addr(end->id, NULL, (void *)to, RESOLVE_MS) == 0);
	if (!end_expect(end, RDMA_CM_EVENT_ADDR_RESOLVED, 0))
		return false;
	NEED(rdma_resolve_route(end->id, RESOLVE_MS) == 0);
	return end_expect(end, RDMA_CM_EVENT_ROUTE_RESOLVED, 0);
}

/* The passive end listens, the active one has a route to it. */
static inline bool end_begin(struct end *end, enum rdma_port_space ps)
{
	struct sockaddr_storage to;

	if (!end->is_active)
		return end_listen(end, ps);
	return receive_from_other(&to, sizeof(to)) && end_resolve(end, ps, &to);
}

static inline bool end_destroy_id(struct rdma_cm_id **id)
{
	struct rdma_cm_id *old = *id;

	*id = NULL;
	NEED(rdma_destroy_id(old) == 0);
	return true;
}

static inline bool end_finish(struct end *end)
{
	if ((end->id && !end_destroy_id(&end->id)) ||
	    (end->listener && !end_destroy_id(&end->listener)))
		return false;
	if (end->channel)
		rdma_destroy_event_channel(end->channel);
	return true;
}

#endif
