/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Connections of stream sockets. The thread of CM events calls
 * conn_event_handle(): the active side resolves the address and the route,
 * sends the request and becomes connected; the passive side makes a socket of
 * each request, which raccept() gets when the connection is established.
 */
#include "rsocket/stream_conn.h"

#include "rsocket/socket_children.h"
#include "rsocket/socket_name.h"
#include "rsocket/socket_service.h"
#include "rsocket/socket_waiter.h"
#include "rsocket/stream_qp.h"

#include <errno.h>

#define CONN_RESOLVE_MS	 2000
#define CONN_MAX_RETRIES 7

static void conn_param_fill(const struct rsocket *socket,
			    struct rdma_conn_param *param,
			    const uint8_t setup[STREAM_SETUP_LEN])
{
	/* A connection on iWARP may begin with a read of the active side. */
	uint8_t nr_reads = socket->qp.is_iwarp ? 1 : 0;

	*param = (struct rdma_conn_param){
		.private_data = setup,
		.private_data_len = STREAM_SETUP_LEN,
		.flow_control = 1,
		.responder_resources = nr_reads,
		.initiator_depth = nr_reads,
		.retry_count = CONN_MAX_RETRIES,
		.rnr_retry_count = CONN_MAX_RETRIES, /* unlimited */
	};
}

void stream_socket_free(struct rsocket *socket)
{
	struct rsocket *child;

	verbs_mutex_lock(&socket->lock);
	socket->state = RSOCKET_CLOSED;
	verbs_mutex_unlock(&socket->lock);
	/*
	 * The thread of CM events leaves a closed socket alone. The last id of
	 * a device frees the PD, so the objects in it are destroyed first.
	 */
	stream_qp_close(socket);
	/* Not under the lock: it waits for the thread of CM events. */
	if (socket->id)
		(void)rdma_destroy_id(socket->id);
	while ((child = socket_children_take(socket)))
		stream_socket_free(child);
	socket_dealloc(socket);
}

/* -- events -- */

static void conn_fail_locked(struct rsocket *socket, int error)
{
	socket->state = RSOCKET_FAILED;
	socket->error = error ? error : -ECONNREFUSED;
	socket_notify_locked(socket);
}

static int event_error(const struct rdma_cm_event *event)
{
	switch (event->event) {
	case RDMA_CM_EVENT_REJECTED:
		return -ECONNREFUSED;
	case RDMA_CM_EVENT_UNREACHABLE:
		return -ETIMEDOUT;
	default:
		return event->status < 0 ? event->status : -EHOSTUNREACH;
	}
}

static int conn_send_request_locked(struct rsocket *socket)
{
	uint8_t bytes[STREAM_SETUP_LEN];
	struct rdma_conn_param param;
	int ret = stream_qp_open_locked(socket, &socket->flow.local);

	if (ret)
		return ret;
	stream_setup_encode(&socket->flow.local, bytes);
	conn_param_fill(socket, &param, bytes);
	return rdma_connect(socket->id, &param) == 0 ? 0 : -errno;
}

/* Starts the protocol with the setup data of the peer. */
static int conn_start_locked(struct rsocket *socket,
			     const struct stream_setup *local,
			     const struct stream_setup *peer)
{
	int ret = iomap_table_init(&socket->iomaps, peer->nr_iomaps);

	if (!ret)
		stream_flow_start(&socket->flow, local, peer);
	return ret;
}

static int conn_establish_locked(struct rsocket *socket,
				 const struct rdma_conn_param *param)
{
	struct stream_setup peer, local = socket->flow.local;
	int ret;

	if (socket->state == RSOCKET_CONNECTING) {
		ret = stream_setup_decode(param->private_data,
					  param->private_data_len, &peer);
		if (!ret)
			ret = conn_start_locked(socket, &local, &peer);
		if (ret) {
			(void)rdma_disconnect(socket->id);
			return ret;
		}
	}
	socket->state = RSOCKET_CONNECTED;
	stream_qp_flush_locked(socket);
	stream_qp_progress_locked(socket);
	socket_notify_locked(socket);
	return 0;
}

static void conn_end_locked(struct rsocket *socket)
{
	if (socket->state == RSOCKET_CONNECTING ||
	    socket->state == RSOCKET_ACCEPTING) {
		conn_fail_locked(socket, -ECONNRESET);
		return;
	}
	/* Data before the end can still be read. */
	stream_qp_progress_locked(socket);
	socket->has_cm_end = true;
	stream_flow_end(&socket->flow, 0);
	socket_notify_locked(socket);
}

/* The new socket of a request has the options of the listener. */
static struct rsocket *request_socket_new(struct rsocket *listener,
					  struct rdma_cm_id *id)
{
	struct rsocket *child = socket_alloc(listener->ops, listener->domain);

	if (!child)
		return NULL;
	verbs_mutex_lock(&listener->lock);
	child->options = listener->options;
	child->is_nonblocking = listener->is_nonblocking;
	verbs_mutex_unlock(&listener->lock);
	child->id = id;
	id->context = child;
	return child;
}

static int request_accept_locked(struct rsocket *child,
				 const struct stream_setup *peer)
{
	uint8_t bytes[STREAM_SETUP_LEN];
	struct rdma_conn_param param;
	struct stream_setup local;
	int ret = stream_qp_open_locked(child, &local);

	if (!ret)
		ret = conn_start_locked(child, &local, peer);
	if (ret)
		return ret;
	if (child->qp.is_iwarp)
		stream_flow_hold(&child->flow);
	stream_setup_encode(&local, bytes);
	conn_param_fill(child, &param, bytes);
	child->state = RSOCKET_ACCEPTING;
	return rdma_accept(child->id, &param) == 0 ? 0 : -errno;
}

