/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sending, receiving and waiting by descriptor: functions of rsocket.h. */
#include "api/api_err.h"
#include "rsocket/socket_name.h"
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

static ssize_t call_send(int fd, const struct iovec *iov, int nr_iov, int flags)
{
	struct rsocket *socket = socket_get(fd);
	ssize_t ret;

	if (!socket)
		return api_ret_minus1(-EBADF);
	ret = stream_send(socket, iov, nr_iov, flags);
	socket_put(socket);
	return result_of(ret);
}

static ssize_t call_receive(int fd, const struct iovec *iov, int nr_iov,
			    int flags, struct sockaddr *address, socklen_t *len)
{
	struct rsocket *socket = socket_get(fd);
	ssize_t ret;

	if (!socket)
		return api_ret_minus1(-EBADF);
	ret = stream_receive(socket, iov, nr_iov, flags);
	if (ret > 0 && address)
		socket_name_copy(&socket->id->route.addr.dst_addr, address,
				 len);
	socket_put(socket);
	return result_of(ret);
}

ssize_t rsend(int fd, const void *buf, size_t len, int flags)
{
	const struct iovec iov = { .iov_base = (void *)(uintptr_t)buf,
				   .iov_len = len };

	return call_send(fd, &iov, 1, flags);
}

ssize_t rsendto(int fd, const void *buf, size_t len, int flags,
		const struct sockaddr *address, socklen_t address_len)
{
	if (address || address_len)
		return api_ret_minus1(-EISCONN);
	return rsend(fd, buf, len, flags);
}

ssize_t rsendmsg(int fd, const struct msghdr *msg, int flags)
{
	if (msg->msg_control && msg->msg_controllen)
		return api_ret_minus1(-ENOTSUP);
	if (msg->msg_iovlen > INT_MAX)
		return api_ret_minus1(-EMSGSIZE);
	return call_send(fd, msg->msg_iov, (int)msg->msg_iovlen, flags);
}

ssize_t rwrite(int fd, const void *buf, size_t len)
{
	return rsend(fd, buf, len, 0);
}

ssize_t rwritev(int fd, const struct iovec *iov, int nr_iov)
{
	return call_send(fd, iov, nr_iov, 0);
}

ssize_t rrecvfrom(int fd, void *buf, size_t len, int flags,
		  struct sockaddr *address, socklen_t *address_len)
{
	const struct iovec iov = { .iov_base = buf, .iov_len = len };

	return call_receive(fd, &iov, 1, flags, address, address_len);
}

ssize_t rrecv(int fd, void *buf, size_t len, int flags)
{
	return rrecvfrom(fd, buf, len, flags, NULL, NULL);
}

ssize_t rrecvmsg(int fd, struct msghdr *msg, int flags)
{
	if (msg->msg_control && msg->msg_controllen)
		return api_ret_minus1(-ENOTSUP);
	if (msg->msg_iovlen > INT_MAX)
		return api_ret_minus1(-EMSGSIZE);
	return call_receive(fd, msg->msg_iov, (int)msg->msg_iovlen,
			    flags | msg->msg_flags, NULL, NULL);
}

ssize_t rread(int fd, void *buf, size_t len)
{
	return rrecvfrom(fd, buf, len, 0, NULL, NULL);
}

ssize_t rreadv(int fd, const struct iovec *iov, int nr_iov)
{
	return call_receive(fd, iov, nr_iov, 0, NULL, NULL);
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

/* -- not implemented: epoll of rsockets -- */

int repoll_create(int flags)
{
	return api_ret_minus1(-ENOSYS);
}

int repoll_ctl(int epfd, int op, int fd, struct epoll_event *event)
{
	return api_ret_minus1(-ENOSYS);
}

int repoll_wait(int epfd, struct epoll_event *events, int maxevents,
		int timeout)
{
	return api_ret_minus1(-ENOSYS);
}
