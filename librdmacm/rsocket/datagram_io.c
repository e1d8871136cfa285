/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sending and receiving. A datagram goes through a queue pair if that of the
 * destination is known and the message fits in the MTU, or else by UDP.
 */
#include "rsocket/datagram_io.h"

#include "rsocket/datagram_dest.h"
#include "rsocket/datagram_port.h"
#include "rsocket/datagram_queue.h"
#include "rsocket/datagram_udp.h"
#include "rsocket/io_cursor.h"
#include "rsocket/socket_name.h"
#include "rsocket/socket_wait.h"
#include "rsocket/socket_waiter.h"
#include "util/cancel.h"

#include <errno.h>
#include <poll.h>

/* -- progress -- */

void datagram_progress_locked(struct rsocket *socket)
{
	const uint32_t nr_messages = socket->datagram->nr_messages;
	const short events = socket->ops->events_locked(socket);
	int cancel_state = cancel_disable();
	bool has_changed = false;
	struct list_node *node;

	list_for_each (node, &socket->datagram->ports)
		has_changed |= datagram_port_poll_locked(
			socket, list_entry(node, struct datagram_port, node));
	has_changed |= datagram_udp_receive_locked(socket);
	/* Completions of sent datagrams alone are no edge. */
	if (socket->datagram->nr_messages != nr_messages ||
	    (socket->ops->events_locked(socket) & ~events))
		socket_notify_locked(socket);
	else if (has_changed)
		socket_wake_locked(socket);
	cancel_restore(cancel_state);
}

int datagram_arm_locked(struct rsocket *socket)
{
	struct list_node *node;

	list_for_each (node, &socket->datagram->ports) {
		struct datagram_port *port =
			list_entry(node, struct datagram_port, node);

		if (ibv_req_notify_cq(port->cq, 0) != 0)
			socket->error = -EIO;
	}
	return socket->datagram->epoll_fd;
}

void datagram_take_events_locked(struct rsocket *socket)
{
	struct list_node *node;
	struct ibv_cq *cq;
	void *context;

	list_for_each (node, &socket->datagram->ports) {
		struct datagram_port *port =
			list_entry(node, struct datagram_port, node);

		while (ibv_get_cq_event(port->channel, &cq, &context) == 0)
			ibv_ack_cq_events(cq, 1);
	}
	datagram_progress_locked(socket);
}

/* -- conditions -- */

static bool has_free_sends(const struct rsocket *socket)
{
	const struct list_node *node;

	list_for_each (node, &socket->datagram->ports) {
		if (!list_entry(node, struct datagram_port, node)
			     ->nr_free_sends)
			return false;
	}
	return true;
}

static bool all_sends_are_free(const struct rsocket *socket)
{
	const struct list_node *node;

	list_for_each (node, &socket->datagram->ports) {
		const struct datagram_port *port =
			list_entry(node, struct datagram_port, node);

		if (port->nr_free_sends != port->nr_sends)
			return false;
	}
	return true;
}

static bool has_received(const struct rsocket *socket)
{
	return socket->datagram->nr_messages || socket->error ||
	       socket->datagram->is_read_shut;
}

short datagram_events_locked(const struct rsocket *socket)
{
	unsigned int events = 0;

	if (has_received(socket))
		events |= POLLIN | POLLRDNORM;
	if (has_free_sends(socket) || socket->datagram->is_write_shut)
		events |= POLLOUT | POLLWRNORM;
	if (socket->datagram->is_read_shut && socket->datagram->is_write_shut)
		events |= POLLHUP;
	if (socket->error)
		events |= POLLERR;
	return (short)events;
}

/* As SO_ERROR, it is reported once. */
static int error_take_locked(struct rsocket *socket)
{
	int error = socket->error;

	socket->error = 0;
	return error;
}

/* -- sending -- */

/* @spare: the destination, if there is no room for another one */
static int send_choose_dest_locked(struct rsocket *socket,
				   const struct msghdr *msg,
				   struct datagram_dest *spare,
				   struct datagram_dest **ret_dest)
{
	struct sockaddr_storage address;
	int ret;

	if (!msg->msg_name) {
		*ret_dest = socket->datagram->peer;
		return *ret_dest ? 0 : -EDESTADDRREQ;
	}
	ret = socket_name_check(socket->domain, msg->msg_name, msg->msg_namelen,
				&address);
	if (ret)
		return ret;
	ret = datagram_dest_get_locked(socket, (struct sockaddr *)&address,
				       ret_dest);
	if (ret != -ENOBUFS)
		return ret;
	*spare = (struct datagram_dest){ .socket = socket, .address = address };
	*ret_dest = spare;
	return datagram_port_get_locked(socket, (struct sockaddr *)&address,
					&spare->port);
}

static int send_by_qp_unlocking(struct rsocket *socket,
				const struct datagram_dest *dest,
				struct io_cursor *cursor, bool waits)
{
	struct datagram_port *port = dest->port;
	int ret;