/* Returns the socket if it must be freed. */
static struct rsocket *request_handle(struct rsocket *listener,
				      const struct rdma_cm_event *event)
{
	const struct rdma_conn_param *param = &event->param.conn;
	struct rsocket *child = NULL;
	struct stream_setup peer;
	int ret;

	if (socket_children_has_room(listener))
		child = request_socket_new(listener, event->id);
	if (!child) {
		/* The destruction rejects the request. */
		(void)rdma_destroy_id(event->id);
		return NULL;
	}
	ret = stream_setup_decode(param->private_data, param->private_data_len,
				  &peer);
	verbs_mutex_lock(&child->lock);
	if (!ret)
		ret = request_accept_locked(child, &peer);
	verbs_mutex_unlock(&child->lock);
	if (ret) {
		(void)rdma_reject(child->id, NULL, 0);
		return child;
	}
	socket_children_add(listener, child);
	return NULL;
}

static void conn_event_apply_locked(struct rsocket *socket,
				    const struct rdma_cm_event *event)
{
	int ret = 0;

	switch (event->event) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		if (rdma_resolve_route(socket->id, CONN_RESOLVE_MS) != 0)
			ret = -errno;
		break;
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		ret = conn_send_request_locked(socket);
		break;
	case RDMA_CM_EVENT_ESTABLISHED:
		ret = conn_establish_locked(socket, &event->param.conn);
		break;
	case RDMA_CM_EVENT_DISCONNECTED:
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
		conn_end_locked(socket);
		break;
	case RDMA_CM_EVENT_ADDR_ERROR:
	case RDMA_CM_EVENT_ROUTE_ERROR:
	case RDMA_CM_EVENT_CONNECT_ERROR:
	case RDMA_CM_EVENT_UNREACHABLE:
	case RDMA_CM_EVENT_REJECTED:
		ret = event_error(event);
		break;
	default:
		break;
	}
	if (ret)
		conn_fail_locked(socket, ret);
}

/* Returns a socket that must be freed, or NULL. */
static void *conn_event_handle(struct rdma_cm_event *event)
{
	struct rsocket *socket = event->id->context;
	enum rsocket_state before, after;

	if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST)
		return request_handle(event->listen_id->context, event);
	verbs_mutex_lock(&socket->lock);
	before = socket->state;
	if (before != RSOCKET_CLOSED)
		conn_event_apply_locked(socket, event);
	after = socket->state;
	verbs_mutex_unlock(&socket->lock);
	if (before != RSOCKET_ACCEPTING)
		return NULL;
	if (after == RSOCKET_CONNECTED)
		socket_children_set_ready(socket);
	else if (after == RSOCKET_FAILED && socket_children_remove(socket))
		return socket;
	return NULL;
}

static void conn_socket_finish(void *result)
{
	stream_socket_free(result);
}

/* -- calls of the application -- */

int stream_socket_new(const struct socket_ops *stream_ops, int domain,
		      struct rsocket **ret_socket)
{
	static const struct socket_service_ops ops = {
		.handle = conn_event_handle,
		.finish = conn_socket_finish,
	};
	struct rdma_event_channel *channel;
	struct rsocket *socket;
	int ret = socket_service_start(RDMA_PS_TCP, &ops, &channel);

	if (ret)
		return ret;
	socket = socket_alloc(stream_ops, domain);
	if (!socket)
		return -ENOMEM;
	if (rdma_create_id(channel, &socket->id, socket, RDMA_PS_TCP) != 0) {
		ret = -errno;
		stream_socket_free(socket);
		return ret;
	}
	*ret_socket = socket;
	return 0;
}

int stream_socket_bind_locked(struct rsocket *socket,
			      const struct sockaddr *address, socklen_t len)
{
	struct sockaddr_storage copy;
	int ret = socket_name_check(socket->domain, address, len, &copy);

	if (ret)
		return ret;
	if (socket->state != RSOCKET_NEW)
		return -EINVAL;
	if (rdma_bind_addr(socket->id, (struct sockaddr *)&copy) != 0)
		return -errno;
	socket->state = RSOCKET_BOUND;
	return 0;
}

int stream_socket_listen_locked(struct rsocket *socket, int backlog)
{
	if (socket->state == RSOCKET_LISTENING)
		return 0;
	if (socket->state != RSOCKET_NEW && socket->state != RSOCKET_BOUND)
		return -EINVAL;
	if (rdma_listen(socket->id, backlog) != 0)
		return -errno;
	socket->state = RSOCKET_LISTENING;
	return 0;
}

int stream_socket_connect_locked(struct rsocket *socket,
				 const struct sockaddr *address, socklen_t len)
{
	struct sockaddr_storage copy;
	int ret = socket_name_check(socket->domain, address, len, &copy);
	enum rsocket_state before = socket->state;

	if (ret)
		return ret;
	if (before != RSOCKET_NEW && before != RSOCKET_BOUND)
		return -EINVAL;
	socket->state = RSOCKET_CONNECTING;
	if (rdma_resolve_addr(socket->id, NULL, (struct sockaddr *)&copy,
			      CONN_RESOLVE_MS) == 0)
		return 0;
	ret = -errno;
	socket->state = before;
	return ret;
}
