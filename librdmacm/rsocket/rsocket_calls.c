/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Descriptors and connections: functions of rsocket.h. The descriptor of a
 * socket is an eventfd without a use of its own: it reserves a number that is
 * unique in the process.
 */
#include "api/api_err.h"
#include "rsocket/datagram_socket.h"
#include "rsocket/repoll_set.h"
#include "rsocket/socket_children.h"
#include "rsocket/socket_keepalive.h"
#include "rsocket/socket_name.h"
#include "rsocket/socket_table.h"
#include "rsocket/socket_wait.h"
#include "rsocket/socket_waiter.h"
#include "rsocket/stream_conn.h"
#include "rsocket/stream_socket.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <rdma/rsocket.h>
#include <stdarg.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define CALL_TYPE_FLAGS (SOCK_NONBLOCK | SOCK_CLOEXEC)

/* Is there any RDMA device? Programs use TCP instead if there is none. */
static bool has_devices(void)
{
	struct ibv_device **list;
	int nr = 0;

	list = ibv_get_device_list(&nr);
	if (!list)
		return false;
	ibv_free_device_list(list);
	return nr != 0;
}

/* A socket of datagrams needs a device only to send. */
static int socket_new(int domain, int type, int protocol,
		      struct rsocket **ret_socket)
{
	type &= ~CALL_TYPE_FLAGS;
	if (domain != AF_INET && domain != AF_INET6)
		return -ENOTSUP;
	if (type == SOCK_DGRAM && (!protocol || protocol == IPPROTO_UDP))
		return datagram_socket_new(domain, ret_socket);
	if (type != SOCK_STREAM || (protocol && protocol != IPPROTO_TCP))
		return -ENOTSUP;
	return has_devices()
		       ? stream_socket_new(&stream_ops, domain, ret_socket)
		       : -ENODEV;
}

/* Gives a socket a descriptor, by which the process knows it from then on. */
static int socket_publish(struct rsocket *socket, bool is_closed_on_exec)
{
	int fd = eventfd(0, is_closed_on_exec ? EFD_CLOEXEC : 0);
	int ret;

	if (fd < 0)
		return -errno;
	socket->fd = fd;
	ret = socket_table_add(socket);
	if (!ret)
		return fd;
	(void)close(fd);
	return ret;
}

int rsocket(int domain, int type, int protocol)
{
	struct rsocket *socket;
	int ret = socket_new(domain, type, protocol, &socket);

	if (ret)
		return api_ret_minus1(ret);
	socket->is_nonblocking = (type & SOCK_NONBLOCK) != 0;
	ret = socket_publish(socket, (type & SOCK_CLOEXEC) != 0);
	if (ret < 0) {
		socket->ops->free(socket);
		return api_ret_minus1(ret);
	}
	return ret;
}

static bool socket_is_busy(int fd)
{
	struct rsocket *socket = socket_get(fd);
	bool is_busy = false;

	if (!socket)
		return false;
	if (socket->ops->is_busy_locked) {
		verbs_mutex_lock(&socket->lock);
		is_busy = socket->ops->is_busy_locked(socket);
		verbs_mutex_unlock(&socket->lock);
	}
	socket_put(socket);
	return is_busy;
}

int rclose(int fd)
{
	struct rsocket *socket;

	/* Positive values, as other implementations */
	if (socket_is_busy(fd))
		return EBUSY;
	socket = socket_table_remove(fd);
	if (!socket)
		return EBADF;
	verbs_mutex_lock(&socket->lock);
	socket->is_closing = true;
	socket_notify_locked(socket);
	verbs_mutex_unlock(&socket->lock);
	socket_table_wait(socket);
	verbs_mutex_lock(&socket->lock);
	socket->is_closing = false;
	socket->ops->close_unlocking(socket);
	verbs_mutex_unlock(&socket->lock);
	socket->ops->free(socket);
	(void)close(fd);
	return 0;
}