	if (!port->nr_free_sends)
		datagram_progress_locked(socket);
	while (!port->nr_free_sends) {
		if (!waits)
			return -EAGAIN;
		ret = socket_wait_unlocking(socket, has_free_sends);
		if (ret)
			return ret;
	}
	return datagram_port_send_locked(port, dest, cursor);
}

/* The kernel sends from the buffer of the UDP socket without the library. */
static int send_by_udp_unlocking(struct rsocket *socket,
				 const struct datagram_dest *dest,
				 const struct io_cursor *cursor, bool waits)
	LOCK_ATTRIBUTE(no_thread_safety_analysis)
{
	struct pollfd fds = { .fd = socket->datagram->udp_fd,
			      .events = POLLOUT };
	int ret;

	for (;;) {
		ret = datagram_udp_send_locked(socket, dest, DATAGRAM_DATA,
					       *cursor);
		if (ret != -EAGAIN || !waits)
			return ret;
		verbs_mutex_unlock(&socket->lock);
		ret = poll(&fds, 1, -1) < 0 ? -errno : 0;
		verbs_mutex_lock(&socket->lock);
		if (ret)
			return ret;
	}
}

static int send_unlocking(struct rsocket *socket, const struct msghdr *msg,
			  struct io_cursor *cursor, bool waits)
{
	struct datagram_dest spare, *dest;
	int ret = error_take_locked(socket);

	if (ret)
		return ret;
	if (socket->datagram->is_write_shut)
		return -EPIPE;
	if (cursor->left + datagram_udp_header_len(socket->domain) >
	    DATAGRAM_MAX_LEN)
		return -EMSGSIZE;
	ret = send_choose_dest_locked(socket, msg, &spare, &dest);
	if (ret)
		return ret;
	/* The peer may have sent its QPN. */
	if (!datagram_dest_is_ready(dest))
		datagram_progress_locked(socket);
	if (datagram_dest_is_ready(dest) &&
	    dest->port->header_len + cursor->left <= dest->port->max_len)
		return send_by_qp_unlocking(socket, dest, cursor, waits);
	return send_by_udp_unlocking(socket, dest, cursor, waits);
}

ssize_t datagram_send(struct rsocket *socket, const struct msghdr *msg,
		      int flags)
{
	int cancel_state, ret;
	struct io_cursor cursor;
	size_t len;

	ret = io_cursor_init(&cursor, msg->msg_iov, (int)msg->msg_iovlen);
	if (ret)
		return ret;
	len = cursor.left;
	cancel_state = cancel_disable();
	verbs_mutex_lock(&socket->lock);
	ret = send_unlocking(socket, msg, &cursor,
			     socket_waits_locked(socket, flags));
	verbs_mutex_unlock(&socket->lock);
	cancel_restore(cancel_state);
	return ret ? ret : (ssize_t)len;
}

/* -- receiving -- */

static int receive_wait_unlocking(struct rsocket *socket, bool waits)
{
	int ret;

	if (!has_received(socket))
		datagram_progress_locked(socket);
	if (has_received(socket))
		return 0;
	if (!waits)
		return -EAGAIN;
	do {
		ret = socket_wait_unlocking(socket, has_received);
	} while (!ret && !has_received(socket));
	return ret;
}

static void message_free_locked(struct rsocket *socket,
				const struct datagram_message *message)
{
	struct datagram_port *port = message->port;
	uint32_t slot = message->slot;

	datagram_queue_drop_locked(socket);
	if (port && datagram_port_post_recv_locked(port, slot) != 0)
		socket->error = -EIO;
}

static ssize_t message_read_locked(struct rsocket *socket, struct msghdr *msg,
				   struct io_cursor *cursor, int flags)
{
	const struct datagram_message *message =
		datagram_queue_first_locked(socket);
	size_t len = message->len;
	ssize_t ret;

	socket_name_copy((const struct sockaddr *)&message->from, msg->msg_name,
			 &msg->msg_namelen);
	if (len > cursor->left) {
		len = cursor->left;
		msg->msg_flags |= MSG_TRUNC;
	}
	io_cursor_write(cursor, message->bytes, len);
	ret = (ssize_t)((flags & MSG_TRUNC) ? message->len : len);
	if (!(flags & MSG_PEEK))
		message_free_locked(socket, message);
	return ret;
}

ssize_t datagram_receive(struct rsocket *socket, struct msghdr *msg, int flags)
{
	struct io_cursor cursor;
	ssize_t ret =
		io_cursor_init(&cursor, msg->msg_iov, (int)msg->msg_iovlen);

	if (ret)
		return ret;
	verbs_mutex_lock(&socket->lock);
	ret = receive_wait_unlocking(socket,
				     socket_waits_locked(socket, flags));
	if (!ret && socket->datagram->nr_messages)
		ret = message_read_locked(socket, msg, &cursor, flags);
	else if (!ret)
		ret = error_take_locked(socket);
	verbs_mutex_unlock(&socket->lock);
	return ret;
}

void datagram_close_unlocking(struct rsocket *socket)
{
	while (!all_sends_are_free(socket) &&
	       socket_wait_unlocking(socket, all_sends_are_free) == -EINTR)
		;
}
