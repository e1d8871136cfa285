/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sending, receiving and waiting by descriptor: functions of rsocket.h. */
#include "api/api_err.h"
#include "rsocket/repoll_set.h"
#include "rsocket/socket_poll.h"
#include "rsocket/socket_table.h"
#include "rsocket/stream_io.h"
#include "rsocket/stream_iomap.h"

#include <errno.h>
#include <limits.h>
#include <rdma/rsocket.h>

static ssize_t result_of(ssize_t ret)
{
	return ret < 0 ? api_ret_minus1((int)ret) : ret;
}

static int message_check(const struct msghdr *msg)
{
	if (msg->msg_control && msg->msg_controllen)
		return -ENOTSUP;
	return msg->msg_iovlen > IOV_MAX ? -EMSGSIZE : 0;
}

ssize_t rsendmsg(int fd, const struct msghdr *msg, int flags)
{
	struct rsocket *socket = socket_get(fd);
	ssize_t ret;

	if (!socket)
		return api_ret_minus1(-EBADF);
	ret = message_check(msg);
	if (!ret)
		ret = socket->ops->send(socket, msg, flags);
	socket_put(socket);
	return result_of(ret);
}

ssize_t rsendto(int fd, const void *buf, size_t len, int flags,
		const struct sockaddr *address, socklen_t address_len)
{
	struct iovec iov = { .iov_base = (void *)(uintptr_t)buf,
			     .iov_len = len };
	const struct msghdr msg = {
		.msg_name = (void *)(uintptr_t)address,
		.msg_namelen = address_len,
		.msg_iov = &iov,
		.msg_iovlen = 1,
	};

	return rsendmsg(fd, &msg, flags);
}

ssize_t rsend(int fd, const void *buf, size_t len, int flags)
{
	return rsendto(fd, buf, len, flags, NULL, 0);
}

ssize_t rwrite(int fd, const void *buf, size_t len)
{
	return rsend(fd, buf, len, 0);
}

ssize_t rwritev(int fd, const struct iovec *iov, int nr_iov)
{
	const struct msghdr msg = {
		.msg_iov = (struct iovec *)(uintptr_t)iov,
		.msg_iovlen = (size_t)nr_iov,
	};

	if (nr_iov < 0 || nr_iov > IOV_MAX)
		return api_ret_minus1(-EINVAL);
	return rsendmsg(fd, &msg, 0);
}

static ssize_t call_receive(int fd, struct msghdr *msg, int flags)
{
	struct rsocket *socket = socket_get(fd);
	ssize_t ret;

	if (!socket)
		return api_ret_minus1(-EBADF);
	ret = message_check(msg);
	if (!ret)
		ret = socket->ops->receive(socket, msg, flags);
	socket_put(socket);
	return result_of(ret);
}

ssize_t rrecvmsg(int fd, struct msghdr *msg, int flags)
{
	msg->msg_flags = 0;
	return call_receive(fd, msg, flags);
}

ssize_t rrecvfrom(int fd, void *buf, size_t len, int flags,
		  struct sockaddr *address, socklen_t *address_len)
{
	struct iovec iov = { .iov_base = buf, .iov_len = len };
	struct msghdr msg = {
		.msg_name = address_len ? address : NULL,
		.msg_namelen = address_len ? *address_len : 0,
		.msg_iov = &iov,
		.msg_iovlen = 1,
	};
	ssize_t ret = call_receive(fd, &msg, flags);

	if (ret >= 0 && address_len)
		*address_len = msg.msg_namelen;
	return ret;
}

ssize_t rrecv(int fd, void *buf, size_t len, int flags)
{
	return rrecvfrom(fd, buf, len, flags, NULL, NULL);
}

ssize_t rread(int fd, void *buf, size_t len)
{
	return rrecvfrom(fd, buf, len, 0, NULL, NULL);
}

ssize_t rreadv(int fd, const struct iovec *iov, int nr_iov)
{
	struct msghdr msg = {
		.msg_iov = (struct iovec *)(uintptr_t)iov,
		.msg_iovlen = (size_t)nr_iov,
	};

	if (nr_iov < 0 || nr_iov > IOV_MAX)
		return api_ret_minus1(-EINVAL);
	return call_receive(fd, &msg, 0);
}

int rpoll(struct pollfd *fds, nfds_t nr_fds, int timeout_ms)
{
	int ret = socket_poll(fds, nr_fds, timeout_ms);

	return ret < 0 ? api_ret_minus1(ret) : ret;
}

int rselect(int nr_fds, fd_set *read_fds, fd_set *write_fds, fd_set *except_fds,
	    struct timeval *timeout)
{
	int ret =
		socket_select(nr_fds, read_fds, write_fds, except_fds, timeout);

	return ret < 0 ? api_ret_minus1(ret) : ret;
}

off_t riomap(int fd, void *buf, size_t len, int prot, int flags, off_t offset)
{
	struct rsocket *socket = socket_get(fd);
	int ret;

	if (!socket)
		return api_ret_minus1(-EBADF);
	ret = stream_iomap(socket, buf, len, prot, &offset);
	socket_put(socket);
	return ret ? api_ret_minus1(ret) : offset;
}

int riounmap(int fd, void *buf, size_t len)
{
	struct rsocket *socket = socket_get(fd);
	int ret;

	if (!socket)
		return api_ret_minus1(-EBADF);
	ret = stream_iounmap(socket, buf, len);
	socket_put(socket);
	return api_ret_minus1(ret);
}

size_t riowrite(int fd, const void *buf, size_t len, off_t offset, int flags)
{
	struct rsocket *socket = socket_get(fd);
	ssize_t ret;

	if (!socket)
		return (size_t)api_ret_minus1(-EBADF);
	ret = stream_write_at(socket, buf, len, (uint64_t)offset, flags);
	socket_put(socket);
	return (size_t)result_of(ret);
}

/* -- sets; invalid arguments are positive values, as elsewhere -- */

int repoll_ctl(int set_fd, int op, int fd, struct epoll_event *event)
{
	struct rsocket *set = socket_get(set_fd);
	int ret;

	if (!set)
		return EBADF;
	ret = repoll_set_control(set, op, fd, event);
	socket_put(set);
	return -ret;
}

int repoll_wait(int set_fd, struct epoll_event *events, int max_events,
		int timeout_ms)
{
	struct rsocket *set = socket_get(set_fd);
	int ret;

	if (!set)
		return EBADF;
	ret = repoll_set_wait(set, events, max_events, timeout_ms);
	socket_put(set);
	if (ret == -EBADF || ret == -EINVAL)
		return -ret;
	/* EINTR as a positive value would be a number of events. */
	return ret < 0 ? api_ret_minus1(ret) : ret;
}