int repoll_create(int flags)
{
	struct rsocket *set;
	int ret = flags & ~EPOLL_CLOEXEC ? -EINVAL : repoll_set_new(&set);

	if (!ret) {
		ret = socket_publish(set, (flags & EPOLL_CLOEXEC) != 0);
		if (ret < 0)
			set->ops->free(set);
	}
	return ret < 0 ? api_ret_minus1(ret) : ret;
}

int rshutdown(int fd, int how)
{
	struct rsocket *socket = socket_get(fd);
	int ret;

	if (!socket)
		return api_ret_minus1(-EBADF);
	if (how != SHUT_RD && how != SHUT_WR && how != SHUT_RDWR) {
		ret = -EINVAL;
	} else {
		verbs_mutex_lock(&socket->lock);
		ret = socket->ops->shutdown_unlocking(socket, how);
		verbs_mutex_unlock(&socket->lock);
	}
	socket_put(socket);
	return api_ret_minus1(ret);
}

/* The value of a command, or -errno */
static int socket_control_locked(struct rsocket *socket, int cmd, long arg)
{
	int ret;

	switch (cmd) {
	case F_GETFL:
		return O_RDWR | (socket->is_nonblocking ? O_NONBLOCK : 0);
	case F_SETFL:
		socket->is_nonblocking = (arg & O_NONBLOCK) != 0;
		return 0;
	case F_GETFD:
	case F_SETFD:
		ret = fcntl(socket->fd, cmd, arg);
		return ret < 0 ? -errno : ret;
	default:
		return -ENOTSUP;
	}
}

int rfcntl(int fd, int cmd, ... /* arg */)
{
	struct rsocket *socket = socket_get(fd);
	va_list args;
	long arg;
	int ret;

	if (!socket)
		return api_ret_minus1(-EBADF);
	va_start(args, cmd);
	arg = cmd == F_SETFL || cmd == F_SETFD ? va_arg(args, long) : 0;
	va_end(args);
	verbs_mutex_lock(&socket->lock);
	ret = socket_control_locked(socket, cmd, arg);
	verbs_mutex_unlock(&socket->lock);
	socket_put(socket);
	return ret < 0 ? api_ret_minus1(ret) : ret;
}

/* Begins to send keepalive messages, or to do so at another interval. */
static int socket_watch(struct rsocket *socket)
{
	bool keeps_alive;
	int interval_s;

	verbs_mutex_lock(&socket->lock);
	keeps_alive = socket->options.keeps_alive;
	interval_s = socket->options.keep_idle;
	verbs_mutex_unlock(&socket->lock);
	return keeps_alive ? socket_keepalive_watch(socket->fd, interval_s) : 0;
}

static bool is_keepalive_option(int level, int name)
{
	return (level == SOL_SOCKET && name == SO_KEEPALIVE) ||
	       (level == IPPROTO_TCP && name == TCP_KEEPIDLE);
}

int rsetsockopt(int fd, int level, int name, const void *value, socklen_t len)
{
	struct rsocket *socket = socket_get(fd);
	int ret;

	if (!socket)
		return api_ret_minus1(-EBADF);
	verbs_mutex_lock(&socket->lock);
	ret = value ? socket->ops->set_option_locked(socket, level, name, value,
						     len)
		    : -EFAULT;
	verbs_mutex_unlock(&socket->lock);
	if (!ret && is_keepalive_option(level, name))
		ret = socket_watch(socket);
	socket_put(socket);
	return api_ret_minus1(ret);
}

int rgetsockopt(int fd, int level, int name, void *value, socklen_t *len)
{
	struct rsocket *socket = socket_get(fd);
	int ret;

	if (!socket)
		return api_ret_minus1(-EBADF);
	verbs_mutex_lock(&socket->lock);
	ret = value && len ? socket->ops->get_option_locked(socket, level, name,
							    value, len)
			   : -EFAULT;
	verbs_mutex_unlock(&socket->lock);
	socket_put(socket);
	return api_ret_minus1(ret);
}

