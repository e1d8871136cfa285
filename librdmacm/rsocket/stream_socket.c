/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The operations of stream sockets, for calls by descriptor. */
#include "rsocket/stream_socket.h"

#include "rsocket/socket_name.h"
#include "rsocket/socket_option.h"
#include "rsocket/socket_wait.h"
#include "rsocket/stream_conn.h"
#include "rsocket/stream_io.h"
#include "rsocket/stream_qp.h"

#include <errno.h>
#include <poll.h>

static bool has_connect_result(const struct rsocket *socket)
{
	return socket->state != RSOCKET_CONNECTING;
}

static int stream_connect_unlocking(struct rsocket *socket,
				    const struct sockaddr *address,
				    socklen_t len)
{
	int ret;

	if (socket->state == RSOCKET_CONNECTING)
		return -EALREADY;
	if (socket->state == RSOCKET_CONNECTED)
		return -EISCONN;
	ret = stream_socket_connect_locked(socket, address, len);
	if (ret)
		return ret;
	if (socket->is_nonblocking)
		return -EINPROGRESS;
	ret = socket_wait_unlocking(socket, has_connect_result);
	if (!ret && socket->state == RSOCKET_FAILED) {
		ret = socket->error;
		socket->error = 0;
	}
	return ret;
}

static int stream_name_locked(struct rsocket *socket, bool is_peer,
			      struct sockaddr *address, socklen_t *len)
{
	const struct rdma_addr *addresses = &socket->id->route.addr;

	if (is_peer && socket->state != RSOCKET_CONNECTED)
		return -ENOTCONN;
	socket_name_copy(is_peer ? &addresses->dst_addr : &addresses->src_addr,
			 address, len);
	return 0;
}

static ssize_t stream_send_msg(struct rsocket *socket, const struct msghdr *msg,
			       int flags)
{
	if (msg->msg_name || msg->msg_namelen)
		return -EISCONN;
	return stream_send(socket, msg->msg_iov, (int)msg->msg_iovlen, flags);
}

static ssize_t stream_receive_msg(struct rsocket *socket, struct msghdr *msg,
				  int flags)
{
	ssize_t ret = stream_receive(socket, msg->msg_iov, (int)msg->msg_iovlen,
				     flags);

	if (ret > 0)
		socket_name_copy(&socket->id->route.addr.dst_addr,
				 msg->msg_name, &msg->msg_namelen);
	return ret;
}

static void stream_progress_locked(struct rsocket *socket)
{
	stream_qp_flush_locked(socket);
	stream_qp_progress_locked(socket);
}

static short stream_events_locked(const struct rsocket *socket)
{
	const struct stream_flow *flow = &socket->flow;
	unsigned int events = 0;

	switch (socket->state) {
	case RSOCKET_LISTENING:
		return list_empty(&socket->ready) ? 0 : POLLIN | POLLRDNORM;
	case RSOCKET_FAILED:
		return POLLIN | POLLRDNORM | POLLOUT | POLLWRNORM | POLLERR |
		       POLLHUP;
	case RSOCKET_CONNECTED:
		break;
	default:
		return 0;
	}
	if (flow->nr_readable || !flow->can_read)
		events |= POLLIN | POLLRDNORM;
	if (stream_flow_can_send(flow) || !flow->can_write)
		events |= POLLOUT | POLLWRNORM;
	/* Programs that look for POLLHUP first must not miss data. */
	if (!flow->can_read && !flow->can_write && !flow->nr_readable)
		events |= POLLHUP;
	if (flow->error)
		events |= POLLERR;
	return (short)events;
}

const struct socket_ops stream_ops = {
	.type = SOCK_STREAM,
	.bind_locked = stream_socket_bind_locked,
	.connect_unlocking = stream_connect_unlocking,
	.shutdown_unlocking = stream_shutdown_unlocking,
	.name_locked = stream_name_locked,
	.set_option_locked = socket_option_set_locked,
	.get_option_locked = socket_option_get_locked,
	.send = stream_send_msg,
	.receive = stream_receive_msg,
	.close_unlocking = stream_close_unlocking,
	.free = stream_socket_free,
	.events_locked = stream_events_locked,
	.progress_locked = stream_progress_locked,
	.arm_locked = stream_qp_arm_locked,
	.take_events_locked = stream_qp_take_events_locked,
};
