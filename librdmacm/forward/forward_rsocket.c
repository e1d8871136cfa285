/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The functions of rsocket.h, each forwarded. */
#include "forward/forward_table.h"

#include <stdarg.h>

/* All commands of fcntl() have one argument at most, an int or a pointer. */
int rfcntl(int socket, int cmd, ... /* arg */)
{
	const struct forward_table *next = forward_table_get();
	va_list args;
	long arg;

	if (!next->rfcntl)
		return forward_minus1();
	va_start(args, cmd);
	arg = va_arg(args, long);
	va_end(args);
	return next->rfcntl(socket, cmd, arg);
}

int raccept(int socket, struct sockaddr *addr, socklen_t *addrlen)
{
	const struct forward_table *next = forward_table_get();

	if (!next->raccept)
		return forward_minus1();
	return next->raccept(socket, addr, addrlen);
}

int rbind(int socket, const struct sockaddr *addr, socklen_t addrlen)
{
	const struct forward_table *next = forward_table_get();

	if (!next->rbind)
		return forward_minus1();
	return next->rbind(socket, addr, addrlen);
}

int rclose(int socket)
{
	const struct forward_table *next = forward_table_get();

	if (!next->rclose)
		return forward_minus1();
	return next->rclose(socket);
}

int rconnect(int socket, const struct sockaddr *addr, socklen_t addrlen)
{
	const struct forward_table *next = forward_table_get();

	if (!next->rconnect)
		return forward_minus1();
	return next->rconnect(socket, addr, addrlen);
}

int repoll_create(int flags)
{
	const struct forward_table *next = forward_table_get();

	if (!next->repoll_create)
		return forward_minus1();
	return next->repoll_create(flags);
}

int repoll_ctl(int epfd, int op, int fd, struct epoll_event *event)
{
	const struct forward_table *next = forward_table_get();

	if (!next->repoll_ctl)
		return forward_minus1();
	return next->repoll_ctl(epfd, op, fd, event);
}

int repoll_wait(int epfd, struct epoll_event *events, int maxevents,
		int timeout)
{
	const struct forward_table *next = forward_table_get();

	if (!next->repoll_wait)
		return forward_minus1();
	return next->repoll_wait(epfd, events, maxevents, timeout);
}

int rgetpeername(int socket, struct sockaddr *addr, socklen_t *addrlen)
{
	const struct forward_table *next = forward_table_get();

	if (!next->rgetpeername)
		return forward_minus1();
	return next->rgetpeername(socket, addr, addrlen);
}

int rgetsockname(int socket, struct sockaddr *addr, socklen_t *addrlen)
{
	const struct forward_table *next = forward_table_get();

	if (!next->rgetsockname)
		return forward_minus1();
	return next->rgetsockname(socket, addr, addrlen);
}

int rgetsockopt(int socket, int level, int optname, void *optval,
		socklen_t *optlen)
{
	const struct forward_table *next = forward_table_get();

	if (!next->rgetsockopt)
		return forward_minus1();
	return next->rgetsockopt(socket, level, optname, optval, optlen);
}

off_t riomap(int socket, void *buf, size_t len, int prot, int flags,
	     off_t offset)
{
	const struct forward_table *next = forward_table_get();

	if (!next->riomap)
		return forward_minus1();
	return next->riomap(socket, buf, len, prot, flags, offset);
}

int riounmap(int socket, void *buf, size_t len)
{
	const struct forward_table *next = forward_table_get();

	if (!next->riounmap)
		return forward_minus1();
	return next->riounmap(socket, buf, len);
}

size_t riowrite(int socket, const void *buf, size_t count, off_t offset,
		int flags)
{
	const struct forward_table *next = forward_table_get();

	if (!next->riowrite)
		return (size_t)forward_minus1();
	return next->riowrite(socket, buf, count, offset, flags);
}

int rlisten(int socket, int backlog)
{
	const struct forward_table *next = forward_table_get();

	if (!next->rlisten)
		return forward_minus1();
	return next->rlisten(socket, backlog);
}