int rbind(int fd, const struct sockaddr *address, socklen_t len)
{
	struct rsocket *socket = socket_get(fd);
	int ret;

	if (!socket)
		return api_ret_minus1(-EBADF);
	verbs_mutex_lock(&socket->lock);
	ret = socket->ops->bind_locked(socket, address, len);
	verbs_mutex_unlock(&socket->lock);
	socket_put(socket);
	return api_ret_minus1(ret);
}

int rlisten(int fd, int backlog)
{
	struct rsocket *socket = socket_get(fd);
	int ret;

	if (!socket)
		return api_ret_minus1(-EBADF);
	if (socket->ops->type == SOCK_STREAM) {
		socket_children_set_backlog(socket, backlog);
		verbs_mutex_lock(&socket->lock);
		ret = stream_socket_listen_locked(socket, backlog);
		verbs_mutex_unlock(&socket->lock);
	} else {
		ret = -EOPNOTSUPP;
	}
	socket_put(socket);
	return api_ret_minus1(ret);
}

static bool has_ready_child(const struct rsocket *socket)
{
	return !list_empty(&socket->ready);
}

/* Returns the descriptor of a new connection, or -errno. */
static int socket_accept(struct rsocket *listener, struct sockaddr *address,
			 socklen_t *len)
{
	struct rsocket *child = NULL;
	int fd_flags, interval_s, ret = 0;
	bool keeps_alive;

	verbs_mutex_lock(&listener->lock);
	if (listener->state != RSOCKET_LISTENING)
		ret = -EBADF; /* as other implementations */
	else if (!has_ready_child(listener) && listener->is_nonblocking)
		ret = -EAGAIN;
	else
		ret = socket_wait_unlocking(listener, has_ready_child);
	if (!ret)
		child = socket_children_take_ready_locked(listener);
	fd_flags = fcntl(listener->fd, F_GETFD);
	verbs_mutex_unlock(&listener->lock);
	if (!child)
		return ret;
	(void)socket_children_remove(child);
	/* Another thread may close the descriptor once it exists. */
	keeps_alive = child->options.keeps_alive;
	interval_s = child->options.keep_idle;
	socket_name_copy(&child->id->route.addr.dst_addr, address, len);
	ret = socket_publish(child,
			     fd_flags > 0 && (fd_flags & FD_CLOEXEC) != 0);
	if (ret < 0)
		stream_socket_free(child);
	else if (keeps_alive)
		/* Without memory there are no messages. */
		(void)socket_keepalive_watch(ret, interval_s);
	return ret;
}

int raccept(int fd, struct sockaddr *address, socklen_t *len)
{
	struct rsocket *listener = socket_get(fd);
	int ret;

	if (!listener)
		return api_ret_minus1(-EBADF);
	ret = socket_accept(listener, address, len);
	socket_put(listener);
	return ret < 0 ? api_ret_minus1(ret) : ret;
}

int rconnect(int fd, const struct sockaddr *address, socklen_t len)
{
	struct rsocket *socket = socket_get(fd);
	int ret;

	if (!socket)
		return api_ret_minus1(-EBADF);
	verbs_mutex_lock(&socket->lock);
	ret = socket->ops->connect_unlocking(socket, address, len);
	verbs_mutex_unlock(&socket->lock);
	socket_put(socket);
	return api_ret_minus1(ret);
}

static int call_get_name(int fd, bool is_peer, struct sockaddr *address,
			 socklen_t *len)
{
	struct rsocket *socket = socket_get(fd);
	int ret;

	if (!socket)
		return api_ret_minus1(-EBADF);
	verbs_mutex_lock(&socket->lock);
	ret = socket->ops->name_locked(socket, is_peer, address, len);
	verbs_mutex_unlock(&socket->lock);
	socket_put(socket);
	return api_ret_minus1(ret);
}

int rgetsockname(int fd, struct sockaddr *address, socklen_t *len)
{
	return call_get_name(fd, false, address, len);
}

int rgetpeername(int fd, struct sockaddr *address, socklen_t *len)
{
	return call_get_name(fd, true, address, len);
}
