/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Datagram sockets. The UDP socket has the addresses and the options, the
 * kernel chooses the routes; see datagram_io.c for the data.
 */
#include "rsocket/datagram_socket.h"

#include "rsocket/datagram_dest.h"
#include "rsocket/datagram_io.h"
#include "rsocket/datagram_port.h"
#include "rsocket/datagram_queue.h"
#include "rsocket/socket_name.h"
#include "rsocket/socket_option.h"
#include "rsocket/socket_service.h"
#include "rsocket/socket_waiter.h"
#include "util/nocancel.h"

#include <errno.h>
#include <rdma/rsocket.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

static int datagram_bind_locked(struct rsocket *socket,
				const struct sockaddr *address, socklen_t len)
{
	return bind(socket->datagram->udp_fd, address, len) == 0 ? 0 : -errno;
}

static int datagram_connect_locked(struct rsocket *socket,
				   const struct sockaddr *address,
				   socklen_t len)
{
	struct datagram *datagram = socket->datagram;
	struct datagram_dest *dest = NULL;
	struct sockaddr_storage copy;
	int ret;

	/* AF_UNSPEC ends the association. */
	if (!address || len < sizeof(address->sa_family) ||
	    address->sa_family != AF_UNSPEC) {
		ret = socket_name_check(socket->domain, address, len, &copy);
		if (!ret)
			ret = datagram_dest_get_locked(
				socket, (struct sockaddr *)&copy, &dest);
		if (ret)
			return ret;
	}
	if (nocancel_connect(datagram->udp_fd, address, len) != 0)
		return -errno;
	datagram->peer = dest;
	return 0;
}

static int datagram_shutdown_locked(struct rsocket *socket, int how)
{
	struct datagram *datagram = socket->datagram;

	if (!datagram->peer)
		return -ENOTCONN;
	datagram->is_read_shut |= how != SHUT_WR;
	datagram->is_write_shut |= how != SHUT_RD;
	socket_notify_locked(socket);
	return 0;
}

static int datagram_name_locked(struct rsocket *socket, bool is_peer,
				struct sockaddr *address, socklen_t *len)
{
	int udp_fd = socket->datagram->udp_fd;
	int ret = is_peer ? getpeername(udp_fd, address, len)
			  : getsockname(udp_fd, address, len);

	return ret == 0 ? 0 : -errno;
}

static int datagram_set_option_locked(struct rsocket *socket, int level,
				      int name, const void *value,
				      socklen_t len)
{
	if (level == SOL_RDMA)
		return socket_option_set_locked(socket, level, name, value,
						len);
	return setsockopt(socket->datagram->udp_fd, level, name, value, len) ==
			       0
		       ? 0
		       : -errno;
}

static int datagram_get_option_locked(struct rsocket *socket, int level,
				      int name, void *value, socklen_t *len)
{
	if (level == SOL_RDMA ||
	    (level == SOL_SOCKET && name == SO_ERROR && socket->error))
		return socket_option_get_locked(socket, level, name, value,
						len);
	return getsockopt(socket->datagram->udp_fd, level, name, value, len) ==
			       0
		       ? 0
		       : -errno;
}

static void datagram_free_dests(struct datagram *datagram)
{
	struct list_node *node, *next;

	for (unsigned int i = 0; i < DATAGRAM_NR_BUCKETS; i++) {
		list_for_each_safe (node, next, &datagram->dests[i])
			datagram_dest_free(
				list_entry(node, struct datagram_dest, node));
	}
}

static void datagram_free(struct rsocket *socket)
{
	struct datagram *datagram = socket->datagram;
	struct list_node *node, *next;

	verbs_mutex_lock(&socket->lock);
	socket->state = RSOCKET_CLOSED;
	while (datagram_queue_first_locked(socket))
		datagram_queue_drop_locked(socket);
	verbs_mutex_unlock(&socket->lock);
	/* Not under the lock: it waits for the thread of CM events. */
	datagram_free_dests(datagram);
	list_for_each_safe (node, next, &datagram->ports)
		datagram_port_free(
			list_entry(node, struct datagram_port, node));
	if (datagram->epoll_fd >= 0)
		(void)close(datagram->epoll_fd);
	if (datagram->udp_fd >= 0)
		(void)close(datagram->udp_fd);
	free(datagram);
	socket_dealloc(socket);
}

static const struct socket_ops datagram_ops = {
	.type = SOCK_DGRAM,
	.bind_locked = datagram_bind_locked,
	.connect_unlocking = datagram_connect_locked,
	.shutdown_unlocking = datagram_shutdown_locked,
	.name_locked = datagram_name_locked,
	.set_option_locked = datagram_set_option_locked,
	.get_option_locked = datagram_get_option_locked,
	.send = datagram_send,
	.receive = datagram_receive,
	.close_unlocking = datagram_close_unlocking,
	.free = datagram_free,
	.events_locked = datagram_events_locked,
	.progress_locked = datagram_progress_locked,
	.arm_locked = datagram_arm_locked,
	.take_events_locked = datagram_take_events_locked,
};

static void *datagram_event_handle(struct rdma_cm_event *event)
{
	datagram_dest_event(event);
	return NULL;
}

static int udp_socket_new(int domain)
{
	return socket(domain, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

static int datagram_open(struct rsocket *socket)
{
	static const struct socket_service_ops ops = {
		.handle = datagram_event_handle,
	};
	struct datagram *datagram = socket->datagram;
	struct epoll_event event = { .events = EPOLLIN };
	int ret =
		socket_service_start(RDMA_PS_UDP, &ops, &datagram->cm_channel);

	if (ret)
		return ret;
	datagram->udp_fd = udp_socket_new(socket->domain);
	if (datagram->udp_fd < 0)
		return -errno;
	datagram->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (datagram->epoll_fd < 0 ||
	    epoll_ctl(datagram->epoll_fd, EPOLL_CTL_ADD, datagram->udp_fd,
		      &event) != 0)
		return -errno;
	return 0;
}

int datagram_socket_new(int domain, struct rsocket **ret_socket)
{
	struct rsocket *socket = socket_alloc(&datagram_ops, domain);
	struct datagram *datagram = calloc(1, sizeof(*datagram));
	int ret;

	if (!socket || !datagram) {
		free(datagram);
		if (socket)
			socket_dealloc(socket);
		return -ENOMEM;
	}
	socket->datagram = datagram;
	datagram->udp_fd = -1;
	datagram->epoll_fd = -1;
	list_init(&datagram->ports);
	list_init(&datagram->messages);
	for (unsigned int i = 0; i < DATAGRAM_NR_BUCKETS; i++)
		list_init(&datagram->dests[i]);
	ret = datagram_open(socket);
	if (ret) {
		datagram_free(socket);
		return ret;
	}
	*ret_socket = socket;
	return 0;
}