int rpoll(struct pollfd *fds, nfds_t nfds, int timeout)
{
	const struct forward_table *next = forward_table_get();

	if (!next->rpoll)
		return forward_minus1();
	return next->rpoll(fds, nfds, timeout);
}

ssize_t rread(int socket, void *buf, size_t count)
{
	const struct forward_table *next = forward_table_get();

	if (!next->rread)
		return forward_minus1();
	return next->rread(socket, buf, count);
}

ssize_t rreadv(int socket, const struct iovec *iov, int iovcnt)
{
	const struct forward_table *next = forward_table_get();

	if (!next->rreadv)
		return forward_minus1();
	return next->rreadv(socket, iov, iovcnt);
}

ssize_t rrecv(int socket, void *buf, size_t len, int flags)
{
	const struct forward_table *next = forward_table_get();

	if (!next->rrecv)
		return forward_minus1();
	return next->rrecv(socket, buf, len, flags);
}

ssize_t rrecvfrom(int socket, void *buf, size_t len, int flags,
		  struct sockaddr *src_addr, socklen_t *addrlen)
{
	const struct forward_table *next = forward_table_get();

	if (!next->rrecvfrom)
		return forward_minus1();
	return next->rrecvfrom(socket, buf, len, flags, src_addr, addrlen);
}

ssize_t rrecvmsg(int socket, struct msghdr *msg, int flags)
{
	const struct forward_table *next = forward_table_get();

	if (!next->rrecvmsg)
		return forward_minus1();
	return next->rrecvmsg(socket, msg, flags);
}

int rselect(int nfds, fd_set *readfds, fd_set *writefds, fd_set *exceptfds,
	    struct timeval *timeout)
{
	const struct forward_table *next = forward_table_get();

	if (!next->rselect)
		return forward_minus1();
	return next->rselect(nfds, readfds, writefds, exceptfds, timeout);
}

ssize_t rsend(int socket, const void *buf, size_t len, int flags)
{
	const struct forward_table *next = forward_table_get();

	if (!next->rsend)
		return forward_minus1();
	return next->rsend(socket, buf, len, flags);
}

ssize_t rsendmsg(int socket, const struct msghdr *msg, int flags)
{
	const struct forward_table *next = forward_table_get();

	if (!next->rsendmsg)
		return forward_minus1();
	return next->rsendmsg(socket, msg, flags);
}

ssize_t rsendto(int socket, const void *buf, size_t len, int flags,
		const struct sockaddr *dest_addr, socklen_t addrlen)
{
	const struct forward_table *next = forward_table_get();

	if (!next->rsendto)
		return forward_minus1();
	return next->rsendto(socket, buf, len, flags, dest_addr, addrlen);
}

int rsetsockopt(int socket, int level, int optname, const void *optval,
		socklen_t optlen)
{
	const struct forward_table *next = forward_table_get();

	if (!next->rsetsockopt)
		return forward_minus1();
	return next->rsetsockopt(socket, level, optname, optval, optlen);
}

int rshutdown(int socket, int how)
{
	const struct forward_table *next = forward_table_get();

	if (!next->rshutdown)
		return forward_minus1();
	return next->rshutdown(socket, how);
}

int rsocket(int domain, int type, int protocol)
{
	const struct forward_table *next = forward_table_get();

	if (!next->rsocket)
		return forward_minus1();
	return next->rsocket(domain, type, protocol);
}

ssize_t rwrite(int socket, const void *buf, size_t count)
{
	const struct forward_table *next = forward_table_get();

	if (!next->rwrite)
		return forward_minus1();
	return next->rwrite(socket, buf, count);
}

ssize_t rwritev(int socket, const struct iovec *iov, int iovcnt)
{
	const struct forward_table *next = forward_table_get();

	if (!next->rwritev)
		return forward_minus1();
	return next->rwritev(socket, iov, iovcnt);
}
